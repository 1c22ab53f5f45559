// Purpose: one shortest chain for each pair through papers only: of several the one with the smallest sequence of ids;
//   where two works cite each other the step says that the first cites the second.
// Parameters: $pairs: lists of two ids; $exclude: ids that are no bridges.
// Returns: seed, target, nodes: ids; backward: 1 for each step against the citation;
//   external: those of the ids that are works outside the corpus.
// Caller: Neo4jStore.paths
// Tokens: hops, left and right (the direction).
UNWIND $pairs AS pair
MATCH (s:Work {id: pair[0]})
MATCH (t:Work {id: pair[1]})
CALL (s, t) {
  MATCH path = allShortestPaths((s)/*left*/-[:CITES*../*hops*/2]-/*right*/(t))
  WHERE all(x IN nodes(path) WHERE x:Paper AND NOT x.id IN $exclude)
  WITH nodes(path) AS works, relationships(path) AS edges
  WITH works, [i IN range(0, size(edges) - 1) |
    CASE WHEN startNode(edges[i]) = works[i] THEN 0 ELSE 1 END] AS backward
  ORDER BY [x IN works | coalesce(x.citehop_order, x.id)], backward
  LIMIT 1
  RETURN works, backward
}
RETURN s.id AS seed, t.id AS target, [x IN works | x.id] AS nodes, backward,
       [x IN works WHERE NOT x:Paper | x.id] AS external
