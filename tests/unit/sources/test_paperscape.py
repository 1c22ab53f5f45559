from __future__ import annotations

from pathlib import Path

import pytest

from citehop import Paper
from tests.unit.sources.writing import read_all

COMMENT = "# one line per entry, fields between semicolons\n#\n"
TIDES = (
    "hep-th/9201001;hep-th,math.QA;2;17;hep-th/9112001,gr-qc/9105002;A.Obi,B.C.Lund;Tides of $χ$\n"
)
FOAMS = "0704.0007;cond-mat;0;0;;;Foams; a review; part II\n"


def _read(folder: Path, content: str, **options: str) -> list[Paper]:
    path = folder / "input"
    path.write_text(content, encoding="utf-8")
    return read_all(path, **options)[0]


def test_an_entry_becomes_a_paper(tmp_path: Path) -> None:
    """All fields are read; the year is the id's, of the last century from 91 on; comments go."""
    first, second = _read(tmp_path, f"{COMMENT}{TIDES}{FOAMS}# statistics: 2 papers\n")
    assert first == Paper(
        "hep-th/9201001",
        "Tides of $χ$",
        "",
        1992,
        ["A.Obi", "B.C.Lund"],
        ["hep-th/9112001", "gr-qc/9105002"],
        [],
        "paperscape",
        external_ids={"arxiv": "hep-th/9201001"},
    )
    assert (second.id, second.year, second.authors) == ("0704.0007", 2007, [])
    assert second.title == "Foams; a review; part II"


def test_it_is_known_by_its_entries(tmp_path: Path) -> None:
    """Neither the name nor the comments are needed, and a damaged first line does not matter."""
    for content in (TIDES, f"hep-th/92\n{TIDES}", FOAMS.replace("\n", "\r\n")):
        assert _read(tmp_path, content)[0].source == "paperscape"
    table = _read(tmp_path, "id;title;year;venue;doi;authors;abstract\na;T;1990;V;;;\n")
    assert [(paper.id, paper.title, paper.source) for paper in table] == [("a", "T", "")]


def test_a_slip_does_not_hide_what_it_is(tmp_path: Path) -> None:
    """Blanks around counts are none of its business; a NUL in a title is replaced and counted."""
    slip = TIDES.replace(";2;17;", "; 2 ; 17 ;").replace("Tides", "Ti\0des") + FOAMS * 40
    path = tmp_path / "input"
    path.write_text(slip, encoding="utf-8")
    papers, report = read_all(path)

    assert papers[0].title == "Ti\ufffddes of $χ$"
    assert report.warned == 1


@pytest.mark.parametrize(
    ("line", "kind", "reason"),
    [
        ("hep-th/9201002;hep-th;0;0;A.Obi", "wrong_columns", "has 5 fields; expected 7"),
        ("id;cat;year;n;refs;by;title", "wrong_columns", "'year' and 'n' where it should count"),
        (" ;hep-th;0;0;;A.Obi;Waves", "no_id", "has no id; expected an arXiv id"),
        ("hep-th/9201002;hep-th;2;3;hep-th/9201001;;Waves", "wrong_count", "'2' references"),
    ],
)
def test_what_does_not_fit_is_said(tmp_path: Path, line: str, kind: str, reason: str) -> None:
    """A line that is no entry, and a count that is wrong, are listed with their line."""
    path = tmp_path / "input"
    path.write_text(f"{COMMENT}{TIDES}{line}\n", encoding="utf-8")
    _, report = read_all(path)
    (issue,) = report.issues
    assert (issue.kind, issue.line) == (kind, 4)
    assert reason in issue.reason
    assert report.rejected == (kind != "wrong_count")


def test_other_ids_have_no_year(tmp_path: Path) -> None:
    """An id that arXiv did not give keeps its paper, undated, where the format is stated."""
    (paper,) = _read(tmp_path, "X-1;none;0;0;;A.Obi;Waves\n", format="paperscape")
    assert (paper.id, paper.year, paper.title) == ("X-1", None, "Waves")


@pytest.mark.shared
def test_the_files_of_six_years(shared_dir: Path) -> None:
    """All entries and citations of 1991 to 1996 are read, without a word."""
    papers, report = read_all(*sorted((shared_dir / "data" / "paperscape").glob("*.csv")))
    assert len(papers) == report.records == 49_264
    assert sum(len(paper.references) for paper in papers) == 146_964
    assert (report.rejected, report.warned) == (0, 0)
    assert {paper.year for paper in papers} == {1991, 1992, 1993, 1994, 1995, 1996}
