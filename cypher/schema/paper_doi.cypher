// Purpose: a paper is found by its doi name.
// Parameters: none.
// Returns: nothing.
// Caller: Neo4jStore.initialise
CREATE INDEX citehop_paper_doi IF NOT EXISTS
FOR (p:Paper) ON (p.doi)
