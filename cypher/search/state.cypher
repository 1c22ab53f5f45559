// Purpose: the present state, and whether a commit is being applied just now.
// Parameters: none.
// Returns: store, revision, floor, applying, applied; odd_ids: whether some id sorts otherwise here
//   than by code points.
// Caller: every read of Neo4jStore, before and after
MATCH (ledger:CitehopMeta {name: 'ledger'})
MATCH (clock:CitehopMeta {name: 'clock'})
RETURN ledger.store AS store, ledger.revision AS revision, ledger.floor AS floor,
       clock.applying AS applying, clock.applied AS applied,
       coalesce(ledger.odd_ids, true) AS odd_ids
