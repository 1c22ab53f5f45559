from __future__ import annotations

import io
import json
import os
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citehop import InputError
from citehop.evaluation.collection import (
    half_of,
    read_qrels,
    read_queries,
    sample,
    save_run,
    write_run,
)


def _file(folder: Path, text: str) -> Path:
    path = folder / "file.txt"
    path.write_text(text, encoding="utf-8")
    return path


def test_queries_of_beir(tmp_path: Path) -> None:
    """One JSON object a line, with what is to be left out under either name."""
    found = read_queries(
        _file(
            tmp_path,
            '{"_id": "q1", "text": "salt", "citing": ["p1", "p2"]}\n\n'
            '{"_id": "q2", "text": "", "exclude": []}\n{"id": 3, "query": "tides"}\n',
        )
    )

    assert found.texts == {"q1": "salt", "q2": "", "3": "tides"}
    assert found.exclude == {"q1": {"p1", "p2"}}
    assert len(found) == 3


def test_queries_of_trec(tmp_path: Path) -> None:
    """An id, a tab, a text; a mark at the beginning of the file and line ends are no text."""
    found = read_queries(_file(tmp_path, "\ufeff301\tsalt marsh\r\n302\treeds\tand tides\r\n"))

    assert found.texts == {"301": "salt marsh", "302": "reeds\tand tides"}


def test_judgements_of_beir(tmp_path: Path) -> None:
    """Three columns under a header; the highest grade of a pair stands."""
    text = "query-id\tcorpus-id\tscore\nq1\tp 1\t2\nq1\tp2\t0\nq1\tp2\t1\nq2\tp1\t1\n"

    assert read_qrels(_file(tmp_path, text)) == {"q1": {"p 1": 2, "p2": 1}, "q2": {"p1": 1}}


def test_judgements_of_trec(tmp_path: Path) -> None:
    """Four columns between blanks, without a header."""
    text = "301 0 FT911-3 1\n301 Q0 FT911-4   -1\n"

    assert read_qrels(_file(tmp_path, text)) == {"301": {"FT911-3": 1, "FT911-4": -1}}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "holds no query"),
        ("salt marsh\n", "line 1: has no tab or no id"),
        ('{"_id": "q1", "text": "a"}\n{"_id": "q1"\n', "line 2: is no JSON"),
        ('{"_id": "q1"}\n', "line 1: has no id or no text"),
        ('{"text": "a"}\n', "line 1: has no id or no text"),
        ('{"_id": "q1", "text": "a", "citing": "p1"}', "line 1: has ids to leave out that are no"),
        ("1\ta\n1\tb\n", "line 2: repeats the query id '1'"),
    ],
)
def test_bad_queries_are_refused_by_line(tmp_path: Path, text: str, message: str) -> None:
    """File, line, and what was expected."""
    with pytest.raises(InputError, match=message) as caught:
        read_queries(_file(tmp_path, text))

    assert caught.value.file == str(tmp_path / "file.txt")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "holds no judgement"),
        ("query-id\tcorpus-id\tscore\n", "holds no judgement"),
        ("q1 0 p1 x\n", "line 1: is no judgement"),
        ("q1\tp1\t1\nq1\tp2\n", "line 2: is no judgement"),
        ("q1\t\t1\n", "line 1: is no judgement"),
        ("301 Q0 p1 1 12.5 tag\n", "line 1: is no judgement"),
    ],
)
def test_bad_judgements_are_refused_by_line(tmp_path: Path, text: str, message: str) -> None:
    """File, line, and what was expected; a run is no judgement."""
    with pytest.raises(InputError, match=message):
        read_qrels(_file(tmp_path, text))


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    """Absent, or not UTF-8."""
    (tmp_path / "latin").write_bytes(b"1\tcaf\xe9\n")

    with pytest.raises(InputError, match="cannot be read"):
        read_queries(tmp_path / "nowhere")
    with pytest.raises(InputError, match="not UTF-8"):
        read_queries(tmp_path / "latin")


def test_a_run_in_the_form_of_trec() -> None:
    """Queries in order of id, ranks from 1, and scores that fall with every rank."""
    file = io.StringIO()

    write_run(file, {"q2": [("p1", 0.5)], "q1": [("p3", 1.0), ("p1", 1.0), ("p2", 0.25)]}, "mine")

    assert file.getvalue() == (
        "q1 Q0 p3 1 1.0 mine\nq1 Q0 p1 2 0.99999994 mine\nq1 Q0 p2 3 0.25 mine\n"
        "q2 Q0 p1 1 0.5 mine\n"
    )


@settings(max_examples=50)
@given(st.lists(st.floats(0, 1), max_size=30))
def test_a_run_keeps_its_order_for_any_scores(scores: list[float]) -> None:
    """Read again in single precision, each score is below the one before."""
    file = io.StringIO()
    write_run(file, {"q": [(f"p{place}", score) for place, score in enumerate(scores)]})
    written = [float(line.split()[4]) for line in file.getvalue().splitlines()]

    assert len(written) == len(scores)
    assert all(first > second for first, second in pairwise(written))


@pytest.mark.parametrize(
    ("run", "tag"), [({"q": [("a b", 1.0)]}, "t"), ({"q 1": [("a", 1.0)]}, "t"), ({}, "two words")]
)
def test_a_run_has_no_blanks(run: dict[str, list[tuple[str, float]]], tag: str) -> None:
    """What the form cannot hold is refused, before anything is written."""
    file = io.StringIO()

    with pytest.raises(ValueError, match=r"id '(a b|q 1)' holds a blank|tag must be one word"):
        write_run(file, {"fine": [("a", 1.0)]} | run, tag)

    assert file.getvalue() == ""


def test_a_run_takes_the_place_of_a_file_in_whole(tmp_path: Path) -> None:
    """A link is followed; of a run that is refused nothing is left."""
    (tmp_path / "old").write_text("of before")
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "old")

    with pytest.raises(ValueError, match="the paper id 'a b' holds a blank"):
        save_run(link, {"q": [("a", 1.0), ("a b", 0.5)]}, "t")
    assert (tmp_path / "old").read_text() == "of before"
    save_run(link, {"q": [("a", 1.0)]}, "t")

    assert (tmp_path / "old").read_text() == "q Q0 a 1 1.0 t\n"
    assert link.is_symlink()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "old"]


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="this system has no /dev/fd")
def test_a_run_goes_into_what_is_open(tmp_path: Path) -> None:
    """Standard output that goes to a file stays that file."""
    with (tmp_path / "out").open("w+") as file:
        save_run(Path(f"/dev/fd/{file.fileno()}"), {"q": [("a", 1.0)]}, "t")
        written = file.read()

    assert written == "q Q0 a 1 1.0 t\n"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_run_goes_into_a_device(tmp_path: Path) -> None:
    """What is no file is written to, and not replaced."""
    device = tmp_path / "null"
    device.symlink_to(os.devnull)

    save_run(device, {"q": [("a", 1.0)]}, "t")

    assert not Path(os.devnull).is_file()
    assert [path.name for path in tmp_path.iterdir()] == ["null"]


def test_a_sample_is_always_the_same_and_keeps_the_order() -> None:
    """It does not depend on the order of the ids, nor on how many are taken beside."""
    ids = [f"q{number}" for number in range(200)]
    chosen = sample(ids, 20)

    assert len(chosen) == 20
    assert chosen == [key for key in ids if key in chosen]
    assert set(sample(ids[::-1], 20)) == set(chosen)
    assert set(sample(ids, 10)) < set(chosen)
    assert sample(ids, None) == sample(ids, 500) == ids
    assert sample(["q1", "q2", "q3"], 1) == ["q1"]


def test_halves_are_told_by_the_id() -> None:
    """Each id is in one half, and each half has about half of them."""
    halves = [half_of(f"q{number}") for number in range(400)]

    assert set(halves) == {0, 1}
    assert 160 < sum(halves) < 240
    assert [half_of("q1"), half_of("q2"), half_of("q3")] == halves[1:4]


@pytest.mark.parametrize("odd", ["a\0b", "\ud800"])
def test_ids_to_leave_out_are_checked_where_they_stand(tmp_path: Path, odd: str) -> None:
    """An id that no paper can have names the file and the line."""
    file = tmp_path / "queries.jsonl"
    record = {"_id": " q1 ", "text": "salt", "exclude": ["fine "]}
    file.write_text(json.dumps(record) + "\n" + json.dumps(record | {"exclude": [odd]}))

    with pytest.raises(InputError, match="has an id to leave out with a NUL or lone") as caught:
        read_queries(file)

    assert (caught.value.line, caught.value.file) == (2, str(file))


def test_other_ids_are_checked_too(tmp_path: Path) -> None:
    """Those of queries and judgements, which are read without the blanks around them."""
    file = tmp_path / "file"
    file.write_text('{"_id": " q1 ", "text": "a"}\n{"_id": "\\ud800", "text": "a"}\n')
    with pytest.raises(InputError, match="line 2: has a query id with a NUL or lone"):
        read_queries(file)
    file.write_text("q1\ta\nq\0\tb\n")
    with pytest.raises(InputError, match="line 2: has a query id with a NUL or lone"):
        read_queries(file)
    file.write_text("q1\ta\t1\nq1\tb\0\t1\n")
    with pytest.raises(InputError, match="line 2: has a judged id with a NUL or lone"):
        read_qrels(file)
    file.write_text('{"_id": " q1 ", "text": "a"}\n')

    assert read_queries(file).texts == {"q1": "a"}


def test_a_grade_beyond_all_scales_is_refused(tmp_path: Path) -> None:
    """The line is named; ids are read without the blanks around them."""
    file = tmp_path / "qrels.tsv"
    file.write_text("query-id\tcorpus-id\tscore\nq1\ta\t1000\nq1\tb\t1001\n")

    with pytest.raises(InputError, match="has a grade that is not from -1000 to 1000"):
        read_qrels(file)
