from __future__ import annotations

import json
from dataclasses import replace

import pytest

from citehop import (
    CitationRepository,
    Explanation,
    Paper,
    RetrievalConfig,
    StoreError,
    StoreTimeout,
    StoreUnavailable,
)
from citehop.graph.store import CitationPath
from citehop.search.explanation import WeightedPart
from tests.unit.search.dict_store import DictStore


def _codes(explanation: Explanation) -> list[str]:
    return [entry.code for entry in explanation.left_out]


@pytest.mark.parametrize("key", ["head", "twin", "notice", "block", "routing", "kernel"])
@pytest.mark.parametrize("query", ["attention pruning", "pruning attention selection attention"])
def test_the_parts_of_each_hit_add_up(repository: CitationRepository, query: str, key: str) -> None:
    """Terms add up to the BM25 score, weighted parts to the final score, exactly when rounded."""
    hit = next(hit for hit in repository.search(query) if hit.doc_id == key)
    explanation = repository.explain(query, key)

    assert explanation.hit == hit
    assert explanation.bm25 is not None
    assert explanation.bm25_max is not None
    terms = 0.0
    for term in explanation.bm25.terms:
        terms += term.score
    assert hit.bm25_score == explanation.bm25_score == float(f"{terms:.9g}")
    assert explanation.parts[0].value == hit.bm25_score / explanation.bm25_max
    total = 0.0
    for part in explanation.parts:
        total += part.weight * part.value
    assert hit.final_score == explanation.final_score == float(f"{total:.9g}")


def test_a_graph_hit_is_explained_by_its_chain(repository: CitationRepository) -> None:
    """Its parts, its chain, its rank, and the words that it does not have."""
    explanation = repository.explain("attention pruning", "routing")

    assert explanation.parts == (
        WeightedPart("bm25", 0.0, 0.5),
        WeightedPart("graph", 0.3, 0.3),
        WeightedPart("recency", 1.0, 0.2),
    )
    assert (explanation.rank, explanation.final_score, explanation.bm25_score) == (5, 0.29, 0.0)
    assert explanation.path == CitationPath(("head", "block", "routing"), ("cites", "cites"))
    assert explanation.left_out == ()


def test_an_explanation_reads_as_lines(repository: CitationRepository) -> None:
    """What a person sees."""
    assert str(repository.explain("pruning zyzzyva", "block")).splitlines() == [
        "“Block selection” (block) for the query “pruning zyzzyva”",
        "rank 2: found because it is cited by “Attention pruning” (head)",
        "final score 0.33",
        "  bm25    0 x 0.5 = 0",
        "  graph   0.6 x 0.3 = 0.18",
        "  recency 0.75 x 0.2 = 0.15",
        "BM25 0, the largest is 1.77132",
        "  “pruning” idf 1.79176 x tf 0 = 0 (0 in the paper, in 1 of 8 papers)",
        "  “zyzzyva” is in no paper",
        "chain: head cites block",
    ]


def test_an_explanation_is_json(repository: CitationRepository) -> None:
    """It goes through `json` without NaN, and comes back equal."""
    for key in ("head", "kernel", "island", "nobody"):
        document = repository.explain("attention pruning", key).to_dict()
        assert json.loads(json.dumps(document, allow_nan=False)) == document


def test_an_alias_names_a_paper(repository: CitationRepository) -> None:
    """An external id that the store knows is as good as the id."""
    explanation = repository.explain("island", "10.5555/island")

    assert (explanation.id, explanation.rank) == ("island", 1)


def test_a_paper_that_is_not_there(repository: CitationRepository) -> None:
    """The corpus has no such paper, and nothing else is said."""
    explanation = repository.explain("attention", "nobody")

    assert _codes(explanation) == ["NOT_IN_CORPUS"]
    assert (explanation.paper, explanation.bm25, explanation.final_score) == (None, None, None)


def test_an_external_work_is_no_paper(repository: CitationRepository) -> None:
    """A work that is only cited is not in the corpus."""
    assert _codes(repository.explain("attention", "x")) == ["NOT_IN_CORPUS"]


def test_a_paper_that_was_not_read_yet(store: DictStore, repository: CitationRepository) -> None:
    """The store has it, the snapshot does not."""
    repository.refresh()
    store.load([Paper("late", "Pruning again", "", 2021, [])])

    assert _codes(repository.explain("pruning", "late")) == ["NOT_READ"]


def test_what_left_a_paper_out_is_named(repository: CitationRepository) -> None:
    """Filter, exclusion, no word and no chain each have their code."""
    query = "attention pruning"

    assert _codes(repository.explain(query, "twin", filter={"year_min": 2005})) == ["FILTERED"]
    assert _codes(repository.explain(query, "twin", exclude_ids=["twin"])) == ["EXCLUDED"]
    assert _codes(repository.explain(query, "island")) == ["NO_MATCH", "NOT_REACHED"]


def test_a_paper_below_top_k_keeps_its_parts(repository: CitationRepository) -> None:
    """It is in the merged set, so its score and chain are told."""
    explanation = repository.explain("attention pruning", "kernel", config=RetrievalConfig(top_k=2))

    assert (_codes(explanation), explanation.rank) == (["BELOW_TOP_K"], 6)
    assert "ranks 6 and only top_k=2" in explanation.left_out[0].message
    assert explanation.final_score == 0.14
    assert explanation.path == CitationPath(("head", "x", "kernel"), ("cites", "cited_by"), ("x",))


def test_a_paper_below_the_lexical_limit_says_its_rank(repository: CitationRepository) -> None:
    """It has a word of the query, but others have more of it."""
    config = RetrievalConfig(top_k_lexical=1, max_hops=0)

    explanation = repository.explain("attention pruning", "notice", config=config)

    assert _codes(explanation) == ["BELOW_TOP_K_LEXICAL", "GRAPH_SKIPPED"]
    assert "it ranks 3, and only top_k_lexical=1" in explanation.left_out[0].message
    assert explanation.bm25_score > 0
    assert explanation.final_score is None


def test_a_paper_cut_by_the_walk_says_so(repository: CitationRepository) -> None:
    """A seed reaches it, and a limit of the walk kept it out."""
    config = RetrievalConfig(limit=1)

    explanation = repository.explain("attention pruning", "kernel", config=config)

    assert _codes(explanation) == ["NO_MATCH", "WALK_LIMIT"]
    assert explanation.path == CitationPath(("head", "x", "kernel"), ("cites", "cited_by"), ("x",))


def test_a_paper_that_the_time_left_out(store: DictStore) -> None:
    """The walk came to its deadline before it came to the paper."""
    store.stop_after = 1

    explanation = CitationRepository(store).explain("attention pruning", "kernel")

    assert _codes(explanation) == ["NO_MATCH", "TIME_LIMIT"]


@pytest.mark.parametrize("method", ["expand", "paths"])
def test_a_graph_that_failed_is_no_answer(store: DictStore, method: str) -> None:
    """Whether the graph reaches it is not known, and that is what is said."""
    store.faults[method] = StoreTimeout("too slow")

    explanation = CitationRepository(store).explain("attention pruning", "island")

    assert _codes(explanation) == ["NO_MATCH", "GRAPH_FAILED"]
    assert "STORE_TIMEOUT" in explanation.left_out[1].message


def test_a_store_that_is_down_is_an_error_here(store: DictStore) -> None:
    """An explanation of nothing would mislead."""
    repository = CitationRepository(store)
    store.faults["papers"] = StoreUnavailable("nothing answers")

    with pytest.raises(StoreError, match="nothing answers"):
        repository.explain("attention", "head")


def test_arguments_are_checked_as_in_search(repository: CitationRepository) -> None:
    """An id must be one."""
    with pytest.raises(TypeError, match="id must be a str"):
        repository.explain("attention", None)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="id must be text"):
        repository.explain("attention", "")


def test_an_explanation_can_be_compared(repository: CitationRepository) -> None:
    """The same search makes the same record."""
    first = repository.explain("attention", "head")

    assert first == repository.explain("attention", "head")
    assert replace(first, rank=7) != first
