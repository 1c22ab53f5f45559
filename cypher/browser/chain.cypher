// Purpose: the shortest chains of citations between two papers.
// Parameters: $from and $to; set them first:
//   :param from => 'W2100837269'
//   :param to => 'W2025768430'
// Returns: path: at most 40 of them, so at most 240 nodes.
// Caller: a person in Neo4j Browser
MATCH (a:Work {id: $from})
MATCH (b:Work {id: $to})
MATCH path = allShortestPaths((a)-[:CITES*..6]-(b))
WHERE a <> b
RETURN path
ORDER BY [work IN nodes(path) | work.id] LIMIT 40
