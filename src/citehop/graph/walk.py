"""The walk in memory, by sets: each hop is one union of rows, whatever the nodes' degrees."""

from __future__ import annotations

import operator
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, repeat

from citehop.deadline import Deadline
from citehop.errors import StoreTimeout
from citehop.graph.store import Cut, Direction, ExpandRequest, Expansion, Neighbour
from citehop.paper import Filter, Paper

Row = Mapping[str, object]
# Nodes whose rows are united between two looks at the clock.
_CHUNK = 1_000


class OutOfTime(Exception):
    """The deadline passed in the middle of a hop."""


@dataclass(frozen=True, slots=True)
class View:
    """A graph as one request sees it.

    Args:
        ahead: For each node what it cites.
        back: For each node what cites it.
        external: The nodes that are works outside the corpus.
        direction: Which rows are followed.
        barred: Nodes that are not there for this request.
        use_external: Whether works outside are.
    """

    ahead: Mapping[str, Row]
    back: Mapping[str, Row]
    external: set[str]
    direction: Direction
    barred: frozenset[str]
    use_external: bool

    def has(self, node: str) -> bool:
        """Return whether the walk may stand on ``node``."""
        return (
            node in self.ahead
            and node not in self.barred
            and (self.use_external or node not in self.external)
        )

    def reversed(self) -> View:
        """Return the view for walking from the far end."""
        return View(
            self.back, self.ahead, self.external, self.direction, self.barred, self.use_external
        )

    def hop(
        self, frontier: Collection[str], layers: Iterable[set[str]], deadline: Deadline
    ) -> set[str]:
        """Return what is next to ``frontier`` and in none of ``layers``.

        Raises:
            OutOfTime: If the deadline passed.
        """
        met: set[str] = set()
        nodes = list(frontier)
        for start in range(0, len(nodes), _CHUNK):
            if deadline.passed:
                raise OutOfTime
            part = nodes[start : start + _CHUNK]
            if self.direction != "citations":
                met.update(*map(self.ahead.__getitem__, part))
            if self.direction != "references":
                met.update(*map(self.back.__getitem__, part))
        met.difference_update(self.barred, *layers)
        return met if self.use_external else met - self.external

    def cited_by(self, nodes: Collection[str]) -> dict[str, int]:
        """Return how many edges point at each of ``nodes``."""
        return dict(zip(nodes, self._sizes(self.back, nodes), strict=True))

    def degrees(self, nodes: Collection[str]) -> Iterator[int]:
        """Return how many edges each of ``nodes`` has, in their order."""
        return map(operator.add, self._sizes(self.ahead, nodes), self._sizes(self.back, nodes))

    def _sizes(self, rows: Mapping[str, Row], nodes: Collection[str]) -> Iterator[int]:
        chosen = map(rows.__getitem__, nodes)
        if self.use_external:
            return map(len, chosen)
        return (len(row) - len(self.external.intersection(row)) for row in chosen)


class Sieve:
    """Tells which nodes may be returned, judging each once.

    Args:
        records: The papers by id.
        unwanted: Nodes that are no hits: works outside and seeds.
        filter: What a paper must be like.
    """

    def __init__(
        self, records: Mapping[str, Paper], unwanted: tuple[set[str], ...], filter: Filter | None
    ) -> None:
        self._records = records
        self._unwanted = unwanted
        self._filter = filter
        self._judged: set[str] = set()
        self._passing: set[str] = set()

    def __call__(self, layer: set[str]) -> set[str]:
        """Return those of ``layer`` that may be returned."""
        # Several differences, not one: each looks up the smaller set in the larger.
        fit = layer
        for unwanted in self._unwanted:
            fit = fit - unwanted if unwanted else fit
        if self._filter is None:
            return fit
        new = fit - self._judged
        self._judged |= new
        matches = self._filter.matches
        self._passing.update(node for node in new if matches(self._records[node]))
        return fit & self._passing


@dataclass(slots=True)
class SeedWalk:
    """How far the walk from one seed has come.

    Args:
        seed: Where it starts.
        cap: Papers that it keeps at most.
        layers: All nodes at 0, 1, … hops.
        fit: Those at 1, 2, … hops that may be returned.
        total: How many these are.
    """

    seed: str
    cap: int
    layers: list[set[str]] = field(default_factory=list)
    fit: list[set[str]] = field(default_factory=list)
    total: int = 0

    @property
    def full(self) -> bool:
        """Whether what it keeps could not change any more."""
        return self.total >= self.cap

    def take(self, layer: set[str], fit: set[str]) -> None:
        """Add one whole hop."""
        self.layers.append(layer)
        self.fit.append(fit)
        self.total += len(fit)

    def kept(self, view: View) -> list[Collection[str]]:
        """Return what it keeps at 1, 2, … hops: nearest first, then most cited, then by id."""
        kept: list[Collection[str]] = []
        room = self.cap
        for fit in self.fit:
            kept.append(fit if len(fit) <= room else _most_cited(fit, room, view))
            room -= len(kept[-1])
        return kept

    def links(self, seeds: Iterable[str], hops: int) -> dict[str, int]:
        """Return the distances of the other seeds that it met."""
        met = list(enumerate(self.layers))[1 : hops + 1]
        return {seed: hop for seed in seeds for hop, layer in met if seed in layer}


def _most_cited(nodes: set[str], room: int, view: View) -> list[str]:
    if not room:
        return []
    cited = view.cited_by(nodes)
    least = sorted(cited.values())[-room]
    sure = [node for node, count in cited.items() if count > least]
    ties = sorted(node for node, count in cited.items() if count == least)
    return sure + ties[: room - len(sure)]


def expand(view: View, records: Mapping[str, Paper], request: ExpandRequest) -> Expansion:
    """Answer :meth:`CitationStore.expand` on rows in memory.

    Raises:
        StoreTimeout: If not one hop is whole.
    """
    seeds = tuple(seed for seed in request.seeds if view.has(seed))
    sieve = Sieve(records, (view.external, set(seeds)), request.filter)
    walks = [SeedWalk(seed, request.per_seed_limit, [{seed}]) for seed in seeds]
    hops = _walk(walks, view, sieve, request)
    found, reached = _join(walks, view, request.limit)
    return Expansion(
        neighbours=found,
        seeds=seeds,
        seed_links={walk.seed: walk.links(seeds, hops) for walk in walks},
        cut={walk.seed: _cut(walk, request.max_hops) for walk in walks},
        reached=reached,
        completed_hops=hops,
        timed_out=hops < request.max_hops,
    )


def _walk(walks: list[SeedWalk], view: View, sieve: Sieve, request: ExpandRequest) -> int:
    """Walk all seeds side by side and return how many hops are whole."""
    for hop in range(1, request.max_hops + 1):
        under_way = [walk for walk in walks if not walk.full and walk.layers[-1]]
        try:
            layers = [view.hop(w.layers[-1], w.layers, request.deadline) for w in under_way]
        except OutOfTime:
            if hop == 1:
                raise StoreTimeout(
                    f"the walk from {len(walks)} seeds did not finish its first hop in time;"
                    " give it more (timeout_seconds, --timeout), or fewer seeds"
                ) from None
            return hop - 1
        for walk, layer in zip(under_way, layers, strict=True):
            walk.take(layer, sieve(layer))
    return request.max_hops


def _cut(walk: SeedWalk, max_hops: int) -> Cut:
    left_out = max(0, walk.total - walk.cap)
    return Cut(left_out, exact=not walk.full or len(walk.fit) == max_hops)


def _join(walks: list[SeedWalk], view: View, limit: int) -> tuple[tuple[Neighbour, ...], int]:
    """Return the neighbours in the contract's order, and how many there were before the limit."""
    kept = [(walk.seed, walk.kept(view)) for walk in walks]
    evidence: dict[str, dict[str, int]] = {}
    for seed, layers in kept:
        for hop, layer in enumerate(layers, start=1):
            for node in layer:
                if node in evidence:
                    evidence[node][seed] = hop
                else:
                    evidence[node] = {seed: hop}
    cited = view.cited_by(evidence)
    nearest = _nearest([layers for _, layers in kept])
    # Stable sorts, the least important first: each compares small numbers and no tuples.
    order = sorted(evidence)
    order.sort(key=cited.__getitem__, reverse=True)
    order.sort(key=lambda node: len(evidence[node]), reverse=True)
    order.sort(key=nearest.__getitem__)
    del order[limit:]
    found = _neighbours(
        len(order),
        id=order,
        distance=map(nearest.__getitem__, order),
        seeds=map(evidence.__getitem__, order),
        degree=view.degrees(order),
        cited_by=map(cited.__getitem__, order),
    )
    return found, len(evidence)


def _neighbours(count: int, **columns: Iterable[object]) -> tuple[Neighbour, ...]:
    """Return neighbours made column by column: a third of the time of as many constructor calls."""
    made = tuple(map(object.__new__, repeat(Neighbour, count)))
    for name, values in columns.items():
        put: Callable[[Neighbour, object], None] = vars(Neighbour)[name].__set__
        deque(map(put, made, values), maxlen=0)
    return made


def _nearest(kept: list[list[Collection[str]]]) -> dict[str, int]:
    """Return for each node the nearest distance: nearer layers overwrite farther ones."""
    nearest: dict[str, int] = {}
    for hop in range(max(map(len, kept), default=0), 0, -1):
        layers = [layers[hop - 1] for layers in kept if len(layers) >= hop]
        nearest.update(dict.fromkeys(chain.from_iterable(layers), hop))
    return nearest
