// Purpose: removed papers become externals, and their properties go.
// Parameters: $ids; $properties: every property of a paper, as null.
// Returns: nothing.
// Caller: remove
UNWIND $ids AS id
MATCH (p:Work {id: id})
SET p += $properties, p:External
REMOVE p:Paper
