"""One run of a plan: the five stages, in order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from citehop.errors import ErrorCategory, ErrorRecord
from citehop.outcome import LegKind, RetrievalStatus
from citehop.plan.answers import Answer
from citehop.plan.faults import MalformedOutputError, deadline_record, record_of, reraise
from citehop.plan.fusion import Fused, FusionPolicy, rrf
from citehop.plan.outputs import read_queries, read_ranges, read_scores
from citehop.plan.result import ExecutionResult, PlannedHit, text_of
from citehop.plan.retrieve import Request, Retrieval, Retriever
from citehop.plan.stages import StageKind, StageOutcome, StageStatus
from citehop.plan.stopwatch import Stopwatch

if TYPE_CHECKING:
    from citehop.plan.plan import RetrievalExecutionPlan

T = TypeVar("T")


class PlanRun:
    """The state of one run; nothing of it outlives :meth:`execute`, so threads share no state."""

    def __init__(self, plan: RetrievalExecutionPlan, query: str, request: Request) -> None:
        self._plan = plan
        self._query = query
        self._request = request
        self._watch = Stopwatch(plan.clock, plan.deadline_seconds)
        self._stages: list[StageOutcome] = []

    def execute(self) -> ExecutionResult:
        """Run every stage and return the hits with their story."""
        queries = self._transform()
        retriever = Retriever(self._plan, self._query, self._request, self._watch)
        found = retriever.run(queries)
        self._stages.append(found.outcome)
        fused = self._fuse(found)
        ranked = self._rerank(fused)
        hits = self._compress(ranked if self._plan.top_k is None else ranked[: self._plan.top_k])
        return self._result(found, hits)

    def _transform(self) -> list[str]:
        transform = self._plan.transform
        if transform is None:
            self._skip(StageKind.TRANSFORM, "NOT_CONFIGURED")
            return [self._query]
        made = self._component(StageKind.TRANSFORM, lambda: self._made(transform))
        if made is None:
            return [self._query]
        most = self._plan.max_queries
        if len(made) > most:
            self._amend_dropped(len(made) - most)
        return made[:most]

    def _made(self, transform: Callable[[str], Sequence[str]]) -> list[str]:
        made = read_queries(transform(self._query))
        first = [self._query] if self._plan.keep_original else []
        queries = list(dict.fromkeys([*first, *made]))
        if not queries:
            message = "transform must give at least one query where keep_original is False"
            raise MalformedOutputError(ValueError(message))
        return queries

    def _amend_dropped(self, dropped: int) -> None:
        outcome = self._stages.pop()
        message = f"{dropped} queries were dropped: max_queries is {self._plan.max_queries}"
        record = ErrorRecord("QUERIES_DROPPED", ErrorCategory.BUDGET, message)
        self._stages.append(
            StageOutcome(
                outcome.kind,
                StageStatus.DEGRADED,
                record,
                seconds=outcome.seconds,
                calls=outcome.calls,
            )
        )

    def _fuse(self, found: Retrieval) -> list[PlannedHit]:
        answers = found.answers
        if len(answers) < 2 or not any(answer.papers for answer in answers.values()):
            self._skip(StageKind.FUSE, "ONE_RANKING" if len(answers) == 1 else "NO_HITS")
            return [hit for name, answer in answers.items() for hit in _single(name, answer)]
        began = self._watch.elapsed()
        policy = self._plan.fusion or FusionPolicy()
        ranks = {
            name: {identity: one.rank for identity, one in answer.papers.items()}
            for name, answer in answers.items()
        }
        fused = rrf(ranks, policy)[: policy.top_k]
        hits = [_joined(one, rank, answers) for rank, one in enumerate(fused, start=1)]
        error = None if any(map(policy.weight, answers)) else _weights_record()
        status = StageStatus.DEGRADED if error else StageStatus.SUCCESS
        seconds = self._watch.elapsed() - began
        self._stages.append(StageOutcome(StageKind.FUSE, status, error, seconds=seconds))
        return hits

    def _rerank(self, hits: list[PlannedHit]) -> list[PlannedHit]:
        rerank = self._plan.rerank
        if rerank is None or not hits:
            self._skip(StageKind.RERANK, "NO_HITS" if rerank else "NOT_CONFIGURED")
            return hits
        seen = tuple(hits[: self._plan.rerank_depth])
        scores = self._component(
            StageKind.RERANK, lambda: read_scores(rerank(self._query, seen), len(seen))
        )
        if scores is None:
            return hits
        order = sorted(range(len(seen)), key=lambda place: -scores[place])
        # What lies beyond the depth keeps another scale; top_k, at most the depth, leaves it out.
        return [
            _changed(seen[place], score=scores[place], rank=rank)
            for rank, place in enumerate(order, start=1)
        ]

    def _compress(self, hits: list[PlannedHit]) -> list[PlannedHit]:
        compress = self._plan.compress
        if compress is None or not hits:
            self._skip(StageKind.COMPRESS, "NO_HITS" if compress else "NOT_CONFIGURED")
            return hits
        kept = self._component(StageKind.COMPRESS, lambda: _kept(compress, self._query, hits))
        return hits if kept is None else kept

    def _component(self, kind: StageKind, work: Callable[[], T]) -> T | None:
        """Run a component that makes one call; None where the previous output stands."""
        began = self._watch.elapsed()
        if self._watch.passed(began):
            record = deadline_record(f"{kind.value} not started", self._watch.limit)
            self._stages.append(StageOutcome(kind, StageStatus.DEGRADED, record))
            return None
        try:
            made = work()
        except Exception as error:  # noqa: BLE001 - a component may raise anything; reported or reraised
            if self._plan.on_error == "raise":
                reraise(error)
            record = record_of(f"{kind.value.upper()}_FAILED", kind.value, error)
            self._note(kind, StageStatus.FAILED, began, record)
            return None
        self._note(kind, StageStatus.SUCCESS, began, None)
        return made

    def _note(
        self, kind: StageKind, status: StageStatus, began: float, record: ErrorRecord | None
    ) -> None:
        seconds = self._watch.elapsed() - began
        self._stages.append(StageOutcome(kind, status, record, seconds=seconds, calls=1))

    def _skip(self, kind: StageKind, reason: str) -> None:
        self._stages.append(StageOutcome(kind, StageStatus.SKIPPED, reason=reason))

    def _result(self, found: Retrieval, hits: list[PlannedHit]) -> ExecutionResult:
        statuses = {name: _status_of(answer) for name, answer in found.answers.items()}
        return ExecutionResult(
            hits=hits,
            status=_overall(found, statuses, self._stages, bool(hits)),
            stages=tuple(self._stages),
            query=self._query,
            queries=found.queries,
            responses=found.responses,
            legs={name: answer.legs for name, answer in found.answers.items()},
            failures=found.failures,
            statuses=statuses,
            seconds=self._watch.elapsed(),
            plan=self._plan,
            revision=_revision(self._request.index, found.answers),
            filter=self._request.filter,
        )


def _single(name: str, answer: Answer) -> list[PlannedHit]:
    return [
        PlannedHit(
            one.doc,
            identity,
            one.score,
            rank,
            {name: one.rank},
            {name: one.hit},
            {name: one.score},
        )
        for rank, (identity, one) in enumerate(answer.papers.items(), start=1)
    ]


def _joined(fused: Fused, rank: int, answers: Mapping[str, Answer]) -> PlannedHit:
    found = {name: answers[name].papers[fused.identity] for name in fused.contributions}
    return PlannedHit(
        doc=next(iter(found.values())).doc,
        doc_id=fused.identity,
        score=fused.score,
        rank=rank,
        queries={name: one.rank for name, one in found.items()},
        sources={name: one.hit for name, one in found.items()},
        contributions=fused.contributions,
    )


def _changed(hit: PlannedHit, **fields: Any) -> PlannedHit:
    values = {name: getattr(hit, name) for name in PlannedHit.__slots__}
    return PlannedHit(**{**values, **fields})


def _kept(
    compress: Callable[[str, Sequence[PlannedHit]], Sequence[Any]],
    query: str,
    hits: list[PlannedHit],
) -> list[PlannedHit]:
    texts = [text_of(hit) for hit in hits]
    kept = read_ranges(compress(query, tuple(hits)), texts)
    return [
        _changed(hit, ranges=ranges, kept_text=" ".join(text[start:end] for start, end in ranges))
        for hit, text, ranges in zip(hits, texts, kept, strict=True)
    ]


def _weights_record() -> ErrorRecord:
    message = "every query weighs 0, so the order is the first query's; give one a weight above 0"
    return ErrorRecord("WEIGHTS_ALL_ZERO", ErrorCategory.INPUT, message)


def _status_of(answer: Answer) -> RetrievalStatus:
    if answer.status is not None:
        return answer.status
    return RetrievalStatus.SUCCESS if answer.papers else RetrievalStatus.EMPTY


def _overall(
    found: Retrieval,
    statuses: Mapping[str, RetrievalStatus],
    stages: Sequence[StageOutcome],
    has_hits: bool,
) -> RetrievalStatus:
    answered = list(statuses.values())
    lost = len(found.failures) + answered.count(RetrievalStatus.FAILED)
    if lost == len(found.queries):
        return RetrievalStatus.FAILED
    if RetrievalStatus.CANCELLED in answered:
        return RetrievalStatus.CANCELLED
    short = {RetrievalStatus.FAILED, RetrievalStatus.DEGRADED}
    if short.intersection(answered) or any(stage.errors for stage in stages):
        return RetrievalStatus.DEGRADED
    return RetrievalStatus.SUCCESS if has_hits else RetrievalStatus.EMPTY


def _revision(index: Any, answers: Mapping[str, Answer]) -> str | int | None:
    # An answer names the revision that it used; asking the index again could meet another one,
    # or wait for a store that is down.
    legs = [
        leg for answer in answers.values() for leg in answer.legs if leg.kind is LegKind.LEXICAL
    ]
    try:
        named = next(
            (leg.diagnostics["revision"] for leg in legs if leg.diagnostics.get("revision")), None
        )
        found = getattr(index, "revision", None) if named is None else named
    except Exception:  # noqa: BLE001 - the run is over; a name for it must not cost its result
        return None
    return found if isinstance(found, (str, int)) else None
