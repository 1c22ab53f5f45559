"""The lexical leg against bm25s with numpy: building, searching, taking in one paper more.

Every number of the table is a ratio to bm25s doing the same in the same run, or to our own build,
so that it means the same on any machine. Run it with ``python -m benchmarks.lexical``.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

import bm25s
import numpy as np

from benchmarks.table import Row, print_rows
from citehop.lexical.bm25 import BM25Index
from citehop.lexical.tokenise import tokenise

_T = TypeVar("_T")

SEED = 20_260_101
WORDS = 60_000
REPEATS = 5
QUERIES = 40


def corpus(size: int) -> list[str]:
    """Return ``size`` texts of 40 to 200 words whose frequencies fall as those of a language do."""
    rng = np.random.default_rng(SEED)
    words = np.array([_word(number) for number in range(WORDS)])
    weights = 1.0 / (np.arange(WORDS) + 10.0)
    cumulated = np.cumsum(weights / weights.sum())
    lengths = rng.integers(40, 200, size=size)
    return [
        " ".join(words[np.minimum(np.searchsorted(cumulated, rng.random(n)), WORDS - 1)])
        for n in lengths
    ]


def queries() -> list[str]:
    """Return queries of six words of middling frequency."""
    rng = np.random.default_rng(SEED + 1)
    return [" ".join(map(_word, rng.integers(100, 2_000, size=6).tolist())) for _ in range(QUERIES)]


def run(size: int) -> list[Row]:
    """Measure at ``size`` texts."""
    texts = corpus(size)
    asked = queries()
    ours, our_build = _once(lambda: _build(texts))
    theirs, their_build = _once(lambda: _build_bm25s(texts))
    our_query = _each(ours.search, asked)
    their_query = _each(lambda query: _ask_bm25s(theirs, query), asked)
    years = np.random.default_rng(SEED + 2).integers(1990, 2025, size=size)
    mask = ours.state().mask(lambda doc_id: years[int(doc_id)] > 2010)
    filtered = _each(lambda query: ours.search(query, allowed=mask), asked)
    added = _each(lambda query: _add_and_find(ours, query), asked)
    replaced = _each(lambda query: _replace_and_find(ours, query), asked)
    return [
        Row("build", "bm25s numpy, tokenise and index", our_build / their_build),
        Row("query, six words, ten hits", "bm25s numpy", our_query / their_query),
        Row("the same, half of the papers allowed", "without filter", filtered / our_query),
        Row("one paper added and found", "our build", added / our_build),
        Row("one paper replaced and found", "our build", replaced / our_build),
    ]


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--docs", type=int, default=20_000, help="texts (default: 20000)")
    size = parser.parse_args(argv).docs
    print(f"lexical leg, {size:,} texts")
    print_rows(run(size))
    return 0


def _word(number: int) -> str:
    letters = "abcdefghijklmnopqrstuvwxyz"
    text = letters[number % 26] + letters[number // 26 % 26] + letters[number // 676 % 26]
    return text + "aeiou"[number % 5] + str(number // 17_576 or "")


def _build(texts: Sequence[str]) -> BM25Index:
    index = BM25Index()
    for number, text in enumerate(texts):
        index.add(str(number), text)
    index.finalise()
    return index


def _build_bm25s(texts: list[str]) -> bm25s.BM25:
    tokens = bm25s.tokenize(texts, stopwords=None, show_progress=False)
    index = bm25s.BM25(method="lucene", k1=1.5, b=0.75, backend="numpy")
    index.index(tokens, show_progress=False)
    return index


def _ask_bm25s(index: bm25s.BM25, query: str) -> object:
    return index.retrieve([tokenise(query)], k=10, show_progress=False)


def _add_and_find(index: BM25Index, query: str) -> None:
    index.add(f"new {query}", f"zyzzyva {query}")
    assert any(doc_id == f"new {query}" for doc_id, _ in index.search("zyzzyva", None))


def _replace_and_find(index: BM25Index, query: str) -> None:
    index.add("7", f"zymurgy {query}")
    assert index.search("zymurgy")[0][0] == "7"


def _once(work: Callable[[], _T]) -> tuple[_T, float]:
    gc.collect()
    start = time.perf_counter()
    return work(), time.perf_counter() - start


def _each(ask: Callable[[str], object], asked: Sequence[str]) -> float:
    """Return the median over queries and rounds of the seconds that one query takes."""
    for query in asked[:3]:
        ask(query)
    seconds = []
    for _ in range(REPEATS):
        for query in asked:
            start = time.perf_counter()
            ask(query)
            seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


if __name__ == "__main__":
    raise SystemExit(main())
