"""The rerank stage, and the reranker over citation evidence."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from citehop import CitationReranker, PlannedHit, RetrievalExecutionPlan, StageStatus
from tests.unit.plan.fakes import Doc, FakeHit, FakeIndex, hits, variants


def _run(rerank: Any, found: Sequence[Any], **fields: Any) -> Any:
    return RetrievalExecutionPlan(rerank=rerank, **fields).run(FakeIndex(default=found), "q")


def test_higher_is_better_and_ties_keep_the_fused_order() -> None:
    """The scores order the hits; score and rank are the reranker's from then on."""
    result = _run(lambda _, __: [1, 2, 1, 2], hits("a", "b", "c", "d"))

    assert [(hit.doc_id, hit.score, hit.rank) for hit in result] == [
        ("b", 2.0, 1),
        ("d", 2.0, 2),
        ("a", 1.0, 3),
        ("c", 1.0, 4),
    ]
    assert result[0].contributions == {"q0": 3.0}
    assert result.stage("rerank").status is StageStatus.SUCCESS


def test_rerank_gets_the_query_and_the_hits() -> None:
    """It is called once, with the original query and the fused hits."""
    seen: list[tuple[str, list[str]]] = []

    def rerank(query: str, found: Sequence[PlannedHit]) -> list[float]:
        seen.append((query, [str(hit.doc_id) for hit in found]))
        return [0.0] * len(found)

    RetrievalExecutionPlan(rerank=rerank, transform=variants("x")).run(
        FakeIndex({"q": hits("a"), "x": hits("b")}), "q"
    )

    assert seen == [("q", ["a", "b"])]


def test_rerank_depth_bounds_what_it_sees() -> None:
    """Hits beyond the depth are neither seen nor returned, so one scale ranks all."""
    result = _run(
        lambda _, found: list(range(len(found))), hits("a", "b", "c", "d"), rerank_depth=3, top_k=2
    )

    assert [(hit.doc_id, hit.score) for hit in result] == [("c", 2.0), ("b", 1.0)]


def test_no_hits_is_nothing_to_rerank() -> None:
    """SKIPPED, and the component is not called."""

    def never(_: str, __: Sequence[PlannedHit]) -> list[float]:
        raise AssertionError

    assert _run(never, []).stage("rerank").status is StageStatus.SKIPPED


@pytest.mark.parametrize(
    ("scores", "error"),
    [
        ([1.0], ValueError),
        ([1.0, 2.0, 3.0], ValueError),
        ([1.0, float("nan")], ValueError),
        ([1.0, float("inf")], ValueError),
        ([1.0, None], TypeError),
        ([1.0, True], TypeError),
        ([1.0, "2"], TypeError),
        ("ab", TypeError),
        (None, TypeError),
        ({1.0, 2.0}, TypeError),
        ({"a": 1.0, "b": 2.0}, TypeError),
        (np.ones((2, 2)), TypeError),
    ],
)
def test_scores_that_are_none_fail_the_stage(scores: Any, error: type[Exception]) -> None:
    """Not one finite score per hit: FAILED, and the fused order stands."""
    result = _run(lambda _, __: scores, hits("a", "b"))

    assert [hit.doc_id for hit in result] == ["a", "b"]
    assert result.stage("rerank").status is StageStatus.FAILED
    assert result.stage("rerank").error.code == "RERANK_INVALID"
    with pytest.raises(error):
        _run(lambda _, __: scores, hits("a", "b"), on_error="raise")


def test_numpy_scores_are_scores() -> None:
    """An array of one score per hit is a sequence like another."""
    result = _run(lambda _, __: np.array([0.1, 0.2], dtype=np.float32), hits("a", "b"))

    assert [hit.doc_id for hit in result] == ["b", "a"]


def test_a_reranker_that_raises_leaves_the_fused_order() -> None:
    """FAILED with the exception's class, cut to top_k."""

    def broken(_: str, __: Any) -> list[float]:
        raise KeyError("secret")

    result = _run(broken, hits("a", "b", "c"), top_k=2)

    assert [hit.doc_id for hit in result] == ["a", "b"]
    assert result.stage("rerank").error.message == "rerank raised KeyError"
    with pytest.raises(KeyError):
        _run(broken, hits("a"), on_error="raise")


def _hit(name: str, **evidence: Any) -> FakeHit:
    return FakeHit(Doc(name), 1.0, **evidence)


def test_what_many_seeds_reach_moves_up() -> None:
    """Evidence halves with each hop; the place so far counts for the rest."""
    found = [_hit("a"), _hit("b", seeds={"s": 2}), _hit("c", seeds={"s": 1, "t": 1, "u": 2})]
    result = _run(CitationReranker(weight=0.5), found)

    assert [(hit.doc_id, hit.score) for hit in result] == [
        ("c", pytest.approx(0.5 / 3 + 0.5)),
        ("a", pytest.approx(0.5)),
        ("b", pytest.approx(0.5 * 2 / 3 + 0.5 * 0.5 / 2.5)),
    ]


def test_a_seed_of_several_queries_counts_once_at_its_smallest_distance() -> None:
    """Two queries that found the same path are no more evidence than one."""
    index = FakeIndex({"q": [_hit("a", seeds={"s": 2})], "x": [_hit("a", seeds={"s": 1})]})
    (hit,) = RetrievalExecutionPlan(transform=variants("x")).run(index, "q")

    assert CitationReranker().evidence(hit) == 1.0


@pytest.mark.parametrize(
    ("source", "evidence"),
    [
        (SimpleNamespace(), 0.0),
        (SimpleNamespace(seeds=None), 0.0),
        (SimpleNamespace(seeds="abc"), 0.0),
        (SimpleNamespace(seeds=["s", "t"], graph_distance=2), 1.0),
        (SimpleNamespace(seeds=("s", "t")), 2.0),
        (SimpleNamespace(seeds={"s": "far", "t": 0, "u": 1, 5: 1, "v": True}), 1.0),
    ],
)
def test_evidence_is_read_from_what_is_there(source: Any, evidence: float) -> None:
    """A hit without such attributes, or with others, has none."""
    hit = PlannedHit(None, "a", 1.0, 1, {"q0": 1}, {"q0": source})

    assert CitationReranker().evidence(hit) == evidence


def test_without_evidence_the_order_stays() -> None:
    """The component never shuffles what it knows nothing about."""
    result = _run(CitationReranker(), hits("c", "a", "b"))

    assert [hit.doc_id for hit in result] == ["c", "a", "b"]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"weight": 1.1}, "weight must be finite, at least 0 and at most 1"),
        ({"decay": -1}, "decay"),
    ],
)
def test_bad_settings_are_refused(fields: dict[str, Any], words: str) -> None:
    """Both settings lie between 0 and 1."""
    with pytest.raises(ValueError, match=words):
        CitationReranker(**fields)
