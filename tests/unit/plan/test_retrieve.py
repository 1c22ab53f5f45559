"""The retrieve stage."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from citehop import (
    ErrorCategory,
    RetrievalExecutionPlan,
    RetrievalStatus,
    StageBudget,
    StageStatus,
    StoreUnavailable,
)
from tests.unit.plan.fakes import (
    Doc,
    FakeClock,
    FakeHit,
    FakeIndex,
    TimedIndex,
    hits,
    response,
    variants,
)

NAN = float("nan")
INF = float("inf")


def _two(index: Any, **fields: Any) -> Any:
    return RetrievalExecutionPlan(transform=variants("x"), **fields).run(index, "q")


@pytest.mark.parametrize(
    ("hit", "identity"),
    [
        (SimpleNamespace(doc=Doc("a"), doc_id="b", node_id="c", score=1), "a"),
        (SimpleNamespace(doc_id="b", node_id="c", score=1), "b"),
        (SimpleNamespace(node_id="c", score=1), "c"),
        (SimpleNamespace(doc=None, doc_id="b", score=1), "b"),
        (SimpleNamespace(doc=Doc(None), doc_id=None, node_id="c", score=1), "c"),
        (SimpleNamespace(doc=Doc(""), doc_id="b", score=1), "b"),
        (SimpleNamespace(doc_id=7, score=1), 7),
    ],
)
def test_identity_is_the_first_that_is_there(hit: Any, identity: Any) -> None:
    """``doc.doc_id`` comes before ``doc_id``, and that before ``node_id``."""
    result = RetrievalExecutionPlan().run(FakeIndex(default=[hit]), "q")

    assert [hit.doc_id for hit in result] == [identity]


@pytest.mark.parametrize(
    ("hit", "error"),
    [
        (("a", 1.0), TypeError),
        (SimpleNamespace(score=1.0), TypeError),
        (SimpleNamespace(doc_id=None, score=1.0), TypeError),
        (SimpleNamespace(doc_id=["a"], score=1.0), TypeError),
        (SimpleNamespace(doc_id=True, score=1.0), TypeError),
        (SimpleNamespace(doc_id="a"), TypeError),
        (FakeHit(Doc("a"), None), TypeError),
        (FakeHit(Doc("a"), True), TypeError),
        (FakeHit(Doc("a"), np.bool_(True)), TypeError),
        (FakeHit(Doc("a"), "1.0"), TypeError),
        (FakeHit(Doc("a"), 1j), TypeError),
        (FakeHit(Doc("a"), np.array([1.0])), TypeError),
        (FakeHit(Doc("a"), NAN), ValueError),
        (FakeHit(Doc("a"), INF), ValueError),
        (FakeHit(Doc("a"), np.float32("-inf")), ValueError),
        (FakeHit(Doc("a"), Decimal("NaN")), ValueError),
        (FakeHit(Doc("a"), 10**400), ValueError),
        (None, TypeError),
    ],
)
def test_a_query_with_a_hit_that_is_none_fails_alone(hit: Any, error: type[Exception]) -> None:
    """Without identity, or a real and finite score, a hit fails its query and no other."""
    index = FakeIndex({"q": [*hits("a", "b"), hit], "x": hits("c")})
    result = _two(index)

    assert [hit.doc_id for hit in result] == ["c"]
    assert list(result.failures) == ["q0"]
    assert result.failures["q0"].code == "SEARCH_INVALID"
    assert result.stage("retrieve").status is StageStatus.DEGRADED
    assert result.status is RetrievalStatus.DEGRADED
    with pytest.raises(error):
        _two(index, on_error="raise")


@pytest.mark.parametrize(
    ("score", "value"),
    [
        (2, 2.0),
        (-0.5, -0.5),
        (np.float32(0.5), 0.5),
        (np.float64(3.0), 3.0),
        (np.int16(4), 4.0),
        (Fraction(1, 4), 0.25),
        (Decimal("0.125"), 0.125),
    ],
)
def test_real_numbers_of_any_library_are_scores(score: Any, value: float) -> None:
    """Python's and numpy's real numbers, fractions and decimals become floats."""
    (hit,) = RetrievalExecutionPlan().run(FakeIndex(default=[FakeHit(Doc("a"), score)]), "q")

    assert (hit.score, type(hit.score)) == (value, float)


@pytest.mark.parametrize("answer", [None, 3, "text", b"text", {"a": 1}, object()])
def test_an_answer_that_is_no_iterable_of_hits_fails_its_query(answer: Any) -> None:
    """None, numbers, text and mappings are no answers, not empty ones."""
    result = _two(FakeIndex({"q": answer, "x": hits("a")}))

    assert list(result.failures) == ["q0"]
    assert result.responses["q0"] is answer


def _midway() -> Iterator[FakeHit]:
    yield from hits("a", "b")
    raise ConnectionResetError("secret.example:7687 hung up")


def test_an_answer_that_raises_midway_fails_its_query_whole() -> None:
    """What came before the exception does not count; the record names the class alone."""
    result = _two(FakeIndex({"q": _midway, "x": hits("c")}))
    record = result.failures["q0"]

    assert [hit.doc_id for hit in result] == ["c"]
    assert record.message == "q0: index.search raised ConnectionResetError"
    assert (record.code, record.category, record.retryable) == (
        "SEARCH_FAILED",
        ErrorCategory.UNAVAILABLE,
        True,
    )


def test_an_answer_may_be_any_iterable() -> None:
    """A tuple, a generator, a response and an old-style sequence all give their hits."""

    class OldStyle:
        def __getitem__(self, place: int) -> FakeHit:
            return hits("a", "b")[place]

    answers = [
        tuple(hits("a", "b")),
        OldStyle(),
        (hit for hit in hits("a", "b")),
        response(RetrievalStatus.SUCCESS, hits("a", "b")),
    ]
    for answer in answers:
        result = RetrievalExecutionPlan().run(FakeIndex(default=answer), "q")
        assert [hit.doc_id for hit in result] == ["a", "b"]


def test_an_answer_without_end_fails_its_query(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading stops at a bound."""
    monkeypatch.setattr("citehop.plan.answers.MAX_HITS", 50)

    def endless() -> Iterator[FakeHit]:
        while True:
            yield FakeHit(Doc("a"))

    result = RetrievalExecutionPlan().run(FakeIndex(default=endless), "q")

    assert result.failures["q0"].message.endswith("q0 was answered with over 50 hits")


def test_a_one_shot_answer_is_kept_as_a_list() -> None:
    """``responses`` holds what search returned, but for an iterator, which would be spent."""
    answer = response(RetrievalStatus.SUCCESS, hits("a"))
    result = _two(FakeIndex({"q": answer, "x": (hit for hit in hits("b"))}))

    assert result.responses["q0"] is answer
    assert result.responses["q1"] == hits("b")


def test_a_paper_twice_in_one_answer_keeps_its_best_rank() -> None:
    """The first place counts; the ranks of others are their places in the answer."""
    first, second = FakeHit(Doc("a"), 3.0), FakeHit(Doc("a"), 2.0)
    result = RetrievalExecutionPlan().run(
        FakeIndex(default=[first, second, FakeHit(Doc("b"), 1.0)]), "q"
    )

    assert [(hit.doc_id, hit.rank, hit.queries["q0"]) for hit in result] == [
        ("a", 1, 1),
        ("b", 2, 3),
    ]
    assert result[0].sources["q0"] is first


def test_a_query_that_raises_fails_alone() -> None:
    """The other queries run; the stage is DEGRADED, and so is the result."""
    index = FakeIndex({"q": ValueError("bad"), "x": hits("a")})
    result = _two(index)

    assert index.queries == ["q", "x"]
    assert result.stage("retrieve").status is StageStatus.DEGRADED
    assert result.stage("retrieve").calls == 2
    assert "q0" not in result.responses
    with pytest.raises(ValueError, match="bad"):
        _two(index, on_error="raise")


def test_all_queries_failing_is_failed() -> None:
    """FAILED, the stage and the result, with one record a query and nothing to rank."""
    result = _two(FakeIndex(default=OSError("x")))

    assert result.stage("retrieve").status is StageStatus.FAILED
    assert result.status is RetrievalStatus.FAILED
    assert [record.message for record in result.error_records()] == [
        "q0: index.search raised OSError",
        "q1: index.search raised OSError",
    ]
    assert result.stage("fuse").status is StageStatus.SKIPPED


def test_an_error_of_ours_keeps_its_record() -> None:
    """A store's code, category and retryable come through, with the query's name."""
    error = StoreUnavailable("nothing answers at bolt://localhost", code="STORE_STALLED")
    record = RetrievalExecutionPlan().run(FakeIndex(default=error), "q").failures["q0"]

    assert record.code == "STORE_STALLED"
    assert record.retryable
    assert record.message == "q0: index.search: nothing answers at bolt://localhost"


@pytest.mark.parametrize(
    ("error", "category", "retryable"),
    [
        (TimeoutError(), ErrorCategory.TIMEOUT, True),
        (ConnectionRefusedError(), ErrorCategory.UNAVAILABLE, True),
        (NotImplementedError(), ErrorCategory.CAPABILITY, False),
        (KeyError("x"), ErrorCategory.INTERNAL, False),
        (MemoryError(), ErrorCategory.INTERNAL, False),
    ],
)
def test_foreign_errors_fall_in_categories(
    error: Exception, category: ErrorCategory, retryable: bool
) -> None:
    """The class of a foreign exception decides the category and whether to try again."""
    record = RetrievalExecutionPlan().run(FakeIndex(default=error), "q").failures["q0"]

    assert (record.code, record.category, record.retryable) == (
        "SEARCH_FAILED",
        category,
        retryable,
    )


def test_keywords_are_passed_only_when_set() -> None:
    """``config`` and ``filter`` go along where they are given, else nothing does."""
    index = FakeIndex(default=hits("a"))
    RetrievalExecutionPlan().run(index, "q")
    RetrievalExecutionPlan(retrieval="cfg").run(index, "q", filter={"year_min": 2000})

    assert index.asked == [("q", {}), ("q", {"config": "cfg", "filter": {"year_min": 2000}})]


def test_the_embedding_goes_with_the_original_query_alone() -> None:
    """Without ``embed_query`` the other queries are searched with none."""
    index = FakeIndex(default=hits("a"))
    vector = np.array([1.0, 2.0])
    plan = RetrievalExecutionPlan(transform=variants("x", "q"), keep_original=False)
    plan.run(index, "q", query_embedding=vector)

    assert index.asked[0] == ("x", {})
    assert index.asked[1][1]["query_embedding"] is vector


def test_embed_query_supplies_the_others_and_the_original_without_one() -> None:
    """Each query without an embedding gets one made for it."""
    index = FakeIndex(default=hits("a"))
    plan = RetrievalExecutionPlan(transform=variants("x"))
    plan.run(index, "q", query_embedding="given", embed_query=str.upper)
    plan.run(index, "q", embed_query=str.upper)

    assert [kwargs["query_embedding"] for _, kwargs in index.asked] == ["given", "X", "Q", "X"]


def test_an_embedding_that_fails_costs_only_itself() -> None:
    """The query is searched without; retrieve is DEGRADED and says so."""

    def broken(_: str) -> Any:
        raise TimeoutError

    index = FakeIndex(default=hits("a"))
    result = RetrievalExecutionPlan().run(index, "q", embed_query=broken)

    assert index.asked == [("q", {})]
    assert [hit.doc_id for hit in result] == ["a"]
    assert result.stage("retrieve").status is StageStatus.DEGRADED
    assert result.stage("retrieve").error.code == "EMBEDDING_FAILED"  # type: ignore[union-attr]
    with pytest.raises(TimeoutError):
        RetrievalExecutionPlan(on_error="raise").run(index, "q", embed_query=broken)


def test_what_is_left_of_the_deadline_is_passed_where_the_signature_names_it() -> None:
    """``timeout_seconds`` shrinks from query to query; ``**kwargs`` alone does not name it."""
    clock = FakeClock()
    timed = TimedIndex({"q": clock.during(1.5, hits("a")), "x": hits("b")})
    untimed = FakeIndex(default=hits("a"))
    _two(timed, deadline_seconds=4, clock=clock)
    _two(untimed, deadline_seconds=4, clock=clock)

    assert [kwargs["timeout_seconds"] for _, kwargs in timed.asked] == [4.0, 2.5]
    assert [kwargs for _, kwargs in untimed.asked] == [{}, {}]


def test_without_a_deadline_no_timeout_is_passed() -> None:
    """An index keeps its own limit then."""
    index = TimedIndex(default=hits("a"))
    RetrievalExecutionPlan().run(index, "q")

    assert index.asked == [("q", {"timeout_seconds": None})]


def test_a_far_deadline_is_passed_as_an_hour() -> None:
    """No index is asked to wait longer than an hour."""
    index = TimedIndex(default=hits("a"))
    RetrievalExecutionPlan(deadline_seconds=1e9).run(index, "q")

    assert index.asked == [("q", {"timeout_seconds": 3600.0})]


def test_a_budget_of_calls_stops_the_queries() -> None:
    """What did not start is DEGRADED with BUDGET_EXHAUSTED, and what was found stands."""
    index = FakeIndex({"q": hits("a"), "x": hits("b"), "y": hits("c")})
    plan = RetrievalExecutionPlan(
        transform=variants("x", "y"), budgets={"retrieve": StageBudget(max_calls=2)}
    )
    result = plan.run(index, "q")
    stage = result.stage("retrieve")

    assert index.queries == ["q", "x"]
    assert stage.status is StageStatus.DEGRADED
    assert stage.calls == 2
    assert [(r.code, r.message) for r in stage.errors] == [
        (
            "BUDGET_EXHAUSTED",
            "1 of 3 queries not started: retrieve's budget was spent after 2 calls",
        )
    ]
    assert [hit.doc_id for hit in result] == ["a", "b"]


def test_a_budget_of_seconds_counts_from_the_stage_and_is_looked_at_before_each_query() -> None:
    """A query that has begun is not cut short; the next does not start."""
    clock = FakeClock()
    index = FakeIndex(default=clock.during(2.0, hits("a")))
    plan = RetrievalExecutionPlan(
        transform=clock.during(50.0, ["x", "y"]),
        budgets={"retrieve": StageBudget(max_seconds=3)},
        clock=clock,
    )
    result = plan.run(index, "q")

    assert index.queries == ["q", "x"]
    assert result.stage("retrieve").seconds == 4.0
    assert result.stage("retrieve").errors[0].code == "BUDGET_EXHAUSTED"


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"budgets": {"retrieve": StageBudget(max_calls=0)}}, "BUDGET_EXHAUSTED"),
        ({"budgets": {"retrieve": StageBudget(max_seconds=0)}}, "BUDGET_EXHAUSTED"),
        ({"deadline_seconds": 0}, "DEADLINE_EXCEEDED"),
    ],
)
def test_no_query_started_is_degraded_never_empty(fields: dict[str, Any], code: str) -> None:
    """Nothing was asked, so nothing is known to be missing."""
    index = FakeIndex(default=hits("a"))
    result = RetrievalExecutionPlan(**fields).run(index, "q")

    assert index.queries == []
    assert result.status is RetrievalStatus.DEGRADED
    assert result.stage("retrieve").status is StageStatus.DEGRADED
    assert [record.code for record in result.error_records()] == [code]
    assert (len(result), result.responses, result.queries) == (0, {}, {"q0": "q"})
