"""What holds for any mix of components and indexes, whatever they do."""

from __future__ import annotations

import json
from collections.abc import Callable
from math import fsum
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citehop import (
    FusionPolicy,
    RetrievalExecutionPlan,
    RetrievalStatus,
    StageBudget,
    StageKind,
    StageStatus,
    StoreTimeout,
)
from tests.unit.plan.fakes import Doc, FakeClock, FakeHit, FakeIndex, hits, response

_NAN = float("nan")
_ERRORS = [ValueError("x"), OSError(), StopIteration(), RecursionError(), StoreTimeout("late")]
_GOOD = st.lists(st.sampled_from("abcdefgh")).map(
    lambda ids: [FakeHit(Doc(one, "Ab cd. Ef."), 1.0) for one in ids]
)
_RESPONSES = st.builds(
    lambda status, ids: response(
        status, [] if status in (RetrievalStatus.EMPTY, RetrievalStatus.FAILED) else hits(*ids)
    ),
    st.sampled_from(list(RetrievalStatus)),
    st.lists(st.sampled_from("abcdefgh"), min_size=1),
)
_MALFORMED: st.SearchStrategy[Any] = st.sampled_from(
    [None, 3, "text", {}, [None], [("a", 1.0)], [FakeHit(Doc("a"), _NAN)], [FakeHit(None)]]
)
_ANSWERS = _GOOD | _RESPONSES | _MALFORMED | st.sampled_from(_ERRORS)
_WORDS = st.lists(st.sampled_from(["q", "x", "y", "z", "w"]), max_size=9)
_TRANSFORMS = _WORDS | st.sampled_from([None, "text", [""], [3], {"x"}, *_ERRORS])
_SCORES = st.sampled_from([None, "text", [], [_NAN] * 3, 7, *_ERRORS])
_SECONDS = st.sampled_from([0.0, 0.0, 0.5, 2.0])


@st.composite
def _runs(draw: st.DrawFn) -> tuple[RetrievalExecutionPlan, FakeIndex, FakeClock]:
    clock = FakeClock()

    def component(outputs: st.SearchStrategy[Any], fit: Callable[[Any], Any]) -> Any:
        kind = draw(st.sampled_from(["none", "bad", "good"]))
        if kind == "none":
            return None
        seconds, output = draw(_SECONDS), draw(outputs)

        def work(_: str, found: Any) -> Any:
            return clock.during(seconds, fit(found) if kind == "good" else output)()

        return work

    top_k = draw(st.none() | st.integers(1, 4))
    plan = RetrievalExecutionPlan(
        transform=draw(st.none() | st.builds(clock.during, _SECONDS, _TRANSFORMS)),
        keep_original=draw(st.booleans()),
        max_queries=draw(st.integers(1, 5)),
        fusion=draw(
            st.none()
            | st.builds(
                FusionPolicy,
                weights=st.none() | st.fixed_dictionaries({"q0": st.sampled_from([0, 2])}),
                top_k=st.none() | st.integers(1, 6),
            )
        ),
        rerank=component(_SCORES, lambda found: [-n % 3 for n in range(len(found))]),
        rerank_depth=draw(st.none() | st.integers(top_k, 6)) if top_k else None,
        compress=component(_SCORES, lambda found: [[(0, 2)] for _ in found]),
        top_k=top_k,
        budgets=draw(
            st.just({})
            | st.builds(
                lambda calls, seconds: {"retrieve": StageBudget(calls, seconds)},
                st.none() | st.integers(0, 4),
                st.none() | st.sampled_from([0.0, 1.0, 3.0]),
            )
        ),
        deadline_seconds=draw(st.none() | st.sampled_from([0.0, 1.0, 3.0])),
        clock=clock,
    )
    answers = {
        word: clock.during(draw(_SECONDS), draw(_ANSWERS)) for word in ("q", "x", "y", "z", "w")
    }
    return plan, FakeIndex(answers), clock


@settings(max_examples=100, deadline=None)
@given(_runs())
def test_any_mix_keeps_the_promises(
    run: tuple[RetrievalExecutionPlan, FakeIndex, FakeClock],
) -> None:
    """No exception, hits that were found, one outcome a stage, one rule, bounds, valid JSON."""
    plan, index, _ = run
    result = plan.run(index, "q")

    _check_hits(plan, result)
    _check_bounds(plan, index, result)
    _check_status(result)
    assert json.loads(json.dumps(result.to_dict(), allow_nan=False))["query"] == "q"


def _check_hits(plan: RetrievalExecutionPlan, result: Any) -> None:
    found = {
        hit.doc.doc_id
        for name, answer in result.responses.items()
        if name not in result.failures
        for hit in answer
    }
    ids = [hit.doc_id for hit in result]
    assert len(set(ids)) == len(ids)
    assert set(ids) <= found
    limits = [plan.top_k, plan.fusion and plan.fusion.top_k]
    if not any(limits):
        assert set(ids) == found
    assert [hit.rank for hit in result] == list(range(1, len(ids) + 1))
    for hit in result:
        assert hit.queries.keys() == hit.sources.keys() == hit.contributions.keys()
        for name, rank in hit.queries.items():
            assert list(result.responses[name])[rank - 1] is hit.sources[name]
        if result.stage("rerank").status is not StageStatus.SUCCESS:
            assert fsum(hit.contributions.values()) == hit.score
        compressed = result.stage("compress").status is StageStatus.SUCCESS
        assert (hit.kept_text is not None) == compressed


def _check_bounds(plan: RetrievalExecutionPlan, index: FakeIndex, result: Any) -> None:
    budget = plan.budget("retrieve") or StageBudget()
    assert len(result.queries) <= plan.max_queries
    assert index.queries == list(result.queries.values())[: len(index.queries)]
    assert len(set(index.queries)) == len(index.queries) == result.stage("retrieve").calls
    assert budget.max_calls is None or len(index.queries) <= budget.max_calls
    assert plan.top_k is None or len(result) <= plan.top_k
    # One call takes at most 2 s, and none starts at or past the deadline.
    if plan.deadline_seconds is not None:
        assert result.seconds < plan.deadline_seconds + 2.0 or result.seconds == 0.0
    if budget.max_seconds is not None:
        retrieve = result.stage("retrieve").seconds
        assert retrieve < budget.max_seconds + 2.0 or retrieve == 0.0


def _check_status(result: Any) -> None:
    assert [stage.kind for stage in result.stages] == list(StageKind)
    for stage in result.stages:
        whole = stage.status in (StageStatus.SUCCESS, StageStatus.SKIPPED)
        assert (stage.error is None) == whole
        assert (stage.status is StageStatus.SKIPPED) == (stage.reason is not None)
    answered = {name: result.statuses.get(name) for name in result.queries}
    lost = [
        name
        for name, status in answered.items()
        if name in result.failures or status is RetrievalStatus.FAILED
    ]
    short = {RetrievalStatus.FAILED, RetrievalStatus.DEGRADED}
    if len(lost) == len(answered):
        expected = RetrievalStatus.FAILED
    elif RetrievalStatus.CANCELLED in answered.values():
        expected = RetrievalStatus.CANCELLED
    elif short & set(answered.values()) or any(stage.error for stage in result.stages):
        expected = RetrievalStatus.DEGRADED
    else:
        expected = RetrievalStatus.SUCCESS if len(result) else RetrievalStatus.EMPTY
    assert result.status is expected
    # EMPTY means that everything that was to run ran to its end.
    if result.status is RetrievalStatus.EMPTY:
        assert result.responses.keys() == result.queries.keys()


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit, GeneratorExit])
@pytest.mark.parametrize("where", ["transform", "search", "hits", "embed", "rerank", "compress"])
@pytest.mark.parametrize("on_error", ["degrade", "raise"])
def test_interrupts_always_pass(kind: type[BaseException], where: str, on_error: Any) -> None:
    """KeyboardInterrupt and the like are no component's failure."""

    def stop(*_: Any) -> Any:
        raise kind

    def stopping() -> Any:
        yield from hits("a")
        raise kind

    components: Any = {where: stop} if where in ("transform", "rerank", "compress") else {}
    plan = RetrievalExecutionPlan(**components, on_error=on_error)
    answer = {"search": stop, "hits": stopping}.get(where, hits("a"))
    with pytest.raises(kind):
        plan.run(FakeIndex(default=answer), "q", embed_query=stop if where == "embed" else None)
