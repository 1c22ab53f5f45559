"""The commands that make and change a library on disk."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tests.commands import run, run_json

from citehop.errors import InputError, StoreError
from citehop.library.lock import writing
from citehop.library.store import LibraryStore

PAPERS: list[dict[str, Any]] = [
    {"id": "marsh", "doi": "10.5555/m", "title": "Salt marshes", "references": ["tide", "x"]},
    {"id": "tide", "title": "Tides and mud", "year": 1998},
    {"id": "storm", "title": "Hurricanes", "year": 2019, "references": ["marsh"]},
]
NEW: list[dict[str, Any]] = [
    {"id": "flat", "title": "Mud flats", "references": ["https://doi.org/10.5555/M"]},
    {"id": "W7", "doi": "10.5555/m", "abstract": "They accrete."},
]


def _write(path: Path, records: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Three papers in a file of JSON lines."""
    return _write(tmp_path / "papers.jsonl", PAPERS)


@pytest.fixture
def library(files: Path, tmp_path: Path) -> Path:
    """A library of them, analysed as English."""
    folder = tmp_path / "library"
    report = run_json("build", files, "-o", folder, "--analysis", "english")
    assert (report["created"], report["edges"], report["externals"]) == (3, 3, 1)
    return folder


def test_build_says_what_it_replaces(files: Path, library: Path) -> None:
    """A new library says nothing of the kind; one in the place of another names that."""
    again = run("build", files, "-o", library)
    other = run("build", files, "-o", library.parent / "other")

    assert "it took the place of a library of 3 papers (--analysis english)" in again.stderr
    assert "took the place" not in other.stderr


def test_adding_what_is_there_counts_as_unchanged(files: Path, library: Path) -> None:
    """Every paper that was read again is counted."""
    added = run_json("add", files, "--in", library)

    assert (added["created"], added["updated"], added["unchanged"]) == (0, 0, 3)


def test_nothing_is_built_from_files_that_are_not_read(tmp_path: Path) -> None:
    """A folder in which no file can be read is an error, which names the first of them."""
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.txt").write_text("Dear diary\n", encoding="utf-8")
    (folder / "b.ris").write_text("TY  - JOUR\n", encoding="utf-8")
    built = run("build", folder, "-o", tmp_path / "library")
    searched = run("search", "tides", "--in", folder)

    for done in (built, searched):
        assert isinstance(done.exception, InputError)
        assert "none of its 2 files can be read; the first, " in str(done.exception)
        assert "a.txt" in str(done.exception)
    assert not (tmp_path / "library").exists()


def test_a_library_answers_as_its_files_do(files: Path, library: Path) -> None:
    """Each command says the same of a library and of the files, diagnostics apart."""
    for command in (
        ["search", "the salt marsh"],
        ["explain", "the salt marsh", "storm"],
        ["neighbours", "marsh", "--hops", "2"],
        ["show", "10.5555/M"],
    ):
        english = ["--analysis", "english"] if command[0] in ("search", "explain") else []
        from_files = run_json(*command, "--in", files, *english)
        from_library = run_json(*command, "--in", library)
        from_files.pop("diagnostics", None)
        from_library.pop("diagnostics", None)

        assert from_library == from_files
    assert run_json("stats", "--in", library)["papers"] == 3


def test_adding_merges_with_what_is_there(library: Path) -> None:
    """A new record of a known paper is merged with it, and citations by an alias lead to it."""
    added = _write(library.parent / "new.jsonl", NEW)

    report = run_json("add", added, "--in", library)

    assert (report["created"], report["merged_away"]) == (2, 1)
    merged = run_json("show", "10.5555/m", "--in", library)
    assert merged["id"] == "W7"
    assert merged["title"] == "Salt marshes"
    assert merged["abstract"] == "They accrete."
    assert merged["references"] == ["tide", "x"]
    assert merged["citations"] == ["flat", "storm"]
    assert run_json("show", "storm", "--in", library)["references"] == ["W7"]
    fresh = library.parent / "fresh"
    run_json("build", library.parent / "papers.jsonl", added, "-o", fresh, "--analysis", "english")
    for name in ("W7", "flat", "storm", "tide"):
        assert run_json("show", name, "--in", fresh) == run_json("show", name, "--in", library)


def test_adding_with_replace_keeps_records_apart(library: Path) -> None:
    """With --replace a record takes the place of the one with its id, and of no other."""
    tide: dict[str, Any] = {"id": "tide", "title": "Neap"}
    added = _write(library.parent / "new.jsonl", [tide, NEW[0]])

    report = run_json("add", added, "--in", library, "--replace")

    assert (report["created"], report["updated"], report["merged_away"]) == (1, 1, 0)
    assert run_json("show", "tide", "--in", library)["year"] is None
    assert run_json("show", "flat", "--in", library)["references"] == ["marsh"]


def test_removing_by_id_alias_and_file(library: Path) -> None:
    """Names stand on the command line or in a file; those that are not there are counted."""
    names = library.parent / "names.txt"
    names.write_text("doi:10.5555/M\n\nnobody\n", encoding="utf-8")

    report = run_json("remove", "storm", names, "--in", library)

    assert report == {"removed": 2, "not_there": 1}
    assert run_json("stats", "--in", library)["papers"] == 1


def test_a_library_is_searched_alone_and_as_it_was_built(files: Path, library: Path) -> None:
    """Another analysis, or files beside it, are refused with what to do instead."""
    other = run("search", "salt", "--in", library, "--analysis", "plain")
    beside = run("search", "salt", "--in", library, "--in", files)

    assert isinstance(other.exception, InputError)
    assert "was built with --analysis english, not plain" in str(other.exception)
    assert isinstance(beside.exception, InputError)
    assert "use 'citehop add'" in str(beside.exception)


def test_only_a_library_is_changed(files: Path) -> None:
    """Adding to what is no library says so."""
    done = run("add", files, "--in", files.parent)

    assert isinstance(done.exception, InputError)
    assert done.exception.code == "NO_LIBRARY"


def test_two_who_add_to_one_paper_at_once_lose_nothing(library: Path) -> None:
    """Each merges with what the other wrote, as reading and writing happen under one lock."""
    new = [{"id": "delta", "references": [name]} for name in ("marsh", "tide", "storm")]
    parts = [_write(library.parent / f"{n}.jsonl", [record]) for n, record in enumerate(new)]

    with writing(library):  # All of them wait for somebody else at first.
        adding = [
            subprocess.Popen(
                [sys.executable, "-m", "citehop", "add", str(part), "--in", str(library)]
            )
            for part in parts
        ]
        time.sleep(1)
    codes = [process.wait(timeout=60) for process in adding]

    assert codes == [0, 0, 0]
    shown = run_json("show", "delta", "--in", library)
    assert sorted(shown["references"]) == ["marsh", "storm", "tide"]


@pytest.mark.parametrize(
    ("command", "reads"), [(["add", "new"], "records"), (["remove", "storm"], "get")]
)
def test_what_a_change_follows_from_is_read_under_its_lock(
    library: Path, monkeypatch: pytest.MonkeyPatch, command: list[str], reads: str
) -> None:
    """Nobody can write between the look at what is held and the change that follows from it."""
    real, asked = getattr(LibraryStore, reads), []

    def watched(store: LibraryStore, names: Any) -> Any:
        with pytest.raises(StoreError) as caught, writing(library, wait_seconds=0):
            pass
        asked.append(caught.value.code)
        return real(store, names)

    monkeypatch.setattr(LibraryStore, reads, watched)
    new = _write(library.parent / "new.jsonl", NEW)
    done = run(command[0], new if command[1] == "new" else command[1], "--in", library)

    assert (done.exit_code, asked[0]) == (0, "LIBRARY_BUSY")


def test_a_list_of_ids_ends_its_lines_at_line_feeds_alone(tmp_path: Path) -> None:
    """An id with another sign that ends lines elsewhere is one id; the others stay."""
    odd = "a\u2028b"
    records = [{"id": name, "title": "Mud"} for name in ("a", "b", odd)]
    folder = tmp_path / "library"
    run_json("build", _write(tmp_path / "papers.jsonl", records), "-o", folder)
    names = tmp_path / "names.txt"
    names.write_bytes(f"{odd}\r\n".encode())

    assert run_json("remove", names, "--in", folder) == {"removed": 1, "not_there": 0}
    assert [run("show", name, "--in", folder).exit_code for name in ("a", "b", odd)] == [0, 0, 1]


def test_what_is_no_list_of_ids_is_told(library: Path) -> None:
    """A file that is no UTF-8 is an error; a name too long for a file is an id."""
    names = library.parent / "names.txt"
    names.write_bytes(b"storm\n\xe9t\xe9\n")

    done = run("remove", names, "--in", library)

    assert isinstance(done.exception, InputError)
    assert done.exception.reason == "byte 6 is no UTF-8; expected one id on each line"
    assert run_json("remove", "x" * 300, "--in", library) == {"removed": 0, "not_there": 1}
