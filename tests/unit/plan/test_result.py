"""What a run gives back."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pytest

from citehop import (
    CharBudgetCompressor,
    ErrorRecord,
    LegKind,
    LegOutcome,
    LegStatus,
    PlannedHit,
    RetrievalExecutionPlan,
    RetrievalResponse,
    RetrievalStatus,
    StageBudget,
    StageKind,
    StageOutcome,
    StageStatus,
)
from tests.unit.plan.fakes import (
    STORE_DOWN,
    Doc,
    FakeHit,
    FakeIndex,
    hits,
    response,
    variants,
)

SUCCESS, EMPTY, DEGRADED, FAILED, CANCELLED = RetrievalStatus


@pytest.mark.parametrize("status", list(RetrievalStatus))
def test_an_empty_plan_gives_the_index_s_hits_order_and_status(status: RetrievalStatus) -> None:
    """``RetrievalExecutionPlan().run(index, q)`` is ``index.search(q)`` with its story."""
    answer = response(status, [] if status in (EMPTY, FAILED) else hits("b", "c", "a"))
    result = RetrievalExecutionPlan().run(FakeIndex(default=answer), "q")

    assert [hit.sources["q0"] for hit in result] == answer.hits
    assert [hit.score for hit in result] == [hit.score for hit in answer.hits]
    assert result.status is status
    assert result.responses == {"q0": answer}
    assert result.legs == {"q0": answer.legs}


@pytest.mark.parametrize(
    ("first", "second", "status"),
    [
        (FAILED, FAILED, FAILED),
        (FAILED, None, FAILED),
        (None, None, FAILED),
        (FAILED, SUCCESS, DEGRADED),
        (None, SUCCESS, DEGRADED),
        (None, EMPTY, DEGRADED),
        (DEGRADED, SUCCESS, DEGRADED),
        (DEGRADED, CANCELLED, CANCELLED),
        (FAILED, CANCELLED, CANCELLED),
        (None, CANCELLED, CANCELLED),
        (SUCCESS, EMPTY, SUCCESS),
        (EMPTY, EMPTY, EMPTY),
    ],
)
def test_status_is_made_by_one_rule(
    first: RetrievalStatus | None, second: RetrievalStatus | None, status: RetrievalStatus
) -> None:
    """All lost: FAILED; any CANCELLED: so; any FAILED or DEGRADED: DEGRADED; else by the hits."""
    found = {SUCCESS: hits("a"), DEGRADED: hits("a")}
    answers = {
        query: OSError() if one is None else response(one, found.get(one, []))
        for query, one in (("q", first), ("x", second))
    }
    result = RetrievalExecutionPlan(transform=variants("x")).run(FakeIndex(answers), "q")

    assert result.status is status


def test_a_failed_or_degraded_stage_makes_the_result_degraded() -> None:
    """Also where every answer is whole."""
    result = RetrievalExecutionPlan(rerank=lambda _, __: []).run(FakeIndex(default=hits("a")), "q")

    assert result.status is DEGRADED


@pytest.mark.parametrize("status", ["odd", 200, [], {}, LegStatus.SKIPPED])
def test_a_status_of_another_kind_counts_for_nothing(status: Any) -> None:
    """An index with a status of its own meaning is judged by its hits."""

    class Answer(list[FakeHit]):
        pass

    answer = Answer(hits("a"))
    answer.status = status  # type: ignore[attr-defined]
    answer.legs = "none"  # type: ignore[attr-defined]
    result = RetrievalExecutionPlan().run(FakeIndex(default=answer), "q")

    assert result.status is SUCCESS
    assert result.legs == {"q0": []}


def test_it_stands_in_for_a_list_of_its_hits() -> None:
    """Length, iteration, indexing, slicing, membership and reversal address the hits."""
    result = RetrievalExecutionPlan().run(FakeIndex(default=hits("a", "b", "c")), "q")

    assert len(result) == 3
    assert list(result) == result.hits
    assert result[-1].doc_id == "c"
    assert result[1:] == result.hits[1:]
    assert result.hits[1] in result
    assert next(reversed(result)).doc_id == "c"
    assert not RetrievalExecutionPlan().run(FakeIndex(), "q")
    with pytest.raises(FrozenInstanceError):
        result.status = FAILED  # type: ignore[misc]


def test_there_is_one_outcome_a_stage_in_order() -> None:
    """Five, whatever happened; each by kind or name."""
    result = RetrievalExecutionPlan().run(FakeIndex(), "q")

    assert [stage.kind for stage in result.stages] == list(StageKind)
    assert [kind.value for kind in StageKind] == [
        "transform",
        "retrieve",
        "fuse",
        "rerank",
        "compress",
    ]
    assert result.stage("fuse") is result.stage(StageKind.FUSE)
    with pytest.raises(ValueError, match="not 'search'"):
        result.stage("search")


def test_a_stage_outcome_that_is_not_whole_must_say_why() -> None:
    """FAILED or DEGRADED without an error record is refused."""
    with pytest.raises(ValueError, match="error must say why fuse is degraded"):
        StageOutcome(StageKind.FUSE, StageStatus.DEGRADED)


def test_leg_is_the_worst_over_the_queries() -> None:
    """FAILED, DEGRADED, SKIPPED, EMPTY, SUCCESS; None where none considered it."""
    statuses = list(LegStatus)
    order = [
        LegStatus.FAILED,
        LegStatus.DEGRADED,
        LegStatus.SKIPPED,
        LegStatus.EMPTY,
        LegStatus.SUCCESS,
    ]
    for place, worst in enumerate(order):
        legs = [LegOutcome(LegKind.GRAPH, one) for one in statuses if one in order[place:]]
        answers: dict[str, Any] = {
            f"v{n}": RetrievalResponse([], [leg]) for n, leg in enumerate(legs)
        }
        plan = RetrievalExecutionPlan(transform=variants(*answers), keep_original=False)
        result = plan.run(FakeIndex(answers), "q")

        found = result.leg("graph")
        assert found is not None
        assert found.status is worst
        assert result.leg(LegKind.DENSE) is None
    with pytest.raises(ValueError, match="colour"):
        result.leg("colour")


def test_error_records_are_the_stages_then_the_legs() -> None:
    """Every record, in order, each query's legs after the stages."""
    answers = {"q": response(DEGRADED, hits("a")), "x": OSError()}
    plan = RetrievalExecutionPlan(transform=variants("x"), rerank=lambda _, __: None)  # type: ignore[arg-type,return-value]
    result = plan.run(FakeIndex(answers), "q")

    assert [record.code for record in result.error_records()] == [
        "SEARCH_FAILED",
        "RERANK_INVALID",
        "STORE_UNAVAILABLE",
    ]
    assert result.error_records()[-1] is STORE_DOWN
    assert [stage.kind.value for stage in result.degraded_stages] == ["retrieve", "rerank"]


def test_a_hit_can_be_followed_to_the_bottom() -> None:
    """Which query, at which rank, by which leg of evidence, with parts that add up."""
    first = FakeHit(Doc("a"), 2.0, legs={"lexical": 1})
    other = FakeHit(Doc("a"), 9.0, legs={"graph": 4})
    index = FakeIndex({"q": [first, *hits("b")], "x": [*hits("b"), other]})
    hit = RetrievalExecutionPlan(transform=variants("x")).run(index, "q")[0]

    assert (hit.doc_id, hit.doc) == ("a", Doc("a"))
    assert hit.queries == {"q0": 1, "q1": 2}
    assert hit.sources == {"q0": first, "q1": other}
    assert hit.legs == {"q0": {"lexical": 1}, "q1": {"graph": 4}}
    assert hit.contributions == {"q0": 1 / 61, "q1": 1 / 62}
    assert hit.score == sum(hit.contributions.values())


def test_top_k_cuts_and_none_returns_all() -> None:
    """Without it every hit that retrieve found is returned."""
    found = hits(*"abcdefghijkl")

    assert len(RetrievalExecutionPlan().run(FakeIndex(default=found), "q")) == 12
    assert [
        hit.doc_id for hit in RetrievalExecutionPlan(top_k=2).run(FakeIndex(default=found), "q")
    ] == ["a", "b"]


def test_to_dict_says_all_and_keeps_what_may_differ_apart() -> None:
    """Outside ``diagnostics`` two runs give the same bytes."""
    plan = RetrievalExecutionPlan(transform=variants("x"), compress=CharBudgetCompressor(5))
    index = FakeIndex({"q": response(DEGRADED, hits("a", text="Ab cd.")), "x": OSError()})
    first, second = (plan.run(index, "q").to_dict() for _ in range(2))

    assert first.pop("diagnostics").keys() == {"run_id", "revision", "seconds", "stages", "legs"}
    second.pop("diagnostics")
    assert json.dumps(first) == json.dumps(second)
    assert first["status"] == "degraded"
    assert first["queries"]["q0"]["legs"][1]["error"]["code"] == "STORE_UNAVAILABLE"
    assert first["queries"]["q1"]["error"]["message"] == "q1: index.search raised OSError"
    assert first["hits"] == [
        {
            "doc_id": "a",
            "rank": 1,
            "score": 1.0,
            "queries": {"q0": 1},
            "contributions": {"q0": 1.0},
            "legs": {"q0": {}},
            "ranges": [[0, 2]],
            "kept_text": "Ab",
        }
    ]


def test_json_is_valid_whatever_an_index_says_of_itself() -> None:
    """NaN, foreign objects, cycles, huge numbers and lone surrogates do not reach the JSON."""
    cycle: list[Any] = []
    cycle.append(cycle)
    facts: Any = {
        "nan": float("nan"),
        "array": np.ones(2),
        "float": np.float32(0.5),
        "int": np.int64(3),
        "huge": 10**5000,
        "cycle": cycle,
        "object": object(),
        "kind": LegKind.GRAPH,
        ("a", 1): {3, 1},
        "\ud800": "\ud800",
    }
    leg = LegOutcome(LegKind.LEXICAL, LegStatus.SUCCESS, details=facts, diagnostics=facts)
    answer = RetrievalResponse(hits("a"), [leg])
    body = RetrievalExecutionPlan().run(FakeIndex(default=answer), "q\ud800").to_dict()
    details = body["queries"]["q0"]["legs"][0]["details"]

    json.dumps(body, allow_nan=False, ensure_ascii=False).encode()
    assert details["nan"] is None
    assert (details["float"], details["int"], details["huge"]) == (0.5, 3, "int")
    assert (details["object"], details["array"], details["kind"]) == ("object", "ndarray", "graph")


def test_a_message_never_holds_an_exception_s_text() -> None:
    """Only the class is named, and that only where it is a plain name."""
    odd = type("pass word", (Exception,), {})("secret")
    for error in (RuntimeError("secret"), odd):
        result = RetrievalExecutionPlan().run(FakeIndex(default=error), "q")
        assert "secret" not in json.dumps(result.to_dict())
        assert "pass word" not in json.dumps(result.to_dict())


class _Revised(FakeIndex):
    revision = "r7"


def test_a_run_has_the_same_id_for_the_same_plan_revision_and_query() -> None:
    """Another plan, revision, query or filter has another id; equal ones, made anew, the same."""

    def made(**fields: Any) -> RetrievalExecutionPlan:
        return RetrievalExecutionPlan(compress=CharBudgetCompressor(9), **fields)

    same = {made().run(_Revised(default=hits(*"ab"[:n])), "q").run_id for n in (0, 1, 2)}
    other = {
        made(top_k=3).run(_Revised(), "q").run_id,
        made().run(_Revised(), "Q").run_id,
        made().run(FakeIndex(), "q").run_id,
        made().run(_Revised(), "q", filter={"year_min": 1}).run_id,
        RetrievalExecutionPlan(compress=CharBudgetCompressor(8)).run(_Revised(), "q").run_id,
        made(budgets={"retrieve": StageBudget(1)}).run(_Revised(), "q").run_id,
    }

    assert len(same) == 1
    assert len(other | same) == 7
    assert same == {"2f87f7dd7c974770"}  # whatever the process and the hash seed


def test_the_revision_is_what_the_answers_name() -> None:
    """An answer's lexical leg says which revision it used; the index is asked only without one."""
    answer = response(SUCCESS, hits("a"), revision="r3")

    assert RetrievalExecutionPlan().run(_Revised(default=answer), "q").revision == "r3"
    assert RetrievalExecutionPlan().run(_Revised(default=hits("a")), "q").revision == "r7"
    assert RetrievalExecutionPlan().run(FakeIndex(default=hits("a")), "q").revision is None


def test_a_planned_hit_needs_only_what_identifies_it() -> None:
    """The rest has defaults, so a component can be tried by hand."""
    hit = PlannedHit(None, "a", 1.0, 1)

    assert (hit.queries, hit.sources, hit.ranges, hit.kept_text) == ({}, {}, None, None)


def test_error_records_can_be_acted_on() -> None:
    """A caller reads ``retryable`` and ``category``, never the message."""
    result = RetrievalExecutionPlan().run(FakeIndex(default=TimeoutError()), "q")

    assert isinstance(result.error_records()[0], ErrorRecord)
    assert any(record.retryable for record in result.error_records())
