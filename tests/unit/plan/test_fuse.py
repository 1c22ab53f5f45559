"""The fuse stage and reciprocal rank fusion."""

from __future__ import annotations

from math import fsum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citehop import FusionPolicy, RetrievalExecutionPlan, StageStatus
from citehop.plan.fusion import rrf
from tests.unit.plan.fakes import FakeIndex, hits, variants


def _fused(answers: dict[str, Any], **policy: Any) -> Any:
    others = [query for query in answers if query != "q"]
    plan = RetrievalExecutionPlan(transform=variants(*others), fusion=FusionPolicy(**policy))
    return plan.run(FakeIndex(answers), "q")


def test_the_score_is_the_sum_of_weight_by_constant_plus_rank() -> None:
    """Ranks count from 1; each query adds its part."""
    result = _fused({"q": hits("a", "b"), "x": hits("b", "c")}, weights={"q1": 3})

    assert [(hit.doc_id, hit.score) for hit in result] == [
        ("b", pytest.approx(1 / 62 + 3 / 61)),
        ("c", pytest.approx(3 / 62)),
        ("a", pytest.approx(1 / 61)),
    ]
    assert result[0].queries == {"q0": 2, "q1": 1}
    assert result[0].contributions == {"q0": 1 / 62, "q1": 3 / 61}


def test_rank_constant_damps_the_lead_of_the_first() -> None:
    """With 0 the first rank weighs a whole."""
    result = _fused({"q": hits("a", "b"), "x": hits("a")}, rank_constant=0)

    assert [hit.score for hit in result] == [2.0, 0.5]


def test_one_query_is_not_fused() -> None:
    """SKIPPED; scores and order are the index's, also where the policy weighs it 0."""
    plan = RetrievalExecutionPlan(fusion=FusionPolicy(weights={"q0": 0}, top_k=1))
    result = plan.run(FakeIndex(default=hits("b", "a")), "q")

    assert result.stage("fuse").status is StageStatus.SKIPPED
    assert [(hit.doc_id, hit.score) for hit in result] == [("b", 2.0), ("a", 1.0)]
    assert result[0].contributions == {"q0": 2.0}


def test_one_answer_left_of_two_is_not_fused() -> None:
    """Where the others failed there is nothing to fuse."""
    result = _fused({"q": ValueError(), "x": hits("b", "a")})

    assert result.stage("fuse").status is StageStatus.SKIPPED
    assert [hit.score for hit in result] == [2.0, 1.0]


def test_no_hits_at_all_is_nothing_to_fuse() -> None:
    """Two empty answers: SKIPPED, never SUCCESS."""
    assert _fused({"q": [], "x": []}).stage("fuse").status is StageStatus.SKIPPED


def test_all_weights_zero_keeps_the_first_order_and_degrades() -> None:
    """First query's order, then what is new in the next; score 0."""
    result = _fused({"q": hits("c", "a"), "x": hits("b", "a", "d")}, weights={"q0": 0, "q1": 0})

    assert [(hit.doc_id, hit.score) for hit in result] == [
        ("c", 0.0),
        ("a", 0.0),
        ("b", 0.0),
        ("d", 0.0),
    ]
    assert result.stage("fuse").status is StageStatus.DEGRADED
    assert result.stage("fuse").error.code == "WEIGHTS_ALL_ZERO"


def test_a_weight_of_zero_takes_a_query_its_say() -> None:
    """Its hits stay, at score 0 and last; it neither lifts nor breaks ties."""
    result = _fused(
        {"q": hits("b", "z"), "x": hits("a", "c"), "y": hits("z", "c", "a")},
        weights={"q0": 1, "q1": 1, "q2": 0},
    )

    assert [(hit.doc_id, hit.score > 0) for hit in result] == [
        ("b", True),
        ("a", True),
        ("z", True),
        ("c", True),
    ]


def test_hits_of_a_query_without_say_stay_last() -> None:
    """Nothing that retrieve found is lost by a weight of 0."""
    result = _fused({"q": hits("b"), "x": hits("a")}, weights={"q0": 0})

    assert [(hit.doc_id, hit.score) for hit in result] == [("a", 1 / 61), ("b", 0.0)]


def test_ties_go_by_best_rank_then_first_query_then_identity() -> None:
    """Equal scores: the better best rank first, of equal ones the earlier query's, then the id."""
    by_rank = rrf({"q0": {"a": 2}, "q1": {"b": 1}}, FusionPolicy(weights={"q0": 62.0, "q1": 61.0}))
    by_query = rrf({"q0": {"b": 1}, "q1": {"a": 1}}, FusionPolicy())
    by_id = rrf({"q0": {"b": 1, "a": 1, 10: 1, 9: 1}}, FusionPolicy())

    assert [one.identity for one in by_rank] == ["b", "a"]
    assert [one.identity for one in by_query] == ["b", "a"]
    assert [one.identity for one in by_id] == [9, 10, "a", "b"]


def test_sums_do_not_depend_on_the_order_of_queries() -> None:
    """Three equal sets of ranks give exactly equal scores, so ties are ties."""
    ranks = {
        "q0": {"a": 1, "b": 2, "c": 7},
        "q1": {"b": 7, "c": 1, "a": 2},
        "q2": {"c": 2, "a": 7, "b": 1},
    }

    assert len({one.score for one in rrf(ranks, FusionPolicy())}) == 1


def test_top_k_of_the_policy_keeps_the_best() -> None:
    """It cuts after fusing."""
    result = _fused({"q": hits("a", "b"), "x": hits("b", "c")}, top_k=2)

    assert [hit.doc_id for hit in result] == ["b", "a"]


def test_unknown_leg_names_in_weights_count_for_nothing() -> None:
    """A weight for a query that did not run changes nothing."""
    assert [hit.doc_id for hit in _fused({"q": hits("a"), "x": hits("b")}, weights={"q9": 5})] == [
        "a",
        "b",
    ]


_RANKINGS = st.lists(st.lists(st.sampled_from("abcdefg"), unique=True), min_size=1, max_size=5)


@given(_RANKINGS, st.lists(st.sampled_from([0, 0.5, 1, 3]), min_size=5, max_size=5))
def test_fusion_loses_nothing_and_adds_up(rankings: list[list[str]], weights: list[float]) -> None:
    """Every paper comes once, scores fall, and each is the exact sum of its parts."""
    ranks = {
        f"q{n}": {one: rank for rank, one in enumerate(ranking, start=1)}
        for n, ranking in enumerate(rankings)
    }
    policy = FusionPolicy(weights={f"q{n}": weight for n, weight in enumerate(weights)})
    fused = rrf(ranks, policy)

    assert sorted(one.identity for one in fused) == sorted({p for r in rankings for p in r})
    assert [one.score for one in fused] == sorted((one.score for one in fused), reverse=True)
    assert all(one.score == fsum(one.contributions.values()) for one in fused)


@given(_RANKINGS, st.lists(st.sampled_from("abcdefg"), unique=True))
def test_a_query_of_weight_zero_changes_no_order(
    rankings: list[list[str]], mute: list[str]
) -> None:
    """What the others found is ordered as if it had not run."""
    ranks = {
        f"q{n}": {one: rank for rank, one in enumerate(ranking, start=1)}
        for n, ranking in enumerate(rankings)
    }
    muted = {**ranks, "q9": {one: rank for rank, one in enumerate(mute, start=1)}}
    policy = FusionPolicy(weights={"q9": 0})
    alone = [one.identity for one in rrf(ranks, policy)]

    assert [one.identity for one in rrf(muted, policy)][: len(alone)] == alone
