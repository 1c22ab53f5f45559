"""Legs, statuses and the response."""

from __future__ import annotations

import doctest
import json
from itertools import product
from typing import Any

import pytest

from citehop import (
    ErrorCategory,
    ErrorRecord,
    LegKind,
    LegOutcome,
    LegStatus,
    RetrievalResponse,
    RetrievalStatus,
)

ERROR = ErrorRecord("STORE_TIMEOUT", ErrorCategory.TIMEOUT, "too slow", retryable=True)

SOURCE_PAGE = """
>>> from citehop import ErrorCategory, ErrorRecord
>>> from citehop import LegKind, LegOutcome, LegStatus, RetrievalResponse
>>> ok = LegOutcome(LegKind.LEXICAL, LegStatus.EMPTY)
>>> RetrievalResponse(hits=[], legs=[ok]).status
<RetrievalStatus.EMPTY: 'empty'>
>>> bad = LegOutcome(
...     LegKind.DENSE,
...     LegStatus.FAILED,
...     error=ErrorRecord(
...         code="NO_QUERY_EMBEDDING",
...         category=ErrorCategory.CAPABILITY,
...         message="no query embedding supplied",
...     ),
... )
>>> RetrievalResponse(hits=[], legs=[ok, bad]).status
<RetrievalStatus.DEGRADED: 'degraded'>
"""


def _leg(status: LegStatus, kind: LegKind = LegKind.LEXICAL) -> LegOutcome:
    broken = status in (LegStatus.FAILED, LegStatus.DEGRADED)
    return LegOutcome(kind, status, ERROR if broken else None)


def test_the_source_page_examples_run() -> None:
    """The examples of the outcome types' source page hold with only their imports changed."""
    test = doctest.DocTestParser().get_doctest(SOURCE_PAGE, {}, "source page", None, None)
    results = doctest.DocTestRunner().run(test)

    assert results.attempted == 6
    assert results.failed == 0


@pytest.mark.parametrize(("first", "second"), list(product(LegStatus, LegStatus)))
@pytest.mark.parametrize("hits", [[], ["hit"]])
def test_status_follows_the_one_rule(first: LegStatus, second: LegStatus, hits: list[str]) -> None:
    """All asked failed: FAILED, or DEGRADED with hits; any trouble: DEGRADED; else by the hits."""
    asked = [status for status in (first, second) if status is not LegStatus.SKIPPED]
    if asked and set(asked) == {LegStatus.FAILED}:
        expected = RetrievalStatus.DEGRADED if hits else RetrievalStatus.FAILED
    elif {LegStatus.FAILED, LegStatus.DEGRADED} & set(asked):
        expected = RetrievalStatus.DEGRADED
    else:
        expected = RetrievalStatus.SUCCESS if hits else RetrievalStatus.EMPTY

    legs = [_leg(first), _leg(second, LegKind.GRAPH)]

    assert RetrievalResponse(hits=hits, legs=legs).status is expected


def test_a_response_stands_in_for_a_list() -> None:
    """Length, iteration, indexing, slicing and truth address the hits."""
    response = RetrievalResponse(hits=["a", "b", "c"])

    assert len(response) == 3
    assert list(response) == ["a", "b", "c"]
    assert response[0] == "a"
    assert response[-1] == "c"
    assert response[1:] == ["b", "c"]
    assert not RetrievalResponse[str]()
    assert repr(response) == "<RetrievalResponse success, 3 hits, {}>"


def test_an_explicit_status_is_for_what_legs_cannot_say() -> None:
    """CANCELLED is taken; a status that contradicts the legs is refused; an equal one is not."""
    legs = [_leg(LegStatus.EMPTY)]

    cancelled: RetrievalResponse[str] = RetrievalResponse(
        legs=legs, status=RetrievalStatus.CANCELLED
    )
    equal: RetrievalResponse[str] = RetrievalResponse(legs=legs, status=RetrievalStatus.EMPTY)

    assert cancelled.status is RetrievalStatus.CANCELLED
    assert equal.status is RetrievalStatus.EMPTY
    with pytest.raises(ValueError, match="success contradicts the legs, which make it empty"):
        RetrievalResponse(legs=legs, status=RetrievalStatus.SUCCESS)


def test_legs_can_be_asked_for_by_kind_or_name() -> None:
    """`leg` takes a kind or its value, gives None where absent, and refuses unknown names."""
    response: RetrievalResponse[str] = RetrievalResponse(legs=[_leg(LegStatus.EMPTY)])

    assert response.leg(LegKind.LEXICAL) is response.legs[0]
    assert response.leg("lexical") is response.legs[0]
    assert response.leg("graph") is None
    with pytest.raises(ValueError, match="psychic"):
        response.leg("psychic")


def test_degraded_legs_and_errors_are_those_that_did_not_run_normally() -> None:
    """Only FAILED and DEGRADED legs count, and their error records come in order."""
    legs = [
        _leg(LegStatus.SUCCESS),
        _leg(LegStatus.FAILED, LegKind.GRAPH),
        LegOutcome.skipped(LegKind.DENSE, "NO_EMBEDDINGS"),
    ]
    response = RetrievalResponse(hits=["a"], legs=legs)

    assert response.degraded_legs == [legs[1]]
    assert response.error_records() == [ERROR]


def test_to_dict_is_json_of_the_outcome() -> None:
    """The mapping survives JSON, holds no hits, and keeps what may differ in diagnostics."""
    leg = LegOutcome.failed(LegKind.GRAPH, ERROR, elapsed_seconds=0.5)
    response = RetrievalResponse(hits=["a"], legs=[leg], query="q")
    expected: dict[str, Any] = {
        "query": "q",
        "status": "degraded",
        "hit_count": 1,
        "legs": [
            {
                "kind": "graph",
                "status": "failed",
                "error": {
                    "code": "STORE_TIMEOUT",
                    "category": "timeout",
                    "message": "too slow",
                    "retryable": True,
                },
                "reason": None,
                "hits": None,
                "truncated": False,
                "details": {},
                "diagnostics": {"elapsed_seconds": 0.5},
            }
        ],
    }

    assert json.loads(json.dumps(response.to_dict())) == expected


@pytest.mark.parametrize("code", ["", "lower", "WITH SPACE", "_LEADING", "TRAILING_"])
def test_an_error_code_is_upper_snake_case(code: str) -> None:
    """A code that is not upper snake case is refused."""
    with pytest.raises(ValueError, match="upper snake case"):
        ErrorRecord(code, ErrorCategory.INTERNAL, "x")
