"""Shortest chains of citations in memory, by sets that meet in the middle."""

from __future__ import annotations

from collections.abc import Collection
from itertools import pairwise

from citehop.deadline import Deadline
from citehop.errors import StoreTimeout
from citehop.graph.store import CitationPath, PathsRequest, Step
from citehop.graph.walk import OutOfTime, View

# For each length: hops walked from the seed, and hops walked back from the paper. A seed usually
# has many papers, so the longer half starts there and is walked once.
_HALVES = {1: (1, 0), 2: (1, 1), 3: (2, 1), 4: (2, 2)}


class Ends:
    """The layers of nodes around ends of chains, walked when first asked for.

    Args:
        view: The graph, seen from these ends.
        deadline: When to stop.
    """

    def __init__(self, view: View, deadline: Deadline) -> None:
        self._view = view
        self._deadline = deadline
        self._layers: dict[str, list[set[str]]] = {}

    def at(self, end: str, hops: int) -> set[str]:
        """Return the nodes at exactly ``hops`` from ``end``."""
        layers = self._layers.setdefault(end, [{end}])
        while len(layers) <= hops:
            layers.append(self._view.hop(layers[-1], layers, self._deadline))
        return layers[hops]

    def next_to(self, nodes: Collection[str]) -> set[str]:
        """Return all nodes one hop on from ``nodes``."""
        return self._view.hop(nodes, (), self._deadline)


class Chains:
    """Finds chains one by one.

    Args:
        view: The graph as the request sees it.
        request: What is asked.
    """

    def __init__(self, view: View, request: PathsRequest) -> None:
        self._view = view
        self._max_hops = request.max_hops
        self._deadline = request.deadline
        self._seeds = Ends(view, request.deadline)
        self._papers = Ends(view.reversed(), request.deadline)

    def find(self, seed: str, paper: str) -> CitationPath | None:
        """Return the chain of a pair, or None.

        Raises:
            OutOfTime: If the deadline passed.
        """
        self._deadline_check()
        if seed == paper or not self._view.has(seed) or not self._view.has(paper):
            return None
        for length in range(1, self._max_hops + 1):
            ahead, back = _HALVES[length]
            middle = self._seeds.at(seed, ahead) & self._papers.at(paper, back)
            if middle:
                layers = self._towards(middle, seed, ahead)
                layers += [self._papers.at(paper, hops) for hops in range(back - 1, -1, -1)]
                return self._path(self._smallest(seed, layers))
        return None

    def _deadline_check(self) -> None:
        if self._deadline.passed:
            raise OutOfTime

    def _towards(self, middle: set[str], seed: str, hops: int) -> list[set[str]]:
        """Return the layers from the seed's first hop to the middle, as far as they lead there."""
        layers = [middle]
        for hop in range(hops - 1, 0, -1):
            layers.append(self._seeds.at(seed, hop) & self._papers.next_to(layers[-1]))
        return layers[::-1]

    def _smallest(self, seed: str, layers: list[set[str]]) -> list[str]:
        """Return the smallest sequence; every node of a layer leads on to the next layer."""
        nodes = [seed]
        for layer in layers:
            nodes.append(min(layer & self._seeds.next_to(nodes[-1:])))
        return nodes

    def _path(self, nodes: list[str]) -> CitationPath:
        return CitationPath(
            nodes=tuple(nodes),
            steps=tuple(self._step(here, there) for here, there in pairwise(nodes)),
            external=tuple(node for node in nodes if node in self._view.external),
        )

    def _step(self, here: str, there: str) -> Step:
        cites = self._view.direction != "citations" and there in self._view.ahead[here]
        return "cites" if cites else "cited_by"


def paths(view: View, request: PathsRequest) -> dict[tuple[str, str], CitationPath]:
    """Answer :meth:`CitationStore.paths` on rows in memory.

    Raises:
        StoreTimeout: If time ran out.
    """
    chains = Chains(view, request)
    found: dict[tuple[str, str], CitationPath] = {}
    try:
        for pair in request.pairs:
            path = chains.find(*pair)
            if path is not None:
                found[pair] = path
    except OutOfTime:
        raise StoreTimeout(
            f"{len(found)} of {len(request.pairs)} chains were found when the time was over;"
            " give more (timeout_seconds, --timeout), or ask for fewer pairs"
        ) from None
    return found
