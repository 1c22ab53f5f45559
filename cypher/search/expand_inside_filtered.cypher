// Purpose: with a filter, what each seed meets at exactly one distance, walking through papers only,
//   ranked and limited here.
// Parameters: $seeds: those that still walk; $known: all known seeds, which are no hits; $at: the
//   distance, the same number as the bound that is written into the pattern; $room: papers
//   returned for a seed at most; $exclude: ids that are no bridges; and the filter (null: any):
//   $year_min, $year_max, $sources, $venues, $authors, $retracted, $ids.
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
  WHERE linked OR (
    n:Paper
    AND ($year_min IS NULL OR n.year >= $year_min)
    AND ($year_max IS NULL OR n.year <= $year_max)
    AND ($sources IS NULL OR any(x IN n.sources WHERE x IN $sources))
    AND ($venues IS NULL OR coalesce(n.venue, '') IN $venues)
    AND ($authors IS NULL OR any(x IN n.authors WHERE x IN $authors))
    AND ($retracted IS NULL OR coalesce(n.retracted, 'no') IN $retracted)
    AND ($ids IS NULL OR n.id IN $ids)
  )
  // Degrees before anything is collected: of a node from a list they cost several times as much.
  WITH n, linked, COUNT { (n)<-[:CITES]-(:Paper) } AS cited, COUNT { (n)-[:CITES]-(:Paper) } AS degree
  ORDER BY cited DESC, coalesce(n.citehop_order, n.id)
  WITH collect(CASE WHEN linked THEN n.id END) AS links,
       collect(CASE WHEN NOT linked THEN n.id END) AS all_ids,
       collect(CASE WHEN NOT linked THEN cited END) AS all_cited,
       collect(CASE WHEN NOT linked THEN degree END) AS all_degrees
  // Three lists and not one of triples: the driver takes them in much faster.
  RETURN links, size(all_ids) AS found, all_ids[..$room] AS ids, all_cited[..$room] AS cited_by,
         all_degrees[..$room] AS degrees
}
RETURN s.id AS seed, links, found, ids, cited_by, degrees
