"""Writes whole generations, and puts them in the place of the one before."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from citehop.errors import InputError
from citehop.graph.store import LoadReport
from citehop.lexical.analysis import Analyser
from citehop.lexical.bm25 import BM25Index
from citehop.library.generation import GenerationWriter, seal
from citehop.library.indexing import Indexing, Progress
from citehop.library.journal import JOURNAL
from citehop.library.lock import LOCK, writing
from citehop.library.manifest import MANIFEST, Manifest, counts_of, write_manifest
from citehop.library.settings import IndexSettings
from citehop.library.unfinished import (
    PREFIX,
    Unfinished,
    discard,
    key_of,
    new_folder,
    recorded,
)
from citehop.paper import Paper
from citehop.search.documents import FIELDS


def build_library(
    folder: Path | str,
    papers: Iterable[Paper],
    *,
    analysis: str | Analyser = "plain",
    fields: Sequence[str] = FIELDS,
    k1: float = 1.5,
    b: float = 0.75,
    source: str | None = None,
    tell: Callable[[str], object] | None = None,
    progress: Progress | None = None,
) -> LoadReport:
    """Write a library of these papers; one that is there already is replaced as a whole.

    Killed at any moment it leaves the library as it was, or the new one. Who has the old one open
    goes on with it. With ``source``, calling it again goes on where it was killed, and ends in the
    same files: ``papers`` is not asked for anything where all of it was read before.

    Args:
        folder: Where: a new or empty folder, or a library.
        papers: The papers; of an id that comes twice the last one holds.
        analysis: How text becomes terms; see :class:`citehop.CitationRepository`.
        fields: What is indexed.
        k1: BM25's term saturation.
        b: BM25's length normalisation.
        source: What the papers are made from, in a text that is another one whenever the papers
            may be. What an interrupted build of another source, of other settings or by another
            version left is thrown away.
        tell: Called with a sentence where an interrupted build is taken up or thrown away.
        progress: Called with how many papers are indexed, now and then.

    Raises:
        InputError: If the folder holds something else.
        TypeError, ValueError: For a setting of the wrong type or out of its range.
    """
    settings = IndexSettings.of(analysis, fields, k1, b)
    path = Path(folder)
    _check_folder(path)
    if source is not None:
        with building(path):
            begun = Unfinished.of(path, key_of(source, settings), tell or (lambda _: None))
            return _go_on(path, begun, settings, papers, progress)
    ordered = _ordered(papers)
    with building(path):
        made = new_folder(path)
        index = Indexing(settings, progress=progress)
        manifest, report = _write(made, settings, recorded(made, ordered), index)
        commit(path, manifest)
    return report


def _go_on(
    folder: Path,
    begun: Unfinished,
    settings: IndexSettings,
    papers: Iterable[Paper],
    progress: Progress | None,
) -> LoadReport:
    try:
        if begun.papers is None:
            begun.keep_papers(ordered := _ordered(papers))
            stream = iter(ordered)
        else:
            stream = begun.read_papers()
    except BaseException:
        begun.end()
        raise
    manifest, report = _write(begun.folder, settings, stream, Indexing(settings, begun, progress))
    commit(folder, manifest)
    begun.end()
    return report


def _ordered(papers: Iterable[Paper]) -> list[Paper]:
    held = {paper.id: paper for paper in papers}
    return [held[key] for key in sorted(held)]


@contextmanager
def building(folder: Path) -> Iterator[None]:
    """Hold the right to make a folder a library, or to replace the one that it is.

    Raises:
        InputError: If the folder holds something else.
        StoreError: ``LIBRARY_BUSY``, if another is changing it.
    """
    _check_folder(folder)
    new = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with writing(folder):
            yield
    except BaseException:
        if new and [path.name for path in folder.iterdir()] == [LOCK]:
            shutil.rmtree(folder, ignore_errors=True)  # Nothing was made in it.
        raise


def write_generation(
    folder: Path, settings: IndexSettings, papers: Iterable[Paper], index: BM25Index | None = None
) -> tuple[Manifest, LoadReport]:
    """Write a generation that nobody sees yet.

    Args:
        folder: The library's, held for writing.
        settings: How text is indexed.
        papers: In order of id.
        index: The index of just these papers, where there is one.
    """
    made = new_folder(folder)
    try:
        return _write(made, settings, recorded(made, papers), index or Indexing(settings))
    except Exception:
        shutil.rmtree(made, ignore_errors=True)
        raise


def _write(
    made: Path, settings: IndexSettings, papers: Iterable[Paper], index: BM25Index | Indexing
) -> tuple[Manifest, LoadReport]:
    writer = GenerationWriter(made, index)
    report = writer.write(papers)
    # The journal is there already where the build was killed after this.
    files = {name: sealed for name, sealed in seal(made).items() if name != JOURNAL}
    (made / JOURNAL).touch()
    manifest = Manifest(
        settings=settings,
        generation=made.name,
        commits=0,
        journal_bytes=0,
        journal_crc=0,
        counts=counts_of(writer.counts),
        files=files,
    )
    return manifest, report


def commit(folder: Path, manifest: Manifest) -> None:
    """Make a generation the library's; those before, and what killed builds left, go."""
    write_manifest(folder, manifest)
    for path in folder.glob(f"{PREFIX}*"):
        if path.name != manifest.generation:
            discard(path)


def _check_folder(path: Path) -> None:
    if path.exists() and not path.is_dir():
        raise InputError("is a file; name a folder for the library", file=str(path))
    if not path.exists() or (path / MANIFEST).exists():
        return
    others = sorted(
        entry.name
        for entry in path.iterdir()
        if entry.name not in (LOCK, f"{MANIFEST}.new") and not entry.name.startswith(PREFIX)
    )
    if others:
        raise InputError(
            f"holds other things ({others[0]}, …) and no library; name an empty folder",
            file=str(path),
            code="NO_LIBRARY",
        )
