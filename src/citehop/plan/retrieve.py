"""The retrieve stage: one call of ``index.search`` per query, each failing alone."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from citehop.errors import ErrorRecord
from citehop.plan.answers import Answer, read_answer
from citehop.plan.faults import budget_record, deadline_record, record_of, reraise
from citehop.plan.stages import StageBudget, StageKind, StageOutcome, StageStatus
from citehop.plan.stopwatch import Stopwatch

if TYPE_CHECKING:
    from citehop.plan.plan import RetrievalExecutionPlan

MAX_TIMEOUT_SECONDS = 3_600.0
"""The longest ``timeout_seconds`` passed to an index, however far away the deadline is."""

_UNBOUNDED = StageBudget()


@dataclass(frozen=True, slots=True)
class Request:
    """The arguments of one run, beside the query."""

    index: Any
    query_embedding: Any
    embed_query: Callable[[str], Any] | None
    filter: Any


@dataclass(slots=True)
class Retrieval:
    """What retrieve has so far; filled query by query.

    Args:
        queries: Every query to run, by leg name, in order.
        answers: The answers that could be read, by leg name.
        responses: What ``index.search`` returned, also where it could not be read.
        failures: Why a query failed, by leg name.
        errors: Every error record of the stage, in the order met.
        calls: Calls of ``index.search`` made.
        seconds: Seconds that the stage took.
    """

    queries: dict[str, str]
    answers: dict[str, Answer] = field(default_factory=dict)
    responses: dict[str, Any] = field(default_factory=dict)
    failures: dict[str, ErrorRecord] = field(default_factory=dict)
    errors: list[ErrorRecord] = field(default_factory=list)
    calls: int = 0
    seconds: float = 0.0

    @property
    def outcome(self) -> StageOutcome:
        """The stage's outcome: all queries failed is FAILED, anything less than whole DEGRADED."""
        status = StageStatus.DEGRADED if self.errors else StageStatus.SUCCESS
        if len(self.failures) == len(self.queries):
            status = StageStatus.FAILED
        return StageOutcome(
            StageKind.RETRIEVE,
            status,
            seconds=self.seconds,
            calls=self.calls,
            errors=tuple(self.errors),
        )


class Retriever:
    """Runs the queries of one run, within its deadline and budget."""

    def __init__(
        self, plan: RetrievalExecutionPlan, original: str, request: Request, watch: Stopwatch
    ) -> None:
        self._raises = plan.on_error == "raise"
        self._budget = plan.budget(StageKind.RETRIEVE) or _UNBOUNDED
        self._original = original
        self._request = request
        self._watch = watch
        self._keywords = {
            name: value
            for name, value in (("config", plan.retrieval), ("filter", request.filter))
            if value is not None
        }
        self._timed = plan.deadline_seconds is not None and _names_timeout(request.index.search)

    def run(self, queries: Sequence[str]) -> Retrieval:
        """Search for each query in order and return what came of it."""
        found = Retrieval({f"q{number}": text for number, text in enumerate(queries)})
        began = now = self._watch.elapsed()
        for number, (name, text) in enumerate(found.queries.items()):
            what = f"{len(queries) - number} of {len(queries)} queries not started"
            stopped = self._stop(now, began, found.calls, what)
            if stopped is None:
                stopped = self._query(found, name, text, now)
            if stopped is not None:
                found.errors.append(stopped)
                break
            now = self._watch.elapsed()
        found.seconds = now - began
        return found

    def _stop(self, now: float, began: float, calls: int, what: str) -> ErrorRecord | None:
        if self._watch.passed(now):
            return deadline_record(what, self._watch.limit)
        if self._budget.spent(calls, now - began):
            return budget_record(what, calls)
        return None

    def _query(self, found: Retrieval, name: str, text: str, now: float) -> ErrorRecord | None:
        keywords = dict(self._keywords)
        started = now
        embedding = self._request.query_embedding if text == self._original else None
        embed = self._request.embed_query
        if embedding is None and embed is not None:
            embedding = self._embed(found, name, text, embed)
            # Embedding takes time of its own: the search must not start past the deadline.
            started = self._watch.elapsed()
            if self._watch.passed(started):
                return deadline_record(f"{name} not started after its embedding", self._watch.limit)
        if embedding is not None:
            keywords["query_embedding"] = embedding
        if self._timed:
            keywords["timeout_seconds"] = min(self._watch.limit - started, MAX_TIMEOUT_SECONDS)
        self._search(found, name, text, keywords)
        return None

    def _embed(self, found: Retrieval, name: str, text: str, embed: Callable[[str], Any]) -> Any:
        try:
            return embed(text)
        except Exception as error:
            if self._raises:
                raise
            found.errors.append(record_of("EMBEDDING_FAILED", f"{name}: embed_query", error))
            return None

    def _search(self, found: Retrieval, name: str, text: str, keywords: dict[str, Any]) -> None:
        found.calls += 1
        try:
            response = self._request.index.search(text, **keywords)
            found.responses[name] = response
            answer = read_answer(name, response)
        except Exception as error:  # noqa: BLE001 - an index may raise anything; reported or reraised
            if self._raises:
                reraise(error)
            record = record_of("SEARCH_FAILED", f"{name}: index.search", error)
            found.failures[name] = record
            found.errors.append(record)
            return
        found.responses[name] = answer.response
        found.answers[name] = answer


def _names_timeout(search: Callable[..., Any]) -> bool:
    try:
        parameter = inspect.signature(search).parameters.get("timeout_seconds")
    except (TypeError, ValueError):
        # Some callables written in C show no signature; then nothing is named.
        return False
    return parameter is not None and parameter.kind in (
        inspect.Parameter.KEYWORD_ONLY,
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
    )
