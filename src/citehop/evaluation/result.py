"""What an evaluation found."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalEvaluation:
    """The measures of one search over many queries, and what went wrong beside them.

    Args:
        measures: Names of the measures, in the order asked.
        per_query: For each judged query its measures; 0 where it failed or found nothing.
        run: For each judged query its hits, best first, with their scores.
        degraded: Queries that were answered in part: they are scored as they were answered.
        failed: Queries without an answer: they score 0.
        unjudged: Queries without a relevant id, which are not counted.
        errors: How often each error code was met; an error of no code has the name of its class.
    """

    measures: tuple[str, ...]
    per_query: Mapping[str, Mapping[str, float]]
    run: Mapping[str, tuple[tuple[str, float], ...]]
    degraded: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    unjudged: tuple[str, ...] = ()
    errors: Mapping[str, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.per_query)

    @property
    def mean(self) -> dict[str, float]:
        """Each measure's mean over all judged queries, failed ones too."""
        return self._mean(self.per_query)

    @property
    def mean_whole(self) -> dict[str, float]:
        """Each measure's mean over the queries that were answered in whole; NaN without any.

        Where it differs much from ``mean``, a leg was broken, not the ranking bad.
        """
        return self._mean(self.whole)

    @property
    def whole(self) -> tuple[str, ...]:
        """The judged queries that are neither degraded nor failed."""
        disturbed = {*self.degraded, *self.failed}
        return tuple(key for key in self.per_query if key not in disturbed)

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-compatible mapping: means and counts, not the queries themselves."""
        return {
            "queries": len(self),
            "degraded": len(self.degraded),
            "failed": len(self.failed),
            "unjudged": len(self.unjudged),
            "errors": dict(self.errors),
            "mean": self.mean,
            "mean_whole": self.mean_whole if self.whole else None,
        }

    def _mean(self, keys: Iterable[str]) -> dict[str, float]:
        chosen = [self.per_query[key] for key in keys]
        if not chosen:
            return dict.fromkeys(self.measures, math.nan)
        return {
            name: math.fsum(values[name] for values in chosen) / len(chosen)
            for name in self.measures
        }
