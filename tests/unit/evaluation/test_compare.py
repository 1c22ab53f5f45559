from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citehop import RetrievalEvaluation
from citehop.evaluation.compare import compare, randomisation_test


def _evaluation(values: list[float], failed: tuple[str, ...] = ()) -> RetrievalEvaluation:
    per_query = {f"q{number}": {"P@1": value} for number, value in enumerate(values)}
    return RetrievalEvaluation(measures=("P@1",), per_query=per_query, run={}, failed=failed)


def test_a_few_equal_differences_have_the_exact_p_value() -> None:
    """Of five differences alike, two of 32 sign patterns are as far: about one in sixteen."""
    assert randomisation_test(np.ones(5)) == pytest.approx(2 / 32, abs=0.01)
    assert randomisation_test(np.ones(1)) == 1.0


def test_differences_that_cancel_out_are_chance() -> None:
    """As many queries better as worse by the same: every pattern is as far."""
    assert randomisation_test(np.array([1.0, -1.0, 1.0, -1.0])) == 1.0
    assert randomisation_test(np.zeros(9)) == 1.0
    assert randomisation_test(np.array([])) == 1.0


def test_a_clear_difference_is_no_chance() -> None:
    """Forty queries better: no round comes near, and the smallest value is 1/10001."""
    assert randomisation_test(np.full(40, 0.1)) == pytest.approx(1 / 10_001)


@settings(max_examples=20)
@given(st.lists(st.floats(-1, 1), max_size=20))
def test_the_test_is_two_sided_and_always_the_same(values: list[float]) -> None:
    """The sign of all differences does not matter, and the same input gives the same value."""
    array = np.array(values)
    p_value = randomisation_test(array, rounds=200)

    assert p_value == randomisation_test(array, rounds=200) == randomisation_test(-array, 200)
    assert 0 < p_value <= 1


def test_two_searches_are_compared_query_by_query() -> None:
    """Means, gain, and on how many queries which is better."""
    (found,) = compare(_evaluation([0.2, 0.5, 0.5]), _evaluation([0.4, 0.6, 0.3]))

    assert (found.measure, found.better, found.worse, found.pairs) == ("P@1", 2, 1, 3)
    assert found.baseline == pytest.approx(0.4)
    assert found.value == pytest.approx(1.3 / 3)
    assert found.gain == pytest.approx(1 / 12)
    assert found.to_dict()["p_value"] == found.p_value


def test_queries_that_did_not_run_are_left_out() -> None:
    """A query that failed in either says nothing about the ranking."""
    (found,) = compare(
        _evaluation([0.0, 0.5, 0.5], failed=("q0",)), _evaluation([1.0, 0.5, 0.0], failed=("q2",))
    )

    assert (found.pairs, found.baseline, found.value, found.p_value) == (1, 0.5, 0.5, 1.0)


def test_a_baseline_of_zero_has_no_gain() -> None:
    """A share of nothing is none, and JSON says null."""
    (found,) = compare(_evaluation([0.0]), _evaluation([1.0]))

    assert found.to_dict()["gain"] is None


def test_only_the_same_queries_can_be_compared() -> None:
    """Other queries, or none in common that ran, are refused."""
    with pytest.raises(ValueError, match="same queries and the same measures"):
        compare(_evaluation([0.0]), _evaluation([0.0, 1.0]))
    with pytest.raises(ValueError, match="nothing to compare"):
        compare(_evaluation([0.0], failed=("q0",)), _evaluation([1.0]))
