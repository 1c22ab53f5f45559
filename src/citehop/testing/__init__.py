"""What a store must pass, for stores made here and elsewhere."""
