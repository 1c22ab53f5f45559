"""The walk and the chains, by statements that rank and limit on the server."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from citehop.errors import StoreTimeout
from citehop.graph.neo4j_link import Transaction
from citehop.graph.neo4j_reads import State, may_sort_oddly
from citehop.graph.store import (
    CitationPath,
    Cut,
    ExpandRequest,
    Expansion,
    Neighbour,
    PathsRequest,
)
from citehop.paper import Filter

PAIRS_PER_STATEMENT = 2_000
# By whether external works are walked through, and whether there is a filter.
_STATEMENTS = {
    (True, False): "search/expand",
    (True, True): "search/expand_filtered",
    (False, False): "search/expand_inside",
    (False, True): "search/expand_inside_filtered",
}


@dataclass(slots=True)
class SeedWalk:
    """How far the walk from one seed has come.

    Args:
        cap: Papers that it keeps at most.
        found: Papers that it reached and that may be returned.
        hops: Hops that it walked.
        kept: Papers kept, with distance, citations and degree.
        links: Other seeds that it met, with their distance.
    """

    cap: int
    found: int = 0
    hops: int = 0
    kept: dict[str, tuple[int, int, int]] = field(default_factory=dict)
    links: dict[str, int] = field(default_factory=dict)

    @property
    def full(self) -> bool:
        """Whether what it keeps could not change any more."""
        return self.found >= self.cap

    def take(self, met: int, links: Collection[str], first: Iterable[tuple[str, int, int]]) -> None:
        """Add one whole hop: what it met, the seeds among these, and the first of them all."""
        self.hops += 1
        self.found += met - len(links)
        self.links.update(dict.fromkeys(links, self.hops))
        papers = (entry for entry in first if entry[0] not in self.links)
        for key, cited_by, degree in islice(papers, self.cap - len(self.kept)):
            self.kept[key] = (self.hops, cited_by, degree)


class Walk:
    """One expansion, hop by hop, so that what is whole can be returned when time runs out."""

    def __init__(self, request: ExpandRequest) -> None:
        self.request = request
        self.odd_ids = True
        self.walks: dict[str, SeedWalk] = {}
        self.hops = 0
        self.started = False

    async def run(self, transaction: Transaction, state: State | None) -> None:
        """Walk all hops, from the beginning; without a state any id may sort oddly."""
        request = self.request
        self.odd_ids = may_sort_oddly(state)
        self.hops, self.started = 0, True
        allowed = [seed for seed in request.seeds if seed not in request.exclude]
        self.walks = {seed: SeedWalk(request.per_seed_limit) for seed in allowed}
        if not request.max_hops:
            await self._keep_known(transaction)
        for hop in range(1, request.max_hops + 1):
            await self._hop(transaction, hop)
            self.hops = hop

    async def _keep_known(self, transaction: Transaction) -> None:
        answer = await transaction.run("search/seeds", seeds=list(self.walks))
        known = {key for key, paper in answer.rows if paper or self.request.external}
        self._forget_others(known)

    def _forget_others(self, known: Container[str]) -> None:
        self.walks = {seed: walk for seed, walk in self.walks.items() if seed in known}

    async def _hop(self, transaction: Transaction, hop: int) -> None:
        request = self.request
        under_way = [seed for seed, walk in self.walks.items() if not walk.full]
        if not under_way:
            return
        kept = min(len(self.walks[seed].kept) for seed in under_way)
        answer = await transaction.run(
            _STATEMENTS[request.external, request.filter is not None],
            hops=hop,
            direction=request.direction,
            seeds=under_way,
            known=list(self.walks),
            room=request.per_seed_limit - kept + len(self.walks),
            exclude=sorted(request.exclude),
            at=hop,
            odd_ids=self.odd_ids,
            **(_parameters(request.filter) if request.filter else {}),
        )
        # Only now, all at once: a hop that was cut off in the middle leaves no trace.
        rows = {seed: columns for seed, *columns in answer.rows}
        if hop == 1:
            self._forget_others(rows)
        for seed, (met, links, *first) in rows.items():
            # Not strict: a seed that met nothing has no ids, but a count of nothing.
            self.walks[seed].take(met, links, zip(*first, strict=False))

    def result(self) -> Expansion:
        """Return what is whole.

        Raises:
            StoreTimeout: If not one hop is.
        """
        request = self.request
        if not self.hops and request.max_hops:
            raise StoreTimeout(
                f"the walk from {len(request.seeds)} seeds did not finish its first hop in time;"
                " give it more (timeout_seconds, --timeout), or fewer seeds"
            )
        neighbours, reached = self._joined()
        seeds = tuple(self.walks)
        return Expansion(
            neighbours=neighbours,
            seeds=seeds,
            seed_links={
                seed: {s: walk.links[s] for s in seeds if s in walk.links and s != seed}
                for seed, walk in self.walks.items()
            },
            cut={seed: self._cut(walk) for seed, walk in self.walks.items()},
            reached=reached,
            completed_hops=self.hops,
            timed_out=self.hops < request.max_hops,
        )

    def _cut(self, walk: SeedWalk) -> Cut:
        exact = not walk.full or walk.hops == self.request.max_hops
        return Cut(max(0, walk.found - walk.cap), exact)

    def _joined(self) -> tuple[tuple[Neighbour, ...], int]:
        """Return the first neighbours, in the contract's order, and how many there are."""
        evidence: dict[str, dict[str, int]] = {}
        facts: dict[str, tuple[int, int]] = {}
        for seed, walk in self.walks.items():
            for key, (distance, cited_by, degree) in walk.kept.items():
                evidence.setdefault(key, {})[seed] = distance
                facts[key] = (cited_by, degree)
        # Most are cut off: records are made only of those that stay.
        order = sorted(
            (min(seeds.values()), -len(seeds), -facts[key][0], key)
            for key, seeds in evidence.items()
        )
        neighbours = (
            Neighbour(key, distance, evidence[key], facts[key][1], -cited_by)
            for distance, _, cited_by, key in order[: self.request.limit]
        )
        return tuple(neighbours), len(order)


def _parameters(filter: Filter) -> dict[str, Any]:
    """Return the filter's fields as parameters, None where all pass."""
    lists = ("sources", "venues", "authors", "retracted", "ids")
    values = {name: getattr(filter, name) for name in lists}
    return {
        "year_min": filter.year_min,
        "year_max": filter.year_max,
        **{name: None if value is None else sorted(value) for name, value in values.items()},
    }


async def paths(
    transaction: Transaction, request: PathsRequest
) -> dict[tuple[str, str], CitationPath]:
    """Return the chains of all pairs that have one."""
    if not request.max_hops:
        return {}
    pairs = [pair for pair in request.pairs if pair[0] != pair[1]]
    found: dict[tuple[str, str], CitationPath] = {}
    for start in range(0, len(pairs), PAIRS_PER_STATEMENT):
        answer = await transaction.run(
            "search/paths" if request.external else "search/paths_inside",
            hops=request.max_hops,
            direction=request.direction,
            pairs=[list(pair) for pair in pairs[start : start + PAIRS_PER_STATEMENT]],
            exclude=sorted(request.exclude),
        )
        for seed, target, nodes, backward, external in answer.rows:
            found[seed, target] = _path(nodes, backward, external)
    return {pair: found[pair] for pair in pairs if pair in found}


def _path(nodes: list[str], backward: list[int], external: list[str]) -> CitationPath:
    return CitationPath(
        nodes=tuple(nodes),
        steps=tuple("cited_by" if step else "cites" for step in backward),
        external=tuple(external),
    )
