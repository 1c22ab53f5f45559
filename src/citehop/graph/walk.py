"""The walk in memory, by sets: each hop is one union of rows, whatever the nodes' degrees."""

from __future__ import annotations

import operator
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain, islice, repeat

from citehop.deadline import Deadline
from citehop.errors import StoreTimeout
from citehop.graph.most_cited import MostCited
from citehop.graph.seed_walk import SeedWalk
from citehop.graph.store import Direction, ExpandRequest, Expansion, Neighbour
from citehop.paper import Filter, Paper

Row = Mapping[str, object]
# Nodes whose rows are united between two looks at the clock.
_CHUNK = 1_000
# Nodes that a filter judges between two looks.
_JUDGED = 5_000
# What putting the neighbours together may take past the deadline, as a part of the whole time:
# that much for all hops that are whole, and as much again for one hop fewer; one hop has both.
_GRACE = 0.25


class OutOfTime(Exception):
    """The deadline passed in the middle of a hop, or of putting together what was found."""


def _look(deadline: Deadline) -> None:
    if deadline.passed:
        raise OutOfTime


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
            _look(deadline)
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
        request: What a paper must be like, and when to stop.
    """

    def __init__(
        self, records: Mapping[str, Paper], unwanted: tuple[set[str], ...], request: ExpandRequest
    ) -> None:
        self._records = records
        self._unwanted = unwanted
        self._filter = request.filter
        self._deadline = request.deadline
        self._judged: set[str] = set()
        self._passing: set[str] = set()

    def __call__(self, layer: set[str]) -> set[str]:
        """Return those of ``layer`` that may be returned.

        Raises:
            OutOfTime: If the deadline passed; it is of no use any more.
        """
        # Several differences, not one: each looks up the smaller set in the larger.
        fit = layer
        for unwanted in self._unwanted:
            fit = fit - unwanted if unwanted else fit
        if self._filter is None:
            return fit
        self._judge(fit - self._judged, self._filter)
        return fit & self._passing

    def _judge(self, new: set[str], filter: Filter) -> None:
        self._judged |= new
        matches, records = filter.matches, self._records
        nodes = iter(new)
        while part := list(islice(nodes, _JUDGED)):
            _look(self._deadline)
            self._passing.update(node for node in part if matches(records[node]))


def expand(view: View, records: Mapping[str, Paper], request: ExpandRequest) -> Expansion:
    """Answer :meth:`CitationStore.expand` on rows in memory.

    Raises:
        StoreTimeout: If not one hop is whole.
    """
    grace = request.deadline.remaining * _GRACE
    seeds = tuple(seed for seed in request.seeds if view.has(seed))
    sieve = Sieve(records, (view.external, set(seeds)), request)
    walks = [SeedWalk(seed, request.per_seed_limit, [{seed}]) for seed in seeds]
    walked = _walk(walks, view, sieve, request)
    found, reached, hops = _join_in_time(walks, view, request, walked, grace)
    return Expansion(
        neighbours=found,
        seeds=seeds,
        seed_links={walk.seed: walk.links(seeds) for walk in walks},
        cut={walk.seed: walk.cut(request.max_hops) for walk in walks},
        reached=reached,
        completed_hops=hops,
        timed_out=hops < request.max_hops,
    )


def _walk(walks: list[SeedWalk], view: View, sieve: Sieve, request: ExpandRequest) -> int:
    """Walk all seeds side by side and return how many hops are whole."""
    most_cited = MostCited(view.cited_by)

    def step(walk: SeedWalk) -> tuple[set[str], Collection[str], int]:
        layer = view.hop(walk.layers[-1], walk.layers, request.deadline)
        _look(request.deadline)
        fit = sieve(layer)
        return layer, most_cited(fit, walk.room), len(fit)

    for hop in range(1, request.max_hops + 1):
        under_way = [walk for walk in walks if walk.under_way]
        try:
            steps = [step(walk) for walk in under_way]
        except OutOfTime:
            if hop == 1:
                raise _too_slow(walks) from None
            return hop - 1
        for walk, taken in zip(under_way, steps, strict=True):
            walk.take(*taken)
    return request.max_hops


def _too_slow(walks: list[SeedWalk]) -> StoreTimeout:
    return StoreTimeout(
        f"the walk from {len(walks)} seeds did not finish its first hop in time;"
        " give it more (timeout_seconds, --timeout), or fewer seeds"
    )


def _join_in_time(
    walks: list[SeedWalk], view: View, request: ExpandRequest, walked: int, grace: float
) -> tuple[tuple[Neighbour, ...], int, int]:
    """Return what :func:`_join` does and for how many hops: one fewer if all take too long."""
    for late, hops in enumerate(range(walked, max(0, walked - 2), -1), start=1):
        for walk in walks:
            walk.forget_beyond(hops)
        more = grace * (2 if hops == 1 else late)
        deadline = replace(request.deadline, at=request.deadline.at + more)
        try:
            return *_join(walks, view, request.limit, deadline), hops
        except OutOfTime:
            continue
    if walked:
        raise _too_slow(walks)
    return (), 0, 0


def _join(
    walks: list[SeedWalk], view: View, limit: int, deadline: Deadline
) -> tuple[tuple[Neighbour, ...], int]:
    """Return the neighbours in the contract's order, and how many there were before the limit."""
    evidence: dict[str, dict[str, int]] = {}
    for walk in walks:
        _look(deadline)
        for hop, layer in enumerate(walk.kept, start=1):
            for node in layer:
                if node in evidence:
                    evidence[node][walk.seed] = hop
                else:
                    evidence[node] = {walk.seed: hop}
    _look(deadline)
    cited = view.cited_by(evidence)
    nearest = _nearest([walk.kept for walk in walks])
    # Stable sorts, the least important first: each compares small numbers and no tuples.
    _look(deadline)
    order = sorted(evidence)
    order.sort(key=cited.__getitem__, reverse=True)
    order.sort(key=lambda node: len(evidence[node]), reverse=True)
    order.sort(key=nearest.__getitem__)
    del order[limit:]
    _look(deadline)
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
