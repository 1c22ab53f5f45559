// Purpose: a paper is found by its Semantic Scholar corpus number.
// Parameters: none.
// Returns: nothing.
// Caller: Neo4jStore.initialise
CREATE INDEX citehop_paper_corpusid IF NOT EXISTS
FOR (p:Paper) ON (p.corpusid)
