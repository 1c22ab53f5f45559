"""Whether one search is better than another, or was lucky with the queries."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citehop.evaluation.result import RetrievalEvaluation

ROUNDS = 10_000
"""Random sign flips of a test."""
SEED = 20_260_102
_CELLS = 4_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One measure of two searches over the same queries.

    Args:
        measure: Its name.
        baseline: Mean of the search that is compared with.
        value: Mean of the other.
        p_value: Two-sided, from a paired randomisation test; 1 where no query differs.
        better: Queries on which the other is better.
        worse: Queries on which it is worse.
        pairs: Queries compared: those that both answered in whole.
    """

    measure: str
    baseline: float
    value: float
    p_value: float
    better: int
    worse: int
    pairs: int

    @property
    def gain(self) -> float:
        """The difference as a share of the baseline; NaN where that is 0."""
        return (self.value - self.baseline) / self.baseline if self.baseline else math.nan

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-compatible mapping."""
        return asdict(self) | {"gain": self.gain if self.baseline else None}


def compare(baseline: RetrievalEvaluation, other: RetrievalEvaluation) -> tuple[Comparison, ...]:
    """Compare two evaluations of the same queries, measure by measure.

    Only queries that both answered in whole are compared, so that a leg that was down makes no
    difference to what is said of the ranking.

    Raises:
        ValueError: If they are not of the same queries and measures, or share no whole answer.
    """
    if baseline.measures != other.measures or baseline.per_query.keys() != other.per_query.keys():
        raise ValueError("both evaluations must be of the same queries and the same measures")
    both = set(baseline.whole) & set(other.whole)
    pairs = [key for key in sorted(baseline.per_query) if key in both]
    if not pairs:
        raise ValueError("no query was answered in whole by both; there is nothing to compare")
    return tuple(_compared(name, baseline, other, pairs) for name in baseline.measures)


def _compared(
    name: str, baseline: RetrievalEvaluation, other: RetrievalEvaluation, pairs: list[str]
) -> Comparison:
    before = np.array([baseline.per_query[key][name] for key in pairs])
    after = np.array([other.per_query[key][name] for key in pairs])
    difference = after - before
    return Comparison(
        measure=name,
        baseline=math.fsum(before) / len(pairs),
        value=math.fsum(after) / len(pairs),
        p_value=randomisation_test(difference),
        better=int(np.count_nonzero(difference > 0)),
        worse=int(np.count_nonzero(difference < 0)),
        pairs=len(pairs),
    )


def randomisation_test(
    differences: NDArray[np.float64], rounds: int = ROUNDS, seed: int = SEED
) -> float:
    """Return how likely a mean difference this large is if only chance decides each one's sign.

    Paired and two-sided (Fisher; Smucker, Allan and Carterette 2007): signs are flipped at random
    ``rounds`` times, always by the same seed; the observed signs count as one more round, so that
    the smallest value is ``1 / (rounds + 1)``.
    """
    values = np.asarray(differences, dtype=np.float64)
    values = values[values != 0]
    if not len(values):
        return 1.0
    observed = abs(math.fsum(values)) * (1 - 1e-12)
    rng = np.random.default_rng(seed)
    as_far = 1
    step = max(1, _CELLS // len(values))
    for start in range(0, rounds, step):
        count = min(step, rounds - start)
        flips = rng.integers(0, 2, size=(count, len(values)), dtype=np.int8)
        sums = 2.0 * (flips @ values) - values.sum()
        as_far += int(np.count_nonzero(np.abs(sums) >= observed))
    return as_far / (rounds + 1)
