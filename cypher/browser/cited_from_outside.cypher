// Purpose: the works outside the corpus that its papers cite most, with some of these papers:
//   what to load next.
// Parameters: none.
// Returns: outside, cites, paper, times: 20 works with 8 papers each, so at most 180 nodes.
// Caller: a person in Neo4j Browser
MATCH (outside:External)
WITH outside, COUNT { (outside)<-[:CITES]-() } AS times
ORDER BY times DESC, outside.id LIMIT 20
CALL (outside) {
  MATCH (outside)<-[cites:CITES]-(paper:Paper)
  RETURN cites, paper ORDER BY paper.id LIMIT 8
}
RETURN outside, cites, paper, times
