"""The hundred hand-written papers keep what is promised of them."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from pathlib import Path

import pytest

from citehop.paper import Paper
from citehop.search.corpus import build_corpus
from citehop.sentences import sentence_ranges

PAPERS = {paper.id: paper for paper in build_corpus()}

TOPICS = (
    "attention sparsity",
    "retrieval augmentation",
    "low rank adapters",
    "dataset distillation",
    "evaluation harnesses",
)
# Queries that a person would type for each topic.
QUERIES = (
    "attention sparsity head pruning",
    "retrieval augmentation passages generation",
    "low rank adapters fine tuning",
    "dataset distillation synthetic images",
    "evaluation harness benchmark scoring",
)
# Papers on a topic that use none of its words: only citations lead to them.
HIDDEN = (
    ("p007", "p013", "p017"),
    ("p026", "p032", "p039"),
    ("p045", "p051", "p058"),
    ("p066", "p072", "p079"),
    ("p085", "p092", "p097"),
)
# Beginnings of every inflection of the words in a topic's name and in its query.
STEMS = (
    ("atten", "spars", "head", "prun"),
    ("retriev", "augment", "passage", "generat"),
    ("low", "rank", "adapt", "fine", "tun"),
    ("data", "distil", "synthe", "image"),
    ("evaluat", "harness", "benchmark", "scor"),
)
EACH_TOPIC = pytest.mark.parametrize("topic", range(5), ids=TOPICS)
EACH_QUERY = pytest.mark.parametrize(
    ("topic", "query"),
    [(topic, query) for queries in (TOPICS, QUERIES) for topic, query in enumerate(queries)],
)


def _topic(paper_id: str) -> int:
    return (int(paper_id[1:]) - 1) // 20


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.lower())


def _linked(paper_id: str) -> set[str]:
    return {*PAPERS[paper_id].references, *PAPERS[paper_id].citations}


def _bm25(query: str, texts: dict[str, str]) -> dict[str, float]:
    """Okapi BM25 with k1 = 1.5 and b = 0.75, written out."""
    counts = {paper_id: Counter(_words(text)) for paper_id, text in texts.items()}
    average = sum(count.total() for count in counts.values()) / len(counts)
    scores = dict.fromkeys(texts, 0.0)
    for word in _words(query):
        having = sum(word in count for count in counts.values())
        idf = math.log((len(counts) - having + 0.5) / (having + 0.5) + 1)
        for paper_id, count in counts.items():
            f = count[word]
            length = 0.25 + 0.75 * count.total() / average
            scores[paper_id] += idf * f * 2.5 / (f + 1.5 * length)
    return {paper_id: score for paper_id, score in scores.items() if score > 0}


def _best(scores: dict[str, float], n: int) -> list[str]:
    return sorted(scores, key=lambda paper_id: (-scores[paper_id], paper_id))[:n]


def _within_two_hops(seeds: list[str]) -> dict[str, int]:
    distances = dict.fromkeys(seeds, 0)
    for hop in (1, 2):
        for paper_id in [p for p, distance in distances.items() if distance == hop - 1]:
            for other in _linked(paper_id):
                distances.setdefault(other, hop)
    return distances


def _joint(query: str, texts: dict[str, str]) -> dict[str, float]:
    """The weighted sum of BM25, nearness and recency, written out."""
    scores = _bm25(query, texts)
    distances = _within_two_hops(_best(scores, 10))
    return {
        paper_id: 0.5 * scores.get(paper_id, 0) / max(scores.values())
        + 0.3 * (1, 0.6, 0.3)[distance]
        + 0.2 * ((PAPERS[paper_id].year or 0) - 2016) / (2025 - 2016)
        for paper_id, distance in distances.items()
    }


def _texts(*, abstracts_only: bool) -> dict[str, str]:
    return {p.id: p.abstract if abstracts_only else p.text for p in PAPERS.values()}


def test_the_corpus_has_a_hundred_papers_in_order() -> None:
    """There are p001 to p100, each once, in order."""
    assert [paper.id for paper in build_corpus()] == [f"p{n:03d}" for n in range(1, 101)]


def test_each_call_makes_the_papers_anew() -> None:
    """Changing a list of one corpus leaves the next one as it was."""
    build_corpus()[1].references.append("p100")

    assert build_corpus()[1].references == ["p001"]


def test_the_papers_come_from_no_source_yet() -> None:
    """Which client supplied a paper is for the client to say."""
    assert {(paper.source, paper.sources) for paper in build_corpus()} == {("", ())}


def test_a_paper_reads_as_it_stands_in_the_file() -> None:
    """Title, year, authors and citations of one paper are the file's."""
    paper = PAPERS["p018"]

    assert paper.title == "Attention Sparsity Predicts Safe Head Pruning"
    assert paper.year == 2024
    assert paper.authors == ["Nadège Kouassi", "Ingvar Thorsteinsson"]
    assert paper.references == ["p004", "p008", "p012", "p016", "p083"]
    assert paper.citations == ["p019"]


def test_the_years_run_from_2016_to_2025() -> None:
    """Each of the ten years has papers, and the first five of a topic are older than the last."""
    assert {paper.year for paper in PAPERS.values()} == set(range(2016, 2026))
    for topic in range(5):
        years = [PAPERS[f"p{20 * topic + n:03d}"].year or 0 for n in range(1, 21)]
        assert max(years[:5]) < min(years[-5:])


@pytest.mark.parametrize("paper", PAPERS.values(), ids=PAPERS.keys())
def test_every_paper_is_written_out(paper: Paper) -> None:
    """Each has a title, one to five authors, and an abstract of three sentences or more."""
    assert len(paper.title.split()) >= 4
    assert 1 <= len(paper.authors) <= 5
    assert len(sentence_ranges(paper.abstract)) >= 3
    assert 40 <= len(_words(paper.abstract)) <= 180


def test_no_two_papers_are_alike() -> None:
    """No title, author or way of opening recurs, nor six words in a row of two abstracts."""
    papers = PAPERS.values()
    authors = [author for paper in papers for author in paper.authors]
    openings = [tuple(_words(paper.abstract)[:3]) for paper in papers]
    runs = Counter(
        run
        for words in (_words(paper.abstract) for paper in papers)
        for run in {tuple(words[start : start + 6]) for start in range(len(words) - 5)}
    )

    assert len({paper.title for paper in papers}) == 100
    assert len(set(authors)) == len(authors)
    assert len(set(openings)) == 100
    assert [run for run, count in runs.items() if count > 1] == []


def test_abstracts_differ_in_length() -> None:
    """The longest abstract has more than three times the words of the shortest."""
    lengths = [len(_words(paper.abstract)) for paper in PAPERS.values()]

    assert max(lengths) > 3 * min(lengths)


def test_citations_are_the_inverse_of_references() -> None:
    """X stands in the citations of Y exactly where Y stands in the references of X."""
    cited_by: dict[str, list[str]] = {paper_id: [] for paper_id in PAPERS}
    for paper in build_corpus():
        for reference in paper.references:
            cited_by[reference].append(paper.id)

    assert {paper_id: paper.citations for paper_id, paper in PAPERS.items()} == cited_by


def test_references_are_sound() -> None:
    """No paper cites itself, one work twice, or a younger one."""
    for paper in PAPERS.values():
        assert paper.id not in paper.references
        assert len(set(paper.references)) == len(paper.references)
        assert all((PAPERS[r].year or 0) <= (paper.year or 0) for r in paper.references)


@EACH_TOPIC
def test_each_topic_is_connected(topic: int) -> None:
    """Within a topic every paper is reached from the first by citations that stay in it."""
    start = f"p{20 * topic + 1:03d}"
    reached, waiting = {start}, [start]
    while waiting:
        for other in _linked(waiting.pop()) - reached:
            if _topic(other) == topic:
                reached.add(other)
                waiting.append(other)

    assert len(reached) == 20


def test_some_citations_cross_topics() -> None:
    """Fifteen citations lead from one topic to another, and every topic has a part in them."""
    crossing = {
        (_topic(paper.id), _topic(reference))
        for paper in PAPERS.values()
        for reference in paper.references
        if _topic(paper.id) != _topic(reference)
    }
    total = sum(
        _topic(paper.id) != _topic(reference)
        for paper in PAPERS.values()
        for reference in paper.references
    )

    assert total == 15
    assert {topic for pair in crossing for topic in pair} == {0, 1, 2, 3, 4}


@pytest.mark.parametrize(
    ("topic", "paper_id"), [(t, paper_id) for t in range(5) for paper_id in HIDDEN[t]]
)
def test_a_hidden_paper_never_names_its_topic(topic: int, paper_id: str) -> None:
    """No word of it begins like a word of its topic's name or of that topic's query."""
    named = [word for word in _words(PAPERS[paper_id].text) if word.startswith(STEMS[topic])]

    assert named == []


def test_the_stems_cover_each_topic_s_words() -> None:
    """The check above sees every word of the names and of the queries."""
    for topic in range(5):
        for word in _words(f"{TOPICS[topic]} {QUERIES[topic]}"):
            assert word.startswith(STEMS[topic])


@EACH_QUERY
def test_hidden_papers_are_reached_by_citation_alone(topic: int, query: str) -> None:
    """BM25 gives a topic's hidden papers nothing; two hops from its ten best hits find them all."""
    scores = _bm25(query, _texts(abstracts_only=False))
    reached = _within_two_hops(_best(scores, 10))

    assert [paper_id for paper_id in HIDDEN[topic] if paper_id in scores] == []
    assert [paper_id for paper_id in HIDDEN[topic] if paper_id not in reached] == []


@EACH_QUERY
def test_the_first_hit_is_on_the_topic(topic: int, query: str) -> None:
    """By BM25 alone and by the joint score, the first hit belongs to the topic asked for."""
    texts = _texts(abstracts_only=False)

    assert _topic(_best(_bm25(query, texts), 1)[0]) == topic
    assert _topic(_best(_joint(query, texts), 1)[0]) == topic


@pytest.mark.parametrize("abstracts_only", [False, True])
def test_the_lesson_s_query_finds_attention_sparsity_first(*, abstracts_only: bool) -> None:
    """The first hit has "Attention Sparsity" in its title, with titles indexed and without."""
    texts = _texts(abstracts_only=abstracts_only)
    query = "attention sparsity head pruning"

    for scores in (_bm25(query, texts), _joint(query, texts)):
        first, second = _best(scores, 2)
        assert "Attention Sparsity" in PAPERS[first].title
        assert scores[first] > 1.2 * scores[second]


def test_the_lesson_s_own_example_holds() -> None:
    """A search for sparse attention misses "Block Selection in Transformer Routing" by words."""
    scores = _bm25("sparse attention", _texts(abstracts_only=False))

    assert PAPERS["p007"].title == "Block Selection in Transformer Routing"
    assert "p007" not in scores
    assert _within_two_hops(_best(scores, 10))["p007"] == 1


def test_the_file_is_in_the_product_s_own_form(root_dir: Path) -> None:
    """Each line is one JSON object with the same seven keys."""
    path = root_dir / "src" / "citehop" / "data" / "corpus.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines()

    assert len(lines) == 100
    assert {tuple(json.loads(line)) for line in lines} == {
        ("id", "title", "abstract", "year", "authors", "references", "citations")
    }
