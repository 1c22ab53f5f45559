// Purpose: the same for papers of which the store has no citation yet, so that none can be there
//   twice; this is much cheaper.
// Parameters: $rows: key and references of each paper.
// Returns: nothing.
// Caller: load
UNWIND $rows AS row
MATCH (p:Work {id: row.key})
UNWIND row.references AS id
MATCH (cited:Work {id: id})
CREATE (p)-[:CITES]->(cited)
