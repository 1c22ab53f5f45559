"""Writes whole generations, and puts them in the place of the one before."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from citehop.errors import InputError
from citehop.graph.store import LoadReport
from citehop.lexical.analysis import Analyser
from citehop.lexical.bm25 import BM25Index
from citehop.library.generation import GenerationWriter, seal
from citehop.library.journal import JOURNAL
from citehop.library.lock import LOCK, writing
from citehop.library.manifest import MANIFEST, Manifest, counts_of, write_manifest
from citehop.library.settings import IndexSettings
from citehop.paper import Paper
from citehop.search.documents import FIELDS

_PREFIX: Final = "generation-"


def build_library(
    folder: Path | str,
    papers: Iterable[Paper],
    *,
    analysis: str | Analyser = "plain",
    fields: Sequence[str] = FIELDS,
    k1: float = 1.5,
    b: float = 0.75,
) -> LoadReport:
    """Write a library of these papers; one that is there already is replaced as a whole.

    Killed at any moment it leaves the library as it was, or the new one. Who has the old one open
    goes on with it.

    Args:
        folder: Where: a new or empty folder, or a library.
        papers: The papers; of an id that comes twice the last one holds.
        analysis: How text becomes terms; see :class:`citehop.CitationRepository`.
        fields: What is indexed.
        k1: BM25's term saturation.
        b: BM25's length normalisation.

    Raises:
        InputError: If the folder holds something else.
        TypeError, ValueError: For a setting of the wrong type or out of its range.
    """
    settings = IndexSettings.of(analysis, fields, k1, b)
    path = Path(folder)
    _check_folder(path)
    held = {paper.id: paper for paper in papers}
    with building(path):
        manifest, report = write_generation(path, settings, (held[key] for key in sorted(held)))
        commit(path, manifest)
    return report


@contextmanager
def building(folder: Path) -> Iterator[None]:
    """Hold the right to make a folder a library, or to replace the one that it is.

    Raises:
        InputError: If the folder holds something else.
        StoreError: ``LIBRARY_BUSY``, if another is changing it.
    """
    _check_folder(folder)
    folder.mkdir(parents=True, exist_ok=True)
    with writing(folder):
        yield


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
    name = f"{_PREFIX}{uuid.uuid4().hex[:12]}"
    made = folder / name
    made.mkdir()
    writer = GenerationWriter(made, settings, index)
    try:
        report = writer.write(papers)
        files = seal(made)
        (made / JOURNAL).touch()
    except Exception:
        shutil.rmtree(made, ignore_errors=True)
        raise
    manifest = Manifest(
        settings=settings,
        generation=name,
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
    for path in folder.glob(f"{_PREFIX}*"):
        if path.name != manifest.generation:
            shutil.rmtree(path, ignore_errors=True)


def _check_folder(path: Path) -> None:
    if path.exists() and not path.is_dir():
        raise InputError("is a file; name a folder for the library", file=str(path))
    if not path.exists() or (path / MANIFEST).exists():
        return
    others = sorted(
        entry.name
        for entry in path.iterdir()
        if entry.name not in (LOCK, f"{MANIFEST}.new") and not entry.name.startswith(_PREFIX)
    )
    if others:
        raise InputError(
            f"holds other things ({others[0]}, …) and no library; name an empty folder",
            file=str(path),
            code="NO_LIBRARY",
        )
