"""A library as it was found on opening it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from citehop.graph.store import Changes
from citehop.library import journal
from citehop.library.draft import Draft
from citehop.library.generation import Generation, damaged
from citehop.library.manifest import MANIFEST, Manifest, read_manifest
from citehop.library.state import Overlay, State

_ATTEMPTS: Final = 5


class Opened:
    """A manifest and the state that it names."""

    __slots__ = ("commits", "manifest", "state")

    def __init__(self, manifest: Manifest, state: State, commits: list[journal.Commit]) -> None:
        self.manifest = manifest
        self.state = state
        self.commits = commits


def open_library(folder: Path) -> Opened:
    """Open what a library's manifest names now.

    Raises:
        InputError: If it is no library, is damaged, or does not fit this version.
    """
    for _ in range(_ATTEMPTS):
        manifest = read_manifest(folder)
        try:
            return _state(folder / manifest.generation, manifest)
        except FileNotFoundError:
            # Another process replaced the generation between the two readings.
            if read_manifest(folder).generation == manifest.generation:
                break
    raise damaged(folder / MANIFEST)


def _state(folder: Path, manifest: Manifest) -> Opened:
    state = State(Generation(folder, manifest), Overlay())
    if not manifest.commits:
        return Opened(manifest, state, [])
    draft = Draft(state)
    commits = journal.replay(folder, manifest, draft)
    return Opened(manifest, draft.state(), commits)


def changes_since(opened: Opened, since: str) -> Changes | None:
    """Return what the journal says was changed since a revision, or None where it does not."""
    generation, _, number = since.partition(":")
    if generation != opened.manifest.generation or not (number.isascii() and number.isdigit()):
        return None
    if int(number) > len(opened.commits):
        return None
    before: dict[str, bool] = {}
    for touched in opened.commits[int(number) :]:
        before = {**touched, **before}
    state = opened.state
    return Changes(
        revision=opened.manifest.revision,
        upserted=tuple(sorted(key for key in before if key in state)),
        removed=tuple(sorted(key for key, was in before.items() if was and key not in state)),
    )
