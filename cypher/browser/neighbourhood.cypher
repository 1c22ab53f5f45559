// Purpose: a paper and what is one or two citations away, the most cited first.
// Parameters: $id; set it first:  :param id => 'W2100837269'
// Returns: path: at most 100 of them, so at most 201 nodes.
// Caller: a person in Neo4j Browser
MATCH (paper:Work {id: $id})
MATCH (paper)-[:CITES*1..2]-(near:Paper)
WHERE near <> paper
WITH DISTINCT paper, near
ORDER BY COUNT { (near)<-[:CITES]-() } DESC, near.id LIMIT 100
MATCH path = shortestPath((paper)-[:CITES*..2]-(near))
RETURN path
