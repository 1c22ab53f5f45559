"""What a plan found, and the story of how."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, overload

from citehop.errors import ErrorRecord
from citehop.outcome import LegKind, LegOutcome, LegStatus, RetrievalStatus
from citehop.plan.fingerprint import run_id
from citehop.plan.report import result_dict
from citehop.plan.stages import StageKind, StageOutcome

if TYPE_CHECKING:
    from citehop.plan.plan import RetrievalExecutionPlan

# From worst to best: a leg that did not run must not hide behind one that did.
_WORST_FIRST = (
    LegStatus.FAILED,
    LegStatus.DEGRADED,
    LegStatus.SKIPPED,
    LegStatus.EMPTY,
    LegStatus.SUCCESS,
)


@dataclass(frozen=True, slots=True)
class PlannedHit:
    """A paper that a plan returns, with where it came from.

    Args:
        doc: The hit's ``doc`` where it was first found; None where the index's hits have none.
        doc_id: Its identity: text, or a whole number where the index uses such.
        score: Given by the last stage that ranked: the index's, fuse's or rerank's.
        rank: Position in the result, from 1.
        queries: Each query's leg (``"q0"``, …) that found it, with its rank, from 1, there.
        sources: Each such leg, with the index's own hit.
        contributions: Each such leg, with its part of the fused score, ``weight / (rank_constant +
            rank)``; where fuse had nothing to do, the index's own score. They add up (by
            ``math.fsum``) to the score that the hit had before rerank.
        ranges: What compress kept of ``doc.text``; None where it did not run.
        kept_text: Those pieces, joined by one blank; None where it did not run.
    """

    doc: Any
    doc_id: str | int
    score: float
    rank: int
    queries: Mapping[str, int] = field(default_factory=dict)
    sources: Mapping[str, Any] = field(default_factory=dict)
    contributions: Mapping[str, float] = field(default_factory=dict)
    ranges: tuple[tuple[int, int], ...] | None = None
    kept_text: str | None = None

    @property
    def legs(self) -> dict[str, dict[str, int]]:
        """For each query's leg, the legs of evidence inside the index that found it, with ranks."""
        found = {name: _own_legs(hit) for name, hit in self.sources.items()}
        return {name: dict(legs) for name, legs in found.items() if isinstance(legs, Mapping)}


def text_of(hit: PlannedHit) -> str:
    """Return the text that ranges refer to: ``hit.doc.text``, or nothing where there is none."""
    text = getattr(hit.doc, "text", None)
    return text if isinstance(text, str) else ""


def _own_legs(hit: Any) -> Any:
    try:
        return getattr(hit, "legs", None)
    except Exception:  # noqa: BLE001 - a foreign property must not cost the whole report
        return None


@dataclass(frozen=True, slots=True)
class ExecutionResult(Sequence[PlannedHit]):
    """The hits of a run, and what became of each stage and query. Stands in for a list of its hits.

    Args:
        hits: Best first.
        status: Every query failed or answered FAILED: FAILED; any CANCELLED: CANCELLED; any stage
            or answer FAILED or DEGRADED: DEGRADED; else SUCCESS with hits, EMPTY without.
        stages: One outcome per stage, in order.
        query: The query as it was given.
        queries: The queries by leg name, also those that failed or did not start.
        responses: What ``index.search`` returned, by leg name.
        legs: The answers' leg outcomes, by leg name.
        failures: Why a query failed, by leg name.
        statuses: Each answer's status, by leg name.
        seconds: How long the run took by the plan's clock.
        plan: The plan that ran.
        revision: The index's ``revision`` when the run began, where it names one.
        filter: The filter that was passed.
    """

    hits: list[PlannedHit]
    status: RetrievalStatus
    stages: tuple[StageOutcome, ...]
    query: str
    queries: Mapping[str, str]
    responses: Mapping[str, Any]
    legs: Mapping[str, list[LegOutcome]]
    failures: Mapping[str, ErrorRecord]
    statuses: Mapping[str, RetrievalStatus]
    seconds: float
    plan: RetrievalExecutionPlan
    revision: str | int | None = None
    filter: Any = None

    def __len__(self) -> int:
        return len(self.hits)

    @overload
    def __getitem__(self, index: int) -> PlannedHit: ...
    @overload
    def __getitem__(self, index: slice) -> list[PlannedHit]: ...
    def __getitem__(self, index: int | slice) -> PlannedHit | list[PlannedHit]:
        return self.hits[index]

    @property
    def run_id(self) -> str:
        """A name of the run: the same for the same plan, corpus revision, query and filter.

        Components count by their fields or their qualified name, so two lambdas of one function
        are not told apart.
        """
        return run_id(self.plan, self.revision, self.query, self.filter)

    @property
    def degraded_stages(self) -> list[StageOutcome]:
        """Stages that had work and did not do all of it."""
        return [stage for stage in self.stages if stage.errors]

    def stage(self, kind: StageKind | str) -> StageOutcome:
        """Return the outcome of one stage.

        Raises:
            TypeError: If ``kind`` is no str.
            ValueError: If there is no such stage.
        """
        wanted = StageKind.of(kind)
        return next(stage for stage in self.stages if stage.kind is wanted)

    def leg(self, kind: LegKind | str) -> LegOutcome | None:
        """Return the worst outcome of one leg of evidence over the queries; of equals the first.

        From worst: FAILED, DEGRADED, SKIPPED, EMPTY, SUCCESS. None where no query considered it.

        Raises:
            ValueError: If there is no such kind of leg.
        """
        wanted = LegKind(kind)
        outcomes = [leg for legs in self.legs.values() for leg in legs if leg.kind is wanted]
        return min(outcomes, key=lambda leg: _WORST_FIRST.index(leg.status), default=None)

    def error_records(self) -> list[ErrorRecord]:
        """Return every error record: the stages', in order, then the legs', query by query."""
        return [record for stage in self.stages for record in stage.errors] + [
            leg.error for legs in self.legs.values() for leg in legs if leg.error is not None
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-compatible mapping; what may differ between runs is in ``diagnostics``.

        Values of foreign types appear as their class's name, numbers that are not finite as None.
        """
        return result_dict(self)
