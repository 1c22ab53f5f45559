// Purpose: papers removed after a revision and not back.
// Parameters: $since.
// Returns: id.
// Caller: Neo4jStore.changes
MATCH (t:CitehopRemoved)
WHERE t.changed > $since AND NOT EXISTS { (:Paper:Work {id: t.id}) }
RETURN t.id AS id
