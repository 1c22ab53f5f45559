// Purpose: the papers that search/papers leaves out, in no order.
// Parameters: none.
// Returns: as search/papers.
// Caller: Neo4jStore.papers
MATCH (p:Paper)
WHERE p.id =~ '(?s).*[\\x{D7FF}\\x{E000}-\\x{FFFF}\\x{10000}-\\x{10FFFF}].*'
RETURN p.id AS id, properties(p) AS record,
       COLLECT { MATCH (p)-[:CITES]->(w) RETURN w.id } AS cites,
       COLLECT { MATCH (p)<-[:CITES]-(w) RETURN w.id } AS cited_by
