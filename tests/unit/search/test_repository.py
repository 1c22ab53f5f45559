from __future__ import annotations

import json
import math
import random
from typing import Any

import pytest

from citehop import CitationRepository, Filter, Paper, RetrievalConfig, RetrievalStatus
from citehop.graph.store import CitationPath
from citehop.search.hit import Hit
from tests.unit.search.conftest import small_corpus
from tests.unit.search.dict_store import DictStore


def _ids(hits: Any) -> list[str]:
    return [hit.doc_id for hit in hits]


def _hit(hits: Any, key: str) -> Hit:
    found: Hit = next(hit for hit in hits if hit.doc_id == key)
    return found


def test_a_search_finds_papers_by_words_and_by_citations(repository: CitationRepository) -> None:
    """Both legs run, and papers without a word of the query are among the hits."""
    response = repository.search("attention pruning")

    assert response.status is RetrievalStatus.SUCCESS
    assert _ids(response) == ["head", "twin", "notice", "block", "routing", "kernel"]
    assert [(leg.kind.value, leg.status.value, leg.hits) for leg in response.legs] == [
        ("lexical", "success", 3),
        ("graph", "success", 4),
    ]


def test_each_hit_has_its_scores(repository: CitationRepository) -> None:
    """The parts of a graph hit and of the best lexical hit are what the formula gives."""
    hits = repository.search("attention pruning").hits
    head, block, kernel = (_hit(hits, key) for key in ("head", "block", "kernel"))

    # 0.5 * 1 + 0.3 * 1 + 0.2 * (2010 - 2000) / 20, and so on.
    assert (head.graph_distance, head.graph_score, head.recency_score) == (0, 1.0, 0.5)
    assert head.score == head.final_score == 0.9
    assert (block.graph_distance, block.graph_score, block.recency_score) == (1, 0.6, 0.75)
    assert (block.bm25_score, block.final_score) == (0.0, 0.33)
    assert (kernel.graph_distance, kernel.final_score) == (2, 0.14)


def test_the_bm25_score_is_the_formulas(repository: CitationRepository) -> None:
    """Written out for one paper: idf times the saturated, length-normalised frequency."""
    lengths = {"head": 5, "twin": 5, "block": 5, "routing": 5, "kernel": 5, "notice": 12}
    mean = (sum(lengths.values()) + 2) / 8
    norm = 1.5 * (1 - 0.75 + 0.75 * 5 / mean)
    attention = math.log((8 - 3 + 0.5) / (3 + 0.5) + 1) * 2.5 / (1 + norm)
    pruning = math.log((8 - 1 + 0.5) / (1 + 0.5) + 1) * 2.5 / (1 + norm)

    hit = repository.search("attention pruning")[0]

    assert hit.bm25_score == pytest.approx(attention + pruning, rel=1e-8)


def test_a_graph_hit_keeps_its_own_bm25_score(store: DictStore) -> None:
    """A paper that is no lexical hit for want of room keeps its score, and gains by it."""
    config = RetrievalConfig(top_k_lexical=1)
    hits = CitationRepository(store, config=config).search("attention pruning").hits

    twin = _hit(hits, "twin")
    assert (twin.graph_distance, twin.legs) == (2, {"graph": 5})
    assert 0 < twin.bm25_score < hits[0].bm25_score


def test_a_hit_names_its_legs_seeds_and_chain(repository: CitationRepository) -> None:
    """Ranks count from 1 in each leg's own list; the chain starts at the nearest, best seed."""
    hits = repository.search("attention pruning").hits
    head, block, kernel = (_hit(hits, key) for key in ("head", "block", "kernel"))

    assert (head.legs, dict(head.seeds), head.path) == ({"lexical": 1}, {"twin": 2}, None)
    assert (block.legs, dict(block.seeds)) == ({"graph": 1}, {"head": 1, "twin": 1})
    assert block.path == CitationPath(("head", "block"), ("cites",))
    assert kernel.path == CitationPath(("head", "x", "kernel"), ("cites", "cited_by"), ("x",))


def test_each_hit_says_why_it_is_there(repository: CitationRepository) -> None:
    """A sentence: the words, or the chain of citations back to a lexical hit."""
    hits = repository.search("attention pruning").hits

    assert [_hit(hits, key).reason for key in ("head", "block", "routing", "kernel")] == [
        "found because its text has “attention” and “pruning”",
        "found because it is cited by “Attention pruning” (head)",
        (
            "found because it is cited by “Block selection” (block), which is cited by"
            " “Attention pruning” (head)"
        ),
        (
            "found because it cites x, which is cited by “Attention pruning” (head), through 1 work"
            " outside the corpus"
        ),
    ]


def test_a_citing_paper_says_what_it_cites(store: DictStore) -> None:
    """The sentence follows the direction of the edge."""
    hits = CitationRepository(store).search("routing").hits

    assert _hit(hits, "block").reason == "found because it cites “Routing tables” (routing)"


def test_without_externals_they_are_no_bridge(store: DictStore) -> None:
    """`external=False` leaves out what only an outside work joins."""
    config = RetrievalConfig(external=False)

    assert "kernel" not in _ids(CitationRepository(store).search("pruning", config=config))
    assert "kernel" in _ids(CitationRepository(store).search("pruning"))


def test_notices_are_found_but_are_no_seeds(store: DictStore) -> None:
    """A retraction notice is a lexical hit from which no walk starts."""
    response = CitationRepository(store).search("attention")

    assert "notice" in _ids(response)
    assert store.asked["expand"].seeds == ("head", "twin")
    alone = CitationRepository(store).search("retraction")
    assert (alone.legs[1].status.value, alone.legs[1].reason) == ("skipped", "NO_SEEDS")


def test_retracted_papers_are_marked_and_can_be_left_out(repository: CitationRepository) -> None:
    """The mark and its evidence are in the output; a filter leaves retracted papers out."""
    hit = repository.search("island")[0].to_dict()

    assert hit["doc"]["retracted"] == "yes"
    assert hit["doc"]["retraction_evidence"] == "the record says so"
    kept = repository.search("island", filter={"retracted": ["no", "suspected"]})
    assert (kept.hits, kept.legs[0].reason) == ([], "FILTERED")


def test_n_seeds_bounds_the_seeds_not_the_hits(store: DictStore) -> None:
    """A lexical hit that seeds nothing may be reached by the walk; it stays a lexical hit."""
    config = RetrievalConfig(n_seeds=1)
    hits = CitationRepository(store, config=config).search("attention pruning").hits

    assert store.asked["expand"].seeds == ("head",)
    twin = _hit(hits, "twin")
    assert twin.legs == {"lexical": 2, "graph": 5}
    assert (twin.graph_distance, twin.graph_score, dict(twin.seeds)) == (0, 1.0, {"head": 2})
    assert twin.path is None


def test_both_legs_obey_the_filter(store: DictStore) -> None:
    """Neither hits nor seeds are outside of it; undated papers pass no year filter."""
    repository = CitationRepository(store)

    response = repository.search("attention pruning", filter=Filter(year_min=2010))

    assert _ids(response) == ["head", "block", "routing"]
    assert store.asked["expand"].seeds == ("head",)
    assert response.legs[0].details["matched"] == 1


def test_excluded_ids_are_neither_hit_seed_nor_bridge(store: DictStore) -> None:
    """What is excluded is as good as not there."""
    response = CitationRepository(store).search("attention pruning", exclude_ids=["block", "twin"])

    assert _ids(response) == ["head", "notice", "kernel"]
    assert store.asked["expand"].exclude == {"block", "twin"}
    assert response.legs[0].details["matched"] == 2


def test_exclusion_leaves_room_for_the_next(store: DictStore) -> None:
    """The best lexical hits are taken after what is excluded is gone."""
    config = RetrievalConfig(top_k_lexical=1, max_hops=0)
    repository = CitationRepository(store, config=config)

    assert _ids(repository.search("attention pruning", exclude_ids=["head"])) == ["twin"]


def test_limits_are_told_and_are_no_degradation(store: DictStore) -> None:
    """Each leg says how many there were, how many it returned, how many are in the answer."""
    config = RetrievalConfig(top_k_lexical=2, top_k=3, limit=2, per_seed_limit=2)
    response = CitationRepository(store, config=config).search("attention pruning")

    lexical, graph = response.legs
    assert response.status is RetrievalStatus.SUCCESS
    assert _ids(response) == ["head", "twin", "block"]
    assert (lexical.truncated, dict(lexical.details)) == (
        True,
        {"matched": 3, "returned": 2, "in_answer": 2},
    )
    assert graph.truncated
    assert graph.details["seeds"] == ["head", "twin"]
    assert (graph.details["reached"], graph.details["returned"]) == (3, 2)
    assert graph.details["in_answer"] == 1
    assert graph.details["cut"]["head"] == {"left_out": 0, "exact": False}


def test_nothing_is_truncated_where_all_is_returned(repository: CitationRepository) -> None:
    """Without a cut the outcomes say so."""
    response = repository.search("attention pruning")

    assert [leg.truncated for leg in response.legs] == [False, False]
    assert response.legs[1].details["cut"] == {}
    assert response.legs[1].details["completed_hops"] == 2


def test_chains_are_asked_for_once_and_for_returned_graph_hits_alone(store: DictStore) -> None:
    """One call with a pair for each hit of the graph that is in the answer."""
    config = RetrievalConfig(top_k=4)
    CitationRepository(store, config=config).search("attention pruning")

    assert store.calls == ["papers", "expand", "paths"]
    assert store.asked["paths"].pairs == (("head", "block"),)


def test_top_k_none_returns_all(repository: CitationRepository) -> None:
    """Without a limit the whole merged set is returned."""
    assert len(repository.search("attention", config=RetrievalConfig(top_k=None))) == 6


def test_the_lexical_leg_names_the_revision(repository: CitationRepository) -> None:
    """What answered can be told apart later."""
    assert repository.revision is None
    response = repository.search("attention")

    assert response.legs[0].diagnostics["revision"] == "r8" == repository.revision
    assert response.legs[1].diagnostics["backend"] == "dicts"


def test_a_response_is_json(repository: CitationRepository) -> None:
    """Outcome and hits go through `json` without NaN, and come back equal."""
    response = repository.search("attention pruning", query_embedding=[0.1])
    document = {**response.to_dict(), "hits": [hit.to_dict() for hit in response]}

    assert json.loads(json.dumps(document, allow_nan=False)) == document
    assert document["hit_count"] == 6
    assert document["hits"][5]["path"] == {
        "nodes": ["head", "x", "kernel"],
        "steps": ["cites", "cited_by"],
        "external": ["x"],
    }


def test_a_query_embedding_gives_a_skipped_dense_leg(repository: CitationRepository) -> None:
    """No store has embeddings; the response says so, and is whole otherwise."""
    response = repository.search("attention", query_embedding=[0.1, 0.2])

    dense = response.leg("dense")
    assert dense is not None
    assert (dense.status.value, dense.reason) == ("skipped", "NO_EMBEDDINGS")
    assert response.status is RetrievalStatus.SUCCESS
    assert repository.search("attention").leg("dense") is None


def test_the_answer_does_not_depend_on_the_order_of_loading() -> None:
    """Every order of the same records gives the same bytes."""
    documents = set()
    for seed in range(6):
        papers = small_corpus()
        random.Random(seed).shuffle(papers)
        response = CitationRepository(DictStore(papers)).search("attention pruning kernel")
        legs = [{**leg.to_dict(), "diagnostics": {}} for leg in response.legs]
        hits = [hit.to_dict() for hit in response]
        documents.add(json.dumps([legs, hits]))

    assert len(documents) == 1


def test_fields_choose_what_is_indexed(store: DictStore) -> None:
    """With the abstract alone, a word of a title finds nothing."""
    abstracts = CitationRepository(store, fields=("abstract",))

    assert _ids(abstracts.search("heads"))[0] == "head"
    assert abstracts.search("pruning").legs[0].reason == "NO_TERMS"


def test_k1_and_b_reach_the_formula(store: DictStore) -> None:
    """With `b=0` and `k1=0` a score is the idf alone."""
    hits = CitationRepository(store, k1=0, b=0).search("pruning").hits

    assert hits[0].bm25_score == pytest.approx(math.log(7.5 / 1.5 + 1), rel=1e-8)


def test_papers_keep_what_the_graph_knows(repository: CitationRepository) -> None:
    """`doc.references` and `doc.citations` are the graph's edges, whoever stated them."""
    doc = _hit(repository.search("attention"), "head").doc

    assert (doc.references, doc.citations) == (["block", "x"], ["notice"])


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"query": None}, TypeError, "query must be a str, not None"),
        ({"query": b"q"}, TypeError, "query must be a str"),
        ({"config": 3}, TypeError, "config must be a RetrievalConfig, a mapping or None"),
        ({"config": {"topk": 3}}, ValueError, "config has unknown keys"),
        ({"filter": {"yaer_min": 3}}, ValueError, "unknown keys"),
        ({"filter": 3}, TypeError, "filter must be a Filter or a mapping"),
        ({"exclude_ids": "head"}, TypeError, "exclude_ids must be a collection of ids"),
        ({"exclude_ids": [3]}, TypeError, "an entry of exclude_ids must be a str"),
        ({"exclude_ids": [" "]}, ValueError, "an entry of exclude_ids"),
        ({"timeout_seconds": 0}, ValueError, "timeout_seconds must be above 0"),
        ({"timeout_seconds": math.inf}, ValueError, "timeout_seconds must be above 0"),
        ({"timeout_seconds": "1"}, TypeError, "timeout_seconds must be a number"),
    ],
)
def test_bad_arguments_are_refused_before_anything_runs(
    store: DictStore, arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    """The message names the argument; the store is not touched."""
    with pytest.raises(error, match=message):
        CitationRepository(store).search(**{"query": "attention", **arguments})

    assert store.calls == []


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"analysis": "french"}, ValueError, "analysis must be one of plain"),
        ({"fields": ()}, ValueError, "fields must be one or more of title, abstract"),
        ({"fields": ("body",)}, ValueError, "fields must be one or more of title, abstract"),
        ({"fields": "title"}, TypeError, "fields must be a sequence"),
        ({"config": 3}, TypeError, "config must be a RetrievalConfig"),
        ({"k1": -1}, ValueError, "k1 must be from 0"),
        ({"b": 2}, ValueError, "b must be from 0 to 1"),
    ],
)
def test_a_repository_checks_how_it_is_made(
    store: DictStore, arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    """Wrong settings are refused when the repository is made."""
    with pytest.raises(error, match=message):
        CitationRepository(store, **arguments)


def test_a_store_must_be_one() -> None:
    """A list of papers is no store."""
    with pytest.raises(TypeError, match="store must be a CitationStore"):
        CitationRepository([])  # type: ignore[arg-type]


def test_the_store_is_not_closed(store: DictStore, repository: CitationRepository) -> None:
    """A store passed in is its owner's to close."""
    repository.search("attention")
    del repository

    assert "close" not in store.calls


def test_a_paper_without_title_is_named_by_its_id() -> None:
    """The sentence needs no title."""
    papers = [
        Paper("a", "", "sparse", 2000, [], ["b"]),
        Paper("b", "", "", 2001, [], ["c"]),
        Paper("c", "", "", 2002, []),
    ]
    hits = CitationRepository(DictStore(papers)).search("sparse").hits

    assert _hit(hits, "c").reason == "found because it is cited by b, which is cited by a"
