"""Each way in which a server can fail: what the graph leg says, how fast, and what is kept."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import neo4j
import pytest
from tests.integration.failing import BOLT_5_4, HTTP, Halves, answering, corpus, hello, star
from tests.servers.handle import OwnServer, Server
from tests.servers.local import free_port

from citehop.errors import StoreError
from citehop.graph.neo4j import Neo4jStore
from citehop.graph.neo4j_schema import GraphSchema
from citehop.outcome import LegOutcome, LegStatus, RetrievalStatus
from citehop.search.config import RetrievalConfig
from citehop.search.repository import CitationRepository

QUERY = "attention sparsity"
SECONDS = 2.0
ROWS: dict[str, tuple[str, str, str, float, int]] = {}
HEAD = """# What each failure looks like

Made by the test run (`CITEHOP_WRITE_DOCS=1`), with searches that may take 2 seconds. In each row
the lexical leg succeeded and the response is degraded, with the lexical hits in it.

| Failure | Graph leg | Code | Retryable | Seconds | Hits kept |
| --- | --- | --- | --- | --- | --- |
"""


class Trial:
    """A repository whose walks go to a store under test."""

    def __init__(self, store: Neo4jStore) -> None:
        self.store = store
        self.repository = CitationRepository(
            Halves(store, corpus()), config=RetrievalConfig(timeout_seconds=SECONDS)
        )
        self.repository.refresh()

    def leg(self) -> LegOutcome:
        """Search once and return the graph leg."""
        leg = self.repository.search(QUERY).leg("graph")
        assert leg is not None
        return leg

    def works(self) -> None:
        """Search until the graph leg succeeds; a server that just started may take its time."""
        response = self.repository.search(QUERY, timeout_seconds=60)
        leg = response.leg("graph")
        assert leg is not None
        assert leg.status is LegStatus.SUCCESS, leg.error

    def fails(self, failure: str, code: str) -> None:
        """Search once, check what must hold of every failure, and note the row of the table."""
        for _ in range(3):
            started = time.monotonic()
            response = self.repository.search(QUERY)
            taken = time.monotonic() - started
            leg = response.leg("graph")
            # On a busy machine a first statement may need all its time; that is another failure.
            late = leg is not None and leg.error is not None and leg.error.code == "STORE_TIMEOUT"
            if not late or code == "STORE_TIMEOUT":
                break

        assert leg is not None
        assert leg.error is not None
        assert leg.error.code == code, leg.error
        assert leg.status is LegStatus.FAILED
        assert response.status is RetrievalStatus.DEGRADED
        assert len(response) == 10
        assert taken < SECONDS + 1
        retryable = "yes" if leg.error.retryable else "no"
        ROWS[failure] = (leg.status.value, code, retryable, taken, len(response))


@contextmanager
def trial(server: Server, **options: Any) -> Iterator[Trial]:
    """A trial on a server, with its own password unless told otherwise."""
    with Neo4jStore(server.uri, options.pop("auth", server.auth), **options) as store:
        yield Trial(store)


@contextmanager
def admin(server: Server) -> Iterator[neo4j.Driver]:
    """A driver of the test's own."""
    with neo4j.GraphDatabase.driver(server.uri, auth=server.auth) as driver:
        yield driver


@pytest.fixture(scope="module", autouse=True)
def _table(root_dir: Path) -> Iterator[None]:
    """Compare the table in the docs with what was seen, or write it."""
    yield
    if len(ROWS) < 18:
        return
    rows = [
        f"| {name} | {leg} | `{code}` | {again} | {taken:.1f} | {hits} |"
        for name, (leg, code, again, taken, hits) in sorted(ROWS.items())
    ]
    path = root_dir / "docs" / "failures.md"
    if os.environ.get("CITEHOP_WRITE_DOCS") == "1":
        path.write_text(HEAD + "\n".join(rows) + "\n", encoding="utf-8")
    seen = [_without_seconds(row) for row in rows]
    assert path.is_file(), f"{path} is not there; CITEHOP_WRITE_DOCS=1 writes it"
    kept = path.read_text(encoding="utf-8").removeprefix(HEAD).splitlines()
    assert [_without_seconds(row) for row in kept] == seen


def _without_seconds(row: str) -> list[str]:
    cells = row.split("|")
    return [*cells[:5], *cells[6:]]


def test_not_started() -> None:
    """Where nothing listens the leg says so at once."""
    with Neo4jStore(f"bolt://127.0.0.1:{free_port()}", ("neo4j", "x")) as store:
        Trial(store).fails("not started", "STORE_UNAVAILABLE")


def test_wrong_password(neo4j_server: Server) -> None:
    """A refused password is no reason to try again."""
    with admin(neo4j_server) as driver:
        driver.execute_query("CREATE USER wronged IF NOT EXISTS SET PASSWORD 'right-password'")
    with trial(neo4j_server, auth=("wronged", "wrong-password")) as one:
        one.fails("wrong password", "AUTH_FAILED")


def test_too_many_wrong_passwords(neo4j_server: Server) -> None:
    """After three the server refuses the right one too, for some seconds, and the leg says so."""
    with admin(neo4j_server) as driver:
        driver.execute_query("CREATE USER limited IF NOT EXISTS SET PASSWORD 'right-password'")
    for _ in range(4):
        store = Neo4jStore(neo4j_server.uri, ("limited", "wrong-password"))
        with store, pytest.raises(StoreError):
            store.verify()
    with trial(neo4j_server, auth=("limited", "right-password")) as one:
        one.fails("too many wrong passwords", "AUTH_RATE_LIMITED")


def test_password_must_be_changed(neo4j_server: Server) -> None:
    """A first password that was never changed is told apart from a wrong one."""
    with admin(neo4j_server) as driver:
        driver.execute_query(
            "CREATE USER fresh IF NOT EXISTS SET PASSWORD 'first-password' CHANGE REQUIRED"
        )
    with trial(neo4j_server, auth=("fresh", "first-password")) as one:
        one.fails("password must be changed", "PASSWORD_EXPIRED")


def test_unknown_database(neo4j_server: Server) -> None:
    """A database that is not there is named as the reason."""
    with trial(neo4j_server, database="nowhere") as one:
        one.fails("unknown database", "DATABASE_NOT_FOUND")


def test_schema_missing(empty_neo4j: Server) -> None:
    """A database that was never initialised is not taken for an empty one; that is just empty."""
    with trial(empty_neo4j) as one:
        one.fails("schema missing", "SCHEMA_MISSING")
        one.store.initialise()
        one.store.initialise()
        assert one.leg().status is LegStatus.EMPTY


def test_another_label(empty_neo4j: Server) -> None:
    """A label that no node has is reported, not found empty."""
    with admin(empty_neo4j) as driver:
        driver.execute_query("CREATE (:Article {id: 'p00001'})-[:CITES]->(:Article {id: 'p2'})")
    with trial(empty_neo4j, schema=GraphSchema(label="Nobody_has_this")) as one:
        one.fails("another label than expected", "SCHEMA_MISSING")


def test_closed(neo4j_server: Server) -> None:
    """A closed store, and a given driver that was closed, say so."""
    with trial(neo4j_server) as one:
        one.store.close()
        one.fails("closed store", "STORE_CLOSED")
    driver = neo4j.GraphDatabase.driver(neo4j_server.uri, auth=neo4j_server.auth)
    with Neo4jStore(driver=driver) as store:
        driver.close()
        Trial(store).fails("closed driver", "STORE_CLOSED")


def test_not_neo4j() -> None:
    """A port of something else is called that."""
    with answering(HTTP) as port, Neo4jStore(f"bolt://127.0.0.1:{port}", ("neo4j", "x")) as store:
        Trial(store).fails("not Neo4j (HTTP)", "NOT_NEO4J")


def test_below_the_floor() -> None:
    """A server older than 5.26 is refused by its own word."""
    with (
        answering(BOLT_5_4, again=hello("Neo4j/5.20.0")) as port,
        Neo4jStore(f"bolt://127.0.0.1:{port}", ("neo4j", "x")) as store,
    ):
        Trial(store).fails("server below 5.26", "SERVER_TOO_OLD")


Start = Callable[..., OwnServer]


def test_stopped_killed_and_frozen(own_server: Start) -> None:
    """One repository lives through kill -9, a clean stop and SIGSTOP, and works after each."""
    server = own_server()
    with trial(server) as one:
        one.store.load(corpus())
        one.works()

        once = threading.Event()

        def stop_before_the_walk(text: str, _: Mapping[str, Any]) -> None:
            if "CALL" in text and not once.is_set():
                once.set()
                server.kill()

        one.store._link.shown = stop_before_the_walk
        one.fails("killed in mid-query (kill -9)", "STORE_UNAVAILABLE")
        one.store._link.shown = None
        one.fails("killed", "STORE_UNAVAILABLE")
        server.start()
        one.works()
        server.stop()
        one.fails("stopped", "STORE_UNAVAILABLE")
        server.start()
        one.works()

        server.freeze()
        one.fails("frozen (SIGSTOP)", "STORE_STALLED")
        one.fails("frozen, next search", "STORE_STALLED")
        assert ROWS["frozen, next search"][3] < 1
        _a_hundred_searches_leave_four_threads(one)
        server.thaw()
        _wait_for_an_answer(server)
        one.works()

        # Back just after the time is over: slow, but not stalled.
        server.freeze()
        thaw = threading.Timer(SECONDS + 0.1, server.thaw)
        thaw.start()
        one.fails("query past its time", "STORE_TIMEOUT")
        thaw.join()
        one.works()


def _wait_for_an_answer(server: Server) -> None:
    """Wait until the thawed server is itself again, which takes a busy machine a while."""
    with admin(server) as driver:
        driver.execute_query("RETURN 1")


def _a_hundred_searches_leave_four_threads(one: Trial) -> None:
    before = set(threading.enumerate())
    threads = [threading.Thread(target=one.leg) for _ in range(100)]
    started = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS + 1)
    assert time.monotonic() - started < SECONDS + 1
    assert len(set(threading.enumerate()) - before) <= 4


def test_frozen_with_a_given_driver(own_server: Start) -> None:
    """A driver that blocks holds four threads at most, and works again after the thaw."""
    server = own_server()
    with admin(server) as driver, Neo4jStore(driver=driver) as store:
        store.load(corpus())
        one = Trial(store)
        one.works()
        server.freeze()
        one.fails("frozen, driver given", "STORE_STALLED")
        _a_hundred_searches_leave_four_threads(one)
        server.thaw()
        _wait_for_an_answer(server)
        one.works()


def test_read_only_and_memory(own_server: Start) -> None:
    """A read-only database is searched but not loaded; a memory limit is named."""
    server = own_server()
    with Neo4jStore(server.uri, server.auth) as store:
        store.load(corpus() + star(20_000))
    server.restart(settings={"server.databases.default_to_read_only": "true"})
    with trial(server) as one:
        one.works()
        with pytest.raises(StoreError) as caught:
            one.store.load(corpus(1))
        assert (caught.value.code, caught.value.record.retryable) == ("STORE_READ_ONLY", False)
    server.restart(
        settings={
            "server.databases.default_to_read_only": "false",
            "db.memory.transaction.max": "4m",
        }
    )
    with trial(server) as one:
        one.repository = CitationRepository(
            one.repository.store,
            config=RetrievalConfig(timeout_seconds=SECONDS, per_seed_limit=100_000),
        )
        one.repository.refresh()
        # The first time the server still makes its plan, which may take longer than a search.
        one.repository.search(QUERY, timeout_seconds=60)
        one.fails("memory limit", "MEMORY_LIMIT")
