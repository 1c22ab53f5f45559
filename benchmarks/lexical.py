"""The lexical leg against bm25s, tantivy and rank_bm25: building, searching, filtering, memory.

Each contender builds and answers in a process of its own; the processes are asked in turn, round
by round, so that a busy machine is busy for all. All get the same texts, the same six words and
the same task: the ten best. Every number of the table is a ratio to a contender doing the same in
the same run, or to our own build. Run it with ``python -m benchmarks.lexical``.
"""

from __future__ import annotations

import argparse
import gc
import multiprocessing
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.lexical_peers import EXACT, FAST, OURS, PEERS, SMALL, Citehop, Hits, Mask, Peer
from benchmarks.table import Row, print_rows
from citehop.lexical.bm25 import BM25Index

SEED = 20_260_101
WORDS = 60_000
ROUNDS = 9
QUERIES = 40
SMALL_SIZE = 20_000
# With fewer texts what Python itself takes is most of a query, ours and theirs.
LARGE_SIZE = 200_000


def corpus(size: int) -> Iterator[str]:
    """Yield ``size`` texts of 40 to 200 words whose frequencies fall as those of a language do."""
    rng = np.random.default_rng(SEED)
    words = np.array([_word(number) for number in range(WORDS)])
    weights = 1.0 / (np.arange(WORDS) + 10.0)
    cumulated = np.cumsum(weights / weights.sum())
    for length in rng.integers(40, 200, size=size).tolist():
        drawn = np.searchsorted(cumulated, rng.random(length))
        yield " ".join(words[np.minimum(drawn, WORDS - 1)])


def queries() -> list[str]:
    """Return queries of six words of middling frequency."""
    rng = np.random.default_rng(SEED + 1)
    return [" ".join(map(_word, rng.integers(100, 2_000, size=6).tolist())) for _ in range(QUERIES)]


def allowed(size: int) -> Mask:
    """Return a filter that somewhat less than half of the texts pass."""
    years = np.random.default_rng(SEED + 2).integers(1990, 2025, size=size)
    mask: Mask = years > 2010
    return mask


@dataclass(frozen=True, slots=True)
class Measured:
    """What one contender took.

    Args:
        build: Seconds.
        memory: Most bytes while building, above what its imports and the texts take.
        query: Median seconds of a query.
        filtered: The same with a filter; None where it has none.
        added: Median seconds for one text more, added and found; ours alone.
        replaced: The same for one replaced.
    """

    build: float
    memory: float
    query: float
    filtered: float | None
    added: float = 0.0
    replaced: float = 0.0


def run(size: int) -> list[Row]:
    """Measure at ``size`` texts."""
    names = [name for name in PEERS if size <= SMALL_SIZE or name not in SMALL]
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        path = Path(folder, "texts")
        with path.open("w", encoding="utf-8") as file:
            file.writelines(f"{text}\n" for text in corpus(size))
        started = {name: stack.enter_context(_Process(name, path)) for name in names}
        absent = [name for name, process in started.items() if not process.there]
        measured = _measure({name: one for name, one in started.items() if one.there})
    for name in absent:
        print(f"{name}: left out, its packages are not installed")
    return list(_rows(size, measured))


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--docs", type=int, default=SMALL_SIZE, help="texts (default: 20000)")
    size = parser.parse_args(argv).docs
    print(f"lexical leg, {size:,} texts")
    print_rows(run(size))
    return 0


class _Process:
    """A contender in a process of its own."""

    def __init__(self, name: str, path: Path) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(name, path, theirs), daemon=True)
        self._process.start()
        theirs.close()
        # One after the other: the next is not started before this one has built.
        self.built: tuple[float, float] | None = self._pipe.recv()
        self.there = self.built is not None

    def __enter__(self) -> _Process:
        return self

    def __exit__(self, *_: object) -> None:
        self._pipe.close()
        self._process.join(30)

    def ask(self, what: str) -> Any:
        """Return what the process answers to a command of :func:`_serve`."""
        self._pipe.send(what)
        return self._pipe.recv()


def _serve(name: str, path: Path, pipe: Connection) -> None:
    """Build, say what it took, then do what is asked until the pipe is closed."""
    with path.open(encoding="utf-8") as file:  # line by line, or reading would be the peak
        texts = [line.rstrip("\n") for line in file]
    try:
        peer = PEERS[name](allowed(len(texts)))
    except ImportError:
        pipe.send(None)
        return
    gc.collect()
    before, start = _peak(), time.perf_counter()
    peer.build(texts)
    pipe.send((time.perf_counter() - start, _peak() - before))
    peer.prepare()
    asked = queries()
    answers: dict[str, Callable[[], object]] = {
        "query": lambda: _each(peer.ask, asked),
        "filtered": lambda: _each(peer.ask_allowed, asked) if peer.filters else None,
        "hits": lambda: _hits(peer, asked),
        "living": lambda: _living(peer, asked),
    }
    try:
        while True:
            pipe.send(answers[pipe.recv()]())
    except EOFError:
        return


def _measure(processes: Mapping[str, _Process]) -> dict[str, Measured]:
    _compare({name: one.ask("hits") for name, one in processes.items()})
    rounds: dict[str, list[tuple[list[float], list[float] | None]]] = {one: [] for one in processes}
    for _ in range(ROUNDS):
        for name, process in processes.items():
            rounds[name].append((process.ask("query"), process.ask("filtered")))
    measured = {}
    for name, process in processes.items():
        assert process.built is not None
        query = statistics.median(second for plain, _ in rounds[name] for second in plain)
        filtered = [second for _, found in rounds[name] for second in found or ()]
        living = process.ask("living") if name == OURS else (0.0, 0.0)
        measured[name] = Measured(
            *process.built, query, statistics.median(filtered) if filtered else None, *living
        )
    return measured


def _rows(size: int, measured: Mapping[str, Measured]) -> Iterator[Row]:
    ours, fast = measured[OURS], measured.get(FAST)
    targets = {"bm25s numpy", "bm25s numba"}
    theirs = {name: one for name, one in measured.items() if name not in {OURS, FAST}}
    for name, one in theirs.items():
        target = 1.0 if name in targets else None
        note = f"{ours.build:.3g} s against {one.build:.3g} s"
        yield Row(f"build, {size:,} texts", name, ours.build / one.build, target, note)
    for name, one in theirs.items():
        target = 1.0 if name in targets else None
        note = f"{ours.memory / 1e6:.0f} MB against {one.memory / 1e6:.0f} MB"
        yield Row(f"most memory, {size:,} texts", name, ours.memory / one.memory, target, note)
    for label, who in ((OURS, ours), (FAST, fast)):
        if who is not None:
            yield from _latencies(size, label, who, theirs)
    yield Row("one paper added and found", "our build", ours.added / ours.build, 0.01)
    yield Row("one paper replaced and found", "our build", ours.replaced / ours.build, 0.01)


def _latencies(
    size: int, label: str, ours: Measured, theirs: Mapping[str, Measured]
) -> Iterator[Row]:
    aimed = label == FAST and size >= LARGE_SIZE
    for name, one in theirs.items():
        yield Row(
            f"{label}: a query, {size:,} texts",
            name,
            ours.query / one.query,
            note=f"{1e3 * ours.query:.3g} ms against {1e3 * one.query:.3g} ms",
        )
    assert ours.filtered is not None
    for name, one in theirs.items():
        if one.filtered is not None:
            target = 1.0 if aimed and name == "bm25s numba" else None
            note = f"{1e3 * ours.filtered:.3g} ms against {1e3 * one.filtered:.3g} ms"
            ratio = ours.filtered / one.filtered
            yield Row(f"{label}: the same, filtered", f"{name}, filtered", ratio, target, note)
    if label == FAST and "bm25s numba" in theirs:
        unfiltered = theirs["bm25s numba"].query
        ratio = ours.filtered / unfiltered
        target = 1.0 if aimed else None
        yield Row(f"{label}: the same, filtered", "bm25s numba without filter", ratio, target)


def _compare(answers: Mapping[str, tuple[list[Hits], list[Hits]]]) -> None:
    """Check that those that score by the same formula find the same, with and without filter."""
    for name in EXACT:
        for kind in range(2) if name in answers else ():
            for query, (mine, other) in enumerate(
                zip(answers[OURS][kind], answers[name][kind], strict=True)
            ):
                _same(mine, other, f"{name}, query {query}, {'filtered' if kind else 'plain'}")


def _same(mine: Hits, other: Hits, where: str) -> None:
    assert len(mine) == len(other), where
    near = 1e-5
    for (_, score), (_, known) in zip(mine, other, strict=True):
        assert abs(score - known) <= near * score, f"{where}: {score} and {known}"
    # Those level with the last may be others: ties go by id with us, by anything elsewhere.
    last = mine[-1][1] * (1 + near)
    clear = [{place for place, score in hits if score > last} for hits in (mine, other)]
    assert clear[0] == clear[1], where


def _hits(peer: Peer, asked: Sequence[str]) -> tuple[list[Hits], list[Hits]]:
    plain = [peer.hits(peer.ask(query)) for query in asked]
    return plain, [peer.hits(peer.ask_allowed(query)) for query in asked] if peer.filters else []


def _living(peer: Peer, asked: Sequence[str]) -> tuple[float, float]:
    assert isinstance(peer, Citehop)
    index = peer.index
    added = _each(lambda query: _add_and_find(index, query), asked)
    replaced = _each(lambda query: _replace_and_find(index, query), asked)
    return statistics.median(added), statistics.median(replaced)


def _add_and_find(index: BM25Index, query: str) -> None:
    index.add(f"new {query}", f"zyzzyva {query}")
    assert any(doc_id == f"new {query}" for doc_id, _ in index.search("zyzzyva", None))


def _replace_and_find(index: BM25Index, query: str) -> None:
    index.add("7", f"zymurgy {query}")
    assert index.search("zymurgy")[0][0] == "7"


def _word(number: int) -> str:
    letters = "abcdefghijklmnopqrstuvwxyz"
    text = letters[number % 26] + letters[number // 26 % 26] + letters[number // 676 % 26]
    return text + "aeiou"[number % 5] + str(number // 17_576 or "")


def _peak() -> float:
    """Return the most bytes of memory that this process has held."""
    status = Path("/proc/self/status")
    if status.exists():  # Linux; its ru_maxrss begins with that of the process that started it
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024.0
    unit = 1 if sys.platform == "darwin" else 1024
    return float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit)


def _each(ask: Callable[[str], object], asked: Sequence[str]) -> list[float]:
    """Return the seconds that each query takes."""
    seconds = []
    for query in asked:
        start = time.perf_counter()
        ask(query)
        seconds.append(time.perf_counter() - start)
    return seconds


if __name__ == "__main__":
    raise SystemExit(main())
