// Purpose: citations that the citing paper's record states. stated_by is absent where only that
//   record states the citation, 'cited' where only the cited one does, 'both' where both do.
// Parameters: $rows: key and references of each paper.
// Returns: nothing.
// Caller: load
UNWIND $rows AS row
MATCH (p:Work {id: row.key})
UNWIND row.references AS id
MATCH (cited:Work {id: id})
MERGE (p)-[e:CITES]->(cited)
ON MATCH SET e.stated_by = CASE e.stated_by WHEN 'cited' THEN 'both' ELSE e.stated_by END
