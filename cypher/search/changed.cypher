// Purpose: papers added or replaced after a revision.
// Parameters: $since.
// Returns: id.
// Caller: Neo4jStore.changes
MATCH (p:Paper)
WHERE p.citehop_changed > $since
RETURN p.id AS id
