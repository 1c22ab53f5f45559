// Purpose: the next papers in the server's order of ids.
// Parameters: $after: the last id so far; $rows: how many.
// Returns: id, record: the stored properties; cites and cited_by: ids.
// Caller: Neo4jStore.papers
MATCH (p:Work)
WHERE p.id > $after AND p:Paper
WITH p ORDER BY p.id LIMIT $rows
RETURN p.id AS id, properties(p) AS record,
       COLLECT { MATCH (p)-[:CITES]->(w) RETURN w.id } AS cites,
       COLLECT { MATCH (p)<-[:CITES]-(w) RETURN w.id } AS cited_by
