"""The API page that the plan follows, sentence by sentence, and the examples of both pages."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
import re
from pathlib import Path
from typing import Any

import pytest

import citehop.plan
from citehop import (
    CharBudgetCompressor,
    ExecutionResult,
    FusionPolicy,
    RetrievalExecutionPlan,
    RetrievalStatus,
    StageBudget,
    StageStatus,
)
from tests.unit.plan.fakes import Doc, FakeClock, FakeHit, FakeIndex, hits, variants

PAGES = ["000_4e922eadfffda71d.txt", "001_60de474e89206790.txt"]


@pytest.mark.shared
@pytest.mark.parametrize("page", PAGES)
def test_the_examples_of_a_source_page_run(shared_dir: Path, page: str) -> None:
    """The doctest lines run as they stand there, with other import lines."""
    text = (shared_dir / "seeds" / page).read_text(encoding="utf-8")
    lines = text[text.index("Examples") :].splitlines()
    kept = [line for line in lines if re.match(r">>>|\.\.\.|<Retrieval|StageBudget\(", line)]
    source = re.sub(r"from scikitplot\S* import", "from citehop import", "\n".join(kept))
    names: dict[str, Any] = {name: getattr(citehop, name) for name in citehop.__all__}
    test = doctest.DocTestParser().get_doctest(source, names, page, None, None)
    result = doctest.DocTestRunner().run(test)

    assert result.failed == 0
    assert result.attempted >= 2


@pytest.mark.parametrize("name", [m.name for m in pkgutil.iter_modules(citehop.plan.__path__)])
def test_the_examples_of_the_docstrings_run(name: str) -> None:
    """Each example shows what happens."""
    assert doctest.testmod(importlib.import_module(f"citehop.plan.{name}")).failed == 0


def test_fields_their_order_and_their_defaults() -> None:
    """The signature is the page's."""
    found = inspect.signature(RetrievalExecutionPlan).parameters

    assert {name: parameter.default for name, parameter in found.items()} == {
        "retrieval": None,
        "transform": None,
        "keep_original": True,
        "max_queries": 8,
        "fusion": None,
        "rerank": None,
        "rerank_depth": None,
        "compress": None,
        "top_k": None,
        "budgets": (),
        "deadline_seconds": None,
        "on_error": "degrade",
        "clock": None,
    }
    assert list(found)[:3] == ["retrieval", "transform", "keep_original"]


def test_run_takes_what_the_page_says() -> None:
    """Index and query by place, the rest by name, None by default."""
    found = inspect.signature(RetrievalExecutionPlan.run).parameters

    assert list(found) == ["self", "index", "query", "query_embedding", "embed_query", "filter"]
    assert all(
        found[name].kind is inspect.Parameter.KEYWORD_ONLY and found[name].default is None
        for name in ("query_embedding", "embed_query", "filter")
    )


def test_retrieval_is_passed_as_config_and_none_leaves_the_index_its_own() -> None:
    """retrieval: goes to ``index.search`` as ``config``; None passes nothing."""
    index = FakeIndex()
    config = object()
    RetrievalExecutionPlan(retrieval=config).run(index, "q")
    RetrievalExecutionPlan().run(index, "q")

    assert index.asked == [("q", {"config": config}), ("q", {})]


def test_transform_rewrites_refusing_empty_text_and_running_doubles_once() -> None:
    """transform: an empty query is refused, an exact double runs once."""
    index = FakeIndex()
    RetrievalExecutionPlan(transform=variants("x", "x", "q")).run(index, "q")
    with pytest.raises(ValueError, match="entry 1 of transform must not be empty"):
        RetrievalExecutionPlan(transform=variants("x", ""), on_error="raise").run(index, "q")

    assert index.queries == ["q", "x"]


def test_keep_original_runs_the_query_first_whatever_transform_gives() -> None:
    """keep_original: first, also where transform puts it last."""
    index = FakeIndex()
    RetrievalExecutionPlan(transform=variants("x", "q")).run(index, "q")

    assert index.queries == ["q", "x"]


def test_max_queries_drops_what_is_over_and_transform_reports_it() -> None:
    """max_queries: eight run by default; further ones are dropped, transform is DEGRADED."""
    index = FakeIndex()
    plan = RetrievalExecutionPlan(transform=variants(*"abcdefghij"))
    result = plan.run(index, "q")

    assert index.queries == list("qabcdefg")
    assert result.stage("transform").status is StageStatus.DEGRADED


def test_fusion_names_legs_by_number_and_none_is_the_default_policy() -> None:
    """fusion: query i's leg is ``q{i}``; None and ``FusionPolicy()`` give the same."""
    index = FakeIndex({"q": hits("a", "b"), "x": hits("b", "c")})
    given = RetrievalExecutionPlan(transform=variants("x"), fusion=FusionPolicy()).run(index, "q")
    default = RetrievalExecutionPlan(transform=variants("x")).run(index, "q")

    assert given.hits == default.hits
    assert list(default.responses) == ["q0", "q1"]


def test_fusion_is_not_used_with_one_query() -> None:
    """fusion: scores stay the index's."""
    result = RetrievalExecutionPlan(fusion=FusionPolicy(rank_constant=1)).run(
        FakeIndex(default=hits("a")), "q"
    )

    assert (result[0].score, result.stage("fuse").status) == (1.0, StageStatus.SKIPPED)


def test_a_policy_that_keeps_nothing_is_refused() -> None:
    """fusion: ``top_k=0`` can be written, but no plan takes it."""
    policy = FusionPolicy(top_k=0)
    with pytest.raises(ValueError, match="fusion must have a top_k of at least 1"):
        RetrievalExecutionPlan(fusion=policy)


def test_a_policy_that_weighs_every_query_0_makes_fuse_degraded() -> None:
    """fusion: reported, and the hits are kept."""
    result = RetrievalExecutionPlan(
        transform=variants("x"), fusion=FusionPolicy(weights={"q0": 0, "q1": 0})
    ).run(FakeIndex(default=hits("a")), "q")

    assert result.stage("fuse").status is StageStatus.DEGRADED
    assert [hit.doc_id for hit in result] == ["a"]


def test_rerank_gives_one_finite_score_a_hit_and_ties_keep_the_order() -> None:
    """rerank: higher is better; equal scores keep the fused order; a NaN fails the stage."""
    index = FakeIndex(default=hits("a", "b", "c"))
    ranked = RetrievalExecutionPlan(rerank=lambda _, __: [1, 1, 2]).run(index, "q")
    failed = RetrievalExecutionPlan(rerank=lambda _, __: [1, 1, float("nan")]).run(index, "q")

    assert [hit.doc_id for hit in ranked] == ["c", "a", "b"]
    assert failed.stage("rerank").status is StageStatus.FAILED


def test_rerank_depth_needs_a_top_k_within_it() -> None:
    """rerank_depth: None passes all; set, ``top_k`` must be set and at most as large."""
    for top_k in (None, 4):
        with pytest.raises(ValueError, match="rerank_depth"):
            RetrievalExecutionPlan(rerank_depth=3, top_k=top_k)
    seen: list[int] = []

    def rerank(_: str, found: Any) -> list[float]:
        seen.append(len(found))
        return [0.0] * len(found)

    index = FakeIndex(default=hits("a", "b", "c", "d"))
    RetrievalExecutionPlan(rerank=rerank).run(index, "q")
    RetrievalExecutionPlan(rerank=rerank, rerank_depth=3, top_k=3).run(index, "q")

    assert seen == [4, 3]


def test_compress_keeps_ordered_ranges_of_each_text_and_an_empty_entry_nothing() -> None:
    """compress: one entry a hit, each of ``(start, end)`` ranges of ``hit.doc.text``."""
    index = FakeIndex(default=hits("a", "b", text="0123456789"))
    plan = RetrievalExecutionPlan(compress=lambda _, __: [[(0, 2), (5, 9)], []])
    kept = plan.run(index, "q")

    assert [hit.kept_text for hit in kept] == ["01 5678", ""]


def test_the_compressor_that_the_page_names_ships() -> None:
    """compress: a ``CharBudgetCompressor`` is a compressor."""
    index = FakeIndex(default=hits("a", text="Ab cd."))
    result = RetrievalExecutionPlan(compress=CharBudgetCompressor(3)).run(index, "q")

    assert result[0].kept_text == "Ab"


def test_top_k_hits_are_returned_and_none_returns_every_hit() -> None:
    """top_k: every hit that retrieve found without it."""
    index = FakeIndex({"q": hits("a", "b"), "x": hits("c")})

    assert len(RetrievalExecutionPlan(transform=variants("x")).run(index, "q")) == 3
    assert len(RetrievalExecutionPlan(transform=variants("x"), top_k=1).run(index, "q")) == 1


@pytest.mark.parametrize("stage", ["transform", "fuse", "rerank", "compress"])
def test_budgets_of_stages_that_make_one_call_are_refused(stage: str) -> None:
    """budgets: only retrieve makes several calls."""
    with pytest.raises(ValueError, match=f"not '{stage}': the other stages make one call each"):
        RetrievalExecutionPlan(budgets={stage: StageBudget()})


def test_after_the_deadline_no_stage_or_query_starts_but_fuse() -> None:
    """deadline_seconds: counted from the plan's start; fuse, in process, always runs."""
    clock = FakeClock()
    index = FakeIndex(default=clock.during(1, hits("a")))
    plan = RetrievalExecutionPlan(
        transform=variants("x", "y"),
        rerank=lambda _, __: [1.0],
        deadline_seconds=2,
        clock=clock,
    )
    result = plan.run(index, "q")

    assert index.queries == ["q", "x"]
    assert result.stage("fuse").status is StageStatus.SUCCESS
    assert result.stage("rerank").status is StageStatus.DEGRADED


def test_on_error_degrade_reports_and_keeps_raise_propagates() -> None:
    """on_error: the previous stage's output stands, or the exception passes."""
    index = FakeIndex(default=hits("a"))
    broken = FakeClock().during(0, LookupError("x"))
    result = RetrievalExecutionPlan(rerank=broken).run(index, "q")

    assert result.stage("rerank").status is StageStatus.FAILED
    assert [hit.doc_id for hit in result] == ["a"]
    with pytest.raises(LookupError):
        RetrievalExecutionPlan(rerank=broken, on_error="raise").run(index, "q")
    with pytest.raises(LookupError):
        RetrievalExecutionPlan(on_error="raise").run(FakeIndex(default=LookupError()), "q")


def test_clock_none_is_the_performance_counter(monkeypatch: pytest.MonkeyPatch) -> None:
    """clock: ``time.perf_counter`` unless another is given."""
    readings = iter([5.0, 5.0, 5.0, 8.0])
    monkeypatch.setattr("time.perf_counter", lambda: next(readings))

    assert RetrievalExecutionPlan().run(FakeIndex(), "q").seconds == 3.0


def test_an_empty_plan_is_the_index_s_own_search() -> None:
    """Notes: the same hits in the same order, and its status."""
    result = RetrievalExecutionPlan().run(FakeIndex(default=hits("b", "a")), "q")

    assert [hit.sources["q0"] for hit in result] == hits("b", "a")
    assert result.status is RetrievalStatus.SUCCESS


def test_a_stage_with_nothing_to_do_is_skipped_never_success() -> None:
    """Notes: fuse with one query, rerank and compress with no hits, transform without any."""
    plan = RetrievalExecutionPlan(rerank=lambda _, __: [], compress=lambda _, __: [])
    result = plan.run(FakeIndex(), "q")

    assert [stage.status.value for stage in result.stages] == [
        "skipped",
        "success",
        "skipped",
        "skipped",
        "skipped",
    ]


def test_bind_returns_a_search_that_passes_its_arguments_on() -> None:
    """bind: ``query -> run(index, query, **kwargs)``."""
    index = FakeIndex(default=hits("a"))
    search = RetrievalExecutionPlan().bind(index, filter={"year_min": 1})
    result = search("q")

    assert isinstance(result, ExecutionResult)
    assert index.asked == [("q", {"filter": {"year_min": 1}})]


def test_a_hit_needs_an_identity_and_a_real_score_and_a_pair_is_none() -> None:
    """run, index: a query whose hits have none fails; ``(id, score)`` is no hit."""
    for answer in ([("a", 1.0)], [FakeHit(Doc("a"), "high")], [FakeHit(None)]):
        result = RetrievalExecutionPlan().run(FakeIndex(default=answer), "q")
        assert result.status is RetrievalStatus.FAILED


def test_the_embedding_is_of_the_query_itself_and_embed_query_makes_the_rest() -> None:
    """run, embeddings: passed with its own query; without ``embed_query`` others have none."""
    index = FakeIndex()
    plan = RetrievalExecutionPlan(transform=variants("x"))
    plan.run(index, "q", query_embedding=[1])
    plan.run(index, "q", query_embedding=[1], embed_query=lambda text: [text])
    plan.run(index, "q", embed_query=lambda text: [text])

    assert [kwargs.get("query_embedding") for _, kwargs in index.asked] == [
        [1],
        None,
        [1],
        ["x"],
        ["q"],
        ["x"],
    ]


def test_filter_goes_with_every_search() -> None:
    """run, filter: each query gets it."""
    index = FakeIndex()
    RetrievalExecutionPlan(transform=variants("x")).run(index, "q", filter={"ids": ["a"]})

    assert [kwargs for _, kwargs in index.asked] == [{"filter": {"ids": ["a"]}}] * 2


@pytest.mark.parametrize("on_error", ["degrade", "raise"])
def test_run_refuses_what_is_no_query_or_no_index(on_error: Any) -> None:
    """run, raises: TypeError for a query that is no str or no ``search``; ValueError if empty."""
    plan = RetrievalExecutionPlan(on_error=on_error)
    with pytest.raises(TypeError, match="query must be a str, not 5"):
        plan.run(FakeIndex(), 5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="query must not be empty"):
        plan.run(FakeIndex(), "")
    with pytest.raises(TypeError, match="index must have a method search"):
        plan.run(object(), "q")
    with pytest.raises(TypeError, match="embed_query must be callable or None, not 3"):
        plan.run(FakeIndex(), "q", embed_query=3)  # type: ignore[arg-type]


def test_raise_makes_bad_output_a_type_or_value_error() -> None:
    """run, raises: a component's output of the wrong type, or out of range."""
    index = FakeIndex(default=hits("a", text="abc"))
    with pytest.raises(TypeError, match="score 0 of rerank must be a real number, not str"):
        RetrievalExecutionPlan(rerank=lambda _, __: ["x"], on_error="raise").run(index, "q")  # type: ignore[list-item]
    with pytest.raises(
        ValueError, match=r"entry 0 of compress must hold ranges in order.*\(0, 9\)"
    ):
        RetrievalExecutionPlan(compress=lambda _, __: [[(0, 9)]], on_error="raise").run(index, "q")
