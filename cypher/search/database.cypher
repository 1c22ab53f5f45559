// Purpose: the name of the database that a session is on.
// Parameters: none.
// Returns: name.
// Caller: Neo4jStore.revision, for a graph opened through a GraphSchema
CALL db.info() YIELD name
RETURN name
