// Purpose: what is most often cited together with a paper, and who cites both.
// Parameters: $id; set it first:  :param id => 'W2100837269'
// Returns: paper, cites, citing, cites_too, together: 25 companions with 5 witnesses each, so at
//   most 151 nodes.
// Caller: a person in Neo4j Browser
MATCH (paper:Work {id: $id})<-[:CITES]-(witness)-[:CITES]->(companion:Paper)
WHERE companion <> paper
WITH paper, companion, count(DISTINCT witness) AS times
ORDER BY times DESC, companion.id LIMIT 25
CALL (paper, companion) {
  MATCH (paper)<-[cites:CITES]-(citing)-[cites_too:CITES]->(companion)
  RETURN cites, citing, cites_too ORDER BY citing.id LIMIT 5
}
RETURN paper, cites, citing, cites_too, companion, times
