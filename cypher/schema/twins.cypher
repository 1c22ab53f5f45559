// Purpose: name some ids that more than one node has, where the constraint cannot be made.
// Parameters: none.
// Returns: id, nodes: how many nodes have it.
// Caller: Neo4jStore.initialise
MATCH (w:Work)
WITH w.id AS id, count(*) AS nodes
WHERE id IS NOT NULL AND nodes > 1
RETURN id, nodes ORDER BY id LIMIT 5
