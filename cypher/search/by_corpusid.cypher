// Purpose: the paper with a corpusid name; of several the one with the smallest id.
// Parameters: $names.
// Returns: name, id.
// Caller: Neo4jStore.get
UNWIND $names AS name
MATCH (p:Paper {corpusid: name})
WITH name, p ORDER BY coalesce(p.citehop_order, p.id)
RETURN name, collect(p.id)[0] AS id
