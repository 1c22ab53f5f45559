// Purpose: keep the newest notes about removals only; the ledger's floor says what is forgotten.
// Parameters: $keep: how many notes stay.
// Returns: nothing.
// Caller: remove
MATCH (t:CitehopRemoved)
WITH t ORDER BY t.changed DESC, t.id SKIP $keep
WITH max(t.changed) AS floor, collect(t) AS old
WHERE floor IS NOT NULL
MATCH (ledger:CitehopMeta {name: 'ledger'})
SET ledger.floor = floor
FOREACH (t IN old | DELETE t)
