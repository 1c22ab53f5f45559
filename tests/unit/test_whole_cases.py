"""Inputs on which other tools failed, from the file to the answer."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from citehop import CitationRepository, NetworkXStore, RetrievalConfig, merge, read_papers
from citehop.cli.app import app

pytestmark = pytest.mark.shared


def _repository(*paths: Path) -> CitationRepository:
    store = NetworkXStore()
    store.load(merge(read_papers(*paths)))
    return CitationRepository(store)


def _found(repository: CitationRepository, query: str, **options: Any) -> list[str]:
    return [hit.doc_id for hit in repository.search(query, **options)]


def _reason(repository: CitationRepository, query: str, leg: str) -> str | None:
    outcome = repository.search(query).leg(leg)
    return outcome.reason if outcome else None


def test_01_spellings_of_a_doi_are_one_paper_under_any_of_them(shared_dir: Path) -> None:
    """Six spellings are one paper, found by each; empty and broken DOIs join nothing."""
    repository = _repository(shared_dir / "cases/01-doi-spelling/papers.jsonl")

    assert repository.store.counts().papers == 7
    spellings = ["10.5555/ABC.Def(01)7", "doi:10.5555/abc.def%2801%297", "(10.5555/abc.def(01)7)"]
    papers = repository.store.get([*spellings, "https://doi.org/10.5555/x<11::aid-q1>3.0.co;2-1"])
    assert len({paper.id for paper in papers if paper}) == 2
    assert None not in papers


def test_05_titles_are_plain_text_in_the_answer(shared_dir: Path) -> None:
    """Markup is gone, entities are signs, and what looks like markup but is none survives."""
    repository = _repository(shared_dir / "cases/05-markup-in-titles/works.jsonl")

    (capture,) = repository.search("CO2 capture")
    assert capture.doc.title == "A CFD study of CO2 capture & release"
    (rates,) = repository.search("rates")
    assert rates.doc.title == "Rates with p < 0.05 and x<y in one title"
    (bold,) = repository.search("glued")
    assert "Bold" in bold.doc.title.split()[0]


def test_10_retracted_papers_are_marked_and_notices_seed_nothing(shared_dir: Path) -> None:
    """Each status with its evidence; a notice is found but no walk starts from it."""
    case = shared_dir / "cases/10-retractions"
    repository = _repository(case / "papers.jsonl", case / "edges.csv")

    names = ["r1", "r2", "r3", "r4", "r5", "r6", "r7"]
    papers = [paper for paper in repository.store.get(names) if paper]
    assert [p.retracted for p in papers] == ["yes", "suspected", "no", "no", "no", "no", "yes"]
    assert all(p.retraction_evidence for p in papers if p.retracted != "no")
    assert "r3" in _found(repository, "retraction notice gel")
    seeds = repository.search("retraction notice gel").leg("graph")
    assert seeds is not None
    assert "r3" not in seeds.details["seeds"]
    kept = _found(repository, "crystals", filter={"retracted": ("no", "suspected")})
    assert not {"r1", "r7"} & set(kept)
    assert {"r2", "r6"} <= set(kept)


def test_12_a_reference_that_leads_nowhere_is_a_bridge_and_no_hit(shared_dir: Path) -> None:
    """The missing work is kept outside; doubles and the self-citation are dropped and counted."""
    store = NetworkXStore()
    report = store.load(merge(read_papers(shared_dir / "cases/12-dangling-references/works.jsonl")))

    counts = store.counts()
    assert (counts.papers, counts.external) == (3, 1)
    assert (counts.citations, counts.citations_all) == (1, 2)
    assert (report.dropped_self, report.dropped_doubled) == (1, 1)
    assert _found(CitationRepository(store), "isolated") == ["W12"]
    assert _found(CitationRepository(store), "survey") == ["W10", "W11"]


def test_13_a_hub_is_walked_within_its_limits_and_says_what_it_left_out(
    shared_dir: Path, tmp_path: Path
) -> None:
    """Two hops from one paper past a hub, by the case's own script, at a tenth of its size."""
    script = shared_dir / "cases/13-hub-explosion/make_star.py"
    subprocess.run([sys.executable, str(script), "5000"], cwd=tmp_path, check=True)
    store = NetworkXStore()
    store.load(merge(read_papers(tmp_path / "star.csv")))

    found = store.expand(["p7"], per_seed_limit=100, limit=50)
    assert len(found) == 50
    assert found.truncated
    assert found.cut["p7"].left_out > 4_000
    assert found.neighbours[0].id == "hub"
    with pytest.raises(ValueError, match="max_hops must be from 0 to 4, not 10"):
        store.expand(["p7"], max_hops=10)


def test_14_scripts_without_blanks_are_found(shared_dir: Path) -> None:
    """The wanted paper comes first for each query, and nothing where there is none."""
    case = shared_dir / "cases/14-cjk"
    repository = _repository(case / "docs.jsonl")

    with (case / "queries.tsv").open(encoding="utf-8") as lines:
        for row in csv.DictReader(lines, delimiter="\t"):
            first = next(iter(_found(repository, row["query"])), "(none)")
            assert first == row["expect_first"], row["qid"]


def test_16_a_query_of_nothing_gives_nothing_and_a_reason(shared_dir: Path) -> None:
    """Blanks, marks, zero-width signs and unknown words: EMPTY, `NO_TERMS`, and no walk."""
    case = shared_dir / "cases/16-empty-and-stopword-queries"
    repository = _repository(case / "docs.jsonl")

    for query in json.loads((case / "queries.json").read_text(encoding="utf-8")):
        assert _found(repository, query) == [], repr(query)
        assert _reason(repository, query, "lexical") == "NO_TERMS"
        assert _reason(repository, query, "graph") == "NO_SEEDS"


def test_17_a_paper_without_a_query_word_is_no_hit_and_no_seed(shared_dir: Path) -> None:
    """No term matches: no fillers, no seeds, a reason."""
    case = shared_dir / "cases/17-no-match-returned-as-hit"
    repository = _repository(case / "docs.jsonl")

    assert _found(repository, (case / "query.txt").read_text(encoding="utf-8")) == []
    assert _reason(repository, "volcanic glass", "graph") == "NO_SEEDS"


@pytest.mark.parametrize("words", ["four_docs.json", "two_docs.json"])
def test_18_a_word_in_half_of_the_papers_still_counts(
    shared_dir: Path, tmp_path: Path, words: str
) -> None:
    """All scores are above zero; papers with both words come before those with one."""
    path = shared_dir / "cases/18-idf-half-of-corpus" / words
    case = json.loads(path.read_text(encoding="utf-8"))
    lines = [json.dumps({"id": f"d{n}", "title": text}) for n, text in enumerate(case["docs"])]
    (tmp_path / "docs.jsonl").write_text("\n".join(lines), encoding="utf-8")

    hits = list(_repository(tmp_path / "docs.jsonl").search(case["query"]))
    first = {"four_docs.json": {"d0", "d1"}, "two_docs.json": {"d1"}}[words]
    assert {hit.doc_id for hit in hits[: len(first)]} == first
    assert all(hit.bm25_score > 0 for hit in hits)


def test_19_nothing_to_search_is_no_crash(shared_dir: Path) -> None:
    """An empty file warns and exits 0; papers without text stay in the graph."""
    case = shared_dir / "cases/19-empty-corpus"
    blank = _repository(case / "only_blank.jsonl")

    done = CliRunner().invoke(app, ["search", "ice", "--in", str(case / "empty.jsonl"), "--json"])
    strict = CliRunner().invoke(app, ["stats", "--in", str(case / "empty.jsonl"), "--strict"])
    assert done.exit_code == 0
    assert json.loads(done.stdout)["hits"] == []
    assert json.loads(done.stdout)["legs"][0]["reason"] == "EMPTY_INDEX"
    assert "is empty" in done.stderr
    assert strict.exit_code == 1
    assert blank.store.counts().papers == 3
    assert _found(blank, "ice") == []


@pytest.mark.parametrize(
    ("name", "papers"),
    [
        ("three_members.jsonl.gz", 9),
        ("three_members_zero_padded.jsonl.gz", 9),
        ("not_gzip.jsonl.gz", 5),
    ],
)
def test_27_every_member_of_a_gzip_file_is_read(shared_dir: Path, name: str, papers: int) -> None:
    """Joined members, padding, and a name that lies about the content."""
    path = shared_dir / "cases/27-gzip-members" / name

    assert len(list(read_papers(path))) == papers


def test_34_ids_are_trimmed_kept_in_case_and_never_missing(shared_dir: Path) -> None:
    """Five records have an id; four of them are one paper, and the rest are refused by line."""
    path = shared_dir / "cases/34-keys-and-constraints/papers.jsonl"
    stream = read_papers(path)
    store = NetworkXStore()
    store.load(merge(stream))

    assert [paper.id for paper in store.papers()] == ["C1", "c1"]
    assert stream.report.rejected == 3
    assert [issue.line for issue in stream.report.issues if issue.rejected] == [3, 4, 5]


def test_a_walk_of_no_hops_is_switched_off(shared_dir: Path) -> None:
    """Real records: with 0 hops only keyword hits come, and the graph leg says why."""
    repository = _repository(shared_dir / "data/openalex/works_sample_justin.json")

    response = repository.search("deep learning", config=RetrievalConfig(max_hops=0))
    graph = response.leg("graph")
    assert len(response) == 10
    assert graph is not None
    assert (graph.status, graph.reason) == ("skipped", "DISABLED")
