"""The deadline, and the clock that it is read from."""

from __future__ import annotations

from typing import Any

import pytest

from citehop import RetrievalExecutionPlan, RetrievalStatus, StageStatus
from tests.unit.plan.fakes import FakeClock, FakeIndex, hits, variants


def _statuses(result: Any) -> dict[str, StageStatus]:
    return {stage.kind.value: stage.status for stage in result.stages}


def test_once_passed_no_query_and_no_stage_starts_but_fuse() -> None:
    """What had work and did not start is DEGRADED with DEADLINE_EXCEEDED; fuse always runs."""
    clock = FakeClock()
    index = FakeIndex({"q": clock.during(1, hits("a")), "x": clock.during(2, hits("b"))})
    never: list[str] = []
    plan = RetrievalExecutionPlan(
        transform=variants("x", "y"),
        rerank=lambda _, found: never.append("rerank") or [1.0] * len(found),  # type: ignore[func-returns-value]
        compress=lambda _, found: never.append("compress") or [[]] * len(found),  # type: ignore[func-returns-value]
        deadline_seconds=3,
        clock=clock,
    )
    result = plan.run(index, "q")

    assert index.queries == ["q", "x"]
    assert never == []
    assert _statuses(result) == {
        "transform": StageStatus.SUCCESS,
        "retrieve": StageStatus.DEGRADED,
        "fuse": StageStatus.SUCCESS,
        "rerank": StageStatus.DEGRADED,
        "compress": StageStatus.DEGRADED,
    }
    assert [record.code for record in result.error_records()] == ["DEADLINE_EXCEEDED"] * 3
    assert all(record.retryable for record in result.error_records())
    assert [hit.doc_id for hit in result] == ["a", "b"]
    assert (result[0].ranges, result[0].kept_text) == (None, None)


def test_a_stage_without_work_is_skipped_also_past_the_deadline() -> None:
    """Only what had work is DEGRADED."""
    clock = FakeClock()
    index = FakeIndex(default=clock.during(9, hits("a")))
    result = RetrievalExecutionPlan(deadline_seconds=1, clock=clock).run(index, "q")

    assert _statuses(result) == {
        "transform": StageStatus.SKIPPED,
        "retrieve": StageStatus.SUCCESS,
        "fuse": StageStatus.SKIPPED,
        "rerank": StageStatus.SKIPPED,
        "compress": StageStatus.SKIPPED,
    }
    assert result.status is RetrievalStatus.SUCCESS


def test_the_deadline_has_passed_when_it_is_reached() -> None:
    """Elapsed equal to the deadline is past it; just below is not."""
    for seconds, asked in ((1.999, ["q"]), (2.0, [])):
        clock = FakeClock()
        index = FakeIndex(default=hits("a"))
        RetrievalExecutionPlan(
            transform=clock.during(seconds, []), deadline_seconds=2, clock=clock
        ).run(index, "q")
        assert index.queries == asked


def test_a_transform_that_eats_the_deadline_leaves_a_degraded_result() -> None:
    """No query started: DEGRADED, never EMPTY."""
    clock = FakeClock()
    result = RetrievalExecutionPlan(
        transform=clock.during(5, ["x"]), deadline_seconds=2, clock=clock
    ).run(FakeIndex(), "q")

    assert result.status is RetrievalStatus.DEGRADED
    assert result.stage("retrieve").errors[0].message == (
        "2 of 2 queries not started: the deadline of 2 s had passed"
    )


def test_a_search_does_not_start_after_its_embedding_ate_the_deadline() -> None:
    """The deadline is looked at again between the embedding and the search."""
    clock = FakeClock()
    index = FakeIndex(default=hits("a"))
    result = RetrievalExecutionPlan(deadline_seconds=1, clock=clock).run(
        index, "q", embed_query=clock.during(2, [0.1])
    )

    assert index.queries == []
    assert result.error_records()[0].code == "DEADLINE_EXCEEDED"
    assert result.status is RetrievalStatus.DEGRADED


def test_a_deadline_is_reported_also_where_errors_are_raised() -> None:
    """``on_error="raise"`` is about exceptions; a deadline is none."""
    clock = FakeClock()
    result = RetrievalExecutionPlan(
        transform=clock.during(5, ["x"]), deadline_seconds=2, clock=clock, on_error="raise"
    ).run(FakeIndex(), "q")

    assert result.status is RetrievalStatus.DEGRADED


def test_a_clock_that_goes_backwards_never_gives_time_back() -> None:
    """Elapsed seconds never fall, so a passed deadline stays passed."""
    readings = iter([100.0, 100.0, 105.0, 50.0, 50.0, 50.0])
    index = FakeIndex(default=hits("a"))
    result = RetrievalExecutionPlan(
        transform=variants("x"), deadline_seconds=5, clock=lambda: next(readings)
    ).run(index, "q")

    assert index.queries == []
    assert all(stage.seconds >= 0 for stage in result.stages)
    assert result.seconds == 5.0


@pytest.mark.parametrize(
    ("reading", "error"), [(float("nan"), ValueError), ("now", TypeError), (None, TypeError)]
)
def test_a_clock_that_tells_no_time_is_a_programming_error(
    reading: Any, error: type[Exception]
) -> None:
    """No bound can be kept by it, so it raises also under "degrade"."""
    with pytest.raises(error, match=r"what clock\(\) returns must be"):
        RetrievalExecutionPlan(clock=lambda: reading).run(FakeIndex(), "q")


def test_seconds_are_read_from_the_clock_given() -> None:
    """Each stage's time and the whole come from ``clock``."""
    clock = FakeClock()
    plan = RetrievalExecutionPlan(
        transform=clock.during(1, ["x"]),
        rerank=clock.during(4, [1.0]),
        compress=clock.during(8, [[]]),
        clock=clock,
    )
    result = plan.run(FakeIndex(default=clock.during(0.5, hits("a"))), "q")

    assert [stage.seconds for stage in result.stages] == [1.0, 1.0, 0.0, 4.0, 8.0]
    assert result.seconds == 14.0
