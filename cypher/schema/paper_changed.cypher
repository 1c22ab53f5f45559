// Purpose: what changed since a revision is found without reading every paper.
// Parameters: none.
// Returns: nothing.
// Caller: Neo4jStore.initialise
CREATE INDEX citehop_paper_changed IF NOT EXISTS
FOR (p:Paper) ON (p.citehop_changed)
