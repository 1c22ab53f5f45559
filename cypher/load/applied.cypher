// Purpose: tell readers that a commit is applied whole; in a transaction of its own.
// Parameters: $revision.
// Returns: nothing.
// Caller: load, remove
MATCH (clock:CitehopMeta {name: 'clock'})
SET clock.applying = $revision, clock.applied = $revision
