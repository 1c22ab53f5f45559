// Purpose: why a paper was found: every shortest chain from each seed of the search to it.
// Parameters: $seeds and $id; set them first:
//   :param seeds => ['W2100837269', 'W2128438887']
//   :param id => 'W2025768430'
// Returns: path: at most 60 of them, so at most 181 nodes.
// Caller: a person in Neo4j Browser
UNWIND $seeds AS seed
MATCH (s:Work {id: seed})
MATCH (hit:Work {id: $id})
MATCH path = allShortestPaths((s)-[:CITES*..3]-(hit))
WHERE s <> hit
RETURN path
ORDER BY length(path), [work IN nodes(path) | work.id] LIMIT 60
