// Purpose: a paper is found by its openalex name.
// Parameters: none.
// Returns: nothing.
// Caller: Neo4jStore.initialise
CREATE INDEX citehop_paper_openalex IF NOT EXISTS
FOR (p:Paper) ON (p.openalex)
