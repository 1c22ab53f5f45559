"""Runs queries through a search and measures what comes back."""

from __future__ import annotations

import inspect
import math
import numbers
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from citehop.errors import CitehopError, ErrorRecord
from citehop.evaluation.measures import DEFAULT_MEASURES, MAX_GRADE, Measures
from citehop.evaluation.result import RetrievalEvaluation

Search = Callable[..., Iterable[Any]]
"""Answers a query with hits, best first; where its answer has a ``status``, that is read."""
Qrels = Mapping[str, Mapping[str, int]]
"""For each query id the judged ids with their grade; above 0 is relevant."""
Progress = Callable[[int, int], None]
"""Called after each query with how many are done and how many there are."""

_WHOLE = frozenset({"success", "empty"})


def evaluate_retrieval(
    search: Search,
    queries: Mapping[str, str],
    qrels: Qrels,
    measures: Sequence[str] = DEFAULT_MEASURES,
    exclude: Mapping[str, Collection[str]] | None = None,
    *,
    progress: Progress | None = None,
) -> RetrievalEvaluation:
    """Search for each judged query and measure the answers.

    A query counts if it is in ``queries`` and, once its excluded ids are left out, has a relevant
    id in ``qrels``. The order of an answer is what is measured, not its scores. A query whose
    search fails, with any exception, scores 0 and stands in ``failed``; one answered in part is
    scored as it is and stands in ``degraded``.

    Args:
        search: Such as ``repository.search``, or a plan's ``bind(repository)``.
        queries: The text of each query id.
        qrels: The judgements.
        measures: Names as ir-measures has them: ``nDCG@10``, ``R@50`` (recall), ``P@5``, ``AP``, ….
        exclude: For a query id, ids that count neither as hits nor as relevant. A search that
            takes ``exclude_ids`` is given them, and so does without them as seeds and bridges.
        progress: Called after each query.

    Raises:
        TypeError: If ``search`` cannot be called, a hit has no identity, or the ids to exclude for
            a query are one str.
        ValueError: If no query is judged, a grade is beyond 1,000, or a measure is not known.
        CitehopError: If the extra ``eval`` is not installed; code ``EXTRA_MISSING``.
    """
    if not callable(search):
        raise TypeError(f"search must be callable with a query, not {search!r}")
    asked = Measures(measures)
    barred = {key: frozenset(_ids(key, ids)) for key, ids in (exclude or {}).items()}
    judged = _judged(queries, qrels, barred)
    if not judged:
        raise ValueError(
            "no query is judged: expected an id that is in queries, and in qrels with a relevant"
            f" id that is not excluded; there are {len(queries)} queries and judgements of"
            f" {len(qrels)}"
        )
    takes = _takes_exclude(search)
    answers = {}
    for done, key in enumerate(judged, start=1):
        answers[key] = _answer(search, queries[key], barred.get(key, frozenset()), takes=takes)
        if progress is not None:
            progress(done, len(judged))
    run = {key: answer.ids for key, answer in answers.items()}
    return RetrievalEvaluation(
        measures=asked.names,
        per_query=asked.of(run, judged),
        run={key: answer.hits for key, answer in answers.items()},
        degraded=tuple(key for key, answer in answers.items() if answer.state == "degraded"),
        failed=tuple(key for key, answer in answers.items() if answer.state == "failed"),
        unjudged=tuple(sorted(queries.keys() - judged.keys())),
        errors=dict(sorted(Counter(c for a in answers.values() for c in a.codes).items())),
    )


@dataclass(frozen=True, slots=True)
class _Answer:
    hits: tuple[tuple[str, float], ...] = ()
    state: str = "whole"
    codes: tuple[str, ...] = field(default=())

    @property
    def ids(self) -> list[str]:
        return [key for key, _ in self.hits]


def _ids(key: str, ids: Collection[str]) -> Collection[str]:
    if isinstance(ids, str):
        raise TypeError(f"exclude must map {key!r} to a collection of ids, not to one str")
    return ids


def _judged(
    queries: Mapping[str, str], qrels: Qrels, barred: Mapping[str, frozenset[str]]
) -> dict[str, dict[str, int]]:
    left = {
        key: {doc: grade for doc, grade in qrels[key].items() if doc not in barred.get(key, ())}
        for key in queries
        if key in qrels
    }
    for key, grades in left.items():
        if any(abs(grade) > MAX_GRADE for grade in grades.values()):
            raise ValueError(f"a grade of query {key!r} is not from -{MAX_GRADE} to {MAX_GRADE}")
    return {key: grades for key, grades in left.items() if any(g > 0 for g in grades.values())}


def _takes_exclude(search: Search) -> bool:
    try:
        parameters = inspect.signature(search).parameters.values()
    except (TypeError, ValueError):
        return False
    return any(p.name == "exclude_ids" or p.kind is p.VAR_KEYWORD for p in parameters)


def _answer(search: Search, text: str, barred: frozenset[str], *, takes: bool) -> _Answer:
    if not text.strip():
        return _Answer()  # A plan refuses it; nothing can be found for it.
    options = {"exclude_ids": sorted(barred)} if takes and barred else {}
    try:
        found = search(text, **options)
        listed = list(found)
    except CitehopError as error:
        return _Answer(state="failed", codes=(error.code,))
    except Exception as error:  # noqa: BLE001 - whatever a search raises, the others still count
        return _Answer(state="failed", codes=(type(error).__name__,))
    hits: dict[str, float] = {}
    for rank, hit in enumerate(listed, start=1):
        key, score = _hit(hit, rank)
        if key not in barred:
            hits.setdefault(key, score)
    return _Answer(tuple(hits.items()), _state(found), _codes(found))


def _hit(hit: Any, rank: int) -> tuple[str, float]:
    for owner, name in ((getattr(hit, "doc", None), "doc_id"), (hit, "doc_id"), (hit, "node_id")):
        key = getattr(owner, name, None)
        if isinstance(key, str):
            score = getattr(hit, "score", None)
            real = isinstance(score, numbers.Real) and math.isfinite(score)
            return key, float(score) if real and score is not None else -float(rank)
    raise TypeError(
        f"hit {rank} has no identity: expected doc.doc_id, doc_id or node_id, got"
        f" {type(hit).__name__}"
    )


def _state(found: object) -> str:
    status = getattr(found, "status", None)
    if status is None:
        return "whole"
    name = str(getattr(status, "value", status))
    return "whole" if name in _WHOLE else "failed" if name == "failed" else "degraded"


def _codes(found: object) -> tuple[str, ...]:
    records = getattr(found, "error_records", None)
    listed = records() if callable(records) else ()
    return tuple(record.code for record in listed if isinstance(record, ErrorRecord))
