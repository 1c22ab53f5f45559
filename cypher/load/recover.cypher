// Purpose: set the clock right after a writer went away in the middle. Taking the ledger waits for
//   every commit that is under way.
// Parameters: none.
// Returns: revision.
// Caller: Neo4jStore.initialise, and a reader that has waited long
MATCH (ledger:CitehopMeta {name: 'ledger'})
SET ledger.revision = ledger.revision
WITH ledger
MATCH (clock:CitehopMeta {name: 'clock'})
SET clock.applying = ledger.revision, clock.applied = ledger.revision
RETURN ledger.revision AS revision
