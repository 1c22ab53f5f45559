"""The transform stage."""

from __future__ import annotations

from typing import Any

import pytest

from citehop import RetrievalExecutionPlan, RetrievalStatus, StageStatus
from tests.unit.plan.fakes import FakeIndex, hits, variants


def _run(index: FakeIndex, transform: Any, **fields: Any) -> Any:
    return RetrievalExecutionPlan(transform=transform, **fields).run(index, "q")


def test_without_a_transform_the_stage_is_skipped() -> None:
    """No transform: nothing to do, and the query runs, also when keep_original is False."""
    index = FakeIndex(default=hits("a"))
    result = RetrievalExecutionPlan(keep_original=False).run(index, "q")

    assert result.stage("transform").status is StageStatus.SKIPPED
    assert index.queries == ["q"]


def test_keep_original_puts_the_query_first() -> None:
    """The query runs first, whatever transform gives, and not twice."""
    index = FakeIndex(default=hits("a"))
    result = _run(index, variants("x", "q", "y"))

    assert index.queries == ["q", "x", "y"]
    assert result.queries == {"q0": "q", "q1": "x", "q2": "y"}


def test_without_keep_original_only_what_was_made_runs() -> None:
    """The query does not run unless transform gives it."""
    index = FakeIndex(default=hits("a"))
    _run(index, variants("x", "y"), keep_original=False)

    assert index.queries == ["x", "y"]


def test_exact_doubles_run_once_and_legs_are_counted_after_that() -> None:
    """Equal queries run once, near-equal ones apart; ``q{i}`` counts what runs."""
    index = FakeIndex(default=hits("a"))
    result = _run(index, variants("x", "x", "X", "x "))

    assert index.queries == ["q", "x", "X", "x "]
    assert list(result.responses) == ["q0", "q1", "q2", "q3"]


def test_past_max_queries_the_rest_is_dropped_and_said() -> None:
    """Queries beyond the limit do not run; the stage is DEGRADED and says how many."""
    index = FakeIndex(default=hits("a"))
    result = _run(index, variants("x", "y", "z"), max_queries=2)
    stage = result.stage("transform")

    assert index.queries == ["q", "x"]
    assert stage.status is StageStatus.DEGRADED
    assert stage.error.code == "QUERIES_DROPPED"
    assert stage.error.message == "2 queries were dropped: max_queries is 2"
    assert result.status is RetrievalStatus.DEGRADED


def test_at_max_queries_nothing_is_dropped() -> None:
    """Exactly the limit, doubles apart, is no degradation."""
    result = _run(FakeIndex(default=hits("a")), variants("x", "x"), max_queries=2)

    assert result.stage("transform").status is StageStatus.SUCCESS


@pytest.mark.parametrize(
    ("made", "error"),
    [
        ("text", TypeError),
        (b"text", TypeError),
        (None, TypeError),
        (7, TypeError),
        (["x", None], TypeError),
        (["x", 3], TypeError),
        ({"x": 1}, TypeError),
        ({"x", "y"}, TypeError),
        (["x", ""], ValueError),
    ],
)
@pytest.mark.parametrize("keep", [True, False])
def test_output_that_is_no_sequence_of_text_is_an_error(
    made: Any, error: type[Exception], keep: bool
) -> None:
    """A bare str, an entry that is no str, or an empty one fails the stage; the query runs."""
    index = FakeIndex(default=hits("a"))
    result = _run(index, lambda _: made, keep_original=keep)

    assert index.queries == ["q"]
    assert result.stage("transform").status is StageStatus.FAILED
    assert result.stage("transform").error.code == "TRANSFORM_INVALID"
    assert result.status is RetrievalStatus.DEGRADED
    with pytest.raises(error):
        _run(index, lambda _: made, keep_original=keep, on_error="raise")


def test_nothing_made_leaves_the_original_or_is_an_error() -> None:
    """An empty sequence is fine beside the original; without it there is nothing to run."""
    index = FakeIndex(default=hits("a"))

    assert _run(index, variants()).stage("transform").status is StageStatus.SUCCESS
    failed = _run(index, variants(), keep_original=False)
    assert failed.stage("transform").status is StageStatus.FAILED
    assert index.queries == ["q", "q"]


@pytest.mark.parametrize("keep", [True, False])
def test_a_transform_that_raises_leaves_the_original(keep: bool) -> None:
    """Failing leaves the query, also when keep_original is False, and tells no foreign text."""

    def broken(_: str) -> list[str]:
        raise RuntimeError("password hunter2")

    index = FakeIndex(default=hits("a"))
    result = _run(index, broken, keep_original=keep)

    assert index.queries == ["q"]
    assert result.stage("transform").error.message == "transform raised RuntimeError"
    assert result.stage("transform").error.code == "TRANSFORM_FAILED"
    assert "hunter2" not in str(result.to_dict())
    with pytest.raises(RuntimeError, match="hunter2"):
        _run(index, broken, keep_original=keep, on_error="raise")


def test_a_generator_of_queries_is_read() -> None:
    """Any ordered iterable of text will do; one that raises midway fails the stage."""

    def midway(_: str) -> Any:
        yield "x"
        raise RuntimeError

    index = FakeIndex(default=hits("a"))
    _run(index, lambda _: (text for text in ("x", "y")))

    assert index.queries == ["q", "x", "y"]
    assert _run(index, midway).stage("transform").status is StageStatus.FAILED
