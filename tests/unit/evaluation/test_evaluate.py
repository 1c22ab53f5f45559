from __future__ import annotations

import builtins
import json
import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from citehop import (
    CitationRepository,
    CitehopError,
    NetworkXStore,
    Paper,
    RetrievalConfig,
    RetrievalEvaluation,
    RetrievalExecutionPlan,
    StoreTimeout,
    StoreUnavailable,
    evaluate_retrieval,
    read_papers,
)
from citehop.evaluation.collection import half_of, read_qrels, read_queries, sample
from citehop.evaluation.compare import compare
from tests.unit.search.dict_store import DictStore

QUERIES = {"q1": "salt", "q2": "reeds", "q3": "tides"}


@dataclass(frozen=True)
class Found:
    """A hit of a made-up index."""

    doc_id: str
    score: float = 1.0


def ranked(answers: dict[str, str]) -> Any:
    """Return a search that knows each query's answer: one letter an id."""
    return lambda query: [Found(key) for key in answers.get(query, "")]


def test_measures_are_those_of_the_textbook() -> None:
    """Gain and recall of three queries, reckoned by hand."""
    qrels = {"q1": {"a": 1}, "q2": {"a": 1, "b": 1}, "q3": {"z": 1}}

    found = evaluate_retrieval(ranked({"salt": "xa", "reeds": "axb"}), QUERIES, qrels)

    ideal = 1 + 1 / math.log2(3)
    assert found.per_query == {
        "q1": {"nDCG@10": pytest.approx(1 / math.log2(3)), "R@50": 1.0},
        "q2": {"nDCG@10": pytest.approx(1.5 / ideal), "R@50": 1.0},
        "q3": {"nDCG@10": 0.0, "R@50": 0.0},
    }
    assert found.mean["R@50"] == pytest.approx(2 / 3)
    assert found.mean == found.mean_whole
    assert len(found) == 3


def test_the_order_of_the_answer_counts_not_its_scores() -> None:
    """Equal scores, and scores that rise, change nothing; an id that comes twice counts once."""

    def search(_query: str) -> list[Found]:
        return [Found("b", 1.0), Found("b", 1.0), Found("a", 1.0), Found("c", 9.0)]

    found = evaluate_retrieval(search, {"q": "x"}, {"q": {"a": 1}}, ["RR@10", "P@1"])

    assert found.per_query["q"] == {"RR@10": 0.5, "P@1": 0.0}
    assert found.run["q"] == (("b", 1.0), ("a", 1.0), ("c", 9.0))


def test_excluded_ids_are_neither_hits_nor_relevant() -> None:
    """They are left out of answer and judgements; a query with nothing else is not judged."""
    qrels = {"q1": {"a": 1, "b": 1}, "q2": {"a": 1}, "q3": {"c": 1}}

    found = evaluate_retrieval(
        ranked({"salt": "ab", "reeds": "a", "tides": "ac"}),
        QUERIES,
        qrels,
        ["P@1", "R@50"],
        {"q1": ["a"], "q2": ["a"]},
    )

    assert found.per_query == {"q1": {"P@1": 1.0, "R@50": 1.0}, "q3": {"P@1": 0.0, "R@50": 1.0}}
    assert found.unjudged == ("q2",)
    assert found.run["q1"] == (("b", 1.0),)


def _chain() -> CitationRepository:
    """Only ``seed`` has the word; it cites ``bridge``, which cites ``end``."""
    papers = [
        Paper("seed", "Salt", "", None, [], ["bridge"]),
        Paper("bridge", "Reeds", "", None, [], ["end"]),
        Paper("end", "Tides", "", None, []),
    ]
    return CitationRepository(DictStore(papers))


def test_a_repository_walks_through_no_excluded_paper() -> None:
    """Where the search takes `exclude_ids`, an excluded paper is no bridge either."""
    qrels = {"q1": {"end": 1}}
    search = _chain().search

    with_bridge = evaluate_retrieval(search, QUERIES, qrels)
    without = evaluate_retrieval(search, QUERIES, qrels, exclude={"q1": ["bridge"]})

    assert [key for key, _ in with_bridge.run["q1"]] == ["seed", "bridge", "end"]
    assert [key for key, _ in without.run["q1"]] == ["seed"]
    assert (with_bridge.mean["R@50"], without.mean["R@50"]) == (1.0, 0.0)


def test_a_bound_plan_is_evaluated_alike() -> None:
    """An empty plan gives what its index gives; what it cannot exclude is left out afterwards."""
    repository = _chain()
    bound = RetrievalExecutionPlan().bind(repository)
    qrels = {"q1": {"end": 1}}

    plan = evaluate_retrieval(bound, QUERIES, qrels)

    assert plan == evaluate_retrieval(repository.search, QUERIES, qrels)
    excluded = evaluate_retrieval(bound, QUERIES, qrels, exclude={"q1": ["bridge"]})
    assert [key for key, _ in excluded.run["q1"]] == ["seed", "end"]


def test_exclusion_goes_to_searches_that_take_it_by_any_name() -> None:
    """A partial and a function with open keywords are given the ids, in order; others are not."""
    given: list[list[str]] = []

    def search(_query: str, **options: Any) -> list[Found]:
        given.append(options["exclude_ids"])
        return [Found("a")]

    def named(_query: str, depth: int, exclude_ids: Collection[str] = ()) -> list[Found]:
        given.append([*exclude_ids])
        return [Found("a")] * depth

    for one in (search, partial(named, depth=3)):
        evaluate_retrieval(one, {"q": "x"}, {"q": {"a": 1}}, exclude={"q": {"z", "y"}})

    assert given == [["y", "z"], ["y", "z"]]


def test_a_broken_leg_does_not_pass_for_a_bad_ranking() -> None:
    """Degraded and failed queries stand beside the mean, with what was wrong."""
    store = DictStore([Paper("a", "Salt", "", None, [], ["b"]), Paper("b", "Reeds", "", None, [])])
    repository = CitationRepository(store)
    repository.refresh()

    def search(query: str) -> Iterable[Any]:
        if query == "tides":
            raise StoreUnavailable("gone")
        store.faults["expand"] = StoreTimeout("slow")
        if query == "reeds":
            del store.faults["expand"]
        return repository.search(query)

    found = evaluate_retrieval(search, QUERIES, {key: {"b": 1} for key in QUERIES}, ["R@50"])

    assert (found.degraded, found.failed) == (("q1",), ("q3",))
    assert found.errors == {"STORE_TIMEOUT": 1, "STORE_UNAVAILABLE": 1}
    assert found.mean == {"R@50": pytest.approx(1 / 3)}
    assert found.mean_whole == {"R@50": 1.0}
    assert found.whole == ("q2",)
    assert found.to_dict()["failed"] == 1


def test_an_answer_that_says_failed_or_cancelled_is_counted() -> None:
    """Any object with a status is believed; hits of a cancelled search are scored as they are."""

    @dataclass(frozen=True)
    class Answer:
        status: str

        def __iter__(self) -> Any:
            return iter([Found("a")] if self.status != "failed" else [])

    states = {"salt": "failed", "reeds": "cancelled", "tides": "success"}
    found = evaluate_retrieval(
        lambda query: Answer(states[query]), QUERIES, {key: {"a": 1} for key in QUERIES}, ["P@1"]
    )

    assert (found.failed, found.degraded) == (("q1",), ("q2",))
    assert found.per_query["q2"] == {"P@1": 1.0}


def test_whatever_a_search_raises_is_its_failure() -> None:
    """Also while its hits are taken one by one; the other queries are measured."""

    def search(query: str) -> Iterable[Found]:
        if query == "salt":
            raise KeyError(query)
        yield Found("a")
        if query == "reeds":
            raise RuntimeError(query)

    found = evaluate_retrieval(search, QUERIES, {key: {"a": 1} for key in QUERIES}, ["P@1"])

    assert found.failed == ("q1", "q2")
    assert found.errors == {"KeyError": 1, "RuntimeError": 1}
    assert [found.per_query[key]["P@1"] for key in QUERIES] == [0.0, 0.0, 1.0]
    assert found.mean_whole == {"P@1": 1.0}


def test_interrupts_pass() -> None:
    """Ctrl-C is no failure of a search: it ends the evaluation."""

    def interrupted(_query: str) -> list[Found]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluate_retrieval(interrupted, QUERIES, {"q1": {"a": 1}})


def test_a_blank_query_finds_nothing() -> None:
    """It is not asked, as a plan would refuse it, and scores 0."""
    found = evaluate_retrieval(ranked({" ": "a"}), {"q": " "}, {"q": {"a": 1}}, ["P@1"])

    assert (found.mean, found.failed) == ({"P@1": 0.0}, ())


def test_arguments_are_checked() -> None:
    """Each error says what was given and what was expected."""
    search = ranked({"salt": "a"})
    qrels = {"q1": {"a": 1}}

    with pytest.raises(ValueError, match="there is no measure 'recall@50'; expected names such as"):
        evaluate_retrieval(search, QUERIES, qrels, ["recall@50"])
    with pytest.raises(ValueError, match="at least one"):
        evaluate_retrieval(search, QUERIES, qrels, [])
    with pytest.raises(TypeError, match="sequence of names"):
        evaluate_retrieval(search, QUERIES, qrels, "nDCG@10")
    with pytest.raises(ValueError, match=r"no query is judged.*3 queries and judgements of 1"):
        evaluate_retrieval(search, QUERIES, {"q1": {"a": 0}})
    with pytest.raises(TypeError, match="search must be callable"):
        evaluate_retrieval(None, QUERIES, qrels)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"hit 1 has no identity.*got tuple"):
        evaluate_retrieval(lambda _: [("a", 1.0)], QUERIES, qrels)


def test_without_the_extra_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where ir-measures is absent, the command that brings it is told."""
    real = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name == "ir_measures":
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(CitehopError, match=r"pip install 'citehop\[eval\]'") as caught:
        evaluate_retrieval(ranked({}), QUERIES, {"q1": {"a": 1}})

    assert caught.value.code == "EXTRA_MISSING"


def test_progress_is_told_after_each_query() -> None:
    """Done and in all, from one to the last."""
    seen: list[tuple[int, int]] = []

    evaluate_retrieval(
        ranked({}),
        QUERIES,
        {"q1": {"a": 1}, "q3": {"a": 1}},
        progress=lambda done, of: seen.append((done, of)),
    )

    assert seen == [(1, 2), (2, 2)]


def test_a_result_is_json() -> None:
    """Means and counts go through `json` without NaN, also where no query ran in whole."""

    def gone(_query: str) -> list[Found]:
        raise StoreUnavailable("gone")

    found = evaluate_retrieval(gone, QUERIES, {"q1": {"a": 1}}, ["P@1"])

    assert json.loads(json.dumps(found.to_dict(), allow_nan=False)) == {
        "queries": 1,
        "degraded": 0,
        "failed": 1,
        "unjudged": 2,
        "errors": {"STORE_UNAVAILABLE": 1},
        "mean": {"P@1": 0.0},
        "mean_whole": None,
    }


@pytest.mark.shared
def test_propagation_gains_on_real_citations_and_loses_nothing_without(shared_dir: Path) -> None:
    """On 60 held-out ACL queries it beats words alone; with no citation left it is them."""
    folder = shared_dir / "data" / "acl_scisumm"
    asked, qrels = read_queries(folder / "queries.jsonl"), read_qrels(folder / "qrels.tsv")
    keys = sample([key for key in asked.texts if half_of(key)], 60)
    texts = {key: asked.texts[key] for key in keys}
    whole, bare = NetworkXStore(), NetworkXStore()
    whole.load(read_papers(folder / "papers.jsonl"))
    bare.load(read_papers(folder / "papers.jsonl"))
    with_edges = {paper.id: paper for paper in read_papers(folder / "edges_inside.tsv")}
    whole.load(
        Paper(p.id, p.title, p.abstract, p.year, p.authors, with_edges[p.id].references)
        for p in bare.papers()
        if p.id in with_edges
    )

    def run(store: NetworkXStore, config: RetrievalConfig) -> RetrievalEvaluation:
        search = partial(CitationRepository(store).search, config=config)
        return evaluate_retrieval(search, texts, qrels, exclude=asked.exclude)

    words = run(whole, RetrievalConfig(top_k_lexical=50, max_hops=0, w_recency=0))
    flows = run(whole, RetrievalConfig.propagation())
    thin = run(bare, RetrievalConfig.propagation())
    ndcg, recall = compare(words, flows)

    assert ndcg.gain > 0
    assert recall.gain > 0.18
    assert thin.per_query == words.per_query
    assert not words.degraded
    assert not flows.failed


@pytest.mark.parametrize(
    "name",
    [
        *("nDCG@0", "P@0", "R@0", "AP@0", "Success@0", "RR@0", "nDCG@1000001", "nDCG@1.5"),
        *("nDCG@99999999999999999999", "IPrec@7"),
    ],
)
def test_a_cutoff_that_no_ranking_has_is_refused(name: str) -> None:
    """It would end the process, or never end."""
    with pytest.raises(ValueError, match=f"there is no measure '{name}'; expected names such as"):
        evaluate_retrieval(ranked({"salt": "a"}), QUERIES, {"q1": {"a": 1}}, [name])


def test_gains_in_a_measure_are_bounded_as_grades_are() -> None:
    """They size the memory as well."""
    search = ranked({"salt": "a"})
    bounded = evaluate_retrieval(search, QUERIES, {"q1": {"a": 1}}, ["nDCG(gains={1:1000})@3"])

    assert list(bounded.mean.values()) == [1.0]
    with pytest.raises(ValueError, match="there is no measure"):
        evaluate_retrieval(search, QUERIES, {"q1": {"a": 1}}, ["nDCG(gains={1:1001})@3"])


def test_grades_are_bounded_and_exclusions_are_no_text() -> None:
    """A grade of a billion would take its memory, and letters of one id are no ids."""
    search = ranked({"salt": "a"})

    with pytest.raises(ValueError, match="a grade of query 'q1' is not from -1000 to 1000"):
        evaluate_retrieval(search, QUERIES, {"q1": {"a": 1001}}, ["nDCG@10"])
    with pytest.raises(TypeError, match="exclude must map 'q1' to a collection of ids"):
        evaluate_retrieval(search, QUERIES, {"q1": {"a": 1}}, ["nDCG@10"], {"q1": "a"})
