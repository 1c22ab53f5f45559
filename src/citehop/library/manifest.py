"""The one file that says what a library is: replacing it is what commits a change."""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from citehop.errors import InputError
from citehop.library.settings import IndexSettings, known_analyser

_READ: Final = 1 << 20
MANIFEST: Final = "library.json"
FORMAT: Final = "citehop library"
VERSION: Final = 1
"""Of the files' layout; a library of another version is refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What a library holds.

    Args:
        settings: How its text is indexed.
        generation: The folder with its arrays.
        commits: Changes since that were committed to the journal.
        journal_bytes: How much of the journal counts; what stands behind was never committed.
        journal_crc: Checksum (CRC-32) of that part.
        counts: What the generation holds, for people.
        files: Size and checksum of each file of the generation.
        follows: The revision of another store whose papers these are; None for a library of its
            own.
    """

    settings: IndexSettings
    generation: str
    commits: int
    journal_bytes: int
    journal_crc: int
    counts: Mapping[str, int | None]
    files: Mapping[str, tuple[int, int]]
    follows: str | None = None

    @property
    def revision(self) -> str:
        """The name of the state."""
        return f"{self.generation}:{self.commits}"

    def to_json(self) -> str:
        """Return the manifest's text."""
        document: dict[str, Any] = {
            "format": FORMAT,
            "version": VERSION,
            **self.settings.to_dict(),
            "generation": self.generation,
            "commits": self.commits,
            "journal_bytes": self.journal_bytes,
            "journal_crc": self.journal_crc,
            "counts": dict(self.counts),
            "files": {name: list(self.files[name]) for name in sorted(self.files)},
        }
        if self.follows is not None:
            document["follows"] = self.follows
        return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def counts_of(counts: object) -> dict[str, int | None]:
    """Return a store's counts as a manifest holds them."""
    return asdict(counts)  # type: ignore[call-overload,no-any-return]


def checksum(path: Path) -> int:
    """Return the CRC-32 of a file."""
    crc = 0
    with path.open("rb") as file:
        while part := file.read(_READ):
            crc = zlib.crc32(part, crc)
    return crc


def is_library(path: Path | str) -> bool:
    """Return whether a folder is a library, of whatever version."""
    return (Path(path) / MANIFEST).is_file()


def read_manifest(folder: Path) -> Manifest:
    """Return the manifest of the library in a folder.

    Raises:
        InputError: If it is none, is damaged, or was made by an incompatible version or analyser.
    """
    path = folder / MANIFEST
    try:
        document = json.loads(path.read_bytes())
    except NotADirectoryError:
        raise InputError(
            "is a file, and no library; make one of it with 'citehop build'",
            file=str(folder),
            code="NO_LIBRARY",
        ) from None
    except FileNotFoundError:
        raise InputError(
            f"is no library: it has no {MANIFEST}; make one with 'citehop build'",
            file=str(folder),
            code="NO_LIBRARY",
        ) from None
    except ValueError:
        raise _damaged(path) from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise _damaged(path)
    if document.get("version") != VERSION:
        raise InputError(
            f"was made in version {document.get('version')!r} of the library format, and this"
            f" citehop reads version {VERSION}; build it anew with 'citehop build'",
            file=str(folder),
            code="LIBRARY_VERSION",
        )
    return _manifest(document, path)


def _manifest(document: dict[str, Any], path: Path) -> Manifest:
    try:
        chosen = known_analyser(document["analysis"], document["analyser"], str(path.parent))
        return Manifest(
            settings=IndexSettings.of(
                chosen, document["fields"], float(document["k1"]), float(document["b"])
            ),
            generation=str(document["generation"]),
            commits=int(document["commits"]),
            journal_bytes=int(document["journal_bytes"]),
            journal_crc=int(document["journal_crc"]),
            counts=dict(document["counts"]),
            files={name: (int(size), int(crc)) for name, (size, crc) in document["files"].items()},
            follows=_text_or_none(document.get("follows")),
        )
    except InputError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError):
        raise _damaged(path) from None


def _text_or_none(value: object) -> str | None:
    if value is not None and not isinstance(value, str):
        raise TypeError("follows is no text")
    return value


def _damaged(path: Path) -> InputError:
    return InputError(
        "is no manifest of a library, or is damaged; build the library anew with 'citehop build'",
        file=str(path),
        code="LIBRARY_DAMAGED",
    )


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Put a manifest in the place of the one before, at once and for good."""
    draft = folder / f"{MANIFEST}.new"
    with draft.open("w", encoding="utf-8", newline="\n") as file:
        file.write(manifest.to_json())
        file.flush()
        os.fsync(file.fileno())
    draft.replace(folder / MANIFEST)
    sync_folder(folder)


def sync_folder(folder: Path) -> None:
    """Let the names in a folder outlast a loss of power, where the system can do that."""
    if os.name != "posix":
        return
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
