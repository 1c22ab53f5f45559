// Purpose: a paper is found by its arxiv name.
// Parameters: none.
// Returns: nothing.
// Caller: Neo4jStore.initialise
CREATE INDEX citehop_paper_arxiv IF NOT EXISTS
FOR (p:Paper) ON (p.arxiv)
