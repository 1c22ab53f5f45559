// Purpose: what each seed meets at exactly one distance, walking through papers only,
//   ranked and limited here.
// Parameters: $seeds: those that still walk; $known: all known seeds, which are no hits; $at: the
//   distance, the same number as the bound that is written into the pattern; $room: papers
//   returned for a seed at most; $exclude: ids that are no bridges.
// Returns: seed; links: known seeds met; found: papers met; ids, cited_by, degrees: of the first
//   of them, more cited first, then by id.
// Caller: Neo4jStore.expand, once for each hop
// Tokens: hops, left and right (the direction).
UNWIND $seeds AS seed
MATCH (s:Work {id: seed})
CALL (s) {
  MATCH path = (s)/*left*/-[:CITES*1../*hops*/2]-/*right*/(n:Work)
  WHERE all(x IN nodes(path) WHERE x:Paper AND NOT x.id IN $exclude)
  WITH n, min(length(path)) AS distance
  WHERE distance = $at
  WITH n, n.id IN $known AS linked
  WHERE linked OR n:Paper
  WITH n, linked
  ORDER BY COUNT { (n)<-[:CITES]-(:Paper) } DESC, coalesce(n.citehop_order, n.id)
  WITH collect(CASE WHEN linked THEN n.id END) AS links,
       collect(CASE WHEN NOT linked THEN n END) AS ranked
  WITH links, size(ranked) AS found, ranked[..$room] AS top
  UNWIND CASE WHEN top = [] THEN [null] ELSE top END AS n
  // Three lists and not one of triples: the driver takes them in much faster.
  RETURN links, found, collect(n.id) AS ids,
         collect(COUNT { (n)<-[:CITES]-(:Paper) }) AS cited_by,
         collect(COUNT { (n)-[:CITES]-(:Paper) }) AS degrees
}
RETURN s.id AS seed, links, found, ids, cited_by, degrees
