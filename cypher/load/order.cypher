// Purpose: a sort key for ids whose order by code points differs from the server's order, and a
//   word in the ledger that there are such ids.
// Parameters: $rows: key and order of each work.
// Returns: nothing.
// Caller: load
MATCH (ledger:CitehopMeta {name: 'ledger'})
SET ledger.odd_ids = true
WITH ledger
UNWIND $rows AS row
MATCH (w:Work {id: row.key})
SET w.citehop_order = row.order
