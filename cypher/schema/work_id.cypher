// Purpose: every node of the citation graph has one id, and an id has one node.
// Parameters: none.
// Returns: nothing. Fails where two nodes share an id; search/twins.cypher names them.
// Caller: Neo4jStore.initialise
CREATE CONSTRAINT citehop_work_id IF NOT EXISTS
FOR (w:Work) REQUIRE w.id IS UNIQUE
