"""How a change becomes part of a library: a few lines in its journal, or a new generation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from citehop.library import journal
from citehop.library.build import commit, write_generation
from citehop.library.manifest import write_manifest
from citehop.library.opened import Opened, open_library
from citehop.library.snapshot import index_of
from citehop.library.state import State

LEAST_CHANGES: Final = 500
"""So many changed papers always find room in the journal."""
_SHARE_OF_CHANGES: Final = 100


def commit_change(
    folder: Path,
    opened: Opened,
    state: State,
    touched: journal.Commit,
    lines: Sequence[bytes],
    *,
    follows: str | None = None,
) -> Opened:
    """Make a state that of a library, and return it opened.

    Args:
        folder: The library's, held for writing.
        opened: What the library is now.
        state: What it is to be.
        touched: The ids that differ, and whether each had a record before.
        lines: What leads from the one to the other, for the journal.
        follows: The revision of another store that this state is.
    """
    if len(state.overlay) > max(LEAST_CHANGES, state.generation.papers // _SHARE_OF_CHANGES):
        return _written_out(folder, state, follows)
    manifest = opened.manifest
    length, crc = journal.append(folder / manifest.generation, manifest, lines)
    changed = replace(
        manifest,
        commits=manifest.commits + 1,
        journal_bytes=length,
        journal_crc=crc,
        follows=follows,
    )
    write_manifest(folder, changed)
    return Opened(changed, state, [*opened.commits, touched])


def _written_out(folder: Path, state: State, follows: str | None) -> Opened:
    records = (paper for key in state.ids() if (paper := state.record(key)) is not None)
    manifest, _ = write_generation(folder, state.generation.settings, records, index_of(state))
    commit(folder, replace(manifest, follows=follows))
    return open_library(folder)
