from __future__ import annotations

from dataclasses import replace

import pytest

from citehop import (
    ArxivMockClient,
    InputError,
    Paper,
    RetrievalClient,
    RetrievalConfig,
    RetrievalStatus,
    SemanticScholarMockClient,
    build_client,
    build_corpus,
)
from citehop.search.client import unite

_QUERY = "attention sparsity head pruning"


class Source:
    """A source that answers every query alike, or fails."""

    def __init__(self, *papers: Paper, fault: Exception | None = None) -> None:
        self.papers = list(papers)
        self.fault = fault

    def search(self, query: str) -> list[Paper]:  # noqa: ARG002 - as the client calls it
        """Return the papers."""
        if self.fault is not None:
            raise self.fault
        return self.papers


def _corpus() -> list[Paper]:
    return [
        Paper("a", "Sparse attention", "", 2000, ["Ada"], ["b"]),
        Paper("b", "Block selection", "", 2010, ["Bo"], []),
        Paper("c", "Sparse coding", "", 2020, ["Cy"], []),
    ]


def test_the_arxiv_mock_gives_no_citations() -> None:
    """Title, abstract, year and authors, supplied by "arxiv"."""
    corpus = build_corpus()
    first = ArxivMockClient(corpus).search(_QUERY)[0]
    kept = next(paper for paper in corpus if paper.id == first.id)

    assert (first.title, first.abstract, first.year) == (kept.title, kept.abstract, kept.year)
    assert first.authors == kept.authors
    assert (first.references, first.citations, first.source) == ([], [], "arxiv")


def test_the_semantic_scholar_mock_adds_citations() -> None:
    """References and citations too, supplied by "s2"; a paper can be fetched by id."""
    corpus = build_corpus()
    client = SemanticScholarMockClient(corpus)
    kept = {paper.id: paper for paper in corpus}

    for found in client.search(_QUERY):
        assert found.references == kept[found.id].references
        assert found.citations == kept[found.id].citations
        assert found.source == "s2"
    fetched = client.fetch("p042")
    assert fetched == replace(kept["p042"], source="s2", sources=("s2",))
    assert client.fetch("p999") is None


def test_both_mocks_rank_by_the_same_index() -> None:
    """The same papers in the same order, and none for a query without a known word."""
    corpus = build_corpus()
    arxiv, s2 = ArxivMockClient(corpus), SemanticScholarMockClient(corpus)

    assert [p.id for p in arxiv.search(_QUERY)] == [p.id for p in s2.search(_QUERY)]
    assert len(arxiv.search(_QUERY, 3)) == 3
    assert (arxiv.search(""), s2.search("zyzzyva")) == ([], [])


def test_the_first_hit_is_on_the_topic() -> None:
    """The lesson's query finds a paper whose title names it."""
    assert "Attention Sparsity" in build_client().search(_QUERY).ranked[0].paper.title


def test_the_list_is_ranked_and_names_each_paper_once() -> None:
    """By final score, falling; no id twice; every score field is there."""
    ranked = build_client().search(_QUERY).ranked

    scores = [entry.final_score for entry in ranked]
    assert scores == sorted(scores, reverse=True)
    assert len({entry.paper.id for entry in ranked}) == len(ranked) == 30
    assert all(0 <= entry.recency_score <= 1 for entry in ranked)
    assert {entry.graph_distance for entry in ranked} <= {0, 1, 2}


def test_the_graph_reaches_past_the_words() -> None:
    """Some hits have no word of the query, and stand one or two citations from one that has."""
    ranked = build_client().search(_QUERY).ranked

    reached = [entry for entry in ranked if entry.bm25_score == 0]
    assert len(reached) > 5
    assert {entry.graph_distance for entry in reached} == {1, 2}
    assert all(entry.reason.startswith("found because it ") for entry in reached)


def test_without_hops_the_words_alone_count() -> None:
    """The lesson's button for the hops: none, and every hit has a word of the query."""
    ranked = build_client(RetrievalConfig(max_hops=0)).search(_QUERY).ranked

    assert len(ranked) == 10
    assert all(entry.bm25_score > 0 and entry.graph_distance == 0 for entry in ranked)


def test_all_hits_are_returned_whatever_top_k() -> None:
    """The client has no limit on the answer."""
    assert build_client(RetrievalConfig(top_k=2)).search(_QUERY).hit_count == 30


def test_the_measures_are_those_of_the_list() -> None:
    """Count, mean and best score of the ranked list, and the time taken."""
    result = build_client().search(_QUERY)

    scores = [entry.final_score for entry in result.ranked]
    assert result.hit_count == len(scores)
    assert result.average_score == pytest.approx(sum(scores) / len(scores), rel=1e-12)
    assert result.top_score == scores[0]
    assert result.wall_time_ms > 0
    assert result.response.status is RetrievalStatus.SUCCESS


@pytest.mark.parametrize("query", ["", "  ", "zyzzyva"])
def test_an_empty_query_gives_an_empty_result(query: str) -> None:
    """No hits, and zeros instead of a division by nothing."""
    result = build_client().search(query)

    assert (result.ranked, result.hit_count) == ([], 0)
    assert (result.average_score, result.top_score) == (0.0, 0.0)
    assert result.response.status is RetrievalStatus.EMPTY
    assert result.response.legs[0].reason == "NO_TERMS"


def test_a_query_must_be_text() -> None:
    """None is no query."""
    with pytest.raises(TypeError, match="query must be a str"):
        build_client().search(None)  # type: ignore[arg-type]


def test_what_both_supply_is_united_on_id() -> None:
    """One entry with the second's citations and both sources; a graph hit is the corpus's own."""
    corpus = _corpus()
    client = RetrievalClient(ArxivMockClient(corpus), SemanticScholarMockClient(corpus), corpus)

    ranked = client.search("attention").ranked

    assert [(entry.paper.id, entry.paper.sources) for entry in ranked] == [
        ("a", ("arxiv", "s2")),
        ("b", ()),
    ]
    assert (ranked[0].paper.source, ranked[0].paper.references) == ("arxiv", ["b"])


def test_the_graph_hits_of_the_mock_client_are_supplied_by_s2() -> None:
    """Only the second mock knows citations."""
    ranked = build_client().search(_QUERY).ranked

    assert {entry.paper.source for entry in ranked} == {"arxiv", "s2"}


def test_a_source_decides_what_is_a_lexical_hit() -> None:
    """A paper that no source supplies is found by the graph or not at all."""
    corpus = _corpus()
    client = RetrievalClient(Source(corpus[0]), Source(), corpus)

    assert [entry.paper.id for entry in client.search("sparse").ranked] == ["a", "b"]
    assert client.search("coding").response.legs[0].reason == "FILTERED"


def test_a_paper_that_only_a_source_has_joins_for_one_search() -> None:
    """A real source in a mock's place brings papers; the next search does not depend on them."""
    corpus = _corpus()
    new = Paper("new", "Sparse everything", "", 2015, [], ["c"], source="openalex")
    source = Source(new)
    client = RetrievalClient(ArxivMockClient(corpus), source, corpus)
    before = RetrievalClient(ArxivMockClient(corpus), Source(), corpus).search("attention")

    found = client.search("sparse everything").ranked
    assert found[0].paper.id == "new"
    assert {entry.paper.id for entry in found} == {"new", "a", "b", "c"}
    source.papers.clear()
    after = client.search("attention")
    assert [hit.to_dict() for hit in after.ranked] == [hit.to_dict() for hit in before.ranked]


def test_a_source_that_fails_is_told() -> None:
    """One failing degrades the lexical leg, with the other's papers kept; both fail it."""
    corpus = _corpus()
    works = ArxivMockClient(corpus)
    broken = Source(fault=RuntimeError("key=hunter2"))
    refused = Source(fault=InputError("no such endpoint"))

    half = RetrievalClient(works, broken, corpus).search("attention")
    none = RetrievalClient(refused, broken, corpus).search("attention")

    assert half.response.status is RetrievalStatus.DEGRADED
    assert [entry.paper.id for entry in half.ranked] == ["a", "b"]
    assert [record.code for record in half.response.error_records()] == ["SOURCE_FAILED"]
    assert "hunter2" not in half.response.error_records()[0].message
    assert (none.response.status, none.ranked) == (RetrievalStatus.FAILED, [])
    assert [record.code for record in none.response.error_records()] == ["BAD_INPUT"]


def test_uniting_keeps_the_first_and_fills_its_gaps() -> None:
    """A missing value never replaces one that is there; lists are united in order."""
    first = Paper("a", "Title", "", None, [], ["x", "y"], source="arxiv", venue="V")
    second = Paper(
        "a",
        "Other",
        "Abstract.",
        2001,
        ["Ada"],
        ["y", "z"],
        ["w"],
        "s2",
        external_ids={"doi": "10.5555/a"},
        retracted="suspected",
        retraction_evidence="its title",
    )

    assert unite(first, second) == Paper(
        "a",
        "Title",
        "Abstract.",
        2001,
        ["Ada"],
        ["x", "y", "z"],
        ["w"],
        "arxiv",
        external_ids={"doi": "10.5555/a"},
        venue="V",
        retracted="suspected",
        retraction_evidence="its title",
        sources=("arxiv", "s2"),
    )


def test_the_corpus_has_a_hundred_papers_with_ids_of_their_own() -> None:
    """`p001` to `p100`, each once."""
    assert [paper.id for paper in build_corpus()] == [f"p{number:03}" for number in range(1, 101)]
