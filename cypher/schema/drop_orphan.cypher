// Purpose: remove the index that a constraint leaves behind where the server was killed while it
//   made the constraint; an index that belongs to a constraint cannot be dropped so.
// Parameters: $index: the constraint's, and so the index's.
// Returns: nothing.
// Caller: Neo4jStore.initialise
DROP INDEX $index IF EXISTS
