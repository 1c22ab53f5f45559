// Purpose: remember what was removed, for those who follow the changes.
// Parameters: $ids; $revision.
// Returns: nothing.
// Caller: remove
UNWIND $ids AS id
MERGE (t:CitehopRemoved {id: id})
SET t.changed = $revision
