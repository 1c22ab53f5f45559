// Purpose: first write of a batch: whoever holds the ledger writes alone, so that two loads take
//   turns and cannot block each other for ever.
// Parameters: none.
// Returns: revision: the one that this batch makes.
// Caller: load, remove
MATCH (ledger:CitehopMeta {name: 'ledger'})
SET ledger.revision = ledger.revision + 1
RETURN ledger.revision AS revision
