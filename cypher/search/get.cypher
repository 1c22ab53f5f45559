// Purpose: papers by their ids, with the graph's edges at them.
// Parameters: $ids.
// Returns: id, record: the stored properties; cites and cited_by: ids.
// Caller: Neo4jStore.get
UNWIND $ids AS id
MATCH (p:Work {id: id})
WHERE p:Paper
RETURN p.id AS id, properties(p) AS record,
       COLLECT { MATCH (p)-[:CITES]->(w) RETURN w.id } AS cites,
       COLLECT { MATCH (p)<-[:CITES]-(w) RETURN w.id } AS cited_by
