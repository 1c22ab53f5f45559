"""The citation graph: one contract, and the stores that keep it."""
