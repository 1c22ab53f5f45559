// Purpose: every work that is named has a node.
// Parameters: $ids.
// Returns: nothing; the counter of created nodes tells how many externals are new.
// Caller: load
UNWIND $ids AS id
MERGE (w:Work {id: id})
ON CREATE SET w:External
