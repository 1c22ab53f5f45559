// Purpose: a paper is found by its s2 name.
// Parameters: none.
// Returns: nothing.
// Caller: Neo4jStore.initialise
CREATE INDEX citehop_paper_s2 IF NOT EXISTS
FOR (p:Paper) ON (p.s2)
