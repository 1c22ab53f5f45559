"""What a plan, a policy and a budget refuse when made."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from citehop import FusionPolicy, RetrievalExecutionPlan, StageBudget, StageKind

NAN = float("nan")
INF = float("inf")


@pytest.mark.parametrize(
    ("fields", "error", "words"),
    [
        ({"transform": 3}, TypeError, "transform must be callable or None, not 3"),
        ({"rerank": "x"}, TypeError, "rerank must be callable or None, not 'x'"),
        ({"compress": []}, TypeError, r"compress must be callable or None, not \[\]"),
        ({"clock": 1.0}, TypeError, "clock must be callable or None, not 1.0"),
        ({"keep_original": 1}, TypeError, "keep_original must be a bool, not 1"),
        ({"max_queries": True}, TypeError, "max_queries must be an int of at least 1, not True"),
        ({"max_queries": 2.0}, TypeError, "max_queries must be an int of at least 1, not 2.0"),
        ({"max_queries": None}, TypeError, "max_queries must be an int of at least 1, not None"),
        ({"max_queries": 0}, ValueError, "max_queries must be at least 1, not 0"),
        ({"top_k": 0}, ValueError, "top_k must be at least 1, not 0"),
        ({"top_k": "3"}, TypeError, "top_k must be an int of at least 1, not '3'"),
        ({"rerank_depth": 0}, ValueError, "rerank_depth must be at least 1, not 0"),
        ({"rerank_depth": 5}, ValueError, "rerank_depth 5 needs a top_k from 1 to 5, not None"),
        ({"rerank_depth": 5, "top_k": 6}, ValueError, "needs a top_k from 1 to 5, not 6"),
        ({"fusion": "rrf"}, TypeError, "fusion must be a FusionPolicy or None, not 'rrf'"),
        ({"fusion": FusionPolicy(top_k=0)}, ValueError, "fusion must have a top_k of at least 1"),
        ({"deadline_seconds": -1}, ValueError, "deadline_seconds must be finite, at least 0, not"),
        ({"deadline_seconds": NAN}, ValueError, "deadline_seconds must be finite.*not nan"),
        ({"deadline_seconds": INF}, ValueError, "deadline_seconds must be finite.*not inf"),
        ({"deadline_seconds": "1"}, TypeError, "deadline_seconds must be a number.*not '1'"),
        ({"deadline_seconds": True}, TypeError, "deadline_seconds must be a number.*not True"),
        ({"on_error": "ignore"}, ValueError, "on_error must be 'degrade' or 'raise', not 'ignore'"),
        ({"on_error": None}, TypeError, "on_error must be 'degrade' or 'raise', not None"),
        ({"budgets": {"fuse": StageBudget()}}, ValueError, "budgets may hold 'retrieve'.*'fuse'"),
        ({"budgets": {"fetch": StageBudget()}}, ValueError, "stage must be one of .*not 'fetch'"),
        ({"budgets": {1: StageBudget()}}, TypeError, "stage must be a StageKind or a str, not 1"),
        ({"budgets": {"retrieve": 4}}, TypeError, r"budgets\['retrieve'\] must be a StageBudget"),
        ({"budgets": None}, TypeError, "budgets must be a mapping or pairs.*not None"),
        ({"budgets": "retrieve"}, TypeError, "budgets must be a mapping or pairs"),
        ({"budgets": (("retrieve",),)}, TypeError, "budgets must be a mapping or pairs"),
        (
            {"budgets": (("retrieve", StageBudget()), (StageKind.RETRIEVE, StageBudget()))},
            ValueError,
            "budgets may hold 'retrieve', once",
        ),
    ],
)
def test_a_bad_field_is_refused_by_name_value_and_range(
    fields: dict[str, Any], error: type[Exception], words: str
) -> None:
    """TypeError for a wrong type, ValueError out of range, naming field, value and range."""
    with pytest.raises(error, match=words):
        RetrievalExecutionPlan(**fields)


@pytest.mark.parametrize(
    ("fields", "error", "words"),
    [
        ({"method": "sum"}, ValueError, "method must be 'rrf', not 'sum'"),
        ({"weights": [1, 2]}, TypeError, r"weights must map leg names to weights, not \[1, 2\]"),
        ({"weights": {0: 1}}, TypeError, "weights must have leg names such as 'q0' as keys, not 0"),
        ({"weights": {"q0": -1}}, ValueError, r"weights\['q0'\] must be finite, at least 0.*-1"),
        ({"weights": {"q0": NAN}}, ValueError, r"weights\['q0'\] must be finite"),
        ({"weights": {"q0": 1e13}}, ValueError, r"at most 1e\+12"),
        ({"weights": {"q0": None}}, TypeError, r"weights\['q0'\] must be a number"),
        ({"weights": {"q0": True}}, TypeError, r"weights\['q0'\] must be a number"),
        ({"rank_constant": -1}, ValueError, "rank_constant must be finite, at least 0, not -1"),
        ({"rank_constant": 1j}, TypeError, "rank_constant must be a number of at least 0, not 1j"),
        ({"rank_constant": 10**400}, ValueError, "rank_constant must be finite"),
        ({"top_k": -1}, ValueError, "top_k must be at least 0, not -1"),
    ],
)
def test_a_bad_policy_is_refused_by_name_value_and_range(
    fields: dict[str, Any], error: type[Exception], words: str
) -> None:
    """A fusion policy refuses as a plan does."""
    with pytest.raises(error, match=words):
        FusionPolicy(**fields)


@pytest.mark.parametrize(
    ("fields", "error", "words"),
    [
        ({"max_calls": -1}, ValueError, "max_calls must be at least 0, not -1"),
        ({"max_calls": 1.5}, TypeError, "max_calls must be an int of at least 0, not 1.5"),
        ({"max_seconds": -0.1}, ValueError, "max_seconds must be finite, at least 0, not -0.1"),
        ({"max_seconds": INF}, ValueError, "max_seconds must be finite, at least 0, not inf"),
        ({"max_seconds": "1"}, TypeError, "max_seconds must be a number of at least 0, not '1'"),
    ],
)
def test_a_bad_budget_is_refused_by_name_value_and_range(
    fields: dict[str, Any], error: type[Exception], words: str
) -> None:
    """A stage budget refuses as a plan does."""
    with pytest.raises(error, match=words):
        StageBudget(**fields)


def test_a_plan_cannot_be_changed() -> None:
    """A plan, its budgets and its policy's weights are fixed once made."""
    weights = {"q0": 2.0}
    budgets = {"retrieve": StageBudget(max_calls=1)}
    plan = RetrievalExecutionPlan(fusion=FusionPolicy(weights=weights), budgets=budgets)
    weights["q0"] = -1.0
    budgets["retrieve"] = StageBudget(max_calls=99)

    assert plan.fusion is not None
    assert plan.fusion.weights == {"q0": 2.0}
    assert plan.budget("retrieve") == StageBudget(max_calls=1)
    assert isinstance(plan.fusion.weights, Mapping)
    with pytest.raises(TypeError):
        plan.fusion.weights["q0"] = 0.0  # type: ignore[index]
    with pytest.raises(dataclasses.FrozenInstanceError):
        plan.top_k = 3  # type: ignore[misc]


def test_a_plan_can_be_hashed_copied_and_pickled() -> None:
    """Equal plans hash alike, and a plan survives a copy and a trip to another process."""
    plan = RetrievalExecutionPlan(
        fusion=FusionPolicy(weights={"q1": 0.5}, top_k=9), budgets={"retrieve": StageBudget(2, 1.5)}
    )

    assert copy.deepcopy(plan) == plan
    assert pickle.loads(pickle.dumps(plan)) == plan  # noqa: S301 - our own bytes
    assert hash(copy.copy(plan)) == hash(plan)


def test_whole_numbers_of_numpy_are_whole_numbers() -> None:
    """A numpy integer is taken, and kept as Python's own."""
    plan = RetrievalExecutionPlan(top_k=np.int64(3), deadline_seconds=np.float64(1.5))  # type: ignore[arg-type]

    assert (plan.top_k, type(plan.top_k)) == (3, int)
    assert plan.deadline_seconds == 1.5


def test_budgets_are_given_as_a_mapping_or_as_pairs() -> None:
    """Both spellings, with the stage as a name or a StageKind, mean the same."""
    budget = StageBudget(max_calls=4)
    spellings: list[Any] = [
        {"retrieve": budget},
        {StageKind.RETRIEVE: budget},
        (("retrieve", budget),),
        [("retrieve", budget)],
    ]

    assert {RetrievalExecutionPlan(budgets=given).budgets for given in spellings} == {
        (("retrieve", budget),)
    }


def test_budget_returns_the_budget_of_a_stage_or_none() -> None:
    """A stage is named by its kind or its name; without a budget it is None, unknown is refused."""
    plan = RetrievalExecutionPlan(budgets={"retrieve": StageBudget(max_seconds=2)})

    assert plan.budget(StageKind.RETRIEVE) == StageBudget(max_seconds=2)
    assert plan.budget("fuse") is None
    with pytest.raises(
        ValueError, match="one of transform, retrieve, fuse, rerank, compress, not 'x'"
    ):
        plan.budget("x")
    with pytest.raises(TypeError, match="stage must be a StageKind or a str, not None"):
        plan.budget(None)  # type: ignore[arg-type]


def test_a_budget_shows_both_its_fields() -> None:
    """The repr of a budget is a call that makes it."""
    assert repr(StageBudget(max_calls=4)) == "StageBudget(max_calls=4, max_seconds=None)"
