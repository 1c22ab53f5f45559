// Purpose: write papers; an external work with the id becomes a paper.
// Parameters: $rows: key and properties of each paper (null removes a property); $revision.
// Returns: nothing.
// Caller: load
UNWIND $rows AS row
MERGE (p:Work {id: row.key})
SET p:Paper, p += row.properties, p.citehop_changed = $revision
REMOVE p:External
