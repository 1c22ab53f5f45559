from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

import neo4j
import pytest
from tests.servers.handle import Server
from tests.servers.wiping import wipe

from citehop.graph.neo4j import Neo4jStore
from citehop.graph.store import CitationPath, CitationStore, Expansion
from citehop.testing import StoreContract

pytestmark = pytest.mark.neo4j

# What the store wrote, without its schema; the ledger moves on, so that no revision comes again.
WIPE = """
MATCH (n) WHERE n:Work OR n:CitehopRemoved
WITH collect(n) AS all
FOREACH (n IN all | DETACH DELETE n)
WITH 1 AS done
MATCH (m:CitehopMeta)
SET m.revision = m.revision + 1, m.applying = m.applying + 1, m.applied = m.applied + 1
"""


class Patient(Neo4jStore):
    """The store with time to spare: a busy machine breaks no contract."""

    def expand(self, seeds: Iterable[str], **options: Any) -> Expansion:
        """Walk, with a minute where no time is given."""
        return super().expand(seeds, **{"timeout_seconds": 60, **options})

    def paths(
        self, pairs: Iterable[tuple[str, str]], **options: Any
    ) -> dict[tuple[str, str], CitationPath]:
        """Find chains, with a minute where no time is given."""
        return super().paths(pairs, **{"timeout_seconds": 60, **options})


class TestNeo4jStore(StoreContract):
    """The store in Neo4j keeps the contract, on a server that may be wiped."""

    examples: ClassVar[int] = 25
    server: ClassVar[Server]
    driver: ClassVar[neo4j.Driver]

    @pytest.fixture(scope="class", autouse=True)
    @classmethod
    def _server(cls, neo4j_server: Server) -> Iterator[None]:
        """Keep the server and one driver for the resets."""
        cls.server = neo4j_server
        wipe(neo4j_server)
        with neo4j.GraphDatabase.driver(neo4j_server.uri, auth=neo4j_server.auth) as cls.driver:
            yield

    def make_store(self) -> CitationStore:
        """Return a store on the server; all of them share its data."""
        store = Patient(self.server.uri, self.server.auth, timeout_seconds=30)
        store.initialise()
        return store

    def reset(self, store: CitationStore) -> None:  # noqa: ARG002 - all share one database
        """Empty the database through a driver of the test's own."""
        self.driver.execute_query(WIPE)
