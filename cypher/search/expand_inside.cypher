// Purpose: what each seed meets at exactly one distance, walking through papers only,
//   ranked and limited here.
// Parameters: $seeds: those that still walk; $known: all seeds, which are no hits; $at: the
//   distance, the same number as the bound that is written into the pattern; $room: papers
//   returned for a seed at most, known seeds counted; $exclude: ids that are no bridges; $odd_ids:
//   whether some id sorts otherwise here than by code points.
// Returns: seed; met: papers and known seeds met; links: the known seeds among them; ids,
//   cited_by, degrees: of the first of all these, more cited first, then by id. A seed that the
//   store does not have gives no row.
// Caller: Neo4jStore.expand, once for each hop
// Tokens: hops, left and right (the direction).
UNWIND $known AS seed
MATCH (k:Work {id: seed})
// Not in WHERE: in a small graph the label would be looked through, and not the id looked up.
WITH collect(CASE WHEN k:Paper THEN k END) AS known
UNWIND known AS s
WITH s, known
WHERE s.id IN $seeds
CALL (s, known) {
  MATCH path = (s)/*left*/-[:CITES*1../*hops*/2]-/*right*/(n:Work)
  WHERE all(x IN nodes(path) WHERE x:Paper AND NOT x.id IN $exclude)
  WITH n, min(length(path)) AS distance
  WHERE distance = $at AND (n:Paper OR n IN known)
  // The nodes alone are kept while they are counted: half of the time goes into their degrees, and
  // this way only the citations of all are counted, and the other degree of those returned.
  WITH collect(n) AS all_met
  WITH all_met, size(all_met) AS met, [k IN known WHERE k IN all_met | k.id] AS links
  // A seed that meets nothing keeps its row: so the store is known to have it.
  UNWIND CASE WHEN met = 0 THEN [null] ELSE all_met END AS n
  WITH n, met, links, COUNT { (n)<-[:CITES]-(:Paper) } AS cited
  ORDER BY cited DESC, CASE WHEN $odd_ids THEN coalesce(n.citehop_order, n.id) ELSE n.id END
  LIMIT $room
  WITH n.id AS id, met, links, cited, COUNT { (n)-[:CITES]-(:Paper) } AS degree
  // Three lists and not one of triples: the driver takes them in much faster.
  RETURN met, links, collect(id) AS ids, collect(cited) AS cited_by, collect(degree) AS degrees
}
RETURN s.id AS seed, met, links, ids, cited_by, degrees
