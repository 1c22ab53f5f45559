// Purpose: the paper with a s2 name; of several the one with the smallest id.
// Parameters: $names.
// Returns: name, id.
// Caller: Neo4jStore.get
UNWIND $names AS name
MATCH (p:Paper {s2: name})
WITH name, p ORDER BY coalesce(p.citehop_order, p.id)
RETURN name, collect(p.id)[0] AS id
