from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citehop.errors import CitehopError, ErrorCategory
from citehop.graph.store import Neighbour
from citehop.search.config import RetrievalConfig
from citehop.search.scoring import (
    Evidence,
    hop_score,
    normalise,
    rank,
    recency,
    round9,
    score_by_hops,
)

_finite = st.floats(0, 1e12)
_ids = st.text("abcxyz", min_size=1, max_size=3)


def _near(key: str, distance: int) -> Neighbour:
    return Neighbour(key, distance, {"s": distance}, degree=1, cited_by=0)


def test_scores_are_divided_by_the_largest() -> None:
    """The best paper has 1, the others their share of it."""
    assert normalise({"a": 4.0, "b": 1.0, "c": 0.0}, "bm25") == {"a": 1.0, "b": 0.25, "c": 0.0}


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([0.0, 0.0, 0.0], [0.0, 0.0, 0.0]),
        ([2.5, 2.5], [1.0, 1.0]),
        ([0.7], [1.0]),
        ([], []),
        ([5e-324, 0.0], [1.0, 0.0]),
    ],
)
def test_degenerate_scores_give_no_nan(scores: list[float], expected: list[float]) -> None:
    """All zero stays 0, one or equal scores give 1, none gives none, the tiniest counts."""
    named = {str(place): score for place, score in enumerate(scores)}

    assert list(normalise(named, "bm25").values()) == expected


@pytest.mark.shared
def test_the_scores_of_case_20_behave_as_told(shared_dir: Path) -> None:
    """NaN and inf are internal errors named after their part; the rest is finite, in [0, 1]."""
    text = (shared_dir / "cases" / "20-score-normalisation" / "scores.json").read_text("utf-8")
    case = json.loads(text)
    for name in ("all_zero", "all_equal", "single", "empty", "tiny"):
        found = normalise({str(n): score for n, score in enumerate(case[name])}, "bm25")
        assert all(0 <= score <= 1 for score in found.values())
    for name in ("nan", "inf"):
        with pytest.raises(CitehopError) as caught:
            normalise({str(n): score for n, score in enumerate(case[name])}, "graph")
        assert caught.value.code == "BAD_GRAPH_SCORE"


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, -0.5])
def test_a_bad_score_is_an_internal_error_named_after_its_part(bad: float) -> None:
    """The error's code names the part, the message the paper."""
    with pytest.raises(CitehopError, match="the bm25 score of 'b'") as caught:
        rank(Evidence({"a": 1.0, "b": bad}), {"a": 1, "b": 1}, (1, 1), RetrievalConfig())

    assert caught.value.code == "BAD_BM25_SCORE"
    assert caught.value.record.category is ErrorCategory.INTERNAL


def test_hops_score_one_six_tenths_three_tenths_and_nothing() -> None:
    """The graph score of a distance is the specification's."""
    scores = [hop_score(distance) for distance in (0, 1, 2, 3, 4, None)]

    assert scores == [1.0, 0.6, 0.3, 0.0, 0.0, 0.0]


def test_a_lexical_hit_scores_one_also_where_the_walk_met_it() -> None:
    """A lexical hit that is no seed may be a neighbour too; it counts as a lexical hit."""
    evidence = Evidence({"a": 2.0, "b": 1.0}, ["a", "b"], [_near("b", 2), _near("c", 1)])

    assert score_by_hops(evidence) == {"a": 1.0, "b": 1.0, "c": 0.6}


@pytest.mark.parametrize(
    ("year", "expected"), [(2000, 0.0), (2010, 0.5), (2020, 1.0), (None, 0.0), (2007, 0.35)]
)
def test_recency_is_a_ramp_over_the_corpus(year: int | None, expected: float) -> None:
    """The oldest year has 0, the newest 1, an unknown one 0."""
    assert recency(year, 2000, 2020) == expected


def test_recency_where_all_years_are_equal_or_unknown() -> None:
    """Equal years give 1, an undated paper among them 0, a corpus without years 0."""
    assert recency(2001, 2001, 2001) == 1.0
    assert recency(None, 2001, 2001) == 0.0
    assert recency(None, None, None) == 0.0


def test_scores_are_rounded_to_nine_digits_before_they_are_ordered() -> None:
    """Papers that differ past the ninth digit are a tie, and a tie goes by id."""
    evidence = Evidence({"b": 1.0, "a": 1.0 - 1e-12}, ["b", "a"])

    ranked = rank(evidence, {"a": None, "b": None}, (None, None), RetrievalConfig())

    assert [(entry.id, entry.final_score) for entry in ranked] == [("a", 0.8), ("b", 0.8)]
    assert round9(1 / 3) == 0.333333333
    assert round9(123456789123) == 123456789000.0


def test_the_final_score_is_the_weighted_sum() -> None:
    """Each weight acts on its own part."""
    evidence = Evidence({"a": 4.0, "b": 1.0}, ["a"], [_near("b", 1)])
    years = {"a": 2000, "b": 2010}

    ranked = rank(evidence, years, (2000, 2020), RetrievalConfig())
    only_recent = rank(
        evidence, years, (2000, 2020), RetrievalConfig(w_bm25=0, w_graph=0, w_recency=2)
    )

    assert [(entry.id, entry.final_score) for entry in ranked] == [("a", 0.8), ("b", 0.405)]
    assert [(entry.id, entry.final_score) for entry in only_recent] == [("b", 1.0), ("a", 0.0)]


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(_ids, _finite, max_size=8))
def test_normalised_scores_keep_their_order_and_range(scores: dict[str, float]) -> None:
    """Any finite scores end in [0, 1], in the order that they had, 1 where any is above 0."""
    found = normalise(scores, "bm25")

    assert found.keys() == scores.keys()
    assert all(0 <= score <= 1 for score in found.values())
    assert max(found.values(), default=0) == (1 if any(scores.values()) else 0)
    ordered = sorted(scores, key=lambda key: scores[key])
    assert [found[key] for key in ordered] == sorted(found.values())


@settings(max_examples=200, deadline=None)
@given(
    st.dictionaries(_ids, _finite, min_size=1, max_size=8),
    st.dictionaries(_ids, st.none() | st.integers(1500, 2026), max_size=8),
    st.tuples(*[st.floats(0, 10)] * 3).filter(any),
    st.data(),
)
def test_a_ranking_is_whole_finite_and_in_order(
    bm25: dict[str, float],
    dates: dict[str, int | None],
    weights: tuple[float, float, float],
    data: st.DataObject,
) -> None:
    """Each paper of the merged set stands in the ranking once; its score is what its parts make."""
    lexical = data.draw(st.lists(st.sampled_from(sorted(bm25)), unique=True))
    others = [_near(key, data.draw(st.integers(1, 4))) for key in sorted(bm25.keys() - {*lexical})]
    years = {key: dates.get(key) for key in bm25}
    config = RetrievalConfig(w_bm25=weights[0], w_graph=weights[1], w_recency=weights[2])

    ranked = rank(Evidence(bm25, lexical, others), years, (1500, 2026), config)

    assert {entry.id for entry in ranked} == bm25.keys()
    assert len(ranked) == len(bm25)
    keys = [(-entry.final_score, entry.id) for entry in ranked]
    assert keys == sorted(keys)
    for entry in ranked:
        assert all(0 <= part <= 1 for part in (entry[2], entry.graph_score, entry.recency_score))
        total = (
            weights[0] * entry.bm25_part
            + weights[1] * entry.graph_score
            + weights[2] * entry.recency_score
        )
        assert entry.final_score == float(f"{total:.9g}")
