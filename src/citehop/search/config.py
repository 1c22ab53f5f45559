"""How a search is run, as one checked and immutable value."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import Any, Literal, Self, get_args

from citehop.bounds import (
    DEFAULT_HOPS,
    DEFAULT_LIMIT,
    DEFAULT_PER_SEED_LIMIT,
    DEFAULT_TIMEOUT_SECONDS,
    MAX_HOPS,
    MAX_LIMIT,
    MAX_SEEDS,
    MAX_TIMEOUT_SECONDS,
    Direction,
    check_direction,
    check_int,
)
from citehop.deadline import check_seconds

Scoring = Literal["hops", "propagation"]
SCORINGS: tuple[str, ...] = get_args(Scoring)


@dataclass(frozen=True, slots=True)
class RetrievalConfig:
    """What a search may cost and how its evidence is weighed.

    Args:
        top_k_lexical: Lexical hits that enter the merged set.
        max_hops: Hops of the walk, 0 to 4; 0 switches the graph leg off.
        w_bm25: Weight of the BM25 part.
        w_graph: Weight of the graph part.
        w_recency: Weight of the recency part.
        scoring: How graph evidence becomes a score: ``"hops"``, by distance alone, or
            ``"propagation"``, by what flows from each seed. The latter works with any values here;
            :meth:`propagation` has those that it does best with.
        n_seeds: How many of the lexical hits seed the walk; None: all of them.
        top_k: Hits returned; None: all.
        direction: Which way citations are followed.
        timeout_seconds: Time for the whole search.
        limit: Neighbours that the walk returns at most.
        per_seed_limit: Neighbours that the walk keeps for each seed at most.
        external: Whether works outside the corpus are walked through.

    Raises:
        TypeError: For a field of the wrong type.
        ValueError: For a field out of range; weights are finite, not negative and not all zero.
    """

    top_k_lexical: int = 10
    max_hops: int = DEFAULT_HOPS
    w_bm25: float = 0.5
    w_graph: float = 0.3
    w_recency: float = 0.2
    scoring: Scoring = "hops"
    n_seeds: int | None = None
    top_k: int | None = 50
    direction: Direction = "both"
    timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS
    limit: int = DEFAULT_LIMIT
    per_seed_limit: int = DEFAULT_PER_SEED_LIMIT
    external: bool = True

    def __post_init__(self) -> None:
        check_int("top_k_lexical", self.top_k_lexical, 1, MAX_SEEDS)
        check_int("max_hops", self.max_hops, 0, MAX_HOPS)
        for name in ("w_bm25", "w_graph", "w_recency"):
            _check_weight(name, getattr(self, name))
        if self.w_bm25 == self.w_graph == self.w_recency == 0:
            raise ValueError("w_bm25, w_graph and w_recency must not all be 0")
        if math.isinf(float(self.w_bm25) + float(self.w_graph) + float(self.w_recency)):
            raise ValueError("w_bm25, w_graph and w_recency must have a finite sum")
        if self.scoring not in SCORINGS:
            raise ValueError(f"scoring must be one of {', '.join(SCORINGS)}, not {self.scoring!r}")
        if self.n_seeds is not None:
            check_int("n_seeds", self.n_seeds, 1, MAX_SEEDS)
        if self.top_k is not None:
            check_int("top_k", self.top_k, 1, MAX_LIMIT)
        check_direction(self.direction)
        check_seconds("timeout_seconds", self.timeout_seconds, ceiling=MAX_TIMEOUT_SECONDS)
        check_int("limit", self.limit, 1, MAX_LIMIT)
        check_int("per_seed_limit", self.per_seed_limit, 1, MAX_LIMIT)
        if not isinstance(self.external, bool):
            raise TypeError(f"external must be a bool, not {self.external!r}")

    @classmethod
    def propagation(cls, **changes: Any) -> Self:
        """Return the profile for ``scoring="propagation"``, with some fields changed.

        It takes in and walks from 200 lexical hits over one hop, weighs words and graph alike, and
        leaves recency out; ``docs/evaluation.md`` has what that gains. A keyword changes a field.

        Raises:
            TypeError: For a field that is not there, or of the wrong type.
            ValueError: For a field out of range.
        """
        profile: dict[str, Any] = {
            "scoring": "propagation",
            "top_k_lexical": 200,
            "max_hops": 1,
            "w_bm25": 0.5,
            "w_graph": 0.5,
            "w_recency": 0.0,
            "limit": 2_000,
        }
        return cls(**(profile | changes))


def _check_weight(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{name} must be a number, not {value!r}")
    if not 0 <= value <= sys.float_info.max:
        raise ValueError(f"{name} must be finite and at least 0, not {value!r}")
