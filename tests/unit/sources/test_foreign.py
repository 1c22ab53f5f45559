"""Downloads that are not read are told by what they hold; nothing that is read is taken for one."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citehop.sources.foreign import foreign_json
from citehop.sources.glimpse import first_record
from tests.unit.sources.writing import json_lines, read_all, read_until_error

CROSSREF: dict[str, Any] = {
    "DOI": "10.5555/a",
    "title": ["T"],
    "reference-count": 1,
    "is-referenced-by-count": 3,
    "reference": [{"DOI": "10.5555/b"}],
    "author": [{"given": "Ada", "family": "Obi"}],
    "issued": {"date-parts": [[1970, 8]]},
}
CSL: dict[str, Any] = {
    "id": "http://zotero.org/users/1/items/A",
    "type": "article-journal",
    "title": "T",
    "author": [{"family": "Obi", "given": "Ada"}],
    "issued": {"date-parts": [["1970", 8]]},
}
S2ORC: dict[str, Any] = {
    "paper_id": "7",
    "title": "T",
    "authors": [{"first": "Ada", "middle": [], "last": "Obi", "suffix": ""}],
    "doi": "10.5555/a",
    "outbound_citations": ["8"],
    "inbound_citations": [],
}
CORPUS: dict[str, Any] = {
    "id": "5bd3",
    "title": "T",
    "authors": [{"name": "Ada Obi", "ids": ["8"]}],
    "outCitations": ["6ce4"],
    "inCitations": [],
}
KAGGLE: dict[str, Any] = {
    "id": "0704.0001",
    "title": "T",
    "authors": "Ada Obi and Lin Moe",
    "versions": [{"version": "v1", "created": "Mon, 2 Apr 2007 19:18:42 GMT"}],
    "authors_parsed": [["Obi", "Ada", ""]],
}
S2 = {"paperId": "a" * 40, "title": "T"}
NAMES = {
    "crossref": "Crossref's JSON",
    "csl": "CSL-JSON, as Zotero exports it",
    "s2orc": "S2ORC",
    "corpus": "the Open Research Corpus of Semantic Scholar",
    "kaggle": "arXiv's snapshot on Kaggle",
}
RECORDS = {"crossref": CROSSREF, "csl": CSL, "s2orc": S2ORC, "corpus": CORPUS, "kaggle": KAGGLE}


@pytest.mark.parametrize("kind", RECORDS)
def test_a_record_of_another_form_is_named_in_any_layout(tmp_path: Path, kind: str) -> None:
    """On lines, in a list (after nulls too), indented, compressed, or longer than a head."""
    record = RECORDS[kind]
    long = record | {"abstract": "word " * 300_000}
    layouts = [
        json.dumps(record) + "\n" + json.dumps(record) + "\n",
        json.dumps([None, record]),
        json.dumps([record, record], indent=2),
        json.dumps(record, indent=1),
        json.dumps({"items": [record]}),
        json.dumps([long]),
    ]
    for number, layout in enumerate(layouts):
        path = tmp_path / str(number)
        path.write_bytes(gzip.compress(layout.encode()) if number == 1 else layout.encode())
        papers, error = read_until_error(path)
        assert (papers, error.code, error.file) == ([], "NOT_A_FORMAT", str(path))
        assert error.reason == (
            f"looks like {NAMES[kind]}, which is not read; turn it into own records "
            "(docs/formats.md says how they look)"
        )


@pytest.mark.parametrize(
    ("page", "name"),
    [
        ({"status": "ok", "message-type": "work", "message": CROSSREF}, "a page of Crossref's API"),
        (
            {"status": "ok", "message-type": "work-list", "message": {"items": [CROSSREF]}},
            "a page of Crossref's API",
        ),
        ({"total": 1, "offset": 0, "data": [S2]}, "a page of Semantic Scholar's API"),
        ({"offset": 0, "data": [{"citingPaper": S2}]}, "a page of Semantic Scholar's API"),
        ({"offset": 0, "data": [{"citedPaper": S2}]}, "a page of Semantic Scholar's API"),
        ({"total": 0, "token": None, "data": []}, "a page of Semantic Scholar's API"),
        ({"recommendedPapers": [S2]}, "a page of Semantic Scholar's API"),
    ],
)
def test_a_page_of_another_provider_is_named(
    tmp_path: Path, page: dict[str, Any], name: str
) -> None:
    """A page is told by what stands round its records."""
    _, error = read_until_error(json_lines(tmp_path / "page", page))
    assert error.reason.startswith(f"looks like {name}, which is not read")


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ("\n\nTY  - JOUR\nAU  - Obi, Ada\nER  - \n", "RIS"),
        ("\ufeff1.\r\nTY  - JOUR\r\nER  - \r\n", "RIS"),
        ("PMID- 27169098\nOWN - NLM\nTI  - Proteomics\n", "PubMed's nbib"),
        ("FN Clarivate\nVR 1.0\nPT J\nAU Obi, A\n", "Web of Science's tagged export"),
        ("PT\tAU\tTI\tSO\tDI\nJ\tObi\tT\tJ\t\n", "Web of Science's table"),
        ("Publication Type\tAuthors\tArticle Title\nJ\tObi\tT\n", "Web of Science's table"),
        ('\ufeffAuthors,"Author(s) ID",Title,Year,EID\nObi,1,T,1970,2-s2.0-1\n', "Scopus's CSV"),
        ("% Encoding: UTF-8\n\n@Article{a,\n title = {T},\n}\n", "BibTeX"),
        ("This file was made with JabRef 2.9.2.\n\n\n@softwareversion {a:b-1,\n", "BibTeX"),
        ('@string{jan = "January"}\n', "BibTeX"),
        ("% Encoding: US-ASCII@PREAMBLE{x}@article{a}", "BibTeX"),
        ("% a comment\n" * 3_000 + "@article{,\n title={T}}\n", "BibTeX"),
        (
            '<?xml version="1.0"?>\n<feed xmlns:arxiv="http://arxiv.org/schemas/atom">',
            "arXiv's Atom feed",
        ),
        ("<OAI-PMH xmlns='x'><GetRecord>", "OAI-PMH's XML, as arXiv gives it"),
    ],
)
def test_a_download_that_is_no_json_is_named(tmp_path: Path, content: str, name: str) -> None:
    """Tagged text, tables, bibliographies and feeds each have their name."""
    path = tmp_path / "file"
    path.write_text(content, encoding="utf-8", newline="")
    papers, error = read_until_error(path)
    assert (papers, error.code) == ([], "NOT_A_FORMAT")
    assert error.reason.startswith(f"looks like {name}, which is not read; turn it into own")


def test_other_markup_and_programs_are_none_of_these(tmp_path: Path) -> None:
    """A feed of somebody else, a web page, and decorators keep the general words."""
    for content in (
        "<feed xmlns='atom'>",
        "<html>arxiv.org",
        "import a\n@dataclass(frozen=True)\n",
    ):
        (tmp_path / "x").write_text(content, encoding="utf-8")
        assert "looks like" not in read_until_error(tmp_path / "x")[1].reason


@pytest.mark.parametrize(
    "record",
    [
        {"id": "a", "issued": {"date-parts": [[1970]]}},
        {"id": "a", "versions": ["v1"]},
        {"id": "a", "authors_parsed": [["Obi", "Ada"]]},
        {"id": "a", "outCitations": ["b"]},
        {"id": "a", "outbound_citations": ["b"]},
        {"id": "a", "reference-count": 3, "is-referenced-by-count": 1},
        {"DOI": "10.5555/a", "title": "T", "reference-count": 3},
        {"id": "a", "message-type": "work"},
        {"id": "a", "total": 1, "token": "x", "data": [S2]},
        {"id": "a", "items": [CROSSREF]},
        CORPUS | {"references": ["6ce4"]},
        KAGGLE | {"references": []},
        CSL | {"authors": ["Ada Obi"], "year": 1970},
        {"id": "W1", "referenced_works": ["W2"], "outCitations": [], "inCitations": []},
        {"id": "a", "abstract": json.dumps(S2ORC) + "\n@article{a,\nTY  - JOUR\nPMID- 1\n"},
        {"id": "a", '"outbound_citations": []': 1, '\\"inbound_citations\\"': 2},
        {"id": "a", "x": CROSSREF, "y": [KAGGLE, S2ORC], "data": [S2]},
        S2,
    ],
)
def test_no_record_that_is_read_is_taken_for_another(
    tmp_path: Path, record: dict[str, Any]
) -> None:
    """Single marks, marks inside values, and marks beside the keys of own records tell nothing."""
    for content in (json.dumps(record) + "\n", json.dumps([None, record], indent=1)):
        (tmp_path / "x").write_text(content, encoding="utf-8")
        assert len(read_all(tmp_path / "x")[0]) == 1


def test_no_table_that_is_read_is_taken_for_another(tmp_path: Path) -> None:
    """Columns of other exports beside own ones, and cells that hold such text, are left alone."""
    path = tmp_path / "x.csv"
    path.write_text(
        'id,title,EID,Title,Authors,Link\na,"T\nTY  - JOUR\n@article{a,\nPMID- 1",1,2,3,4\n',
        encoding="utf-8",
    )
    assert [paper.id for paper in read_all(path)[0]] == ["a"]
    path.write_text("PT\tAU\tTI\tSO\tciting\tcited\nJ\tA\tT\tS\ta\tb\n", encoding="utf-8")
    assert [paper.id for paper in read_all(path)[0]] == ["a", "b"]


def test_a_stated_format_overrides_the_marks(tmp_path: Path) -> None:
    """Who states own records gets what their keys give."""
    path = json_lines(tmp_path / "x", CORPUS, KAGGLE)
    papers, _ = read_all(path, format="json")
    assert [(paper.id, paper.authors) for paper in papers] == [
        ("5bd3", ["Ada Obi"]),
        ("0704.0001", []),
    ]


def test_a_folder_passes_over_what_is_not_read(tmp_path: Path) -> None:
    """Each such file, a program too, costs a warning that names it."""
    json_lines(tmp_path / "a.jsonl", {"id": "a"})
    json_lines(tmp_path / "b.jsonl", KAGGLE)
    (tmp_path / "c.bin").write_bytes(b"\x7fELF\2\1\1" + bytes(90) + b"\xff\xfe")
    (tmp_path / "d.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(90))
    (tmp_path / "e.ris").write_text("TY  - JOUR\n", encoding="utf-8")
    papers, report = read_all(tmp_path)
    assert [paper.id for paper in papers] == ["a"]
    assert dict(report.warnings) == {"skipped_file": 4}
    assert [issue.reason.split(";")[0] for issue in report.issues] == [
        "looks like arXiv's snapshot on Kaggle, which is not read",
        "is no text: its beginning holds many NULs",
        "is no text: its beginning holds many NULs",
        "looks like RIS, which is not read",
    ]


def test_a_program_is_no_text_and_a_text_with_odd_bytes_is(tmp_path: Path) -> None:
    """Many NULs make it no text; without them an encoding is asked for, as before."""
    path = tmp_path / "x"
    path.write_bytes(b"\x7fELF\2\1\1" + bytes(90) + b"\xff\xfe")
    _, error = read_until_error(path)
    assert error.code == "NOT_A_FORMAT"
    assert str(error) == (
        f"{path}: is no text: its beginning holds many NULs; expected a text file (should it be "
        "UTF-16 without a byte order mark, say so: --encoding utf-16-le)"
    )
    path.write_bytes('{"id": "a", "title": "Élan"}\n'.encode("latin-1"))
    assert "name the right encoding" in read_until_error(path)[1].reason
    path.write_bytes('{"id": "a", "title": "Élan"}\n'.encode("utf-16-le"))
    assert "--encoding utf-16-le" in read_until_error(path)[1].reason
    assert [paper.title for paper in read_all(path, encoding="utf-16-le")[0]] == ["Élan"]


def test_nulls_do_not_hide_a_damaged_file_of_a_folder(tmp_path: Path) -> None:
    """A file that gave papers before the bytes that are no text is an error, not passed over."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"id": "a"}\n' + bytes(50) + b"\n\xff")
    papers, error = read_until_error(tmp_path)
    assert [paper.id for paper in papers] == ["a"]
    assert error.reason.startswith("is no text")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=12,
)


@settings(max_examples=80, deadline=None)
@given(st.dictionaries(st.text(max_size=4), JSON, max_size=5), st.data())
def test_a_head_cut_anywhere_shows_the_keys_that_are_whole(
    record: dict[str, Any], data: st.DataObject
) -> None:
    """What a head shows of a record is the record's own keys, first ones first; all if whole."""
    text = json.dumps(record)
    cut = data.draw(st.integers(0, len(text)))
    assert first_record(text) == record
    assert list(first_record(text[:cut])) == list(record)[: len(first_record(text[:cut]))]


@settings(max_examples=60, deadline=None)
@given(st.text(st.sampled_from('{}[]",:\\ null1\n'), max_size=40))
def test_no_head_is_too_odd_for_the_marks(head: str) -> None:
    """Whatever begins like JSON has an answer."""
    assert foreign_json(head) is None


def test_deep_and_cut_heads_end() -> None:
    """Nesting without end shows what stands before it."""
    assert first_record('{"a": ' + "[" * 100_000) == {"a": [[[None]]]}
    assert first_record('{"id": "a", "b": {"c": 1, "d": [{"e": 2, "f') == {
        "id": "a",
        "b": {"c": 1, "d": [{"e": 2}]},
    }


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("crossref/hab_test_content_negotiation_citeproc_json.1.json", "Crossref's JSON"),
        ("crossref/hab_test_cursor.0.json", "a page of Crossref's API"),
        ("s2/s2orc_metadata_sample.jsonl", "S2ORC"),
        ("s2/s2ag_or_search_testdata.jsonl", "the Open Research Corpus of Semantic Scholar"),
        ("s2/c_test_search_paper_bulk_retrieval.0.json", "a page of Semantic Scholar's API"),
        ("s2/c_test_get_paper_references.0.json", "a page of Semantic Scholar's API"),
        ("arxiv/kaggle_snapshot_sample.jsonl", "arXiv's snapshot on Kaggle"),
        ("arxiv/oai_arxiv-single.xml", "OAI-PMH"),
        ("arxiv/id_0000.0000_s0_m100_8b51d9633a68.xml", "arXiv's Atom feed"),
        ("bibtex/biber_examples.bib", "BibTeX"),
        ("bibtex/jabref_encoding-header.bib", "BibTeX"),
        ("ris/rispy_example_full.ris", "RIS"),
        ("ris/rispy_example_wos.ris", "Web of Science's tagged export"),
        ("ris/jabref_NbibImporterTest.nbib", "PubMed's nbib"),
    ],
)
def test_real_downloads_are_named(shared_dir: Path, name: str, words: str) -> None:
    """Each real file is refused as what it is."""
    papers, error = read_until_error(shared_dir / "data" / name)
    assert papers == []
    assert error.reason.startswith(f"looks like {words}")


@pytest.mark.shared
def test_single_records_of_semantic_scholar_are_read(shared_dir: Path) -> None:
    """One paper of the Graph API, and its batch lists, are read on purpose."""
    folder = shared_dir / "data" / "s2"
    counts = {
        name: len(read_all(folder / name)[0])
        for name in ("Paper.json", "c_test_get_paper.0.json", "c_test_get_papers.0.json")
    }
    assert counts == {
        "Paper.json": 1,
        "c_test_get_paper.0.json": 1,
        "c_test_get_papers.0.json": 3,
    }
