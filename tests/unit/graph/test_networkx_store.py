"""What the store in memory does beyond the contract's suite: interrupts, threads."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace

import pytest

from citehop.graph import networkx as module
from citehop.graph.networkx import NetworkXStore
from citehop.graph.networkx_edges import StatedEdges
from citehop.graph.networkx_log import ChangeLog
from citehop.graph.store import Changes
from citehop.paper import Paper
from citehop.testing import corpus12, paper
from citehop.testing.reference import counts


class Interrupted(StatedEdges):
    """An edge set that is interrupted in the middle of its n-th statement."""

    left = 0

    def state(self, id: str, references: object, citations: object) -> None:
        """State half of it, then be interrupted when the time has come."""
        Interrupted.left -= 1
        if Interrupted.left == 0:
            super().state(id, list(references)[:1], ())  # type: ignore[call-overload]
            raise KeyboardInterrupt
        super().state(id, references, citations)  # type: ignore[arg-type]


@pytest.mark.parametrize("moment", range(1, 13))
def test_interrupted_in_the_middle_of_a_batch(moment: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Interrupted at any record, the graph is one of whole records, and a re-run completes it."""
    monkeypatch.setattr(module, "StatedEdges", Interrupted)
    store = NetworkXStore()
    before = store.revision
    Interrupted.left = moment

    with pytest.raises(KeyboardInterrupt):
        store.load(corpus12())

    assert store.counts() == counts(corpus12()[: moment - 1])
    assert store.changes(before) is None
    store.load(corpus12())
    assert store.counts() == counts(corpus12())
    whole = NetworkXStore()
    whole.load(corpus12())
    assert list(store.papers()) == list(whole.papers())


def test_each_answer_is_of_one_state_while_a_load_runs() -> None:
    """Threads that search during a load never see half a batch: hub and spokes come together."""
    store = NetworkXStore()
    size = module.BATCH
    stop = threading.Event()
    wrong: list[object] = []

    def records() -> Iterator[Paper]:
        for _ in range(4):
            for year in (1999, 2000):
                yield from (paper(f"p{i:03}", ["hub"], year=year) for i in range(size))

    def search() -> None:
        while not stop.is_set():
            years = {p.year for p in store.get([f"p{i:03}" for i in range(size)]) if p}
            found = store.expand(["hub"], max_hops=1)
            if len(years) > 1 or found.reached not in (0, size):
                wrong.append((years, found.reached))

    threads = [threading.Thread(target=search) for _ in range(4)]
    for thread in threads:
        thread.start()
    report = store.load(records())
    stop.set()
    for thread in threads:
        thread.join()

    assert wrong == []
    assert (report.created, report.updated) == (size, 7 * size)


def test_a_listing_may_feed_a_load() -> None:
    """Papers read from a store can be changed and loaded into it while they are read."""
    store = NetworkXStore()
    store.load(corpus12())

    store.load(replace(p, year=2001) for p in store.papers())

    assert {p.year for p in store.papers()} == {2001}


def test_edges_share_their_attributes() -> None:
    """An edge has no dict of its own: there are three for all edges."""
    store = NetworkXStore()
    store.load(corpus12())

    rows = store._contents.edges.ahead.values()

    assert len({id(stated) for row in rows for stated in row.values()}) == 3


def test_log_forgets_the_oldest() -> None:
    """Past its bound the log no longer knows the oldest revisions, but the newer ones."""
    log = ChangeLog(most=3)
    first = log.revision
    log.add({"a": False, "b": False})
    second = log.revision
    log.add({"c": False})
    assert log.changes(first, "abc") == Changes(revision=log.revision, upserted=("a", "b", "c"))
    log.add({"d": False})

    assert log.changes(first, "abcd") is None
    assert log.changes(second, "abcd") == Changes(revision=log.revision, upserted=("c", "d"))


def test_log_of_one_large_batch() -> None:
    """A batch larger than the log is not kept at all."""
    log = ChangeLog(most=2)
    first = log.revision
    log.add(dict.fromkeys("abc", False))

    assert log.changes(first, "abc") is None
    assert log.changes(log.revision, "abc") == Changes(revision=log.revision)


def test_log_tells_what_came_and_went() -> None:
    """A paper that was added and removed since then is in neither list."""
    log = ChangeLog()
    first = log.revision
    log.add({"new": False, "old": True})
    log.add({"new": True})

    assert log.changes(first, {"old"}) == Changes(revision=log.revision, upserted=("old",))


def test_log_of_another_store() -> None:
    """A revision of another store, or from the future, is not known."""
    log = ChangeLog()

    assert log.changes(ChangeLog().revision, ()) is None
    assert log.changes(f"{log.revision}9", ()) is None
    assert log.changes(log.revision.replace(":0", ":-1"), ()) is None
