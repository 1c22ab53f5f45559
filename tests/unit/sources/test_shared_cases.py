"""The inputs of the cases kept beside the checkout behave as their entries say."""

from __future__ import annotations

from pathlib import Path

import pytest

from citehop import Paper, merge, read_papers
from tests.unit.sources.writing import read_all, read_until_error

pytestmark = pytest.mark.shared


def _case(shared_dir: Path, name: str) -> Path:
    return shared_dir / "cases" / name


def _by_id(papers: list[Paper]) -> dict[str, Paper]:
    return {paper.id: paper for paper in papers}


def test_case_1_doi_spellings(shared_dir: Path) -> None:
    """Six spellings are one paper; umlauts keep their case; no DOI binds nothing."""
    path = _case(shared_dir, "01-doi-spelling") / "papers.jsonl"
    papers, report = read_all(path)
    assert [str(issue) for issue in report.issues] == [f"{path}: line 10: 'n/a' is no doi; dropped"]
    merged = merge(papers)
    assert [paper.id for paper in merged] == ["a", "g", "h", "i", "j", "k", "l"]
    assert _by_id(papers)["i"].external_ids == {"doi": "10.5555/x<11::aid-q1>3.0.co;2-1"}


def test_case_5_markup(shared_dir: Path) -> None:
    """Titles and abstracts are plain text; a record without a title has an empty one."""
    papers, report = read_all(_case(shared_dir, "05-markup-in-titles") / "works.jsonl")
    assert [paper.title for paper in papers] == [
        "Noncollinear order in Mn3Ge films",
        "A CFD study of CO2 capture & release",
        "Rates with p < 0.05 and x<y in one title",
        "BoldNext word glued",
        "Effect size ηp2 in practice",
        "",
        "Plain",
    ]
    assert papers[3].abstract == "Abstract First part. Second part."
    assert report.warned == report.rejected == 0


def test_case_9_nulls(shared_dir: Path) -> None:
    """Null entries and records without an id are refused by line, the others are read."""
    papers, report = read_all(_case(shared_dir, "09-null-records") / "batch_response.json")
    assert [(paper.id[:1], paper.title, paper.year) for paper in papers] == [
        ("a", "", None),
        ("b", "Good one", 2015),
    ]
    assert [(issue.line, issue.kind) for issue in report.issues] == [
        (2, "null_record"),
        (13, "no_id"),
    ]
    assert (report.records, report.papers, report.rejected) == (4, 2, 2)


def test_case_10_retractions(shared_dir: Path) -> None:
    """Each status comes with its evidence; notices are told from what they speak of."""
    folder = _case(shared_dir, "10-retractions")
    papers, _ = read_all(folder / "papers.jsonl")
    assert [(paper.id, paper.retracted, paper.notice) for paper in papers] == [
        ("r1", "yes", False),
        ("r2", "suspected", False),
        ("r3", "no", True),
        ("r4", "no", True),
        ("r5", "no", False),
        ("r6", "no", False),
        ("r7", "yes", False),
    ]
    assert papers[6].retraction_evidence == "updated-by 10.5555/r.8 (retraction, retraction-watch)"
    assert papers[4].retraction_evidence == ""
    merged = _by_id(list(merge(read_papers(folder / "papers.jsonl", folder / "edges.csv"))))
    assert merged["r6"].references == ["r1", "r2"]


def test_case_12_dangling_references(shared_dir: Path) -> None:
    """References stay as they are given: the store drops, counts and keeps outside works."""
    papers, _ = read_all(_case(shared_dir, "12-dangling-references") / "works.jsonl")
    assert [(paper.id, paper.references) for paper in papers] == [
        ("W10", ["W11", "W404", "W11", "W10"]),
        ("W11", []),
        ("W12", []),
    ]


def test_case_19_nothing(shared_dir: Path) -> None:
    """An empty file warns (an error if strict); papers without text are papers."""
    folder = _case(shared_dir, "19-empty-corpus")
    papers, report = read_all(folder / "empty.jsonl")
    assert (papers, dict(report.warnings)) == ([], {"empty_file": 1})
    assert "is empty" in read_until_error(folder / "empty.jsonl", strict=True)[1].reason
    assert [paper.text for paper in read_papers(folder / "only_blank.jsonl")] == [
        "",
        "",
        "the\n\nof",
    ]


def test_case_27_gzip_members(shared_dir: Path) -> None:
    """All members are read, padding is ignored, and only the first bytes tell what is gzip."""
    folder = _case(shared_dir, "27-gzip-members")
    counts = {path.name: len(read_all(path)[0]) for path in sorted(folder.iterdir())}
    assert counts == {
        "gzipped_without_suffix.jsonl": 200,
        "not_gzip.jsonl.gz": 5,
        "three_members.jsonl.gz": 9,
        "three_members_zero_padded.jsonl.gz": 9,
    }


def test_case_28_encodings(shared_dir: Path) -> None:
    """A byte order mark is no text, U+2028 ends no line, surrogates and NUL are replaced."""
    folder = _case(shared_dir, "28-bom-and-encoding")
    assert [(p.id, p.title) for p in read_papers(folder / "bom.csv")] == [("1", "café")]
    assert [(p.id, p.title) for p in read_papers(folder / "bom.jsonl")] == [("1", "x")]
    assert [p.title for p in read_papers(folder / "u2028.jsonl")] == [
        "line\u2028separator inside",
        "next\u0085line",
    ]
    papers, report = read_all(folder / "surrogate.jsonl")
    assert papers[0].title == "lone \ufffd surrogate and \ufffd nul"
    assert dict(report.warnings) == {"bad_characters": 1}
    _, error = read_until_error(folder / "latin1.bib")
    assert "byte 22 is no utf-8" in error.reason
    assert "--encoding" in error.reason


def test_case_34_keys(shared_dir: Path) -> None:
    """Records without an id are refused by line; blanks round an id go, its case stays."""
    papers, report = read_all(_case(shared_dir, "34-keys-and-constraints") / "papers.jsonl")
    assert [paper.id for paper in papers] == ["c1", "c1", "c1", "C1", "c1"]
    assert [(issue.line, issue.rejected) for issue in report.issues] == [
        (3, True),
        (4, True),
        (5, True),
    ]
    assert [paper.id for paper in merge(papers)] == ["C1", "c1"]


LOADED = {
    "W-api-response.json": 1,
    "W2741809807.json": 1,
    "snapshot_part_test.gz": 29,
    "works_sample_justin.json": 195,
    "biblium/openalex_dataset.csv": 613,
    "openalexPro/keypaper_page_1.json": 2,
    "openalexPro/keypaper_page_2.json": 0,
    "openalexPro/parallel_json_chunk_1_results_page_1.json": 50,
    "openalexPro/parallel_json_chunk_1_results_page_2.json": 0,
    "openalexPro/parallel_json_chunk_2_results_page_1.json": 50,
    "openalexPro/parallel_json_chunk_3_results_page_1.json": 50,
    "openalexPro/parallel_json_chunk_4_results_page_1.json": 25,
    "openalexPro/search_biodiversity_finance.json": 200,
    "openalexPro/single.json": 1,
}
REFUSED = {
    "openalexPro/group_by.json": "group_by page",
    "openalexPro/vcr_api_call_200.yml": "recording of web requests",
    "openalexPro/vcr_oa_snowball.yml": "recording of web requests",
    "openalexPro/vcr_pro_rate_limit_status_200.yml": "recording of web requests",
    "openalexPro/vcr_pro_rate_limit_status_401.yml": "recording of web requests",
    "openalexPro/vcr_pro_request_list_count.yml": "recording of web requests",
    "openalexPro/vcr_pro_request_search_biodiversity_AND_fiance_count.yml": "recording",
}


def test_every_openalex_file_loads_or_is_refused(shared_dir: Path) -> None:
    """Each real file gives all its works without a warning, or is refused by what it is."""
    folder = shared_dir / "data" / "openalex"
    names = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert names == set(LOADED) | set(REFUSED)
    for name, count in LOADED.items():
        papers, report = read_all(folder / name)
        assert (name, len(papers), report.issues) == (name, count, [])
    for name, words in REFUSED.items():
        papers, error = read_until_error(folder / name)
        assert (papers, words in error.reason) == ([], True)


def test_all_openalex_files_together(shared_dir: Path) -> None:
    """Of a directory what is no download is passed over with a warning; works met twice are one."""
    papers, report = read_all(shared_dir / "data" / "openalex")
    assert (report.files, report.papers, report.rejected) == (21, 1217, 0)
    assert dict(report.warnings) == {"skipped_file": 7}
    merged = merge(papers)
    assert (len(merged), merged.report.merged) == (1121, 95)


def test_the_export_has_what_it_says(shared_dir: Path) -> None:
    """The CSV export's 613 works have 187 abstracts and 24,970 citations, 3,522 of them inside."""
    papers, _ = read_all(shared_dir / "data" / "openalex" / "biblium" / "openalex_dataset.csv")
    ids = {paper.id for paper in papers}
    edges = {(paper.id, cited) for paper in papers for cited in paper.references}
    assert sum(bool(paper.abstract) for paper in papers) == 187
    assert len(edges) == 24_970
    assert sum(cited in ids and citing != cited for citing, cited in edges) == 3_522
    assert papers[0].external_ids["doi"] == "10.1016/j.jbusres.2021.04.070"
    assert papers[0].authors[0] == "Naveen Donthu"
    assert papers[0].venue == "Journal of Business Research"
