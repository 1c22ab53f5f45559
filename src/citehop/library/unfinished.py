"""What a build has finished so far, so that one that was killed can go on from there.

It stands beside the files of the generation that the build is writing::

    generation-…/papers.bytes …          all records, once `draft/draft.json` counts them
    generation-…/draft/draft.json        what the build is made from, as a key; how many papers,
                                         and checksums of their records
    generation-…/draft/part-00000.npz    the postings of the first papers; more parts follow
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import uuid
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, Self

import numpy as np

from citehop import __version__
from citehop.lexical.segment import Segment
from citehop.library.manifest import (
    VERSION,
    checksum,
    is_library,
    read_manifest,
    sync_folder,
)
from citehop.library.records import Records, RecordWriter, pack
from citehop.library.settings import IndexSettings
from citehop.paper import Paper

PREFIX: Final = "generation-"
"""What the folder of a generation begins with."""
PART_PAPERS: Final = 10_000
"""Papers whose postings are kept together."""
_DRAFT: Final = "draft"
_NOTE: Final = "draft.json"
_RECORDS: Final = ("papers.bytes", "papers.starts.npy", "stated.bytes", "stated.starts.npy")
_ARRAYS: Final = ("lengths", "terms", "starts", "slots", "tfs")

Tell = Callable[[str], object]


def new_folder(folder: Path) -> Path:
    """Make and return a folder for a generation."""
    made = folder / f"{PREFIX}{uuid.uuid4().hex[:12]}"
    made.mkdir()
    return made


def recorded(folder: Path, papers: Iterable[Paper]) -> Iterator[Paper]:
    """Pass papers on, which come in order of id, and write their records.

    Raises:
        ValueError: If the papers are not in order of id, each once.
    """
    last = ""
    with RecordWriter(folder) as records:
        for number, paper in enumerate(papers):
            if number and paper.id <= last:
                raise ValueError(f"papers must be in order of id, not {paper.id!r} after {last!r}")
            last = paper.id
            records.add(pack(paper))
            yield paper
        records.finish()


class Unfinished:
    """A generation that a build began.

    Args:
        folder: The generation's.
        key: What the build is made from.
        papers: How many papers it has, once their records are all written.
    """

    def __init__(self, folder: Path, key: str, papers: int | None = None) -> None:
        self.folder: Final = folder
        self.papers = papers
        self._key = key
        self._draft = folder / _DRAFT

    @classmethod
    def of(cls, folder: Path, key: str, tell: Tell) -> Self:
        """Return what a build with this key has finished, or a new one; others are thrown away.

        Args:
            folder: The library's, held for writing.
            key: See :func:`key_of`.
            tell: Called with a sentence about what was found.
        """
        live = read_generation(folder)
        found: Self | None = None
        for draft in sorted(folder.glob(f"{PREFIX}*/{_DRAFT}")):
            if draft.parent.name == live:
                discard(draft)  # Of a build that was killed once all was done.
                continue
            if not (draft / _NOTE).exists():
                discard(draft.parent)  # Of one that was killed as it began.
                continue
            one = cls._read(draft.parent, key)
            if one is None or found is not None:
                tell(
                    "what an interrupted build left is thrown away: it was of other or changed"
                    " files, of other options or by another version, or is damaged"
                )
                discard(draft.parent)
            else:
                found = one
        if found is None:
            found = cls(new_folder(folder), key)
            found._note()
        elif found.papers is not None:
            done = min(sum(1 for _ in found._parts()) * PART_PAPERS, found.papers)
            tell(
                f"going on with the build that was interrupted: {found.papers:,} papers were read,"
                f" {done:,} of them indexed"
            )
        return found

    @classmethod
    def _read(cls, folder: Path, key: str) -> Self | None:
        try:
            noted = json.loads((folder / _DRAFT / _NOTE).read_text(encoding="utf-8"))
            if noted["key"] != key:
                return None
            papers = noted["papers"]
            if papers is None:
                return cls(folder, key)
            whole = noted["checksums"] == _checksums(folder) and Records(folder).hold(papers)
            return cls(folder, key, papers) if whole else None
        except (OSError, EOFError, ValueError, KeyError, TypeError):
            return None

    def keep_papers(self, papers: Sequence[Paper]) -> None:
        """Write the records of all papers, in order of id."""
        for _ in recorded(self.folder, papers):
            pass
        for name in _RECORDS:
            with (self.folder / name).open("rb") as file:
                os.fsync(file.fileno())
        self._note(len(papers))
        # Only now: a build that is interrupted before has nothing to go on from.
        self.papers = len(papers)

    def read_papers(self) -> Iterator[Paper]:
        """Yield the papers whose records were kept."""
        records = Records(self.folder)
        return map(records.read_stated, range(self.papers or 0))

    def keep_part(self, number: int, segment: Segment, new_terms: list[str]) -> None:
        """Keep a part's postings, and the terms that were not met before it, in their order."""
        path = self._part(number)
        arrays: dict[str, Any] = {name: getattr(segment, name) for name in _ARRAYS}
        said = json.dumps([self._key, number, new_terms])
        with path.with_suffix(".new").open("wb") as file:
            np.savez(file, said=np.frombuffer(said.encode(), dtype=np.uint8), **arrays)
        path.with_suffix(".new").replace(path)

    def part(self, number: int) -> tuple[dict[str, Any], list[str]] | None:
        """Return a part as it was kept; None where it is not there, or not whole."""
        try:
            with self._part(number).open("rb") as raw, np.load(raw, allow_pickle=False) as file:
                arrays = {name: file[name] for name in _ARRAYS}
                key, place, new_terms = json.loads(file["said"].tobytes())
        except (OSError, EOFError, ValueError, KeyError, TypeError, zipfile.BadZipFile):
            return None
        left = (self.papers or 0) - number * PART_PAPERS
        whole = len(arrays["lengths"]) == min(left, PART_PAPERS)
        return (arrays, new_terms) if whole and (key, place) == (self._key, number) else None

    def end(self) -> None:
        """Let go of what a finished build has no use for, or of all where nothing was kept."""
        shutil.rmtree(self._draft if self.papers is not None else self.folder, ignore_errors=True)

    def _part(self, number: int) -> Path:
        return self._draft / f"part-{number:05}.npz"

    def _parts(self) -> Iterator[Path]:
        number = 0
        while (path := self._part(number)).exists():
            yield path
            number += 1

    def _note(self, papers: int | None = None) -> None:
        self._draft.mkdir(exist_ok=True)
        said: dict[str, Any] = {"key": self._key, "papers": papers}
        if papers is not None:
            said["checksums"] = _checksums(self.folder)
        new = self._draft / "draft.new"
        with new.open("w", encoding="utf-8") as file:
            json.dump(said, file)
            file.flush()
            os.fsync(file.fileno())
        new.replace(self._draft / _NOTE)
        sync_folder(self.folder)


def discard(path: Path) -> None:
    """Remove a folder, or whatever else has its name."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _checksums(folder: Path) -> dict[str, int]:
    return {name: checksum(folder / name) for name in _RECORDS}


def is_unfinished(folder: Path) -> bool:
    """Return whether a folder is what an interrupted build left, and no library yet."""
    return folder.is_dir() and not is_library(folder) and any(folder.glob(f"{PREFIX}*/"))


def keeps_papers(folder: Path) -> bool:
    """Return whether an interrupted build left something that it can go on from."""
    for path in folder.glob(f"{PREFIX}*/{_DRAFT}/{_NOTE}"):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            if json.loads(path.read_text(encoding="utf-8")).get("papers") is not None:
                return True
    return False


def key_of(source: str, settings: IndexSettings) -> str:
    """Return a key that differs where a build would, or where another citehop builds."""
    said = [VERSION, __version__, PART_PAPERS, settings.to_dict(), source]
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()


def read_generation(folder: Path) -> str | None:
    """Return the name of a library's generation; None where there is no library to be used."""
    if not is_library(folder):
        return None
    try:
        return read_manifest(folder).generation
    except ValueError:
        return None  # Of another version, or damaged: it is about to be replaced.
