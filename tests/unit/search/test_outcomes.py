from __future__ import annotations

import json
from pathlib import Path

import pytest

from citehop import (
    CitationRepository,
    ErrorCategory,
    LegStatus,
    Paper,
    RetrievalConfig,
    RetrievalStatus,
    StoreTimeout,
    StoreUnavailable,
)
from tests.unit.search.dict_store import DictStore

_LEXICAL = ["head", "twin", "notice"]


@pytest.mark.parametrize("query", ["", "   ", "?", "—", "\u200b", "\ufeff", "!!! ???", "zyzzyva"])
def test_a_query_without_a_known_term_is_empty(store: DictStore, query: str) -> None:
    """Nothing, marks alone, or an unknown word: EMPTY, no seeds, and no call of the store."""
    response = CitationRepository(store).search(query)

    assert response.status is RetrievalStatus.EMPTY
    assert [(leg.status.value, leg.reason) for leg in response.legs] == [
        ("empty", "NO_TERMS"),
        ("skipped", "NO_SEEDS"),
    ]
    assert store.calls == ["papers"]


def test_an_empty_corpus_says_so() -> None:
    """Without any paper a query with words is EMPTY for another reason than one without."""
    repository = CitationRepository(DictStore())

    assert repository.search("ice").legs[0].reason == "EMPTY_INDEX"
    assert repository.search("?").legs[0].reason == "NO_TERMS"
    assert repository.search("ice").status is RetrievalStatus.EMPTY


def test_papers_without_any_token_are_an_empty_index() -> None:
    """Papers that have no text stay in the graph, and nothing divides by their mean length."""
    store = DictStore([Paper("b1", "", "", None, []), Paper("b2", "", "…", None, [])])

    assert CitationRepository(store).search("ice").legs[0].reason == "EMPTY_INDEX"


def test_matches_that_may_not_be_found_are_told(repository: CitationRepository) -> None:
    """Papers match, but the filter or the exclusion leaves none."""
    filtered = repository.search("pruning", filter={"year_min": 2015})
    excluded = repository.search("pruning", exclude_ids=["head"])

    for response in (filtered, excluded):
        assert response.status is RetrievalStatus.EMPTY
        assert (response.legs[0].reason, response.legs[0].details["matched"]) == ("FILTERED", 0)
        assert response.legs[1].reason == "NO_SEEDS"


def test_no_hops_switch_the_graph_leg_off(store: DictStore) -> None:
    """`max_hops=0`: SKIPPED, DISABLED, whatever the query; the response is no worse for it."""
    repository = CitationRepository(store, config=RetrievalConfig(max_hops=0))

    response = repository.search("attention")
    assert (response.legs[1].status.value, response.legs[1].reason) == ("skipped", "DISABLED")
    assert response.status is RetrievalStatus.SUCCESS
    assert repository.search("").legs[1].reason == "DISABLED"
    assert "expand" not in store.calls


def test_a_corpus_without_citations_says_so() -> None:
    """No edge at all; or, without externals, none between two papers."""
    bare = CitationRepository(DictStore([Paper("a", "ice", "", None, [])]))
    outside = CitationRepository(DictStore([Paper("a", "ice", "", None, [], ["x"])]))

    assert bare.search("ice").legs[1].reason == "NO_CITATIONS"
    inner = outside.search("ice", config=RetrievalConfig(external=False))
    assert inner.legs[1].reason == "NO_CITATIONS"
    assert outside.search("ice").legs[1].reason == "NO_NEIGHBOURS"


def test_a_walk_that_reaches_nothing_is_empty(repository: CitationRepository) -> None:
    """The graph leg ran to its end and found nothing; the lexical hits stand."""
    response = repository.search("island")

    graph = response.legs[1]
    assert (graph.status.value, graph.reason, graph.hits) == ("empty", "NO_NEIGHBOURS", 0)
    assert response.status is RetrievalStatus.SUCCESS


@pytest.mark.parametrize(
    ("fault", "code", "retryable"),
    [
        (StoreUnavailable("nothing answers"), "STORE_UNAVAILABLE", True),
        (StoreTimeout("no hop was whole"), "STORE_TIMEOUT", True),
        (StoreUnavailable("no", code="AUTH_FAILED", retryable=False), "AUTH_FAILED", False),
        (RuntimeError("password=hunter2"), "STORE_ERROR", False),
    ],
)
def test_a_store_that_fails_leaves_the_lexical_hits(
    store: DictStore, fault: Exception, code: str, retryable: bool
) -> None:
    """The graph leg is FAILED with the store's record, the response DEGRADED."""
    store.faults["expand"] = fault

    response = CitationRepository(store).search("attention pruning")

    assert response.status is RetrievalStatus.DEGRADED
    assert [hit.doc_id for hit in response] == _LEXICAL
    assert [hit.graph_distance for hit in response] == [0, 0, 0]
    graph = response.legs[1]
    assert graph.status is LegStatus.FAILED
    assert graph.error is not None
    assert (graph.error.code, graph.error.retryable) == (code, retryable)
    assert "hunter2" not in json.dumps(response.to_dict())


def test_the_next_search_after_a_failure_works(store: DictStore) -> None:
    """A failure is not remembered."""
    repository = CitationRepository(store)
    store.faults["expand"] = StoreUnavailable("nothing answers")
    repository.search("attention")
    store.faults.clear()

    assert repository.search("attention").status is RetrievalStatus.SUCCESS


def test_interrupts_pass(store: DictStore) -> None:
    """KeyboardInterrupt is nobody's outcome."""
    store.faults["expand"] = KeyboardInterrupt()

    with pytest.raises(KeyboardInterrupt):
        CitationRepository(store).search("attention")


def test_time_that_runs_out_in_the_walk_degrades_it(store: DictStore) -> None:
    """What is whole stands: one hop of two, and the leg says so."""
    store.stop_after = 1

    response = CitationRepository(store).search("attention pruning", timeout_seconds=2)

    graph = response.legs[1]
    assert (graph.status, graph.details["completed_hops"]) == (LegStatus.DEGRADED, 1)
    assert graph.error is not None
    assert (graph.error.code, graph.error.retryable) == ("DEADLINE_EXCEEDED", True)
    assert graph.error.category is ErrorCategory.TIMEOUT
    assert "the 2 seconds of this search were up after 1 of 2 hops" in graph.error.message
    assert [hit.doc_id for hit in response] == [*_LEXICAL, "block"]
    assert response.status is RetrievalStatus.DEGRADED


def test_time_that_is_up_before_the_walk_degrades_the_leg(store: DictStore) -> None:
    """The store was never asked: DEGRADED by a deadline, with the lexical hits."""
    response = CitationRepository(store).search("attention pruning", timeout_seconds=1e-9)

    graph = response.legs[1]
    assert (graph.status, graph.hits) == (LegStatus.DEGRADED, 0)
    assert graph.error is not None
    assert graph.error.code == "DEADLINE_EXCEEDED"
    assert [hit.doc_id for hit in response] == _LEXICAL
    assert "expand" not in store.calls


def test_the_walk_gets_what_is_left_of_the_time(store: DictStore) -> None:
    """The store is given the remainder, never more than the search was."""
    CitationRepository(store).search("attention pruning", timeout_seconds=30)

    assert 0 < store.asked["expand"].deadline.remaining <= 30
    assert store.asked["paths"].deadline.at <= store.asked["expand"].deadline.at + 1


@pytest.mark.parametrize(
    ("fault", "code"),
    [(StoreTimeout("too slow"), "STORE_TIMEOUT"), (OSError("secret"), "STORE_ERROR")],
)
def test_lost_chains_degrade_the_leg_and_keep_its_hits(
    store: DictStore, fault: Exception, code: str
) -> None:
    """The hits stand without their chains, and say how far they are from what."""
    store.faults["paths"] = fault

    response = CitationRepository(store).search("attention pruning")

    graph = response.legs[1]
    assert (graph.status, graph.hits) == (LegStatus.DEGRADED, 4)
    assert [record.code for record in response.error_records()] == [code]
    assert [hit.doc_id for hit in response][3:] == ["block", "routing", "kernel"]
    assert [hit.path for hit in response] == [None] * 6
    assert (
        response[3].reason == "found because it is 1 citation away from “Attention pruning” (head)"
    )
    assert (
        response[5].reason == "found because it is 2 citations away from “Attention pruning” (head)"
    )


def test_a_store_down_at_the_first_reading_fails_the_search(store: DictStore) -> None:
    """Lexical FAILED with the store's record, graph SKIPPED; the next search reads again."""
    repository = CitationRepository(store)
    store.faults["papers"] = StoreUnavailable("nothing answers")

    response = repository.search("attention", query_embedding=[1.0])

    assert response.status is RetrievalStatus.FAILED
    assert [(leg.kind.value, leg.status.value, leg.reason) for leg in response.legs] == [
        ("lexical", "failed", None),
        ("graph", "skipped", "NO_SEEDS"),
        ("dense", "skipped", "NO_EMBEDDINGS"),
    ]
    assert [record.code for record in response.error_records()] == ["STORE_UNAVAILABLE"]
    store.faults.clear()
    assert repository.search("attention").status is RetrievalStatus.SUCCESS


def test_a_foreign_error_at_the_first_reading_is_told_without_its_text(store: DictStore) -> None:
    """An exception that no store should raise becomes a record with a code of ours."""
    store.faults["papers"] = RuntimeError("bolt://user:hunter2@host")

    record = CitationRepository(store).search("attention").error_records()[0]

    assert (record.code, record.category) == ("STORE_ERROR", ErrorCategory.INTERNAL)
    assert "hunter2" not in record.message
    assert "RuntimeError" in record.message


def test_the_lexical_leg_goes_on_when_the_store_goes_away(store: DictStore) -> None:
    """Once read, words, filter and documents need no store."""
    repository = CitationRepository(store)
    repository.refresh()
    store.faults |= {
        name: StoreUnavailable("gone") for name in ("expand", "paths", "get", "papers")
    }

    response = repository.search("attention", filter={"year_min": 2005})

    assert [hit.doc.title for hit in response] == ["Attention pruning"]
    assert response.status is RetrievalStatus.DEGRADED


def test_a_fallback_is_named() -> None:
    """A store that stands in for another one says so in every graph leg."""

    class Fallback(DictStore):
        fallback_reason = "neo4j://host did not answer"

    store = Fallback([Paper("a", "ice", "", None, [], ["b"]), Paper("b", "", "", None, [])])

    diagnostics = CitationRepository(store).search("ice").legs[1].diagnostics
    assert diagnostics["fallback_reason"] == "neo4j://host did not answer"


def test_papers_newer_than_the_snapshot_are_left_out_and_counted(store: DictStore) -> None:
    """A neighbour that was loaded since waits for the next refresh."""
    repository = CitationRepository(store)
    repository.refresh()
    store.load([Paper("new", "New pruning", "", 2021, [], ["head"])])

    before = repository.search("pruning")
    assert "new" not in [hit.doc_id for hit in before]
    assert before.legs[1].diagnostics["newer"] == 1
    repository.refresh()
    after = repository.search("pruning")
    assert "new" in [hit.doc_id for hit in after]
    assert after.legs[1].diagnostics["newer"] == 0


@pytest.mark.shared
def test_the_queries_of_case_16_behave_as_told(shared_dir: Path) -> None:
    """Library: an empty result with NO_TERMS where nothing is known; `NULL`, `nan` are words."""
    case = shared_dir / "cases" / "16-empty-and-stopword-queries"
    lines = (case / "docs.jsonl").read_text("utf-8").splitlines()
    papers = [Paper(row["id"], row["title"], "", None, []) for row in map(json.loads, lines)]
    repository = CitationRepository(DictStore(papers))

    for query in json.loads((case / "queries.json").read_text("utf-8")):
        response = repository.search(query)
        assert (response.status, response.legs[0].reason) == (RetrievalStatus.EMPTY, "NO_TERMS")


@pytest.mark.shared
def test_the_query_of_case_17_finds_nothing(shared_dir: Path) -> None:
    """No paper without a word of the query comes back, and none seeds a walk."""
    case = shared_dir / "cases" / "17-no-match-returned-as-hit"
    lines = (case / "docs.jsonl").read_text("utf-8").splitlines()
    papers = [Paper(row["id"], row["title"], "", None, []) for row in map(json.loads, lines)]
    query = (case / "query.txt").read_text("utf-8").strip()

    response = CitationRepository(DictStore(papers)).search(query)

    assert (response.hits, response.legs[1].reason) == ([], "NO_SEEDS")
