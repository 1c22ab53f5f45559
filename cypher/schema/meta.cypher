// Purpose: the ledger counts changes and is locked by whoever writes; the clock tells readers
//   when a commit is being applied. Neither is a Work.
// Parameters: $store: a name for this store, taken if it has none.
// Returns: store: its name.
// Caller: Neo4jStore.initialise
MERGE (ledger:CitehopMeta {name: 'ledger'})
ON CREATE SET ledger.store = $store, ledger.revision = 0, ledger.floor = 0, ledger.odd_ids = false
MERGE (clock:CitehopMeta {name: 'clock'})
ON CREATE SET clock.applying = 0, clock.applied = 0
RETURN ledger.store AS store
