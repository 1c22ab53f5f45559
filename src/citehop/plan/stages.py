"""The stages of a plan, what became of each, and what each may spend."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from citehop.errors import ErrorRecord
from citehop.plan.checks import check_amount, check_count, shown


class StageKind(StrEnum):
    """A step of a plan, in the order in which they run."""

    TRANSFORM = "transform"
    RETRIEVE = "retrieve"
    FUSE = "fuse"
    RERANK = "rerank"
    COMPRESS = "compress"

    @classmethod
    def of(cls, stage: StageKind | str) -> StageKind:
        """Return the stage of that name.

        Raises:
            TypeError: If ``stage`` is no str.
            ValueError: If there is no such stage.
        """
        if not isinstance(stage, str):
            raise TypeError(f"stage must be a StageKind or a str, not {shown(stage)}")
        try:
            return cls(stage)
        except ValueError:
            names = ", ".join(cls)
            raise ValueError(f"stage must be one of {names}, not {shown(stage)}") from None


class StageStatus(StrEnum):
    """What became of a stage.

    SUCCESS: did all its work. SKIPPED: had nothing to do. DEGRADED: did part of it, or had work
    that it could not start. FAILED: its component failed; the previous stage's output stands.
    """

    SUCCESS = "success"
    SKIPPED = "skipped"
    DEGRADED = "degraded"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class StageOutcome:
    """What one stage says of itself.

    Args:
        kind: Which stage.
        status: What became of it.
        error: Why it is FAILED or DEGRADED; the first of ``errors``.
        reason: Stable code for why it was SKIPPED.
        seconds: How long it took by the plan's clock.
        calls: How often it called its component; for retrieve, calls of ``index.search``.
        errors: Every error record of the stage, in the order met: retrieve may have one a query.
    """

    kind: StageKind
    status: StageStatus
    error: ErrorRecord | None = None
    reason: str | None = field(default=None, kw_only=True)
    seconds: float = field(default=0.0, kw_only=True)
    calls: int = field(default=0, kw_only=True)
    errors: tuple[ErrorRecord, ...] = field(default=(), kw_only=True)

    def __post_init__(self) -> None:
        errors = tuple(self.errors) or ((self.error,) if self.error else ())
        if not errors and self.status in (StageStatus.FAILED, StageStatus.DEGRADED):
            raise ValueError(f"error must say why {self.kind.value} is {self.status.value}")
        object.__setattr__(self, "errors", errors)
        object.__setattr__(self, "error", errors[0] if errors else None)

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-compatible mapping, without the seconds, which differ between runs."""
        return {
            "kind": self.kind.value,
            "status": self.status.value,
            "reason": self.reason,
            "calls": self.calls,
            "errors": [record.to_dict() for record in self.errors],
        }


@dataclass(frozen=True, slots=True)
class StageBudget:
    """What a stage that makes several calls may spend; looked at before each call.

    Args:
        max_calls: Calls at most; None sets no limit.
        max_seconds: Seconds since the stage began after which no call starts; None sets no limit.

    Raises:
        TypeError: For a field of the wrong type.
        ValueError: For a negative or infinite field; 0 lets no call start.

    >>> StageBudget(max_calls=4)
    StageBudget(max_calls=4, max_seconds=None)
    """

    max_calls: int | None = None
    max_seconds: float | None = None

    def __post_init__(self) -> None:
        if self.max_calls is not None:
            object.__setattr__(self, "max_calls", check_count("max_calls", self.max_calls, 0))
        if self.max_seconds is not None:
            checked = check_amount("max_seconds", self.max_seconds)
            object.__setattr__(self, "max_seconds", checked)

    def spent(self, calls: int, seconds: float) -> bool:
        """Return whether no further call may start."""
        return (self.max_calls is not None and calls >= self.max_calls) or (
            self.max_seconds is not None and seconds >= self.max_seconds
        )
