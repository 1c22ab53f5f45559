// Purpose: a paper is found by its pmid name.
// Parameters: none.
// Returns: nothing.
// Caller: Neo4jStore.initialise
CREATE INDEX citehop_paper_pmid IF NOT EXISTS
FOR (p:Paper) ON (p.pmid)
