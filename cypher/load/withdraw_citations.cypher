// Purpose: take back what a paper's former record said it is cited by and its new one does not.
// Parameters: $rows: key and citations (the new ones) of each paper.
// Returns: id: the other end of each citation that is gone.
// Caller: load, remove
UNWIND $rows AS row
MATCH (citing:Work)-[e:CITES]->(p:Work {id: row.key})
WHERE e.stated_by IS NOT NULL AND NOT citing.id IN row.citations
WITH e, citing, e.stated_by = 'cited' AS alone
FOREACH (_ IN CASE WHEN alone THEN [1] ELSE [] END | DELETE e)
FOREACH (_ IN CASE WHEN alone THEN [] ELSE [1] END | REMOVE e.stated_by)
WITH citing, alone
WHERE alone
RETURN DISTINCT citing.id AS id
