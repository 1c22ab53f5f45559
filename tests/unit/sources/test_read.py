from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from citehop import InputError, Paper, read_papers
from tests.unit.sources.writing import json_lines, read_all, read_until_error

A, B = {"id": "a", "title": "One"}, {"id": "b", "title": "Two"}


def _ids(papers: list[Paper]) -> list[str]:
    return [paper.id for paper in papers]


def _write(folder: Path, content: str | bytes, name: str = "input") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize(
    "content",
    [
        '{"id": "a"}\n{"id": "b"}\n',
        '\n{"id": "a"}\r\n\r\n{"id": "b"}',
        '{"id": "a"} {"id": "b"}\n',
        '{"id": "a"}{"id": "b"}',
        '[{"id": "a"}, {"id": "b"}]',
        '[\n {"id": "a"},\n {"id": "b"}\n]\n',
        '{\n "id": "a"\n}\n{\n "id": "b"\n}\n',
        '{"meta": {"count": 2}, "results": [{"id": "a"}, {"id": "b"}]}',
        '{"meta": {}, "results": [{"id": "a"}]}\n{"meta": {}, "results": [{"id": "b"}]}\n',
        '{\n "results": [\n {"id": "a"}\n],\n "meta": {}\n}\n{\n "results": [{"id": "b"}]\n}',
        '[{"results": [{"id": "a"}]}, {"results": [{"id": "b"}]}]',
        "\ufeffid,title\r\na,x\r\nb,y\r\n",
        "id\ttitle\na\tx\nb\ty",
    ],
)
def test_every_layout_of_records_is_read(tmp_path: Path, content: str) -> None:
    """Lines, lists, pages, objects one after another and tables give the same papers."""
    papers, report = read_all(_write(tmp_path, content))
    assert _ids(papers) == ["a", "b"]
    assert (report.files, report.records, report.papers, report.issues) == (1, 2, 2, [])


def test_values_longer_than_what_is_read_at_once(tmp_path: Path) -> None:
    """Records of megabytes are read whole from a list and from one line, with their lines."""
    title = "word " * 300_000 + "end"
    records = [{"id": "a", "title": title}, {"id": "b", "title": title}, {"title": "none"}]
    for content in (json.dumps(records, indent=1), "\n".join(map(json.dumps, records))):
        papers, report = read_all(_write(tmp_path, content))
        assert [(paper.id, len(paper.title)) for paper in papers] == [
            ("a", 1_500_003),
            ("b", 1_500_003),
        ]
        assert [issue.kind for issue in report.issues] == ["no_id"]


def test_a_bad_line_is_refused_and_reading_goes_on(tmp_path: Path) -> None:
    """A line that is not JSON costs itself, with file, line and reason; strict stops there."""
    path = _write(tmp_path, '{"id": "a"}\n{"id": broken}\n{"id": "b"}\n')
    papers, report = read_all(path)
    assert _ids(papers) == ["a", "b"]
    assert (report.records, report.rejected) == (3, 1)
    assert str(report.issues[0]) == f"{path}: line 2: is not JSON: expecting value at sign 8"
    before, error = read_until_error(path, strict=True)
    assert (_ids(before), error.file, error.line) == (["a"], str(path), 2)


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ('{"id": "a"}\n{"id": "b", "ti', 2),
        ('[{"id": "a"},\n{"id": "b"', 2),
        ('[{"id": "a"},\n', 2),
        ('{"results": [{"id": "a"},\n{"id"', 2),
        ('{"results": [\n{"id": "a"}', 2),
    ],
)
def test_a_cut_off_file_gives_what_was_whole(tmp_path: Path, content: str, line: int) -> None:
    """What is complete is yielded, then an error says that the file is cut off, and where."""
    papers, error = read_until_error(_write(tmp_path, content))
    assert _ids(papers) == ["a"]
    assert "is cut off" in error.reason
    assert error.line == line


def test_gzip_that_is_cut_off_or_followed_by_something(tmp_path: Path) -> None:
    """Whole lines of a cut-off archive are yielded; what follows an archive is an error."""
    lines = "".join(json.dumps({"id": f"p{n}", "title": str(n**9)}) + "\n" for n in range(5_000))
    packed = gzip.compress(lines.encode())
    papers, error = read_until_error(_write(tmp_path, packed[: len(packed) // 2]))
    assert 100 < len(papers) < 5_000
    assert "cut off" in error.reason
    papers, error = read_until_error(_write(tmp_path, packed + b"more"))
    assert len(papers) == 5_000
    assert "not gzip after 1 gzip members" in error.reason
    twice = _write(tmp_path, packed + packed + bytes(70_000))
    assert len(read_all(twice)[0]) == 10_000
    damaged = bytearray(packed)
    damaged[-6] ^= 1
    assert "damaged" in read_until_error(_write(tmp_path, bytes(damaged)))[1].reason


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-32"])
def test_a_byte_order_mark_tells_the_encoding(tmp_path: Path, encoding: str) -> None:
    """Files with a mark are read without a word from the caller."""
    mark = "\ufeff" if encoding == "utf-16-le" else ""
    path = _write(tmp_path, (mark + '{"id": "a", "title": "Élan"}\n').encode(encoding))
    assert [paper.title for paper in read_papers(path)] == ["Élan"]


def test_another_encoding_must_be_stated(tmp_path: Path) -> None:
    """A byte that is no UTF-8 is an error that names it; the stated encoding reads it."""
    path = _write(tmp_path, '{"id": "a"}\n{"id": "b", "title": "Élan"}\n'.encode("latin-1"))
    papers, error = read_until_error(path)
    assert _ids(papers) == ["a"]
    assert "byte 34 is no utf-8" in error.reason
    assert [paper.title for paper in read_papers(path, encoding="latin-1")] == ["", "Élan"]
    with pytest.raises(InputError, match="no encoding 'latin-99'"):
        read_papers(path, encoding="latin-99")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("http_interactions:\n- request:\n", "recording of web requests"),
        ("@article{k, title = {x}}\n", "BibTeX"),
        ("<html><body>", "markup"),
        ("%PDF-1.7\0\0", "no text"),
        ("Dear reader,\nthis is prose.\n", "not in a format"),
        ('"text"', "not in a format"),
        ("[1, 2, 3]", "holds no record"),
        ('{"message": {"DOI": "10.5555/x"}}', "holds no record"),
        ('{"meta": {"count": 2}, "results": [], "group_by": [{"key": "x"}]}', "group_by page"),
        ('{"error": "Invalid query parameters", "message": "no"}', "error that a provider sent"),
        ("1\t2\n3\t4\n", "does not say which column cites"),
    ],
)
def test_what_is_no_format_is_refused_by_what_it_is(
    tmp_path: Path, content: str, words: str
) -> None:
    """The error names the file and what it seems to be."""
    path = _write(tmp_path, content)
    papers, error = read_until_error(path)
    assert papers == []
    assert error.file == str(path)
    assert words in error.reason


def test_paths_that_cannot_be_read(tmp_path: Path) -> None:
    """A missing file, an empty directory and an unknown format are refused before reading."""
    with pytest.raises(InputError, match="no such file"):
        read_papers(tmp_path / "missing.jsonl")
    with pytest.raises(InputError, match="holds no file"):
        read_papers(tmp_path)
    with pytest.raises(InputError, match="no format 'xml'"):
        read_papers(json_lines(tmp_path / "a", A), format="xml")
    with pytest.raises(InputError, match="at least one"):
        read_papers()


def test_a_directory_is_read_in_order(tmp_path: Path) -> None:
    """Files are taken by path, hidden ones left alone, others passed over with a warning."""
    (tmp_path / "z").mkdir()
    json_lines(tmp_path / "z" / "1.jsonl", B)
    json_lines(tmp_path / "a.jsonl", A)
    json_lines(tmp_path / ".hidden", {"id": "h"})
    _write(tmp_path, "Some notes, no data.\n", "README.md")
    papers, report = read_all(tmp_path)
    assert _ids(papers) == ["a", "b"]
    assert dict(report.warnings) == {"skipped_file": 1}
    assert "README.md" in report.issues[0].file


def test_values_are_mended_or_dropped_with_a_word(tmp_path: Path) -> None:
    """Each bad value is counted under its kind; the record stays."""
    record = {
        "id": 5,
        "title": {"en": "x"},
        "abstract": 1.5,
        "year": "2001",
        "authors": ["A", None, {"name": "B"}],
        "references": ["r", None, "", {"paperId": "s"}, {"paperId": None}, 7, True],
        "venue": ["V", "W"],
        "citations": "c",
        "ids": ["x"],
        "is_retracted": "perhaps",
        "doi": "n/a",
    }
    (paper,), report = read_all(json_lines(tmp_path / "a", record))
    assert (paper.id, paper.title, paper.abstract, paper.year) == ("5", "", "", 2001)
    assert (paper.authors, paper.references, paper.citations) == (["A", "B"], ["r", "s", "7"], [])
    assert (paper.venue, paper.external_ids, paper.retracted) == ("V", {}, "no")
    assert dict(report.warnings) == {
        "bad_doi": 1,
        "blank_name": 1,
        "blank_reference": 3,
        "extra_values": 1,
        "id_not_text": 2,
        "wrong_type": 6,
        "year_not_int": 1,
    }


@pytest.mark.parametrize(
    ("year", "read", "kinds"),
    [
        ("2001", 2001, []),
        ("2001.0", 2001, ["year_not_int"]),
        ('" 2001 "', 2001, ["year_not_int"]),
        ("1500", 1500, []),
        ("1499", None, ["bad_year"]),
        ("9999", None, ["bad_year"]),
        ("true", None, ["bad_year"]),
        ("NaN", None, ["bad_year"]),
        ("1e400", None, ["bad_year"]),
        ("2001.5", None, ["bad_year"]),
        ("36893488147419103232", None, ["bad_year"]),
        ('"2001a"', None, ["bad_year"]),
        ("[2001]", None, ["bad_year"]),
        ("null", None, []),
    ],
)
def test_years(tmp_path: Path, year: str, read: int | None, kinds: list[str]) -> None:
    """A year is a whole number from 1500 to the next year, or none."""
    (paper,), report = read_all(_write(tmp_path, f'{{"id": "a", "year": {year}}}'))
    assert (paper.year, [issue.kind for issue in report.issues]) == (read, kinds)


@pytest.mark.parametrize(
    ("index", "abstract"),
    [
        ({"again": [1, 3], "Once": [0], "and": [2]}, "Once again and again"),
        ({"gap": [900], "A": [0]}, "A gap"),
        ('{"as": [0], "text": [1]}', "as text"),
        ({"IndexLength": 2, "InvertedIndex": {"old": [0], "form": [1]}}, "old form"),
        ({"CO<sub>2</sub>": [0], "&amp;": [1]}, "CO2 &"),
        ({}, ""),
        (None, ""),
    ],
)
def test_inverted_abstracts(tmp_path: Path, index: object, abstract: str) -> None:
    """Gaps leave no trace, repeats stand where they belong, JSON text counts as JSON."""
    work = {"id": "https://openalex.org/W1", "display_name": "T", "abstract_inverted_index": index}
    (paper,), report = read_all(json_lines(tmp_path / "a", work))
    assert (paper.title, paper.abstract, report.issues) == ("T", abstract, [])


def test_an_openalex_work(tmp_path: Path) -> None:
    """Ids are short, names are normal, authors, venue and retraction are found where they stand."""
    work = {
        "id": "https://openalex.org/W1",
        "title": "T",
        "publication_year": 2001,
        "is_retracted": True,
        "doi": "https://doi.org/10.5555/ABC",
        "ids": {"pmid": "https://pubmed.ncbi.nlm.nih.gov/77"},
        "authorships": [{"author": {"display_name": "Ada Obi"}}, {"raw_author_name": "Lin Moe"}],
        "primary_location": {"source": {"display_name": "J. Tests"}},
        "referenced_works": ["https://openalex.org/W2", "https://openalex.org/W3"],
    }
    (paper,), _ = read_all(json_lines(tmp_path / "a", work))
    assert paper == Paper(
        "W1",
        "T",
        "",
        2001,
        ["Ada Obi", "Lin Moe"],
        ["W2", "W3"],
        [],
        "openalex",
        external_ids={"openalex": "W1", "doi": "10.5555/abc", "pmid": "77"},
        venue="J. Tests",
        retracted="yes",
        retraction_evidence="is_retracted: true",
    )


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ("citing\tcited\na\tb\nb\tc\n", None),
        ("cited,citing\nb,a\nc,b\n", None),
        ("Source,Target,weight\na,b,1\nb,c,1\n", None),
        ("paperId\trefId\r\na\tb\r\nb\tc\r\n", None),
        ('"from","to"\n"a","b"\n"b","c"\n', None),
        ("# FromNodeId\tToNodeId\na\tb\nb\tc\n", None),
        ("a b\nb c\n", "edges:citing,cited"),
        ("b,a\nc,b", "edges:cited,citing"),
        ("citing,cited\na,b\nb,c\n", "edges:citing,cited"),
    ],
)
def test_edge_lists(tmp_path: Path, content: str, name: str | None) -> None:
    """The header or the caller tells the direction; both ends of an edge are papers."""
    papers, report = read_all(_write(tmp_path, content), format=name)
    assert {paper.id: paper.references for paper in papers} == {"a": ["b"], "b": ["c"], "c": []}
    assert (report.records, report.papers, report.issues) == (2, 3, [])


def test_odd_edges_are_counted_by_line(tmp_path: Path) -> None:
    """Repeats, self-citations, blanks and short lines are told apart, each with its line."""
    path = _write(tmp_path, "citing,cited\na,b\na,b\na,a\n,b\nc\nx,https://doi.org/10.5555/Y\n")
    papers, report = read_all(path)
    assert {paper.id: paper.references for paper in papers} == {
        "a": ["b"],
        "b": [],
        "x": ["10.5555/y"],
        "10.5555/y": [],
    }
    assert [(issue.line, issue.kind) for issue in report.issues] == [
        (3, "doubled_edge"),
        (4, "self_citation"),
        (5, "blank_id"),
        (6, "wrong_columns"),
    ]
    assert (report.records, report.rejected, report.warned) == (6, 2, 2)


def test_an_edge_list_that_is_a_header_alone_holds_nothing(tmp_path: Path) -> None:
    """It is no error, whatever was wrong with files before it; one of short lines alone is."""
    bad = json_lines(tmp_path / "a", A, {"title": "x"})
    papers, report = read_all(bad, _write(tmp_path, "citing,cited\n"))
    assert (_ids(papers), report.rejected) == (["a"], 1)
    assert "holds no edge" in read_until_error(_write(tmp_path, "citing,cited\nx\n"))[1].reason


def test_a_table_of_own_records(tmp_path: Path) -> None:
    """Cells may hold several ids, line ends inside quotes, and no value at all."""
    path = _write(
        tmp_path,
        "id,title,year,authors,references,doi\n"
        'a,"Two\nlines",2001,Ada Obi; Lin Moe,b|c,10.5555/A\nb,x,,,,\nc,short\n',
    )
    papers, report = read_all(path)
    assert (papers[0].title, papers[0].year) == ("Two lines", 2001)
    assert (papers[0].authors, papers[0].references) == (["Ada Obi", "Lin Moe"], ["b", "c"])
    assert papers[0].external_ids == {"doi": "10.5555/a"}
    assert papers[1] == Paper("b", "x", "", None, [])
    assert [(issue.line, issue.kind) for issue in report.issues] == [(5, "wrong_columns")]


def test_the_stream_is_used_once_and_tells_its_progress(tmp_path: Path) -> None:
    """Bytes and papers are reported while reading; a stream that has ended says so."""
    path = json_lines(tmp_path / "a", A, B)
    calls: list[tuple[int, int, int]] = []
    stream = read_papers(path, progress=lambda *numbers: calls.append(numbers))
    assert _ids(list(stream)) == ["a", "b"]
    size = path.stat().st_size
    assert calls == [(size, size, 0)]
    assert (stream.bytes_read, stream.bytes_total) == (size, size)
    with pytest.raises(InputError, match="read to its end"):
        iter(stream)


def test_leaving_early_closes_the_file(tmp_path: Path) -> None:
    """A stream left in the middle holds no file open and yields nothing more."""
    with read_papers(json_lines(tmp_path / "a", A, B)) as stream:
        assert next(stream).id == "a"
    assert next(stream, None) is None


def test_the_list_of_issues_is_bounded(tmp_path: Path) -> None:
    """A thousand issues are listed; the counts go on."""
    _, report = read_all(json_lines(tmp_path / "a", A, *[{"title": "x"}] * 1_500))
    assert (len(report.issues), report.unlisted, report.rejected) == (1_000, 500, 1_500)
    assert dict(report.rejections) == {"no_id": 1_500}


def test_a_byte_that_is_no_text_at_the_very_beginning(tmp_path: Path) -> None:
    """A file is not empty because nothing in it can be decoded."""
    path = _write(tmp_path, 'État,id\n{"id": "a"}\n'.encode("latin-1"))
    papers, error = read_until_error(path)
    assert papers == []
    assert "byte 0 is no utf-8; name the right encoding" in str(error)


def test_half_a_character_of_utf16_is_a_file_cut_off(tmp_path: Path) -> None:
    """An odd number of bytes is a cut, wherever it stands."""
    whole = '{"id": "a"}\n'.encode("utf-16")
    papers, error = read_until_error(_write(tmp_path, whole + b"{"))
    assert _ids(papers) == ["a"]
    assert "is cut off inside a character (byte 26)" in str(error)
    _, error = read_until_error(_write(tmp_path, b"\xff\xfea", "half"))
    assert "is cut off inside a character (byte 2)" in str(error)


def test_a_comma_before_the_end_of_a_list_is_damage_and_no_cut(tmp_path: Path) -> None:
    """The message speaks of the sign that should not be there."""
    papers, error = read_until_error(_write(tmp_path, '[{"id": "a"},]'))
    assert _ids(papers) == ["a"]
    assert "is not JSON: a value was expected after ',', not ']'" in str(error)


def test_a_table_read_as_openalex_that_has_no_column_of_ids(tmp_path: Path) -> None:
    """A format that is stated and wrong gives rejected rows, not a failure inside the reader."""
    papers, report = read_all(_write(tmp_path, "name,title\na,One\n"), format="openalex-csv")
    assert (papers, report.records, report.rejected) == ([], 1, 1)


def test_an_encoding_that_does_not_fit_is_an_input_error(tmp_path: Path) -> None:
    """UTF-16 without a mark, and an encoding that is none for files, are named as such."""
    path = _write(tmp_path, '{"id": "a"}\n')
    papers, error = read_until_error(path, encoding="utf-16")
    assert papers == []
    assert "is no utf-16: UTF-16 stream does not start with BOM" in str(error)
    with pytest.raises(InputError, match="there is no encoding 'idna'"):
        read_papers(path, encoding="idna")


def test_an_empty_path_is_not_the_folder_that_one_is_in() -> None:
    """A variable that was never set does not read whatever lies around."""
    with pytest.raises(InputError, match="a path is empty"):
        read_papers("")
