"""Ordering hits by what the citation graph says for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from citehop.plan.checks import check_amount
from citehop.plan.result import PlannedHit


@dataclass(frozen=True, slots=True)
class CitationReranker:
    """Moves up hits that many seeds reach by citations, over all the queries that ran.

    From each of a hit's ``sources`` it reads ``seeds`` (which seeds reach the paper, at what
    distance; a bare collection of ids counts at the hit's ``graph_distance``, or 1). A seed met
    under several queries counts once, at its smallest distance::

        evidence = sum over seeds of decay ** (distance - 1)
        score    = (1 - weight) * (n - position) / n + weight * evidence / max(evidence of the hits)

    ``position`` is the hit's place among the ``n`` hits so far, from 0; places are used and not
    scores, as those may come from any index. Hits without such attributes have no evidence; where
    none has any, the order stays.

    Args:
        weight: Share of the citation evidence in the score, 0 to 1.
        decay: What each further hop leaves of a seed's evidence, 0 to 1.

    Raises:
        TypeError: For a field of the wrong type.
        ValueError: For a field out of range.
    """

    weight: float = 0.3
    decay: float = 0.5

    def __post_init__(self) -> None:
        for name in ("weight", "decay"):
            object.__setattr__(self, name, check_amount(name, getattr(self, name), ceiling=1))

    def __call__(self, query: str, hits: Sequence[PlannedHit]) -> list[float]:  # noqa: ARG002
        """Return one score per hit; the query's words play no part."""
        evidence = [self.evidence(hit) for hit in hits]
        most = max(evidence, default=0.0) or 1.0
        count = len(hits)
        return [
            (1 - self.weight) * (count - position) / count + self.weight * one / most
            for position, one in enumerate(evidence)
        ]

    def evidence(self, hit: PlannedHit) -> float:
        """Return the evidence of one hit, at least 0."""
        nearest: dict[str, int] = {}
        for source in hit.sources.values():
            for seed, distance in _seeds(source):
                nearest[seed] = min(distance, nearest.get(seed, distance))
        # Summed in order of distance, so that the sum does not depend on the order of queries.
        return float(sum(self.decay ** (distance - 1) for distance in sorted(nearest.values())))


def _seeds(source: Any) -> list[tuple[str, int]]:
    seeds = getattr(source, "seeds", None)
    if isinstance(seeds, Mapping):
        pairs: list[tuple[Any, Any]] = list(seeds.items())
    elif isinstance(seeds, Iterable) and not isinstance(seeds, (str, bytes)):
        distance = getattr(source, "graph_distance", None)
        pairs = [(seed, distance or 1) for seed in seeds]
    else:
        return []
    return [
        (seed, distance)
        for seed, distance in pairs
        if isinstance(seed, str) and type(distance) is int and distance >= 1
    ]
