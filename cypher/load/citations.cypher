// Purpose: citations that the cited paper's record states.
// Parameters: $rows: key and citations of each paper.
// Returns: nothing.
// Caller: load
UNWIND $rows AS row
MATCH (p:Work {id: row.key})
UNWIND row.citations AS id
MATCH (citing:Work {id: id})
MERGE (citing)-[e:CITES]->(p)
ON CREATE SET e.stated_by = 'cited'
ON MATCH SET e.stated_by = coalesce(e.stated_by, 'both')
