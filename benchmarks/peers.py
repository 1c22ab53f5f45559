"""The walk against scipy and rustworkx, each as a person at home in it would write it.

Each peer answers with the store's evidence: the same papers, distances, seeds, counts and order,
within the store's limits too. ``python -m benchmarks peers --papers 200000`` prints the ratios of
one run. What is not installed is left out by name; `make bench` installs all.
"""

from __future__ import annotations

import gc
import tempfile
from collections.abc import Iterator, Sequence
from heapq import nsmallest
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from benchmarks.table import Row
from benchmarks.walk import hub_seeds, make_papers, race, typical_seeds
from citehop.graph.networkx import NetworkXStore
from citehop.graph.store import MAX_LIMIT, CitationStore, Expansion
from citehop.library.build import build_library
from citehop.library.store import LibraryStore
from citehop.paper import Paper

Peer = tuple[int, int, int, str, dict[str, int], int]
"""Distance, seeds and citations (both negative, for the order), id, distance by seed, degree."""

CAP = 500
"""The store's default for each seed and in all."""
_FAR = 127


class WalkPeer(Protocol):
    """A graph that gives the store's rows."""

    def rows(self, seeds: list[str], hops: int = 2, cap: int | None = None) -> list[Peer]:
        """Return every paper reached, in order; with ``cap``, what the store's limits keep."""
        ...


class ScipyGraph:
    """Sparse products: seeds times the symmetric matrix, once for each hop."""

    def __init__(self, papers: Sequence[Paper]) -> None:
        from scipy.sparse import csr_array  # type: ignore[import-untyped]

        self.ids = sorted(paper.id for paper in papers)
        self.number = {name: number for number, name in enumerate(self.ids)}
        ends = [(self.number[p.id], self.number[cited]) for p in papers for cited in p.references]
        citing, cited = np.array(ends, np.int32).T
        shape = (len(self.ids), len(self.ids))
        directed = csr_array((np.ones(len(ends), np.int8), (citing, cited)), shape)
        self.both = (directed + directed.T).tocsr()
        self.both.data[:] = 1
        self.cited_by = np.bincount(cited, minlength=len(self.ids))
        self.degree = np.diff(self.both.indptr)

    def rows(self, seeds: list[str], hops: int = 2, cap: int | None = None) -> list[Peer]:
        """Return the rows from columns of numbers."""
        distances = self._distances([self.number[seed] for seed in seeds], hops, cap)
        nearest = distances.min(axis=0)
        reached = np.flatnonzero((nearest > 0) & (nearest < _FAR))
        seen = distances[:, reached] < _FAR
        by_seeds, cited_by = seen.sum(axis=0), self.cited_by[reached]
        order = np.lexsort((reached, -cited_by, -by_seeds, nearest[reached]))[:cap]
        chosen = reached[order]
        columns = distances[:, chosen].T.tolist()
        return [
            (near, -count, -cited, self.ids[node], by, degree)
            for near, count, cited, node, degree, by in zip(
                nearest[chosen].tolist(),
                by_seeds[order].tolist(),
                cited_by[order].tolist(),
                chosen.tolist(),
                self.degree[chosen].tolist(),
                [
                    {s: hop for s, hop in zip(seeds, column, strict=True) if hop < _FAR}
                    for column in columns
                ],
                strict=True,
            )
        ]

    def _distances(self, seeds: list[int], hops: int, cap: int | None) -> Any:
        """Return the hops from each seed (rows) to each paper (columns); 127 is out of reach."""
        from scipy.sparse import csr_array

        each = np.arange(len(seeds))
        distances = np.full((len(seeds), len(self.ids)), _FAR, np.int8)
        distances[each, seeds] = 0
        open_ = each
        frontier = csr_array((np.ones(len(seeds), bool), (each, seeds)), distances.shape)
        for hop in range(1, hops + 1):
            frontier = frontier @ self.both
            found = frontier.tocoo()
            rows, columns = open_[found.row], found.col
            new = distances[rows, columns] == _FAR
            distances[rows[new], columns[new]] = hop
            if cap is not None:
                full = (distances < _FAR).sum(axis=1)[open_] > cap + len(seeds)
                open_, frontier = open_[~full], frontier[np.flatnonzero(~full)]
        return distances if cap is None else self._capped(distances, seeds, cap)

    def _capped(self, distances: Any, seeds: list[int], cap: int) -> Any:
        distances[:, seeds] = 0  # no hits, and left out of what is counted
        for row in distances:
            reached = np.flatnonzero((row > 0) & (row < _FAR))
            order = np.lexsort((reached, -self.cited_by[reached], row[reached]))
            row[reached[order[cap:]]] = _FAR
        return distances


class RustworkxGraph:
    """Sets of neighbours, asked of a PyDiGraph; its own searches know no limit of hops."""

    def __init__(self, papers: Sequence[Paper]) -> None:
        import rustworkx

        self.graph = rustworkx.PyDiGraph()
        self.ids = [paper.id for paper in papers]
        numbers = self.graph.add_nodes_from(self.ids)
        self.number = dict(zip(self.ids, numbers, strict=True))
        self.graph.add_edges_from_no_data(
            [(self.number[p.id], self.number[cited]) for p in papers for cited in p.references]
        )
        # Asked each time, they are counted edge by edge.
        self.cited_by = [self.graph.in_degree(node) for node in numbers]
        self.degree = [
            cited + self.graph.out_degree(node)
            for node, cited in zip(numbers, self.cited_by, strict=True)
        ]

    def rows(self, seeds: list[str], hops: int = 2, cap: int | None = None) -> list[Peer]:
        """Return the rows, sorted as tuples."""
        start = {self.number[seed] for seed in seeds}
        evidence: dict[int, dict[str, int]] = {}
        for seed in seeds:
            for node, hop in self._reached(self.number[seed], start, hops, cap).items():
                evidence.setdefault(node, {})[seed] = hop
        ids, cited_by, degree = self.ids, self.cited_by, self.degree
        rows = [
            (min(by.values()), -len(by), -cited_by[node], ids[node], by, degree[node])
            for node, by in evidence.items()
        ]
        rows.sort()
        return rows[:cap]

    def _reached(self, seed: int, start: set[int], hops: int, cap: int | None) -> dict[int, int]:
        neighbours = self.graph.neighbors_undirected
        seen, frontier = {seed}, {seed}
        kept: dict[int, int] = {}
        for hop in range(1, hops + 1):
            frontier = set().union(*map(neighbours, frontier)) - seen
            seen |= frontier
            hits: Any = frontier - start
            if cap is not None:
                hits = nsmallest(cap - len(kept), hits, key=self._more_cited_first)
            kept.update(dict.fromkeys(hits, hop))
            if cap is not None and len(kept) >= cap:
                break
        return kept

    def _more_cited_first(self, node: int) -> tuple[int, str]:
        return -self.cited_by[node], self.ids[node]


_PEERS: dict[str, type[ScipyGraph] | type[RustworkxGraph]] = {
    "scipy": ScipyGraph,
    "rustworkx": RustworkxGraph,
}


def run(count: int = 200_000) -> Iterator[Row]:
    """Measure both stores that need no server against the peers that are installed."""
    papers = make_papers(count)
    typical, hubs = typical_seeds(papers), hub_seeds(papers)
    others = {name: made(papers) for name, made in _PEERS.items() if _is_there(name)}
    with tempfile.TemporaryDirectory() as folder:
        build_library(Path(folder), papers)
        with NetworkXStore() as memory, LibraryStore(folder) as library:
            memory.load(papers)
            # What is there stays out of the collections between rounds.
            gc.collect()
            gc.freeze()
            for name, peer in others.items():
                for where, store in (("in memory", memory), ("in a library on disk", library)):
                    for what, seeds, cap in (
                        ("ten seeds, default limits", typical, CAP),
                        ("five hubs, default limits", hubs, CAP),
                        ("ten seeds, no limits", typical, None),
                    ):
                        ratio, words = _race(store, peer, seeds, cap)
                        label = f"two hops {where}, {what}"
                        yield Row(label, f"{name}, same rows", ratio, None, words)


def _race(
    store: CitationStore, peer: WalkPeer, seeds: list[str], cap: int | None
) -> tuple[float, str]:
    limit = cap or MAX_LIMIT

    def walk() -> Expansion:
        return store.expand(seeds, limit=limit, per_seed_limit=limit, timeout_seconds=60)

    assert _as_rows(walk()) == peer.rows(seeds, cap=cap), "the peer gives other rows"
    return race(walk, lambda: peer.rows(seeds, cap=cap))


def _as_rows(found: Expansion) -> list[Peer]:
    return [(n.distance, -len(n.seeds), -n.cited_by, n.id, dict(n.seeds), n.degree) for n in found]


def _is_there(package: str) -> bool:
    if find_spec(package) is not None:
        return True
    print(f"{package} is not installed and left out; `make bench` installs it\n")
    return False
