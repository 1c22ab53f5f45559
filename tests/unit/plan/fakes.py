"""Indexes, hits and clocks that behave as a test says."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from citehop.errors import ErrorCategory, ErrorRecord
from citehop.outcome import LegKind, LegOutcome, LegStatus, RetrievalResponse, RetrievalStatus


@dataclass(frozen=True)
class Doc:
    """A document with an id and a text."""

    doc_id: Any
    text: Any = ""


@dataclass(frozen=True)
class FakeHit:
    """A hit as an index of this package gives it."""

    doc: Any
    score: Any = 1.0
    seeds: Any = field(default_factory=dict)
    graph_distance: Any = None
    legs: Any = field(default_factory=dict)


def hits(*ids: str, text: str = "") -> list[FakeHit]:
    """Hits with falling scores."""
    return [FakeHit(Doc(one, text), float(len(ids) - n)) for n, one in enumerate(ids)]


class FakeIndex:
    """Answers each query from a mapping (a callable there is called); notes what it was asked."""

    def __init__(self, answers: Mapping[str, Any] | None = None, *, default: Any = ()) -> None:
        self.answers = dict(answers or {})
        self.default = default
        self.asked: list[tuple[str, dict[str, Any]]] = []

    def search(self, query: str, **kwargs: Any) -> Any:
        """Answer, or raise where the answer is an exception."""
        self.asked.append((query, kwargs))
        answer = self.answers.get(query, self.default)
        if callable(answer):
            answer = answer()
        if isinstance(answer, BaseException):
            raise answer
        return answer

    @property
    def queries(self) -> list[str]:
        """What it was asked, in order."""
        return [query for query, _ in self.asked]


class TimedIndex(FakeIndex):
    """Like it, with a signature that names ``timeout_seconds``."""

    def search(self, query: str, *, timeout_seconds: float | None = None, **kwargs: Any) -> Any:
        """Answer."""
        return super().search(query, timeout_seconds=timeout_seconds, **kwargs)


class FakeClock:
    """Stands still but where it is moved."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        """Return the time."""
        return self.now

    def during(self, seconds: float, value: Any) -> Callable[..., Any]:
        """Return a callable that takes so long and returns (or raises) ``value``."""

        def work(*_: Any) -> Any:
            self.now += seconds
            if isinstance(value, BaseException):
                raise value
            return value

        return work


def variants(*queries: str) -> Callable[[str], Sequence[str]]:
    """Return a transform that gives these."""
    return lambda _: list(queries)


STORE_DOWN = ErrorRecord("STORE_UNAVAILABLE", ErrorCategory.UNAVAILABLE, "nothing answers", True)


def response(
    status: RetrievalStatus, found: Sequence[FakeHit] = (), *, revision: str = "r1"
) -> RetrievalResponse[FakeHit]:
    """Return a response with legs that make this status."""
    lexical = LegStatus.SUCCESS if found else LegStatus.EMPTY
    legs = {
        RetrievalStatus.FAILED: [LegOutcome.failed(LegKind.LEXICAL, STORE_DOWN)],
        RetrievalStatus.DEGRADED: [
            LegOutcome(LegKind.LEXICAL, lexical, diagnostics={"revision": revision}),
            LegOutcome.failed(LegKind.GRAPH, STORE_DOWN),
        ],
    }.get(status, [LegOutcome(LegKind.LEXICAL, lexical, diagnostics={"revision": revision})])
    explicit = RetrievalStatus.CANCELLED if status is RetrievalStatus.CANCELLED else None
    return RetrievalResponse(list(found), legs, status=explicit)
