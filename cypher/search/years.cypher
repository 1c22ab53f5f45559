// Purpose: the oldest and the newest year.
// Parameters: none.
// Returns: year_min, year_max.
// Caller: Neo4jStore.counts
MATCH (p:Paper)
RETURN min(p.year) AS year_min, max(p.year) AS year_max
