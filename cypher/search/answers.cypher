// Purpose: does the database answer?
// Parameters: none.
// Returns: one.
// Caller: Neo4jStore, where a read ran out of time
RETURN 1 AS one
