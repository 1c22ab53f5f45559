// Purpose: the next papers in the server's order of ids; not those whose ids it orders now by
//   UTF-8, by the index, and now by UTF-16, in memory: a page might begin by the one where the page
//   before ended by the other.
// Parameters: $after: the last id so far; $rows: how many.
// Returns: id, record: the stored properties; cites and cited_by: ids.
// Caller: Neo4jStore.papers
MATCH (p:Work)
WHERE p.id > $after AND p:Paper
// By itself, or the index would be gone through from its beginning.
WITH p ORDER BY p.id
WHERE NOT p.id =~ '(?s).*[\\x{D7FF}\\x{E000}-\\x{FFFF}\\x{10000}-\\x{10FFFF}].*'
WITH p LIMIT $rows
RETURN p.id AS id, properties(p) AS record,
       COLLECT { MATCH (p)-[:CITES]->(w) RETURN w.id } AS cites,
       COLLECT { MATCH (p)<-[:CITES]-(w) RETURN w.id } AS cited_by
