// Purpose: one ledger and one clock, whoever makes them first.
// Parameters: none.
// Returns: nothing.
// Caller: Neo4jStore.initialise
CREATE CONSTRAINT citehop_meta_name IF NOT EXISTS
FOR (m:CitehopMeta) REQUIRE m.name IS UNIQUE
