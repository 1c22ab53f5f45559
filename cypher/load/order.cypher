// Purpose: a sort key for ids whose order by code points differs from the server's order.
// Parameters: $rows: key and order of each work.
// Returns: nothing.
// Caller: load
UNWIND $rows AS row
MATCH (w:Work {id: row.key})
SET w.citehop_order = row.order
