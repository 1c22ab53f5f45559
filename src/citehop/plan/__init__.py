"""A typed, bounded execution plan over anything with `search`."""
