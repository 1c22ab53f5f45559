"""Finds or starts the Neo4j server that tests run on; tests/README.md says where it looks."""
