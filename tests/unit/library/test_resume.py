"""A build that was interrupted goes on from what it had finished."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from citehop.graph.store import LoadReport
from citehop.lexical.analysis import PLAIN, Analyser
from citehop.lexical.stored import write_index
from citehop.library import build, generation, unfinished
from citehop.library.build import build_library
from citehop.library.records import RecordWriter
from citehop.library.rows import RowsWriter
from citehop.library.settings import IndexSettings
from citehop.library.store import LibraryStore
from citehop.library.unfinished import Unfinished
from citehop.paper import Paper
from tests.unit.library.killing import kill_within

OLD = [Paper("old", "Salt marsh", "", 2000, [], ["out"])]
PAPERS = [
    Paper(f"p{n:03}", f"tide {n}", f"mud {n % 7}", 1700 + n, ["A"], [f"p{n // 2:03}", "x", "x"])
    for n in range(1, 231)
]
PART = 50


class Work:
    """Counts what a build reads and analyses.

    Attributes:
        read: Papers that were asked for.
        analysed: Of how many papers the text was turned into terms.
        said: What the build told.
    """

    def __init__(self) -> None:
        self.read = self.analysed = 0
        self.said: list[str] = []

    def papers(self) -> Iterator[Paper]:
        """Yield the papers."""
        for paper in PAPERS:
            self.read += 1
            yield paper

    def terms(self, text: str) -> list[str]:
        """Turn text into terms; analysers are also asked about a sentence of their own."""
        self.analysed += text.startswith("tide")
        return PLAIN.terms(text)

    def build(self, folder: Path, **other: Any) -> LoadReport:
        """Build a library of the papers."""
        analysis = Analyser("plain", 1, self.terms)
        arguments: dict[str, Any] = {"analysis": analysis, "source": "the papers"}
        return build_library(folder, self.papers(), tell=self.said.append, **(arguments | other))


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unfinished, "PART_PAPERS", PART)


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """A library of one paper."""
    build_library(tmp_path / "library", OLD)
    return tmp_path / "library"


def _files(library: Path) -> dict[str, bytes]:
    [folder] = library.glob("generation-*")
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*")}


def _undisturbed(folder: Path) -> dict[str, bytes]:
    Work().build(folder)
    return _files(folder)


class Stop:
    """Stops the process at the n-th call of a function, before it does anything."""

    def __init__(self, function: Callable[..., Any], call: int) -> None:
        self._function = function
        self._left = call

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Call the function, or stop."""
        self._left -= 1
        if not self._left:
            raise KeyboardInterrupt
        return self._function(*arguments, **named)

    def __get__(self, instance: Any, _: Any) -> Any:
        return lambda *arguments, **named: self(instance, *arguments, **named)


# Where a build is stopped: an object's function, at which call; then what is done again.
MOMENTS = {
    "while records are written": (unfinished, "pack", 100, 230, 230),
    "when they are, before they count": (Unfinished, "_note", 2, 230, 230),
    "before the first part is kept": (Unfinished, "keep_part", 1, 0, 230),
    "before the third part is kept": (Unfinished, "keep_part", 3, 0, 130),
    "before the last part is kept": (Unfinished, "keep_part", 5, 0, 30),
    "before the index is written": (generation, "write_index", 1, 0, 0),
    "before the citations are written": (RowsWriter, "write", 1, 0, 0),
    "before its files are flushed": (build, "seal", 1, 0, 0),
    "before it counts": (build, "write_manifest", 1, 0, 0),
}


@pytest.mark.parametrize("moment", MOMENTS)
def test_stopped_anywhere_it_goes_on_from_there(library: Path, moment: str) -> None:
    """The old library stays; run again it does what is left, and ends in the same files."""
    place, name, call, read, analysed = MOMENTS[moment]
    with (
        patch.object(place, name, Stop(getattr(place, name), call)),
        pytest.raises(KeyboardInterrupt),
    ):
        Work().build(library)
    with LibraryStore(library) as store:
        assert [paper.id for paper in store.papers()] == ["old"]

    again = Work()
    report = again.build(library)

    assert (again.read, again.analysed) == (read, analysed)
    assert (report.created, report.dropped_doubled) == (230, 230)
    assert _files(library) == _undisturbed(library.parent / "undisturbed")
    if not read:
        done = f"230 papers were read, {230 - analysed} of them indexed"
        assert again.said == [f"going on with the build that was interrupted: {done}"]


def test_stopped_twice_it_goes_on_from_the_second_time(library: Path) -> None:
    """What the second run finished counts too."""
    for call in (2, 2):
        with (
            patch.object(Unfinished, "keep_part", Stop(Unfinished.keep_part, call)),
            pytest.raises(KeyboardInterrupt),
        ):
            Work().build(library)
    again = Work()
    again.build(library)

    assert (again.read, again.analysed) == (0, 130)
    assert _files(library) == _undisturbed(library.parent / "undisturbed")


def test_stopped_once_it_counts_it_is_the_new_library(library: Path) -> None:
    """What is left of the draft goes with the next build."""
    with (
        patch.object(Unfinished, "end", Stop(Unfinished.end, 1)),
        pytest.raises(KeyboardInterrupt),
    ):
        Work().build(library)
    with LibraryStore(library) as store:
        assert store.counts().papers == 230
    again = Work()
    again.build(library)

    assert (again.read, again.said) == (230, [])
    assert _files(library) == _undisturbed(library.parent / "undisturbed")


def _interrupted(library: Path) -> None:
    with (
        patch.object(Unfinished, "keep_part", Stop(Unfinished.keep_part, 4)),
        pytest.raises(KeyboardInterrupt),
    ):
        Work().build(library)


@pytest.mark.parametrize(
    "other",
    [{"source": "changed papers"}, {"fields": ("title",)}, {"k1": 1.2}, {"analysis": "english"}],
)
def test_a_draft_of_anything_else_is_thrown_away(library: Path, other: dict[str, Any]) -> None:
    """Of other papers or settings nothing is used, with a word."""
    _interrupted(library)
    again = Work()
    again.build(library, **other)

    assert again.read == 230
    assert again.said[0].startswith("what an interrupted build left is thrown away")
    assert len(list(library.glob("generation-*"))) == 1


def test_a_draft_of_another_version_is_thrown_away(library: Path) -> None:
    """Another citehop may build otherwise."""
    _interrupted(library)
    again = Work()
    with patch.object(unfinished, "__version__", "0.0.0"):
        again.build(library)

    assert again.read == 230


def test_a_draft_that_lost_something_is_used_as_far_as_it_is_whole(library: Path) -> None:
    """A part that is cut off is made again; records that are cut off are read again."""
    _interrupted(library)
    [part] = library.glob("generation-*/draft/part-00001.npz")
    part.write_bytes(part.read_bytes()[:-100])
    again = Work()
    again.build(library)
    assert (again.read, again.analysed) == (0, 130)
    whole = _files(library)
    _interrupted(library)
    [records] = [path for path in library.glob("generation-*/draft") if path.is_dir()]
    (records.parent / "papers.bytes").write_bytes(b"{}")
    once_more = Work()
    once_more.build(library)

    assert (once_more.read, once_more.analysed) == (230, 230)
    assert "is damaged" in once_more.said[0]
    assert _files(library) == whole


def _flipped(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def _note(**changed: object) -> Callable[[Path], None]:
    def change(draft: Path) -> None:
        said = json.loads((draft / "draft.json").read_text("utf-8")) | changed
        (draft / "draft.json").write_text(json.dumps(said), "utf-8")

    return change


def _swapped(draft: Path) -> None:
    (draft / "part-00000.npz").rename(draft / "kept")
    (draft / "part-00001.npz").rename(draft / "part-00000.npz")
    (draft / "kept").rename(draft / "part-00001.npz")


@pytest.mark.parametrize(
    ("damage", "read"),
    [
        (lambda draft: (draft.parent / "papers.starts.npy").write_bytes(b""), 230),
        (lambda draft: _flipped(draft.parent / "papers.starts.npy"), 230),
        (lambda draft: _flipped(draft.parent / "stated.bytes"), 230),
        (lambda draft: _flipped(draft.parent / "papers.bytes"), 230),
        (_note(papers="230"), 230),
        (_note(papers=230.5), 230),
        (_note(papers=float("inf")), 230),
        (_note(checksums=None), 230),
        (lambda draft: _flipped(draft / "part-00000.npz"), 0),
        (_swapped, 0),
    ],
)
def test_a_damaged_draft_never_shows(
    library: Path, damage: Callable[[Path], object], read: int
) -> None:
    """Whatever was damaged is read or made again, and the files are those of a quiet build."""
    build_library(library, PAPERS, source="quiet")
    quiet = _files(library)
    _interrupted(library)
    [draft] = library.glob("generation-*/draft")
    damage(draft)
    again = Work()
    again.build(library)

    assert again.read == read
    assert _files(library) == quiet


def test_what_else_is_called_a_generation_goes(library: Path, tmp_path: Path) -> None:
    """A file or a link by that name is no generation, and does not stay for good."""
    (library / "generation-file").write_text("", "utf-8")
    (library / "generation-link").symlink_to(tmp_path)
    build_library(library, OLD)

    assert len(list(library.glob("generation-*"))) == 1
    assert tmp_path.exists()


def test_a_build_that_read_nothing_leaves_no_folder(tmp_path: Path) -> None:
    """Stopped before its papers are read there is nothing to go on from."""
    with (
        patch.object(RecordWriter, "add", Stop(RecordWriter.add, 1)),
        pytest.raises(KeyboardInterrupt),
    ):
        Work().build(tmp_path / "library")

    assert list(tmp_path.iterdir()) == []


def test_another_builds_draft_goes_with_its_commit(library: Path) -> None:
    """A build of papers that are given, not named, leaves nothing of an interrupted one."""
    _interrupted(library)
    build_library(library, OLD)

    assert len(list(library.glob("generation-*"))) == 1


@pytest.mark.parametrize("count", [0, 1, PART, PART + 1, 2 * PART])
def test_parts_make_the_index_that_papers_added_one_by_one_make(tmp_path: Path, count: int) -> None:
    """The postings are those of one index, byte for byte, wherever parts end."""
    build_library(tmp_path / "library", PAPERS[:count], source="some")
    settings = IndexSettings.of("plain", ("title", "abstract"), 1.5, 0.75)
    index = settings.new_index()
    for paper in PAPERS[:count]:
        index.add(paper.id, settings.text(paper))
    (tmp_path / "index").mkdir()
    write_index(tmp_path / "index", index)

    files = _files(tmp_path / "library")
    for path in (tmp_path / "index").iterdir():
        assert files[path.name] == path.read_bytes(), path.name
    with LibraryStore(tmp_path / "library") as store:
        assert store.counts().papers == count


_CHILD = """
import sys
from citehop.library import unfinished
from citehop.library.build import build_library
from citehop.paper import Paper

unfinished.PART_PAPERS = 50
papers = [
    Paper(f"p{n:03}", f"tide {n}", f"mud {n % 7}", 1700 + n, ["A"], [f"p{n // 2:03}", "x", "x"])
    for n in range(1, 231)
]
print("ready", flush=True)
build_library(sys.argv[1], papers, source="the papers")
"""


@pytest.mark.skipif(os.name != "posix", reason="kill -9 is a signal")
def test_killed_at_random_moments_it_comes_to_its_end(library: Path) -> None:
    """Each time the library is the old one or the new; the files are those of one run."""
    chance, span = random.Random(6), 0.05
    for _ in range(12):
        kill_within(chance.uniform(0, span), _CHILD, str(library))
        with LibraryStore(library) as store:
            held = [paper.id for paper in store.papers()]
        assert held == ["old"] or len(held) == 230
        if held != ["old"]:
            break
        span *= 1.3
    Work().build(library)

    assert _files(library) == _undisturbed(library.parent / "undisturbed")
