// Purpose: what the store holds, from the server's own counts. A citation has a paper at one end at
//   least, so those between papers are all but those from and to externals.
// Parameters: none.
// Returns: papers, external, citations, citations_all.
// Caller: Neo4jStore.counts
RETURN COUNT { (:Paper) } AS papers,
       COUNT { (:External) } AS external,
       COUNT { ()-[:CITES]->() } - COUNT { (:External)-[:CITES]->() }
         - COUNT { ()-[:CITES]->(:External) } AS citations,
       COUNT { ()-[:CITES]->() } AS citations_all
