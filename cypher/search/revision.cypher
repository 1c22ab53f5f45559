// Purpose: the state of a graph that somebody else keeps: the last transaction committed to it.
// Parameters: $database.
// Returns: store, revision.
// Caller: Neo4jStore.revision, for a graph opened through a GraphSchema
SHOW DATABASES YIELD name, databaseID, lastCommittedTxn, currentStatus
WHERE name = $database AND currentStatus = 'online'
RETURN databaseID AS store, lastCommittedTxn AS revision
