"""The lesson's behaviour, through the public names alone."""

from __future__ import annotations

import pytest

from citehop import (
    ArxivMockClient,
    BM25Index,
    CitationGraph,
    Paper,
    RetrievalClient,
    RetrievalConfig,
    SemanticScholarMockClient,
    build_client,
    build_corpus,
    tokenise,
)

QUERY = "attention sparsity head pruning"


@pytest.fixture(scope="module")
def corpus() -> list[Paper]:
    """The hundred papers."""
    return build_corpus()


@pytest.fixture(scope="module")
def client() -> RetrievalClient:
    """The lesson's client over them."""
    return build_client()


def test_tokenising_lowers_and_splits_at_marks() -> None:
    """Words come in lower case, without the marks between them."""
    assert tokenise("Sparse-Attention, at 4K tokens!") == [
        "sparse",
        "attention",
        "at",
        "4k",
        "tokens",
    ]
    assert tokenise("Schrödinger") == ["schrödinger"]
    assert tokenise("साहित्य") == ["साहित्य"]
    assert tokenise("") == []


def test_bm25_orders_by_score_and_knows_no_unknown_term() -> None:
    """More of a rarer word comes first; unknown and empty queries find nothing."""
    index = BM25Index()
    index.add("a", "head pruning in transformers")
    index.add("b", "pruning pruning pruning")
    index.add("c", "dataset distillation")

    assert [key for key, _ in index.search("pruning")] == ["b", "a"]
    assert [key for key, _ in index.search("head pruning")] == ["a", "b"]
    assert index.search("volcano") == []
    assert index.search("") == []


def test_the_graph_expands_by_hops(corpus: list[Paper]) -> None:
    """No hop gives the seeds, one hop their references and citers, unknown seeds nothing."""
    graph = CitationGraph()
    for paper in corpus:
        graph.add_paper(paper)
    seed = corpus[17]
    around = {seed.id: 0, **dict.fromkeys([*seed.references, *seed.citations], 1)}

    assert graph.expand([seed.id], max_hops=0) == {seed.id: 0}
    assert graph.expand([seed.id], max_hops=1) == around
    assert graph.expand(["nobody"]) == {}
    assert max(graph.expand([seed.id]).values()) == 2


def test_the_two_mocks_supply_different_fields(corpus: list[Paper]) -> None:
    """The arXiv mock gives no references and no citations, Semantic Scholar both."""
    arxiv, s2 = ArxivMockClient(corpus), SemanticScholarMockClient(corpus)
    plain, full = arxiv.search(QUERY)[0], s2.search(QUERY)[0]

    assert (plain.source, plain.references, plain.citations) == ("arxiv", [], [])
    assert full.source == "s2"
    assert full.references or full.citations
    assert (plain.id, plain.title, plain.abstract) == (full.id, full.title, full.abstract)
    assert (plain.year, plain.authors) == (full.year, full.authors)
    fetched = s2.fetch(full.id)
    assert fetched is not None
    assert fetched.id == full.id


def test_the_ranked_list_is_in_order_on_topic_and_without_doubles(client: RetrievalClient) -> None:
    """Final scores fall, the first title is on topic, and each id comes once."""
    ranked = client.search(QUERY).ranked
    finals = [entry.final_score for entry in ranked]

    assert finals == sorted(finals, reverse=True)
    assert "Attention Sparsity" in ranked[0].paper.title
    assert len({entry.paper.id for entry in ranked}) == len(ranked)


def test_the_graph_reaches_beyond_the_words(client: RetrievalClient) -> None:
    """Papers come one and two hops away that no word of the query finds."""
    ranked = client.search(QUERY).ranked
    silent = [entry for entry in ranked if entry.bm25_score == 0]

    assert {entry.graph_distance for entry in ranked} == {0, 1, 2}
    assert {"p007", "p017"} & {entry.paper.id for entry in silent}


def test_an_empty_query_gives_an_empty_result(client: RetrievalClient) -> None:
    """No hits, and metrics of zero."""
    result = client.search("")

    assert result.ranked == []
    assert (result.hit_count, result.average_score, result.top_score) == (0, 0.0, 0.0)


def test_metrics_speak_of_the_ranked_list(client: RetrievalClient) -> None:
    """Count, mean, best, and the time that it took."""
    result = client.search(QUERY)
    finals = [entry.final_score for entry in result.ranked]

    assert result.hit_count == len(finals)
    assert result.top_score == finals[0]
    assert result.average_score == pytest.approx(sum(finals) / len(finals))
    assert result.wall_time_ms > 0
    assert result.response.status == "success"


def test_hops_are_a_knob() -> None:
    """With no hops only papers with a word of the query are left."""
    client = build_client(RetrievalConfig(max_hops=0))

    assert all(entry.bm25_score > 0 for entry in client.search(QUERY).ranked)


def test_the_corpus_has_a_hundred_papers(corpus: list[Paper]) -> None:
    """Ids are p001 to p100."""
    assert [paper.id for paper in corpus] == [f"p{number:03}" for number in range(1, 101)]
