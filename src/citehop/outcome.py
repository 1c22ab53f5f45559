"""Legs of evidence, what became of each, and the response that joins them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Generic, TypeVar, overload

from citehop.errors import ErrorRecord

HitT = TypeVar("HitT")


class LegKind(StrEnum):
    """A way of finding papers."""

    LEXICAL = "lexical"
    GRAPH = "graph"
    DENSE = "dense"


class LegStatus(StrEnum):
    """What became of one leg.

    SUCCESS: ran to its end and found something. EMPTY: ran to its end and found nothing.
    SKIPPED: was not asked to run. DEGRADED: a deadline or a lost part; what it found stands.
    FAILED: could not run.
    """

    SUCCESS = "success"
    EMPTY = "empty"
    SKIPPED = "skipped"
    DEGRADED = "degraded"
    FAILED = "failed"


class RetrievalStatus(StrEnum):
    """What became of a whole search; derived from its legs, but for CANCELLED."""

    SUCCESS = "success"
    EMPTY = "empty"
    DEGRADED = "degraded"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class LegOutcome:
    """What one leg says of itself.

    Args:
        kind: Which leg.
        status: What became of it.
        error: Why it is FAILED or DEGRADED.
        reason: Stable code for why it is EMPTY or SKIPPED (``NO_TERMS``, ``NO_SEEDS``, …).
        hits: How many papers it found, where it ran.
        elapsed_seconds: How long it took.
        truncated: Whether a configured limit left something out; that is no degradation.
        details: Counted facts, the same for the same corpus, query and config.
        diagnostics: Facts that may differ between runs (backend, revision, fallback).
    """

    kind: LegKind
    status: LegStatus
    error: ErrorRecord | None = None
    reason: str | None = field(default=None, kw_only=True)
    hits: int | None = field(default=None, kw_only=True)
    elapsed_seconds: float | None = field(default=None, kw_only=True)
    truncated: bool = field(default=False, kw_only=True)
    details: Mapping[str, Any] = field(default_factory=dict, kw_only=True)
    diagnostics: Mapping[str, Any] = field(default_factory=dict, kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "kind", LegKind(self.kind))
        object.__setattr__(self, "status", LegStatus(self.status))
        if self.error is not None and not isinstance(self.error, ErrorRecord):
            raise TypeError(f"error must be an ErrorRecord or None, not {self.error!r}")

    @classmethod
    def failed(cls, kind: LegKind, error: ErrorRecord, **facts: Any) -> LegOutcome:
        """Return a FAILED outcome; the error is required."""
        return cls(kind, LegStatus.FAILED, error, **facts)

    @classmethod
    def degraded(cls, kind: LegKind, error: ErrorRecord, **facts: Any) -> LegOutcome:
        """Return a DEGRADED outcome; the error is required."""
        return cls(kind, LegStatus.DEGRADED, error, **facts)

    @classmethod
    def skipped(cls, kind: LegKind, reason: str, **facts: Any) -> LegOutcome:
        """Return a SKIPPED outcome; the reason is required."""
        return cls(kind, LegStatus.SKIPPED, reason=reason, **facts)

    @property
    def asked(self) -> bool:
        """Whether the leg was asked to run: every status but SKIPPED."""
        return self.status is not LegStatus.SKIPPED

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-compatible mapping; what may differ between runs is in ``diagnostics``."""
        return {
            "kind": self.kind.value,
            "status": self.status.value,
            "error": self.error.to_dict() if self.error else None,
            "reason": self.reason,
            "hits": self.hits,
            "truncated": self.truncated,
            "details": dict(self.details),
            "diagnostics": {"elapsed_seconds": self.elapsed_seconds, **self.diagnostics},
        }


@dataclass(frozen=True, repr=False)  # slots would break RetrievalResponse[Hit](...)
class RetrievalResponse(Generic[HitT]):
    """Hits, and the story of how they were found. Stands in for a list of its hits.

    Args:
        hits: Ranked hits, best first.
        legs: One outcome per leg considered, skipped ones too.
        query: The query's text.
        status: None derives it. Another value is for what legs cannot say, such as CANCELLED.

    Raises:
        ValueError: If an explicit status other than CANCELLED differs from the derived one.
    """

    hits: list[HitT] = field(default_factory=list)
    legs: list[LegOutcome] = field(default_factory=list)
    query: str | None = None
    status: RetrievalStatus | None = None

    def __post_init__(self) -> None:
        derived = derive_status(self.legs, bool(self.hits))
        status = derived if self.status is None else RetrievalStatus(self.status)
        if status is not derived and status is not RetrievalStatus.CANCELLED:
            raise ValueError(
                f"status {status.value} contradicts the legs, which make it {derived.value};"
                " leave it None, or pass CANCELLED"
            )
        object.__setattr__(self, "status", status)

    def __repr__(self) -> str:
        legs = ", ".join(f"{leg.kind.value}: {leg.status.value}" for leg in self.legs)
        status = self.status.value if self.status else None
        return f"<RetrievalResponse {status}, {len(self.hits)} hits, {{{legs}}}>"

    def __len__(self) -> int:
        return len(self.hits)

    def __iter__(self) -> Iterator[HitT]:
        return iter(self.hits)

    @overload
    def __getitem__(self, index: int) -> HitT: ...
    @overload
    def __getitem__(self, index: slice) -> list[HitT]: ...
    def __getitem__(self, index: int | slice) -> HitT | list[HitT]:
        return self.hits[index]

    @property
    def degraded_legs(self) -> list[LegOutcome]:
        """Legs that were asked to run but did not run normally."""
        return [leg for leg in self.legs if leg.status in (LegStatus.DEGRADED, LegStatus.FAILED)]

    def error_records(self) -> list[ErrorRecord]:
        """Return every error record attached to a leg, in the legs' order."""
        return [leg.error for leg in self.legs if leg.error is not None]

    def leg(self, kind: LegKind | str) -> LegOutcome | None:
        """Return the outcome of one leg, or None where it was not considered.

        Raises:
            ValueError: If there is no such kind of leg.
        """
        wanted = LegKind(kind)
        return next((leg for leg in self.legs if leg.kind is wanted), None)

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-compatible mapping of the outcome, not of the hits."""
        return {
            "query": self.query,
            "status": self.status.value if self.status else None,
            "hit_count": len(self.hits),
            "legs": [leg.to_dict() for leg in self.legs],
        }


def derive_status(legs: list[LegOutcome], has_hits: bool) -> RetrievalStatus:
    """Return the status that the legs make.

    EMPTY therefore means that every leg that was asked ran to its end.
    """
    asked = [leg.status for leg in legs if leg.asked]
    if asked and all(status is LegStatus.FAILED for status in asked):
        return RetrievalStatus.DEGRADED if has_hits else RetrievalStatus.FAILED
    if any(status in (LegStatus.FAILED, LegStatus.DEGRADED) for status in asked):
        return RetrievalStatus.DEGRADED
    return RetrievalStatus.SUCCESS if has_hits else RetrievalStatus.EMPTY
