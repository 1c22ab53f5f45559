from __future__ import annotations

import gzip
import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citehop import InputError, Paper, read_papers
from citehop.sources.formats import FORMATS
from tests.unit.sources.writing import json_lines, read_all

KEYS = [
    "id",
    "paperId",
    "doi",
    "DOI",
    "title",
    "abstract",
    "year",
    "authors",
    "references",
    "citations",
    "source",
    "sources",
    "venue",
    "ids",
    "external_ids",
    "externalIds",
    "retracted",
    "is_retracted",
    "type",
    "notice",
    "update-to",
    "updated-by",
    "publication_year",
    "authorships",
    "results",
    "primary_location",
    "referenced_works",
    "abstract_inverted_index",
    "display_name",
    "error",
    "retraction_evidence",
    "meta",
    "group_by",
]
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(), max_size=12)
    | st.sampled_from(
        ["10.5555/A", "n/a", "W1", "<i>x</i>", "\ud83d", "\0", "2001.0", "retraction", ""]
    )
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from([*KEYS, "name", "author", "display_name", "doi", "arxiv"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=6,
)
RECORDS = st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=8)
SNIPPETS = st.lists(
    st.sampled_from(
        [
            b'{"id": "a"}',
            b"\n",
            b"[",
            b"]",
            b"{",
            b"}",
            b",",
            b'"',
            b":",
            b"id,title",
            b"citing\tcited",
            b"a\tb",
            b"1,2",
            b"\xff\xfe",
            b"\xef\xbb\xbf",
            b"\x1f\x8b",
            b"\0",
            b"\xc3",
            b"results",
            b"null",
            b"# x",
            b'{"results": [',
            b"1e400",
            b"NaN",
            b"@article{",
        ]
    )
    | st.binary(max_size=6),
    max_size=12,
).map(b"".join)


@contextmanager
def file_with(content: bytes) -> Iterator[Path]:
    """Give a file that holds ``content``."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "input")
        path.write_bytes(content)
        yield path


def read_or_refused(path: Path, **options: Any) -> list[Paper] | InputError:
    """Return the papers, or the one kind of error that may come."""
    try:
        return list(read_papers(path, **options))
    except InputError as error:
        return error


@settings(max_examples=150, deadline=None)
@given(SNIPPETS, st.sampled_from([None, *FORMATS]), st.booleans(), st.booleans())
def test_any_bytes_give_papers_or_an_input_error(
    content: bytes, name: str | None, strict: bool, packed: bool
) -> None:
    """Whatever a file holds, reading ends with papers or with an InputError that names the file."""
    with file_with(gzip.compress(content) if packed else content) as path:
        outcome = read_or_refused(path, format=name, strict=strict)
        assert isinstance(outcome, list) or outcome.file == str(path)


@settings(max_examples=150, deadline=None)
@given(st.lists(RECORDS, max_size=4), st.booleans(), st.booleans())
def test_any_json_gives_papers_or_an_input_error(
    records: list[dict[str, Any]], as_list: bool, strict: bool
) -> None:
    """Whatever values records hold, each becomes a valid paper, is refused, or stops with words."""
    lines = json.dumps(records) if as_list else "\n".join(map(json.dumps, records))
    with file_with(lines.encode()) as path:
        outcome = read_or_refused(path, strict=strict)
        assert isinstance(outcome, list) or outcome.file == str(path)


@settings(max_examples=150, deadline=None)
@given(st.lists(RECORDS.map(lambda record: {"id": "p", **record}), min_size=1, max_size=3))
def test_strict_refuses_exactly_what_is_otherwise_reported(records: list[dict[str, Any]]) -> None:
    """A strict reading fails where a lenient one has something to report, at the same place."""
    with file_with("\n".join(map(json.dumps, records)).encode()) as path:
        stream = read_papers(path)
        try:
            papers = list(stream)
        except InputError:
            return
        strict = read_or_refused(path, strict=True)
        if stream.report.issues:
            first = stream.report.issues[0]
            assert isinstance(strict, InputError)
            assert (strict.file, strict.line) == (first.file, first.line)
            assert first.reason in strict.reason
        else:
            assert strict == papers


PLAIN = st.text(st.characters(categories=("L", "N", "P")), min_size=1, max_size=8).filter(
    lambda text: "&" not in text
)
PAPERS = st.builds(
    Paper,
    st.from_regex(r"p[0-9]{1,3}", fullmatch=True),
    PLAIN,
    PLAIN | st.just(""),
    st.none() | st.integers(1500, 2020),
    st.lists(PLAIN, max_size=2),
    st.lists(st.from_regex(r"p[0-9]{1,3}", fullmatch=True), max_size=3),
    st.lists(st.from_regex(r"p[0-9]{1,3}", fullmatch=True), max_size=3),
    st.sampled_from(["", "crossref", "own"]),
    external_ids=st.sampled_from([{}, {"doi": "10.5555/a"}, {"arxiv": "2101.00001", "other": "x"}]),
    venue=PLAIN,
    retracted=st.just("yes"),
    retraction_evidence=st.just("said so"),
    notice=st.booleans(),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(PAPERS, max_size=5))
def test_what_is_written_as_own_json_lines_reads_back_equal(papers: list[Paper]) -> None:
    """Own JSON lines carry every field of a paper."""
    with tempfile.TemporaryDirectory() as folder:
        path = json_lines(Path(folder, "own.jsonl"), *(paper.to_dict() for paper in papers))
        read, report = read_all(path)
    assert read == papers
    assert [issue.kind for issue in report.issues] == ([] if papers else ["empty_file"])


def test_deep_nesting_is_refused_with_its_line(tmp_path: Path) -> None:
    """A line nested deeper than Python can follow is refused; the next is read."""
    path = tmp_path / "deep.jsonl"
    path.write_text('{"id": "a"}\n' + "[" * 100_000 + "\n" + '{"id": "b"}\n', encoding="utf-8")
    papers, report = read_all(path)
    assert [paper.id for paper in papers] == ["a", "b"]
    assert [(issue.line, issue.kind) for issue in report.issues] == [(2, "not_json")]


def test_pages_hold_no_pages(tmp_path: Path) -> None:
    """Results within results are refused, however deep they go."""
    path = tmp_path / "pages.json"
    deep = '{"results": [' * 200 + '{"id": "a"}' + "]}" * 200
    path.write_text(f'{{"results": [{{"id": "b"}}, {deep}]}}', encoding="utf-8")
    papers, report = read_all(path)
    assert [paper.id for paper in papers] == ["b"]
    assert [issue.kind for issue in report.issues] == ["no_record"]


@pytest.mark.parametrize("digits", [30, 5_000])
def test_an_integer_of_any_length_is_dropped(tmp_path: Path, digits: int) -> None:
    """A year of more digits than Python converts costs the year, not the record."""
    path = tmp_path / "long.jsonl"
    path.write_text(f'{{"id": "a", "year": {"9" * digits}}}\n', encoding="utf-8")
    papers, report = read_all(path)
    assert [(paper.id, paper.year) for paper in papers] == [("a", None)]
    assert dict(report.warnings) == {"bad_year": 1}
