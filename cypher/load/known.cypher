// Purpose: what the store holds of these ids, and at which revision that was read.
// Parameters: $ids.
// Returns: revision, id, paper (true, false for an external, null where there is none), digest,
//   silent: whether it cites nothing.
// Caller: load and remove, before a batch is written; no row where the schema is missing.
MATCH (ledger:CitehopMeta {name: 'ledger'})
WITH ledger.revision AS revision
UNWIND $ids AS id
OPTIONAL MATCH (w:Work {id: id})
RETURN revision, id, w:Paper AS paper, w.citehop_digest AS digest,
       COUNT { (w)-[:CITES]->() } = 0 AS silent
