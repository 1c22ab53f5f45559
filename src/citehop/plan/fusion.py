"""Joining the rankings of several queries into one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import fsum
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from citehop.plan.checks import check_amount, check_count, shown

MAX_WEIGHT = 1e12

Ranks = Mapping[str, Mapping[Any, int]]
"""For each leg, in order, each identity (text or a whole number) with its rank there, from 1."""


@dataclass(frozen=True, slots=True)
class FusionPolicy:
    """How rankings are fused: by reciprocal rank, so that the queries' scores need no common scale.

    Args:
        method: Only ``"rrf"``: a paper's score is the sum, over the legs that found it, of
            ``weight / (rank_constant + rank)``, ranks from 1 (Cormack, Clarke and Büttcher, 2009).
        weights: Each leg's weight by its name (``"q0"``, ``"q1"``, …); 1 where absent; names of
            legs that did not run count for nothing.
        rank_constant: Damps the lead of the first ranks.
        top_k: Hits kept after fusing; None keeps all. A plan refuses 0.

    Raises:
        TypeError: For a field of the wrong type.
        ValueError: For a field out of range; weights lie between 0 and 1e12.
    """

    method: Literal["rrf"] = "rrf"
    weights: Mapping[str, float] | None = None
    rank_constant: float = 60
    top_k: int | None = None

    def __post_init__(self) -> None:
        if self.method != "rrf":
            raise ValueError(f"method must be 'rrf', not {shown(self.method)}")
        if self.weights is not None:
            object.__setattr__(self, "weights", MappingProxyType(_checked(self.weights)))
        checked = check_amount("rank_constant", self.rank_constant)
        object.__setattr__(self, "rank_constant", checked)
        if self.top_k is not None:
            object.__setattr__(self, "top_k", check_count("top_k", self.top_k, 0))

    def __reduce__(self) -> tuple[Any, ...]:
        # A read-only view of a mapping can be neither pickled nor copied.
        weights = None if self.weights is None else dict(self.weights)
        return FusionPolicy, (self.method, weights, self.rank_constant, self.top_k)

    def __hash__(self) -> int:
        weights = None if self.weights is None else frozenset(self.weights.items())
        return hash((self.method, weights, self.rank_constant, self.top_k))

    def weight(self, leg: str) -> float:
        """Return the weight of a leg."""
        return 1.0 if self.weights is None else self.weights.get(leg, 1.0)


class Fused(NamedTuple):
    """One paper after fusing; the contributions, by leg, add up to the score."""

    identity: str | int
    score: float
    contributions: dict[str, float]


def rrf(ranks: Ranks, policy: FusionPolicy) -> list[Fused]:
    """Return every paper of the rankings, best first.

    Ties go by best rank, then by the first leg that gave it, then by identity. A leg of weight 0
    has no say where another has: its ranks break no ties. Where all weigh 0 every score is 0 and
    the order is the first leg's, then what is new in the next.

    >>> rrf({"q0": {"a": 1, "b": 2}, "q1": {"b": 1}}, FusionPolicy())[0].identity
    'b'
    """
    weights = {leg: policy.weight(leg) for leg in ranks}
    parts: dict[str | int, dict[str, float]] = {}
    for leg, ranking in ranks.items():
        for identity, rank in ranking.items():
            part = weights[leg] / (policy.rank_constant + rank)
            parts.setdefault(identity, {})[leg] = part
    fused = [Fused(identity, fsum(by_leg.values()), by_leg) for identity, by_leg in parts.items()]
    if not any(weights.values()):
        return fused
    places = _best_places(ranks, weights)
    last = (1, 0, 0)
    return sorted(
        fused,
        key=lambda one: (-one.score, places.get(one.identity, last), identity_key(one.identity)),
    )


def identity_key(identity: str | int) -> tuple[bool, int, str]:
    """Return what identities are ordered by: whole numbers by size, then text."""
    if isinstance(identity, str):
        return (True, 0, identity)
    return (False, identity, "")


def _best_places(
    ranks: Ranks, weights: Mapping[str, float]
) -> dict[str | int, tuple[int, int, int]]:
    places: dict[str | int, tuple[int, int, int]] = {}
    for number, (leg, ranking) in enumerate(ranks.items()):
        for identity, rank in ranking.items():
            place = (0 if weights[leg] else 1, rank, number)
            places[identity] = min(place, places.get(identity, place))
    return places


def _checked(weights: object) -> dict[str, float]:
    if not isinstance(weights, Mapping):
        raise TypeError(f"weights must map leg names to weights, not {shown(weights)}")
    for leg in weights:
        if not isinstance(leg, str):
            raise TypeError(f"weights must have leg names such as 'q0' as keys, not {shown(leg)}")
    return {
        leg: check_amount(f"weights[{leg!r}]", weight, ceiling=MAX_WEIGHT)
        for leg, weight in weights.items()
    }
