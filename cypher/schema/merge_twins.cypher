// Purpose: merge nodes that share an id into the first of them; run by hand, or by
//   Neo4jStore.merge_twins, after a backup.
// Parameters: none.
// Returns: merged: how many nodes went into another.
// Caller: Neo4jStore.merge_twins
MATCH (w:Work)
WITH w ORDER BY elementId(w)
WITH w.id AS id, collect(w) AS nodes
WHERE id IS NOT NULL AND size(nodes) > 1
WITH nodes[0] AS kept, nodes[1..] AS twins
UNWIND twins AS twin
CALL (kept, twin) {
  MATCH (twin)-[:CITES]->(cited)
  MERGE (kept)-[:CITES]->(cited)
  RETURN count(*) AS out
}
CALL (kept, twin) {
  MATCH (citing)-[:CITES]->(twin)
  MERGE (citing)-[:CITES]->(kept)
  RETURN count(*) AS into
}
DETACH DELETE twin
RETURN count(*) AS merged
