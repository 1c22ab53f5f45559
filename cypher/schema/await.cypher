// Purpose: wait until constraints and indexes can be used.
// Parameters: none.
// Returns: nothing.
// Caller: Neo4jStore.initialise
CALL db.awaitIndexes(300)
