"""What a library's files guard against: other versions, damage, kills, other folders."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from citehop.errors import InputError, StoreError
from citehop.graph.networkx import NetworkXStore
from citehop.library.build import build_library
from citehop.library.lock import writing
from citehop.library.store import LibraryStore
from citehop.paper import Paper
from citehop.search.repository import CitationRepository
from tests.unit.library.killing import kill_within

OLD = [Paper("old", "Salt marsh", "", 2000, [], ["out"])]


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """A library of one paper."""
    build_library(tmp_path / "library", OLD)
    return tmp_path / "library"


def _edit(library: Path, **changes: Any) -> None:
    path = library / "library.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def _refusal(library: Path) -> InputError:
    with pytest.raises(InputError) as caught:
        LibraryStore(library)
    return caught.value


def test_another_version_is_refused(library: Path) -> None:
    """A library of another format version names both versions and the way out."""
    _edit(library, version=2)

    error = _refusal(library)

    assert error.code == "LIBRARY_VERSION"
    assert "version 2 of the library format, and this citehop reads version 1" in str(error)
    assert "citehop build" in str(error)


@pytest.mark.parametrize("changes", [{"analyser": "plain/1/000000000000"}, {"analysis": "klingon"}])
def test_another_analyser_is_refused(library: Path, changes: dict[str, str]) -> None:
    """An index whose terms would not be made alike today is not searched."""
    _edit(library, **changes)

    error = _refusal(library)

    assert error.code == "LIBRARY_ANALYSER"
    assert "build the library anew" in str(error)


def test_a_repository_of_another_analysis_is_refused(library: Path) -> None:
    """A repository must ask for the analysis, fields and constants that the index has."""
    store = LibraryStore(library)

    with pytest.raises(ValueError, match=r"analysis='plain' and not 'english', b=0\.75"):
        CitationRepository(store, analysis="english", b=0.5)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda library: (library / "library.json").write_text("{"),
        lambda library: (library / "library.json").write_text("[]"),
        lambda library: _edit(library, k1="high"),
        lambda library: next(library.glob("generation-*/papers.bytes")).write_bytes(b""),
        lambda library: next(library.glob("generation-*/ahead.rows.npy")).unlink(),
    ],
)
def test_damage_is_told(library: Path, spoil: Callable[[Path], object]) -> None:
    """A manifest that is none, or a file that is short or missing, is an error with a code."""
    spoil(library)

    assert _refusal(library).code == "LIBRARY_DAMAGED"


def test_a_damaged_journal_is_told(library: Path) -> None:
    """A committed change that cannot be read back is an error, not a loss."""
    LibraryStore(library).load([Paper("new", "Tide", "", 2001, [])])
    journal = next(library.glob("generation-*/journal.jsonl"))
    journal.write_bytes(journal.read_bytes().replace(b"Tide", b"Tidy"))

    assert _refusal(library).code == "LIBRARY_DAMAGED"


def test_what_was_not_committed_does_not_count(library: Path) -> None:
    """Behind the committed part of the journal anything may stand; the next change replaces it."""
    LibraryStore(library).load([Paper("new", "Tide", "", 2001, [])])
    journal = next(library.glob("generation-*/journal.jsonl"))
    with journal.open("ab") as file:
        file.write(b'{"put":{"id":"half')

    assert [paper.id for paper in LibraryStore(library).papers()] == ["new", "old"]
    LibraryStore(library).remove(["old"])
    assert [paper.id for paper in LibraryStore(library).papers()] == ["new"]


def test_a_folder_with_other_things_is_left_alone(tmp_path: Path) -> None:
    """Nothing is built into a folder that holds something else, or in place of a file."""
    (tmp_path / "thesis.tex").write_text("x")

    with pytest.raises(InputError, match=r"holds other things \(thesis.tex"):
        build_library(tmp_path, OLD)
    with pytest.raises(InputError, match="is a file"):
        build_library(tmp_path / "thesis.tex", OLD)
    with pytest.raises(InputError, match="is no library"):
        LibraryStore(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_one_writer_at_a_time(library: Path) -> None:
    """Who finds the library being changed by another is told so, and may try again."""
    with writing(library), pytest.raises(StoreError) as caught, writing(library, 0.01):
        pass

    assert caught.value.code == "LIBRARY_BUSY"
    assert caught.value.record.retryable


def test_files_depend_on_the_papers_alone(tmp_path: Path) -> None:
    """The same papers in another order give the same files, byte for byte."""
    papers = [Paper(f"p{n}", f"tide {n}", "mud", n, ["A"], [f"p{n - 1}", "x"]) for n in range(9)]
    contents = []
    for name, order in (("one", papers), ("two", papers[::-1])):
        build_library(tmp_path / name, order, analysis="english")
        folder = next((tmp_path / name).glob("generation-*"))
        contents.append({path.name: path.read_bytes() for path in folder.iterdir()})

    assert contents[0] == contents[1]


def test_doubled_ids_hold_the_last_record(tmp_path: Path) -> None:
    """Of an id that comes twice in a build the last record holds, as in every store."""
    twice = [Paper("a", "First", "", 1, []), Paper("a", "Second", "", 2, [])]
    build_library(tmp_path, twice)
    fresh = NetworkXStore()
    fresh.load(twice)

    assert list(LibraryStore(tmp_path).papers()) == list(fresh.papers())


_CHILD = """
import sys
from citehop.library.build import build_library
from citehop.library.store import LibraryStore
from citehop.paper import Paper

papers = [Paper(f"n{n:04}", "tide and mud", "", 2001, [], ["old"]) for n in range(700)]
print("ready", flush=True)
if sys.argv[1] == "build":
    build_library(sys.argv[2], papers)
elif sys.argv[1] == "add":
    LibraryStore(sys.argv[2]).load(papers[:50])
else:
    LibraryStore(sys.argv[2]).load(papers)
"""


ACTIONS = pytest.mark.parametrize(
    ("action", "count"), [("build", 700), ("add", 51), ("write out", 701)]
)


def _kill(library: Path, action: str, count: int, times: int) -> None:
    chance = random.Random(action)
    span = 0.2
    seen = set()
    for _ in range(times):
        build_library(library, OLD)
        kill_within(chance.uniform(0, span), _CHILD, action, str(library))
        with LibraryStore(library) as store:
            held = [paper.id for paper in store.papers()]
        assert held == ["old"] or len(held) == count
        seen.add(len(held))
        # Until a kill comes too late, later ones wait longer: they fall on all of the work.
        span *= 1.5 if count not in seen else 1
    LibraryStore(library).load(OLD)
    build_library(library, OLD)
    assert len(list(library.glob("generation-*"))) == 1


@pytest.mark.skipif(os.name != "posix", reason="kill -9 is a signal")
@ACTIONS
def test_a_kill_leaves_the_old_or_the_new(library: Path, action: str, count: int) -> None:
    """Killed at a random moment, a build, an addition or a writing out never leaves neither."""
    _kill(library, action, count, times=2)


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.skipif(os.name != "posix", reason="kill -9 is a signal")
@ACTIONS
def test_no_kill_of_many_leaves_neither(library: Path, action: str, count: int) -> None:
    """The same, thirty times each, so that the kills fall on every part of the work."""
    _kill(library, action, count, times=30)
