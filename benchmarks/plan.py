"""What an execution plan costs over the searches that it makes: `python -m benchmarks plan`."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable

from benchmarks.search import papers, queries
from benchmarks.table import Row
from citehop.graph.networkx import NetworkXStore
from citehop.plan.plan import RetrievalExecutionPlan
from citehop.search.repository import CitationRepository

ROUNDS = 5
EIGHT = 8


def run(count: int = 200_000) -> list[Row]:
    """Measure at ``count`` papers."""
    store = NetworkXStore()
    store.load(papers(count))
    repository = CitationRepository(store)
    repository.refresh()
    # Collecting among 200,000 papers takes longer than a search; they are left out of it.
    gc.collect()
    gc.freeze()
    asked = queries()
    empty = RetrievalExecutionPlan()
    rounds = [
        _ratio(lambda q=q: empty.run(repository, q), lambda q=q: repository.search(q))  # type: ignore[misc]
        for q in asked
    ]
    groups = [asked[start : start + EIGHT] for start in range(0, len(asked) - EIGHT + 1, EIGHT)]
    fused = [_eight(repository, group) for group in groups]
    return [
        Row("an empty plan", "the search alone", statistics.median(rounds), 1.05),
        Row("a plan of eight queries", "the eight searches", statistics.median(fused), 1.05),
    ]


def _eight(repository: CitationRepository, group: list[str]) -> float:
    plan = RetrievalExecutionPlan(transform=lambda _: group[1:])
    return _ratio(
        lambda: plan.run(repository, group[0]),
        lambda: [repository.search(query) for query in group],
    )


def _ratio(ours: Callable[[], object], theirs: Callable[[], object]) -> float:
    """Return the median ratio of the two, timed in turn."""
    pairs = [(_seconds(ours), _seconds(theirs)) for _ in range(ROUNDS)]
    return statistics.median(left / right for left, right in pairs)


def _seconds(work: Callable[[], object]) -> float:
    gc.disable()
    start = time.perf_counter()
    work()
    spent = time.perf_counter() - start
    gc.enable()
    return spent
