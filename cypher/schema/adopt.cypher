// Purpose: give papers that were here before the schema the label that every node has.
// Parameters: none.
// Returns: adopted: how many there were.
// Caller: Neo4jStore.initialise
MATCH (p:Paper)
WHERE NOT p:Work AND p.id IS NOT NULL
SET p:Work
RETURN count(p) AS adopted
