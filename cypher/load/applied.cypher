// Purpose: tell readers that a commit is applied whole; in a transaction of its own. By now another
//   writer may be at its commit, so the clock never goes back.
// Parameters: $revision.
// Returns: nothing.
// Caller: load, remove
MATCH (clock:CitehopMeta {name: 'clock'})
SET clock.applied =
  CASE WHEN clock.applied < $revision THEN $revision ELSE clock.applied END
