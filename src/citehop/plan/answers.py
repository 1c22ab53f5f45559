"""Reading what an index answered, whatever its type."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from math import isfinite
from typing import Any, NamedTuple

from citehop.outcome import LegOutcome, RetrievalStatus
from citehop.plan.checks import real_score, type_name
from citehop.plan.faults import MalformedOutputError

MAX_HITS = 1_000_000
"""Hits read from one answer; an index that gives more, or without end, fails its query."""


class Found(NamedTuple):
    """One paper of an answer: its rank there (from 1), its score, the index's own hit, its doc."""

    rank: int
    score: float
    hit: Any
    doc: Any


@dataclass(frozen=True, slots=True)
class Answer:
    """An index's answer to one query, checked.

    Args:
        response: What ``index.search`` returned; a one-shot iterator is replaced by the list of
            what it gave.
        papers: Each paper by its identity, in the answer's order; a paper that comes twice keeps
            its best rank.
        status: The answer's own status, or None where it has none that is known.
        legs: The answer's leg outcomes; empty where it has none.
    """

    response: Any
    papers: Mapping[str | int, Found]
    status: RetrievalStatus | None
    legs: list[LegOutcome]


def read_answer(name: str, response: Any) -> Answer:
    """Check an answer and return it by paper.

    Raises:
        MalformedOutputError: If it is no iterable of hits, or a hit has no identity or no real,
            finite score.
        Exception: Whatever iterating raises.
    """
    hits = _hits_of(name, response)
    papers: dict[str | int, Found] = {}
    for rank, hit in enumerate(hits, start=1):
        doc = getattr(hit, "doc", None)
        identity = _identity(hit, doc)
        if identity is None:
            raise MalformedOutputError(TypeError(_no_identity(name, rank, hit)))
        score = getattr(hit, "score", None)
        if type(score) is not float or not isfinite(score):
            score = _score(f"the score of hit {rank} of {name}", score)
        if identity not in papers:
            papers[identity] = Found(rank, score, hit, doc)
    kept = hits if isinstance(response, Iterator) else response
    return Answer(kept, papers, _status_of(response), _legs_of(response))


def _hits_of(name: str, response: Any) -> list[Any]:
    listed = isinstance(response, Iterable) or hasattr(type(response), "__getitem__")
    if not listed or isinstance(response, (str, bytes, Mapping)):
        raise MalformedOutputError(
            TypeError(
                f"{name} must be answered with an iterable of hits, not {type_name(response)}"
            )
        )
    hits = list(islice(response, MAX_HITS + 1))
    if len(hits) > MAX_HITS:
        raise MalformedOutputError(ValueError(f"{name} was answered with over {MAX_HITS:,} hits"))
    return hits


def _identity(hit: Any, doc: Any) -> str | int | None:
    value = getattr(doc, "doc_id", None)
    if value is None or value == "":
        value = getattr(hit, "doc_id", None)
    if value is None or value == "":
        value = getattr(hit, "node_id", None)
    # An id is text or a whole number, so that ties can end in it.
    if isinstance(value, str):
        return value or None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _no_identity(name: str, rank: int, hit: Any) -> str:
    return (
        f"hit {rank} of {name} must have an identity, as text or a whole number, in doc.doc_id,"
        f" doc_id or node_id; this {type_name(hit)} has none"
    )


def _score(name: str, value: object) -> float:
    try:
        return real_score(name, value)
    except (TypeError, ValueError) as error:
        raise MalformedOutputError(error) from error


def _status_of(response: Any) -> RetrievalStatus | None:
    status: Any = getattr(response, "status", None)
    try:
        return RetrievalStatus(getattr(status, "value", status))
    except ValueError:
        return None


def _legs_of(response: Any) -> list[LegOutcome]:
    legs = getattr(response, "legs", None)
    if not isinstance(legs, (list, tuple)):
        return []
    return [leg for leg in legs if isinstance(leg, LegOutcome)]
