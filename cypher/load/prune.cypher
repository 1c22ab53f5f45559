// Purpose: an external work that nothing names any more goes.
// Parameters: $ids: works that lost a citation.
// Returns: nothing; the counter of deleted nodes tells how many went.
// Caller: load, remove
UNWIND $ids AS id
MATCH (w:Work {id: id})
WHERE w:External AND NOT EXISTS { (w)-[:CITES]-() }
DELETE w
