"""What was changed since a generation was written: read again, and done again, on opening."""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from citehop.graph.networkx_contents import Tally
from citehop.library.draft import Draft
from citehop.library.generation import damaged
from citehop.library.manifest import Manifest
from citehop.paper import Paper

JOURNAL: Final = "journal.jsonl"
Commit = dict[str, bool]
"""Each id that a change touched, and whether it had a record before."""


def put_line(paper: Paper) -> bytes:
    """Return the line for a record that was added or replaced."""
    return _line({"put": paper.to_dict()})


def drop_line(key: str) -> bytes:
    """Return the line for a record that was removed."""
    return _line({"drop": key})


def _line(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def append(folder: Path, manifest: Manifest, lines: Iterable[bytes]) -> tuple[int, int]:
    """Add a change behind those that are committed; return the new length and checksum.

    It counts once a manifest says so: what an interrupted change left is written over.
    """
    added = b"".join([*lines, _line({"commit": manifest.commits + 1})])
    with (folder / JOURNAL).open("r+b") as file:
        file.truncate(manifest.journal_bytes)
        file.seek(manifest.journal_bytes)
        file.write(added)
        file.flush()
        os.fsync(file.fileno())
    return manifest.journal_bytes + len(added), zlib.crc32(added, manifest.journal_crc)


def replay(folder: Path, manifest: Manifest, draft: Draft) -> list[Commit]:
    """Do all committed changes again and return what each touched.

    Raises:
        InputError: If the journal is not as it was written.
    """
    with (folder / JOURNAL).open("rb") as file:
        content = file.read(manifest.journal_bytes)
    whole = len(content) == manifest.journal_bytes
    if not whole or zlib.crc32(content) != manifest.journal_crc:
        raise damaged(folder / JOURNAL)
    commits: list[Commit] = []
    touched: Commit = {}
    for line in content.splitlines():
        change = json.loads(line)
        if "commit" in change:
            commits.append(touched)
            touched = {}
        elif "put" in change:
            paper = Paper(**change["put"])
            touched.setdefault(paper.id, paper.id in draft)
            draft.put(paper, Tally())
        else:
            touched.setdefault(change["drop"], change["drop"] in draft)
            draft.drop(change["drop"])
    return commits
