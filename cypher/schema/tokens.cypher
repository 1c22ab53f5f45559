// Purpose: make the names known that search statements use, so that a notification about an
//   unknown name always means another graph than expected, never just an empty one.
// Parameters: $properties: property names.
// Returns: nothing.
// Caller: Neo4jStore.initialise
CALL db.createLabel('Paper')
CALL db.createLabel('External')
CALL db.createRelationshipType('CITES')
UNWIND $properties AS name
CALL db.createProperty(name)

