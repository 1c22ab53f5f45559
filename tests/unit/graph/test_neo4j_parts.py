from __future__ import annotations

import inspect
import os
import threading
import time
from pathlib import Path

import neo4j.exceptions
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citehop.errors import ErrorCategory, StoreError, StoreTimeout, StoreUnavailable
from citehop.graph import neo4j_errors as errors
from citehop.graph.neo4j import Neo4jStore
from citehop.graph.neo4j_address import credentials
from citehop.graph.neo4j_guard import Guard
from citehop.graph.neo4j_load import rows_in_batches
from citehop.graph.neo4j_records import order_key, paper_of, row_of
from citehop.graph.neo4j_schema import GraphSchema
from citehop.graph.networkx import NetworkXStore
from citehop.graph.open import open_store
from citehop.paper import Paper

NOWHERE = "bolt://127.0.0.1:9"  # the discard port: nobody listens


def foreign_classes() -> list[type[Exception]]:
    """Return every exception class that the driver makes public."""
    return [
        kind
        for _, kind in inspect.getmembers(neo4j.exceptions, inspect.isclass)
        if issubclass(kind, Exception) and kind.__module__ == "neo4j.exceptions"
    ]


@pytest.mark.parametrize("kind", foreign_classes())
def test_every_class_of_the_driver_is_mapped(kind: type[Exception]) -> None:
    """A new class in a new driver fails here, not in a user's search."""
    assert kind in errors.CLASSES


@pytest.mark.parametrize(
    ("error", "code", "kind"),
    [
        (neo4j.exceptions.ServiceUnavailable("x"), "STORE_UNAVAILABLE", StoreUnavailable),
        (neo4j.exceptions.SessionExpired("x"), "STORE_UNAVAILABLE", StoreUnavailable),
        (neo4j.exceptions.DriverError("Driver closed"), "STORE_CLOSED", StoreError),
        (neo4j.exceptions.ResultFailedError("x"), "STORE_ERROR", StoreError),
        (ConnectionResetError(), "STORE_UNAVAILABLE", StoreUnavailable),
        (
            neo4j.exceptions.ServiceUnavailable("looks like HTTP"),
            "NOT_NEO4J",
            StoreError,
        ),
    ],
)
def test_foreign_errors(error: Exception, code: str, kind: type[StoreError]) -> None:
    """A foreign error becomes ours, without a word of its own text."""
    ours = errors.translated(error, "here")

    assert (ours.code, type(ours)) == (code, kind)
    assert str(ours).startswith("here: ")


@pytest.mark.parametrize(
    ("code", "ours", "category", "retryable"),
    [
        ("Neo.ClientError.Security.Unauthorized", "AUTH_FAILED", "capability", False),
        (
            "Neo.ClientError.Security.AuthenticationRateLimit",
            "AUTH_RATE_LIMITED",
            "unavailable",
            True,
        ),
        ("Neo.ClientError.Security.CredentialsExpired", "PASSWORD_EXPIRED", "capability", False),
        ("Neo.ClientError.Database.DatabaseNotFound", "DATABASE_NOT_FOUND", "capability", False),
        (
            "Neo.TransientError.General.DatabaseUnavailable",
            "DATABASE_UNAVAILABLE",
            "unavailable",
            True,
        ),
        ("Neo.ClientError.Statement.AccessMode", "STORE_READ_ONLY", "capability", False),
        ("Neo.TransientError.General.MemoryPoolOutOfMemoryError", "MEMORY_LIMIT", "budget", True),
        ("Neo.TransientError.Transaction.DeadlockDetected", "STORE_CONFLICT", "unavailable", True),
        (
            "Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration",
            "STORE_TIMEOUT",
            "timeout",
            True,
        ),
        ("Neo.ClientError.Statement.SyntaxError", "STORE_ERROR", "internal", False),
    ],
)
def test_server_codes(code: str, ours: str, category: str, retryable: bool) -> None:
    """Each code of the server has its own code, category and answer to whether to try again."""
    hydrate = neo4j.exceptions.Neo4jError._hydrate_neo4j

    record = errors.translated(hydrate(code=code, message="SECRET"), "here").record

    assert (record.code, record.category, record.retryable) == (
        ours,
        ErrorCategory(category),
        retryable,
    )
    assert "SECRET" not in record.message


@pytest.mark.parametrize(
    ("text", "fine"),
    [
        ("4.4.37", False),
        ("5.20.0", False),
        ("5.23.0", False),
        ("5.26.2", True),
        ("5.26-aura", True),
        ("5.27-aura", True),
        ("2025.01.0", True),
        ("2025.06", True),
        ("2026.01.0", True),
        ("Neo4j/5.13.0", False),
        ("Neo4j/dev", True),
        ("", True),
    ],
)
def test_versions(text: str, fine: bool) -> None:
    """Versions are read leniently; what cannot be read counts as the newest."""
    if fine:
        errors.check_version(text, "here")
        return
    with pytest.raises(StoreError) as caught:
        errors.check_version(text, "here")
    assert caught.value.code == "SERVER_TOO_OLD"


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), max_size=8))
def test_order_keys(ids: list[str]) -> None:
    """Sorted as a server does, by UTF-16 units, the keys give the order of code points."""
    keyed = {order_key(i) or i: i for i in ids}

    assert [keyed[k] for k in sorted(keyed, key=lambda k: k.encode("utf-16-be"))] == sorted(
        set(ids)
    )


def test_a_paper_comes_back_from_its_properties() -> None:
    """What is stored gives the same record, lists aside."""
    paper = Paper(
        "https://doi.org/10.5555/A",
        "T",
        "",
        None,
        ["A"],
        external_ids={"doi": "10.5555/a", "mag": "7", "corpusid": "9"},
        retracted="yes",
        retraction_evidence="said so",
        notice=True,
        sources=("a", "b"),
    )
    row = row_of(paper)
    stored = {name: value for name, value in row.properties.items() if value is not None}

    assert paper_of(paper.id, stored, [], [], GraphSchema()) == paper
    assert stored["citehop_alias"] == "doi:10.5555/a"
    assert all(isinstance(value, (str, bool, list)) for value in stored.values())


def test_an_id_that_no_index_takes_is_refused_before_sending() -> None:
    """The server could not keep it, and would stop in the middle of a batch."""
    with pytest.raises(StoreError, match="an id may have 8000 bytes") as caught:
        row_of(Paper("a", "", "", None, [], ["x" * 8_001]))
    assert caught.value.code == "ID_TOO_LONG"


def test_batches_are_bounded() -> None:
    """A batch has 2,000 papers or 4 MB at most, and no id twice."""
    many = [Paper(f"p{i}", "", "", None, []) for i in range(4_500)]
    wide = [Paper(f"w{i}", "", "x" * 1_500_000, None, []) for i in range(5)]
    twice = [Paper("a", "", "", None, []), Paper("a", "b", "", None, [])]

    assert [len(b) for b in rows_in_batches(many)] == [2_000, 2_000, 500]
    assert [len(b) for b in rows_in_batches(wide)] == [2, 2, 1]
    assert [len(b) for b in rows_in_batches(twice)] == [1, 1]


def test_credentials(tmp_path: Path) -> None:
    """As given, else from a file of either form, else from the environment."""
    two_lines, one_line = tmp_path / "a", tmp_path / "b"
    two_lines.write_text("alice\nse/cret\n")
    one_line.write_text("bob/se/cret\n")
    environment = {"NEO4J_PASSWORD": "env"}

    assert credentials(("x", "y"), two_lines, environment) == ("x", "y")
    assert credentials(None, two_lines, environment) == ("alice", "se/cret")
    assert credentials(None, str(one_line), environment) == ("bob", "se/cret")
    assert credentials(None, None, environment) == ("neo4j", "env")
    assert credentials(None, None, {}) is None


def test_a_bad_credentials_file_is_not_quoted(tmp_path: Path) -> None:
    """The message names the file and nothing in it."""
    path = tmp_path / "auth"
    path.write_text("hunter2")

    with pytest.raises(StoreError) as caught:
        credentials(None, path, {})
    assert (caught.value.code, "hunter2" in str(caught.value)) == ("AUTH_FAILED", False)


@pytest.mark.parametrize("uri", ["http://h:7474", "localhost:7687", "bolt://", "bolt://u:pw@h"])
def test_refused_addresses(uri: str) -> None:
    """Another kind of address, or one with a password in it, is refused without being quoted."""
    with pytest.raises(ValueError, match=r"^uri must") as caught:
        Neo4jStore(uri)
    assert "pw" not in str(caught.value)


@pytest.mark.parametrize("scheme", ["neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc"])
def test_schemes(scheme: str) -> None:
    """Every scheme of the driver is taken, and nothing is connected yet."""
    with Neo4jStore(f"{scheme}://127.0.0.1:9", ("neo4j", "hunter2"), database="d") as store:
        assert repr(store) == f"Neo4jStore('{scheme}://127.0.0.1:9', database='d')"


def test_a_graph_of_others_is_not_written() -> None:
    """With a schema a store reads only, unless told otherwise."""
    with Neo4jStore(NOWHERE, ("a", "b"), schema=GraphSchema()) as store:
        with pytest.raises(StoreError) as caught:
            store.load([])
        assert caught.value.code == "STORE_READ_ONLY"
        with pytest.raises(StoreError):
            store.remove(["a"])


def test_no_address_means_memory() -> None:
    """Without a URL the store is in memory, with the papers given, and stands in for nothing."""
    with open_store(papers=[Paper("a", "", "", None, [])]) as store:
        assert isinstance(store, NetworkXStore)
        assert store.counts().papers == 1
        assert store.fallback_reason is None


def test_unreachable_is_an_error() -> None:
    """A server that is not there is never passed over in silence."""
    with pytest.raises(StoreUnavailable) as caught:
        open_store(NOWHERE, auth=("neo4j", "hunter2"))
    assert "hunter2" not in str(caught.value)


def test_named_fallback() -> None:
    """Asked for, a store in memory stands in and says why."""
    papers = [Paper("a", "", "", None, [])]
    with open_store(NOWHERE, auth=("a", "b"), fallback="networkx", papers=papers) as store:
        assert (store.backend, store.counts().papers) == ("networkx", 1)
        assert (store.fallback_reason or "").startswith("STORE_UNAVAILABLE: Neo4j at bolt://")


@pytest.mark.parametrize(
    ("url", "options"),
    [
        ("ftp://x", {}),
        (NOWHERE, {"fallback": "networkx"}),
        (NOWHERE, {"fallback": "memory", "papers": []}),
        (None, {"database": "x"}),
    ],
)
def test_refused_openings(url: str | None, options: dict[str, object]) -> None:
    """What makes no sense is refused before anything is connected."""
    with pytest.raises(ValueError, match=r"must|needs|without"):
        open_store(url, **options)  # type: ignore[arg-type]


class Frozen:
    """A server that answers nothing until it is thawed."""

    def __init__(self) -> None:
        self.thawed = threading.Event()

    async def ask(self) -> None:
        """Answer once thawed."""
        import asyncio

        while not self.thawed.is_set():
            await asyncio.sleep(0.01)

    async def work(self) -> str:
        """Do something, once thawed."""
        await self.ask()
        return "done"


def test_guard_gives_up_in_time_and_goes_on_after_the_thaw() -> None:
    """First the time given and a last question, then at once; after the thaw as before."""
    frozen = Frozen()
    guard = Guard("here", frozen.ask)
    seconds = []
    for allowed in (0.3, 20, 20):
        started = time.monotonic()
        with pytest.raises(StoreUnavailable) as caught:
            guard.call(frozen.work, allowed)
        seconds.append(time.monotonic() - started)
        assert caught.value.code == "STORE_STALLED"
    # Far from what was allowed, so that a busy machine is not taken for a call that waits.
    assert 0.3 < seconds[0] < 5
    assert max(seconds[1:]) < 5
    frozen.thawed.set()

    assert guard.call(frozen.work, 5) == "done"
    guard.close(frozen.ask)


def test_guard_tells_slow_from_frozen() -> None:
    """A server that answers, but not this in time, is slow; the next call goes on."""
    frozen, lively = Frozen(), Frozen()
    lively.thawed.set()
    guard = Guard("here", lively.ask)

    with pytest.raises(StoreTimeout):
        guard.call(frozen.work, 0.1)
    assert guard.call(lively.work, 5) == "done"
    guard.close(lively.ask)


def test_guard_leaves_no_thread_a_call() -> None:
    """Many calls at a frozen server wait in one thread beside the callers' own."""
    frozen = Frozen()
    guard = Guard("here", frozen.ask)
    # Not their number: a thread of an earlier test may end just now.
    before = set(threading.enumerate())

    for _ in range(20):
        with pytest.raises(StoreUnavailable):
            guard.call(frozen.work, 0.05)

    (own,) = set(threading.enumerate()) - before
    assert own.name == "citehop-neo4j"
    frozen.thawed.set()
    guard.close(frozen.ask)
    assert not own.is_alive()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_guard_works_in_a_forked_child() -> None:
    """A child process starts a loop of its own."""
    lively = Frozen()
    lively.thawed.set()
    guard = Guard("here", lively.ask)
    assert guard.call(lively.work, 5) == "done"

    child = os.fork()
    if child == 0:
        os._exit(0 if guard.call(lively.work, 5) == "done" else 1)
    assert os.waitpid(child, 0)[1] == 0
    guard.close(lively.ask)
