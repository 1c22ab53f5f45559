// Purpose: the oldest and newest year are one step away, and a filter by years is quick.
// Parameters: none.
// Returns: nothing.
// Caller: Neo4jStore.initialise
CREATE INDEX citehop_paper_year IF NOT EXISTS
FOR (p:Paper) ON (p.year)
