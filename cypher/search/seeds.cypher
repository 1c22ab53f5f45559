// Purpose: which of the seeds the store knows.
// Parameters: $seeds.
// Returns: id, paper: false for an external work.
// Caller: Neo4jStore.expand, where no hop is asked for
UNWIND $seeds AS seed
MATCH (s:Work {id: seed})
RETURN s.id AS id, s:Paper AS paper
