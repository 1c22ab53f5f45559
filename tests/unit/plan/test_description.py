"""A plan in words."""

from __future__ import annotations

from citehop import (
    CharBudgetCompressor,
    FusionPolicy,
    RetrievalExecutionPlan,
    StageBudget,
)
from tests.unit.plan.fakes import variants

DEGRADE = "A component that fails is reported, and what stood before it stands."


def test_an_empty_plan_says_that_it_is_one_search() -> None:
    """Every stage is named, also those with nothing to do."""
    assert RetrievalExecutionPlan().describe().splitlines() == [
        "1. transform: nothing to do; the query runs as it is.",
        "2. retrieve: one search.",
        "3. fuse: nothing to do; one query keeps the index's scores and order.",
        "4. rerank: nothing to do.",
        "5. compress: nothing to do; texts stay whole.",
        "Returns every hit. No deadline. " + DEGRADE,
    ]


class SecretReranker:
    """A foreign component whose repr tells too much."""

    def __call__(self, query: str, found: object) -> list[float]:
        """Score nothing."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return "SecretReranker(key='hunter2')"


def test_a_full_plan_names_its_components_and_bounds() -> None:
    """Settings of our own components are shown, those of others are not."""
    plan = RetrievalExecutionPlan(
        transform=variants("x"),
        max_queries=4,
        fusion=FusionPolicy(weights={"q0": 2}, top_k=30),
        rerank=SecretReranker(),
        rerank_depth=20,
        compress=CharBudgetCompressor(800),
        top_k=10,
        budgets={"retrieve": StageBudget(3, 1.5)},
        deadline_seconds=4,
        on_error="raise",
    )

    first, second, third, fourth, fifth, whole = plan.describe().splitlines()

    assert first.startswith("1. transform: the query first, then what variants.<locals>.<lambda>")
    assert first.endswith("makes of it; at most 4 in all, the rest is dropped.")
    assert second == (
        "2. retrieve: one search per query, at most 4; none starts after 3 calls or after 1.5 s."
    )
    assert third.startswith("3. fuse: sum of weight / (60 + rank) over the queries; weights q0 2,")
    assert third.endswith("else 1; the best 30 are kept.")
    assert fourth == "4. rerank: SecretReranker orders the first 20 hits anew."
    assert fifth.startswith(
        "5. compress: CharBudgetCompressor(max_chars=800, max_chars_per_hit=None)"
    )
    assert whole == (
        "Returns at most 10 hits. After 4 s no stage and no query starts."
        " What a component raises is raised."
    )
