"""A whole search against its own two halves: `python -m benchmarks search`.

Each query is timed as `repository.search`, and then as the BM25 query and the walk that it is made
of; what is more is filtering, joining, scoring, chains and outcomes.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from benchmarks.table import Row
from benchmarks.walk import make_papers
from citehop.graph.networkx import NetworkXStore
from citehop.lexical.bm25 import BM25Index
from citehop.paper import Paper
from citehop.search.repository import CitationRepository

SEED = 20_260_102
WORDS = 50_000
QUERIES = 40
ROUNDS = 3


def papers(count: int) -> Iterator[Paper]:
    """Yield papers that cite ten others each, with texts of 50 to 150 words, some of them rare."""
    rng = np.random.default_rng(SEED)
    weights = 1.0 / (np.arange(WORDS) + 10.0)
    cumulated = np.cumsum(weights / weights.sum())
    for number, paper in enumerate(make_papers(count)):
        drawn = np.searchsorted(cumulated, rng.random(rng.integers(50, 150)))
        words = [f"w{word}" for word in np.minimum(drawn, WORDS - 1).tolist()]
        title, abstract = " ".join(words[:10]), " ".join(words[10:])
        yield replace(paper, title=title, abstract=abstract, year=1980 + number * 45 // count)


def queries() -> list[str]:
    """Return queries of four words of middling frequency."""
    rng = np.random.default_rng(SEED + 1)
    drawn = rng.integers(100, 2_000, size=(QUERIES, 4)).tolist()
    return [" ".join(f"w{word}" for word in words) for words in drawn]


def run(count: int = 200_000) -> list[Row]:
    """Measure at ``count`` papers."""
    store = NetworkXStore()
    store.load(papers(count))
    repository = CitationRepository(store)
    reading = _seconds(repository.refresh)
    index = BM25Index()
    records = list(store.papers())
    indexing = _seconds(lambda: _index(index, records))
    # The median over the queries of each query's own ratio.
    ratios = [_ratios(repository, index, query) for query in queries()]
    whole, bare, warm = (statistics.median(column) for column in zip(*ratios, strict=True))
    store.load([replace(records[7], title="zymurgy")])
    refreshing = _seconds(repository.refresh) + _seconds(lambda: repository.search("zymurgy"))
    size = f"{count:,} papers"
    return [
        Row("a whole search", "its BM25 query and its walk", whole, 2.0, size),
        Row("the same, without chains to explain", "its BM25 query and its walk", bare, None, size),
        Row("a search with a filter seen before", "the same without", warm, None, size),
        Row("the first reading", "indexing the same papers", reading / indexing, None, size),
        Row(
            "one paper replaced, taken in and found",
            "the first reading",
            refreshing / reading,
            0.01,
        ),
    ]


def _ratios(
    repository: CitationRepository, index: BM25Index, query: str
) -> tuple[float, float, float]:
    limits = repository.config
    seeds = [key for key, _ in index.search(query)]
    halves = _best(lambda: index.search(query)) + _best(
        lambda: repository.store.expand(seeds, timeout_seconds=60)
    )
    whole = _best(lambda: repository.search(query))
    # Ten hits are all lexical, or nearly: what is left is joining and scoring.
    few = replace(limits, top_k=10)
    bare = _best(lambda: repository.search(query, config=few))
    allowed = {"year_min": 1990}
    repository.search(query, filter=allowed)
    filtered = _best(lambda: repository.search(query, filter=allowed))
    return whole / halves, bare / halves, filtered / whole


def _index(index: BM25Index, records: Sequence[Paper]) -> None:
    for paper in records:
        index.add(paper.id, paper.text)
    index.finalise()


def _best(work: Callable[[], object]) -> float:
    return min(_seconds(work) for _ in range(ROUNDS))


def _seconds(work: Callable[[], object]) -> float:
    gc.collect(0)
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
