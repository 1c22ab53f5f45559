// Purpose: a paper whose id is an unusual spelling of an identifier is found by the usual one.
// Parameters: none.
// Returns: nothing.
// Caller: Neo4jStore.initialise
CREATE INDEX citehop_paper_alias IF NOT EXISTS
FOR (p:Paper) ON (p.citehop_alias)
