from __future__ import annotations

import csv
import json
from pathlib import Path

import bm25s
import pytest

from citehop.lexical.bm25 import BM25Index
from citehop.lexical.tokenise import tokenise

pytestmark = pytest.mark.shared


def _load(path: Path) -> BM25Index:
    index = BM25Index()
    for line in path.read_text("utf-8").splitlines():
        record = json.loads(line)
        parts = [record.get("title") or "", record.get("abstract") or ""]
        index.add(record["id"], "\n\n".join(filter(None, parts)))
    return index


def test_text_without_blanks_is_found(shared_dir: Path) -> None:
    """Case 14: each query has its wanted first hit, the last one none."""
    folder = shared_dir / "cases" / "14-cjk"
    index = _load(folder / "docs.jsonl")
    with (folder / "queries.tsv").open(encoding="utf-8", newline="") as file:
        queries = [row["query"] for row in csv.DictReader(file, delimiter="\t")]
    firsts = [next(iter(dict(index.search(query))), None) for query in queries]
    assert firsts == ["z1", "z2", "j1", "k1", "t1", "m1", None]
    assert dict(index.search("泥")).keys() == {"z2"}


def test_empty_and_stop_word_queries_find_nothing(shared_dir: Path) -> None:
    """Case 16: none of the queries has a known term; blanks and marks have no term at all."""
    folder = shared_dir / "cases" / "16-empty-and-stopword-queries"
    index = _load(folder / "docs.jsonl")
    queries = json.loads((folder / "queries.json").read_text("utf-8"))
    assert [index.search(query) for query in queries] == [[]] * 15
    assert [query for query in queries if index.query(query).has_terms] == [
        "the of and", "a", "the", "unseenword", "NULL", "nan",
    ]  # fmt: skip
    assert index.query("NULL nan").unknown == ("nan", "null")


def test_no_matching_term_is_no_hit(shared_dir: Path) -> None:
    """Case 17: unrelated papers are not returned at score 0."""
    folder = shared_dir / "cases" / "17-no-match-returned-as-hit"
    index = _load(folder / "docs.jsonl")
    assert index.search((folder / "query.txt").read_text("utf-8")) == []
    assert [hit[0] for hit in index.search("ice")] == ["n0", "n1", "n2"]


def test_a_word_in_half_of_the_papers_or_more_counts_for_them(shared_dir: Path) -> None:
    """Case 18: both papers with alpha stand above the others, and two papers are enough."""
    folder = shared_dir / "cases" / "18-idf-half-of-corpus"
    ranked = {}
    for name in ("four_docs", "two_docs"):
        case = json.loads((folder / f"{name}.json").read_text("utf-8"))
        index = BM25Index()
        for number, text in enumerate(case["docs"]):
            index.add(f"d{number}", text)
        hits = index.search(case["query"])
        assert all(score > 0 for _, score in hits)
        ranked[name] = [doc_id for doc_id, _ in hits]
    assert ranked == {"four_docs": ["d0", "d1", "d2", "d3"], "two_docs": ["d1"]}


def test_an_index_of_nothing_answers(shared_dir: Path) -> None:
    """Case 19: no papers, or papers without a token, are no division by zero."""
    folder = shared_dir / "cases" / "19-empty-corpus"
    empty = _load(folder / "empty.jsonl")
    assert (empty.search("the"), len(empty), empty.state().avgdl) == ([], 0, 0.0)
    blank = _load(folder / "only_blank.jsonl")
    assert (len(blank), [hit[0] for hit in blank.search("the")]) == (3, ["b3"])
    blank.remove("b3")
    assert (blank.search("the"), len(blank), blank.state().avgdl) == ([], 2, 0.0)


def test_scores_agree_with_bm25s_on_the_acl_collection(shared_dir: Path) -> None:
    """Every positive score of 60 queries is bm25s's lucene score times k1 + 1, to 1e-5."""
    folder = shared_dir / "data" / "acl_scisumm"
    index = _load(folder / "papers.jsonl")
    papers = [
        json.loads(line)
        for line in (folder / "papers.jsonl").read_text("utf-8").split("\n")
        if line
    ]
    ids = [paper["id"] for paper in papers]
    assert len(index) == len(ids) == 1672
    texts = ["\n\n".join(filter(None, [paper["title"], paper["abstract"]])) for paper in papers]
    oracle = bm25s.BM25(method="lucene", k1=1.5, b=0.75, dtype="float64")
    oracle.index([tokenise(text) for text in texts], show_progress=False)
    compared = 0
    for line in (folder / "queries.jsonl").read_text("utf-8").split("\n")[:60]:
        query = json.loads(line)["text"]
        terms = tokenise(query)
        theirs = {
            doc_id: float(score) * 2.5
            for doc_id, score in zip(ids, oracle.get_scores(terms), strict=True)
            if score > 0
        }
        assert dict(index.search(query, None)) == pytest.approx(theirs, rel=1e-5)
        compared += len(theirs)
    assert compared > 10_000
