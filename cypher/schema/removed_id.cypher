// Purpose: one note for each removed paper.
// Parameters: none.
// Returns: nothing.
// Caller: Neo4jStore.initialise
CREATE CONSTRAINT citehop_removed_id IF NOT EXISTS
FOR (t:CitehopRemoved) REQUIRE t.id IS UNIQUE
