"""The walk in memory against plain searches, and the load against networkx.

``python -m benchmarks.walk --papers 200000`` prints the ratios of one run.
"""

from __future__ import annotations

import argparse
import gc
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.table import Row, print_rows
from citehop.graph.networkx import NetworkXStore
from citehop.graph.store import MAX_LIMIT, Expansion
from citehop.paper import Paper

REFERENCES = 10
ROUNDS = 5
SEEDS = 10
HUBS = 5


def make_papers(count: int, seed: int = 7) -> list[Paper]:
    """Return papers that cite ten earlier ones each: some by chance, the rest as others do."""
    chance = random.Random(seed)
    cited: list[int] = []
    papers: list[Paper] = []
    for number in range(count):
        chosen: set[int] = set()
        while len(chosen) < min(number, REFERENCES):
            copied = cited and chance.random() < 0.62
            chosen.add(chance.choice(cited) if copied else chance.randrange(number))
        cited.extend(chosen)
        references = [f"W{other:07}" for other in sorted(chosen)]
        papers.append(Paper(f"W{number:07}", "", "", 2000, [], references))
    return papers


def typical_seeds(papers: list[Paper], seed: int = 11) -> list[str]:
    """Return papers from the middle: neither hubs nor beginners."""
    half = [paper.id for paper in papers[len(papers) // 4 :]]
    return random.Random(seed).sample(half, SEEDS)


def hub_seeds(papers: list[Paper]) -> list[str]:
    """Return five typical seeds and the five papers that are cited most."""
    times: dict[str, int] = {}
    for paper in papers:
        for cited in paper.references:
            times[cited] = times.get(cited, 0) + 1
    hubs = sorted(times, key=lambda name: (-times[name], name))[:HUBS]
    return typical_seeds(papers)[: SEEDS - HUBS] + hubs


class PlainGraph:
    """What one would write by hand: a dict of sets, both ways in one."""

    def __init__(self, papers: Iterable[Paper]) -> None:
        self.next: dict[str, set[str]] = {}
        self.cited_by: dict[str, int] = {}
        for paper in papers:
            self.next.setdefault(paper.id, set())
            for cited in paper.references:
                self.next[paper.id].add(cited)
                self.next.setdefault(cited, set()).add(paper.id)
                self.cited_by[cited] = self.cited_by.get(cited, 0) + 1

    def distances(self, seed: str, hops: int) -> dict[str, int]:
        """Return a plain breadth-first search."""
        distances = {seed: 0}
        frontier = [seed]
        for hop in range(1, hops + 1):
            following = []
            for node in frontier:
                for other in self.next[node]:
                    if other not in distances:
                        distances[other] = hop
                        following.append(other)
            frontier = following
        return distances

    def rows(self, seeds: list[str], hops: int = 2) -> list[tuple[int, int, int, str, Any, int]]:
        """Return every paper reached with the store's evidence, in the store's order."""
        evidence: dict[str, dict[str, int]] = {}
        for seed in seeds:
            for node, hop in self.distances(seed, hops).items():
                evidence.setdefault(node, {})[seed] = hop
        return sorted(
            (nearest, -len(by), -self.cited_by.get(node, 0), node, by, len(self.next[node]))
            for node, by in evidence.items()
            if (nearest := min(by.values())) > 0
        )


def race(ours: Callable[[], object], yardstick: Callable[[], object]) -> tuple[float, str]:
    """Return the ratio of the medians of rounds taken in turn, and both in words.

    Processor time, so that a busy machine disturbs little.
    """
    seconds: tuple[list[float], list[float]] = ([], [])
    for _ in range(ROUNDS):
        for kept, work in zip(seconds, (ours, yardstick), strict=True):
            gc.collect()
            start = time.process_time()
            work()
            kept.append(time.process_time() - start)
    mine, plain = map(statistics.median, seconds)
    return mine / plain, f"{mine * 1e3:.1f} ms against {plain * 1e3:.1f} ms"


def run(papers: int = 200_000) -> list[Row]:
    """Measure walks in this process, and builds each in a process of its own."""
    return list(_rows(papers))


def _rows(papers: int) -> Iterator[Row]:
    yield from run_walks(papers)
    yield from run_builds(papers)


def run_walks(count: int) -> Iterator[Row]:
    """Measure walks from typical seeds and with hubs among them."""
    papers = make_papers(count)
    plain = PlainGraph(papers)
    store = NetworkXStore()
    store.load(papers)
    typical, hubs = typical_seeds(papers), hub_seeds(papers)

    def walk(seeds: list[str], cap: int = 500) -> Expansion:
        return store.expand(seeds, limit=cap, per_seed_limit=cap, timeout_seconds=60)

    whole = walk(typical, MAX_LIMIT)
    same = [(n.distance, -len(n.seeds), -n.cited_by, n.id, n.seeds, n.degree) for n in whole]
    assert same == plain.rows(typical), "the yardstick gives other rows"
    pairs = [(next(iter(n.seeds)), n.id) for n in walk(typical)]
    most = max(plain.cited_by.values())
    # What is there stays out of the collections between rounds.
    gc.collect()
    gc.freeze()
    facts = f"{len(whole):,} papers reached; largest in-degree {most:,}"
    yield _row(
        "two hops, ten seeds, no caps",
        "plain searches, same rows",
        1.5,
        facts,
        lambda: walk(typical, MAX_LIMIT),
        lambda: plain.rows(typical),
    )
    yield _row(
        "two hops, ten seeds, no caps",
        "plain searches, distances alone",
        None,
        "",
        lambda: walk(typical, MAX_LIMIT),
        lambda: [plain.distances(s, 2) for s in typical],
    )
    yield _row(
        "two hops, ten seeds, default caps",
        "plain searches, same rows",
        1.5,
        "",
        lambda: walk(typical),
        lambda: plain.rows(typical),
    )
    yield _row(
        "two hops, five hubs, default caps",
        "plain searches, same rows",
        1.5,
        "",
        lambda: walk(hubs),
        lambda: plain.rows(hubs),
    )
    yield _row(
        "two hops, five hubs, default caps",
        "typical seeds, default caps",
        2,
        "",
        lambda: walk(hubs),
        lambda: walk(typical),
    )
    yield _row(
        f"paths of {len(pairs)} pairs",
        "their walk, default caps",
        None,
        "",
        lambda: store.paths(pairs),
        lambda: walk(typical),
    )


def _row(
    what: str,
    against: str,
    target: float | None,
    facts: str,
    *works: Callable[[], object],
) -> Row:
    ratio, words = race(*works)
    return Row(what, against, ratio, target, "; ".join(filter(None, (words, facts))))


def run_builds(count: int) -> list[Row]:
    """Measure the load and its yardstick."""
    ours, theirs = _measured(count, "store"), _measured(count, "networkx")
    seconds = f"{ours[0]:.1f} s against {theirs[0]:.1f} s"
    room = f"{ours[1]:.0f} MB against {theirs[1]:.0f} MB"
    return [
        Row("load, time", "DiGraph.add_edges_from", ours[0] / theirs[0], 2, seconds),
        Row("load, memory", "DiGraph.add_edges_from", ours[1] / theirs[1], 2, room),
    ]


def _measured(count: int, what: str) -> tuple[float, float]:
    command = [sys.executable, "-m", "benchmarks.walk", "--papers", str(count), "--build", what]
    words = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()  # noqa: S603
    return float(words[0]), float(words[1])


def _build(count: int, what: str) -> None:
    """Print the seconds and megabytes of one build; the papers are there before it begins."""
    import networkx as nx

    papers = make_papers(count)
    gc.collect()
    before, start = _resident(), time.process_time()
    made: Any
    if what == "store":
        made = NetworkXStore()
        made.load(papers)
    else:
        made = nx.DiGraph()
        made.add_edges_from((paper.id, cited) for paper in papers for cited in paper.references)
    print(time.process_time() - start, _resident() - before)


def _resident() -> float:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * 4096 / 1e6


def main(argv: list[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--papers", type=int, default=200_000)
    parser.add_argument("--build", choices=["store", "networkx"], help=argparse.SUPPRESS)
    options = parser.parse_args(argv)
    if options.build:
        _build(options.papers, options.build)
    else:
        print_rows(_rows(options.papers))


if __name__ == "__main__":
    main()
