"""Empties a server's database; asked only of servers that tests started or may dispose of."""

from __future__ import annotations

from neo4j import Driver, GraphDatabase

from tests.servers.handle import Server

DELETE_ALL = "MATCH (n) CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 10000 ROWS"


def wipe(server: Server) -> None:
    """Removes all nodes, relationships, constraints and indexes (but the two lookup indexes)."""
    with GraphDatabase.driver(server.uri, auth=server.auth) as driver:
        with driver.session() as session:
            session.run(DELETE_ALL).consume()
        for name in _names(driver, "SHOW CONSTRAINTS YIELD name RETURN name"):
            driver.execute_query(f"DROP CONSTRAINT {_quoted(name)} IF EXISTS")
        wanted = "SHOW INDEXES YIELD name, type WHERE type <> 'LOOKUP' RETURN name"
        for name in _names(driver, wanted):
            driver.execute_query(f"DROP INDEX {_quoted(name)} IF EXISTS")


def _names(driver: Driver, statement: str) -> list[str]:
    records, _, _ = driver.execute_query(statement)
    return [str(record["name"]) for record in records]


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
