"""The walk written for being obviously right: small graphs only, no speed, no early stops in code.

Contract tests compare every store with it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from citehop.graph.store import (
    CitationPath,
    Counts,
    Cut,
    Direction,
    Expansion,
    Neighbour,
    Step,
    rank_neighbours,
)
from citehop.paper import Filter, Paper

Edge = tuple[str, str]


def edges_of(papers: Iterable[Paper]) -> set[Edge]:
    """Return the edges ``(citing, cited)`` that these records state, self-citations left out."""
    stated: set[Edge] = set()
    for paper in papers:
        stated |= {(paper.id, other) for other in paper.references}
        stated |= {(other, paper.id) for other in paper.citations}
    return {(citing, cited) for citing, cited in stated if citing != cited}


@dataclass(frozen=True)
class Model:
    """Records, seen as a graph.

    Args:
        papers: The records, each id once.
        direction: Which way the walk goes.
        exclude: Ids that it treats as not there.
        external: Whether works outside the corpus are there.
    """

    papers: tuple[Paper, ...]
    direction: Direction = "both"
    exclude: frozenset[str] = frozenset()
    external: bool = True

    @property
    def records(self) -> dict[str, Paper]:
        """The records by id."""
        return {paper.id: paper for paper in self.papers}

    @property
    def edges(self) -> set[Edge]:
        """The edges that count."""
        return {
            edge
            for edge in edges_of(self.papers)
            if self.external or (edge[0] in self.records and edge[1] in self.records)
        }

    @property
    def nodes(self) -> set[str]:
        """The nodes that may be walked through."""
        return ({end for edge in self.edges for end in edge} | set(self.records)) - self.exclude

    def neighbours(self, node: str) -> set[str]:
        """Return the nodes one hop on from ``node``."""
        ahead = {cited for citing, cited in self.edges if citing == node}
        back = {citing for citing, cited in self.edges if cited == node}
        chosen = {"both": ahead | back, "references": ahead, "citations": back}[self.direction]
        return chosen & self.nodes

    def layers(self, seed: str, max_hops: int) -> list[set[str]]:
        """Return the nodes at 0, 1, … hops from ``seed``."""
        layers = [{seed}]
        for _ in range(max_hops):
            met = set().union(*layers)
            layers.append({n for node in layers[-1] for n in self.neighbours(node)} - met)
        return layers

    def cited_by(self, node: str) -> int:
        """Return how many edges point at ``node``."""
        return sum(cited == node for _, cited in self.edges)

    def degree(self, node: str) -> int:
        """Return how many edges ``node`` has."""
        return sum((citing == node) + (cited == node) for citing, cited in self.edges)

    def chains(self, seed: str, max_hops: int) -> dict[str, tuple[str, ...]]:
        """Return for each node within the hops the shortest chain with the smallest sequence."""
        layers = self.layers(seed, max_hops) if seed in self.nodes else []
        chains: list[tuple[str, ...]] = [(seed,)]
        best: dict[str, tuple[str, ...]] = {}
        for layer in layers[1:]:
            chains = [(*c, n) for c in chains for n in self.neighbours(c[-1]) & layer]
            best.update({n: min(c for c in chains if c[-1] == n) for n in layer})
        return best

    def step(self, here: str, there: str) -> Step:
        """Return how ``here`` stands to ``there``."""
        cites = (here, there) in self.edges and self.direction != "citations"
        return "cites" if cites else "cited_by"


def expand(
    papers: Iterable[Paper],
    seeds: Iterable[str],
    *,
    max_hops: int = 2,
    limit: int = 500,
    per_seed_limit: int = 500,
    filter: Filter | None = None,
    **view: Any,
) -> Expansion:
    """Return what :meth:`CitationStore.expand` must return; ``view`` is as in :class:`Model`."""
    model = Model(tuple(papers), **view)
    known = [seed for seed in dict.fromkeys(seeds) if seed in model.nodes]
    kept: dict[str, dict[str, int]] = {}
    links: dict[str, dict[str, int]] = {}
    cut: dict[str, Cut] = {}
    for seed in known:
        wanted = {n for n in model.records if _fits(model, n, filter)} - set(known)
        distances, hops = _walk(model.layers(seed, max_hops), wanted, per_seed_limit)
        fit = [n for n in distances if n in wanted]
        fit.sort(key=lambda n: (distances[n], -model.cited_by(n), n))
        kept[seed] = {n: distances[n] for n in fit[:per_seed_limit]}
        links[seed] = {other: distances[other] for other in known if distances.get(other)}
        cut[seed] = Cut(len(fit) - len(kept[seed]), hops == max_hops)
    found = _join(model, kept)
    return Expansion(
        neighbours=tuple(found[:limit]),
        seeds=tuple(known),
        seed_links=links,
        cut=cut,
        reached=len(found),
        completed_hops=max_hops,
    )


def _walk(layers: list[set[str]], wanted: set[str], cap: int) -> tuple[dict[str, int], int]:
    """Return the distances met, and the hops walked until the cap was full."""
    distances: dict[str, int] = {}
    for hop, layer in enumerate(layers):
        distances |= dict.fromkeys(layer, hop)
        if len(wanted & set(distances)) >= cap:
            return distances, hop
    return distances, len(layers) - 1


def _fits(model: Model, node: str, filter: Filter | None) -> bool:
    paper = model.records.get(node)
    return paper is not None and (filter is None or filter.matches(paper))


def _join(model: Model, kept: dict[str, dict[str, int]]) -> list[Neighbour]:
    found = []
    for node in set().union(*kept.values()):
        by_seed = {seed: reached[node] for seed, reached in kept.items() if node in reached}
        nearest = min(by_seed.values())
        found.append(Neighbour(node, nearest, by_seed, model.degree(node), model.cited_by(node)))
    return rank_neighbours(found)


def paths(
    papers: Iterable[Paper], pairs: Iterable[tuple[str, str]], *, max_hops: int = 2, **view: Any
) -> dict[tuple[str, str], CitationPath]:
    """Return what :meth:`CitationStore.paths` must return; ``view`` is as in :class:`Model`."""
    model = Model(tuple(papers), **view)
    found = {}
    for seed, target in pairs:
        nodes = model.chains(seed, max_hops).get(target)
        if nodes is not None:
            steps = tuple(model.step(a, b) for a, b in pairwise(nodes))
            outside = tuple(n for n in nodes if n not in model.records)
            found[seed, target] = CitationPath(nodes, steps, outside)
    return found


def counts(papers: Iterable[Paper]) -> Counts:
    """Return what :meth:`CitationStore.counts` must return."""
    model = Model(tuple(papers))
    years = [paper.year for paper in model.papers if paper.year is not None]
    return Counts(
        papers=len(model.papers),
        external=len(model.nodes) - len(model.papers),
        citations=len(Model(model.papers, external=False).edges),
        citations_all=len(model.edges),
        year_min=min(years, default=None),
        year_max=max(years, default=None),
    )
