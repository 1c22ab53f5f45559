// Purpose: the paper with a doi name; of several the one with the smallest id.
// Parameters: $names.
// Returns: name, id.
// Caller: Neo4jStore.get
UNWIND $names AS name
MATCH (p:Paper {doi: name})
WITH name, p ORDER BY coalesce(p.citehop_order, p.id)
RETURN name, collect(p.id)[0] AS id
