// Purpose: take back what a paper's former record said it cites and its new one does not.
// Parameters: $rows: key and references (the new ones) of each paper.
// Returns: id: the other end of each citation that is gone.
// Caller: load, remove
UNWIND $rows AS row
MATCH (p:Work {id: row.key})-[e:CITES]->(cited:Work)
WHERE coalesce(e.stated_by, 'both') = 'both' AND NOT cited.id IN row.references
WITH e, cited, e.stated_by IS NULL AS alone
FOREACH (_ IN CASE WHEN alone THEN [1] ELSE [] END | DELETE e)
FOREACH (_ IN CASE WHEN alone THEN [] ELSE [1] END | SET e.stated_by = 'cited')
WITH cited, alone
WHERE alone
RETURN DISTINCT cited.id AS id
