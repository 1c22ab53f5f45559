"""An index on disk of a store that lives elsewhere: it follows what changes there."""

from __future__ import annotations

import shutil
import tempfile
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from citehop.errors import ErrorCategory, InputError, StoreError
from citehop.graph.networkx_contents import Tally
from citehop.graph.store import Changes, CitationStore, LoadReport
from citehop.lexical.analysis import Analyser
from citehop.library import journal
from citehop.library.build import building, commit, write_generation
from citehop.library.change import commit_change
from citehop.library.draft import Draft
from citehop.library.lock import writing
from citehop.library.manifest import Manifest, read_manifest
from citehop.library.opened import Opened, open_library
from citehop.library.settings import IndexSettings
from citehop.library.snapshot import LibrarySnapshot
from citehop.library.state import State
from citehop.paper import Paper
from citehop.search.documents import FIELDS, fetch
from citehop.search.kept import IndexedStore, RefreshReport

Progress = Callable[[int], None]
"""Called with how many papers of a store were read: 0 before the first, then now and then."""

_ATTEMPTS: Final = 3
_REPORTED: Final = 1_000


def build_index(
    folder: Path | str,
    store: CitationStore,
    *,
    analysis: str | Analyser = "plain",
    fields: Sequence[str] = FIELDS,
    k1: float = 1.5,
    b: float = 0.75,
    progress: Progress | None = None,
) -> LoadReport:
    """Write an index of a store's papers; a library that is there already is replaced as a whole.

    Killed at any moment it leaves what was there as it was, or the new index.

    Args:
        folder: Where: a new or empty folder, an index, or a library.
        store: Where the papers are.
        analysis: How text becomes terms; see :class:`citehop.CitationRepository`.
        fields: What is indexed.
        k1: BM25's term saturation.
        b: BM25's length normalisation.
        progress: Called while the papers are read.

    Raises:
        InputError: If the folder holds something else.
        StoreError: If the store cannot be read, or does not tell what changes in it.
        TypeError: For a setting of the wrong type, or a store that keeps an index of its own.
        ValueError: For a setting out of its range.
    """
    settings = IndexSettings.of(analysis, fields, k1, b)
    if isinstance(store, IndexedStore):
        raise TypeError("this store keeps an index of its own; it needs none beside it")
    if store.changes(store.revision) is None:
        raise StoreError(
            "this store does not tell what changes in it, so that no index can follow it; search"
            " it without one",
            code="STORE_NOT_FOLLOWED",
            category=ErrorCategory.CAPABILITY,
        )
    path = Path(folder)
    with building(path):
        manifest, report = _read(path, settings, store, progress)
        commit(path, manifest)
    if store.revision != manifest.follows:
        StoreIndex(path, progress=progress).follow(store)
    return report


class StoreIndex:
    """The index of a store's papers, kept in a folder and mapped from there.

    The folder holds the papers, as they were at the revision that it names, and their index.
    :meth:`follow` asks the store what changed since, fetches just that, and commits it to the
    folder; where the folder cannot be written, or another process is writing it, this process
    alone goes on with what it has. A store that has forgotten what changed is read anew.

    Safe for threads, and for any number of processes.

    Args:
        folder: An index made by :func:`build_index`, or by ``citehop build --store``.
        progress: Called while a store is read anew.

    Raises:
        InputError: If it is none, is damaged, or was made by an incompatible version or with an
            analyser that gives other terms now.
    """

    def __init__(self, folder: Path | str, *, progress: Progress | None = None) -> None:
        self.folder: Final = Path(folder)
        self._progress = progress
        self._lock = threading.Lock()
        self._open()

    @property
    def settings(self) -> IndexSettings:
        """How the papers' text is indexed."""
        return self._opened.manifest.settings

    @property
    def revision(self) -> str:
        """The store's revision that the index has taken in."""
        return _followed(self._opened.manifest)

    def check_index(
        self, analysis: str | Analyser, fields: Sequence[str], k1: float, b: float
    ) -> None:
        """Raise ValueError unless the index was made like this."""
        self.settings.check(self.folder, analysis, fields, k1, b)

    def snapshot(self) -> LibrarySnapshot:
        """Return the papers and the index as they are now; the store is not asked."""
        with self._lock:
            return self._shown()

    def follow(self, store: CitationStore) -> tuple[LibrarySnapshot, RefreshReport]:
        """Take in what changed in the store, and return what that gives.

        Raises:
            StoreError: If the store cannot be read; the index stays as it is.
            InputError: ``INDEX_OF_ANOTHER_STORE``, if it is the index of another store.
        """
        with self._lock:
            if read_manifest(self.folder).revision != self._on_disk:
                self._open()
            rebuilt, upserted, removed = False, set[str](), set[str]()
            for _ in range(_ATTEMPTS):
                changes = store.changes(self.revision)
                if changes is None and not rebuilt:
                    self._rebuild(store)
                    rebuilt = True
                    continue
                if changes is None or changes.revision == self.revision:
                    break
                self._take_in(store, changes)
                upserted = (upserted - set(changes.removed)) | set(changes.upserted)
                removed = (removed - set(changes.upserted)) | set(changes.removed)
            shown = self._shown()
            if rebuilt:
                report = RefreshReport(
                    revision=self.revision, upserted=len(shown.papers), rebuilt=True
                )
            else:
                report = RefreshReport(
                    revision=self.revision, upserted=len(upserted), removed=len(removed)
                )
            return shown, report

    def _open(self) -> None:
        opened = open_library(self.folder)
        if opened.manifest.follows is None:
            raise InputError(
                "is a library that follows no store; search it with --in, or build an index with"
                " 'citehop build --store'",
                file=str(self.folder),
                code="NO_INDEX",
            )
        # What is held may be ahead of the folder, by the lines that wait for it to be writable;
        # None, where it is another generation, which only this process has.
        self._hold(opened, on_disk=opened.manifest.revision, waiting=[])

    def _hold(self, opened: Opened, *, on_disk: str, waiting: list[bytes] | None) -> None:
        self._opened = opened
        self._on_disk = on_disk
        self._waiting = waiting
        self._snapshot: LibrarySnapshot | None = None

    def _shown(self) -> LibrarySnapshot:
        if self._snapshot is None:
            self._snapshot = LibrarySnapshot(self.revision, self._opened.state)
        return self._snapshot

    def _take_in(self, store: CitationStore, changes: Changes) -> None:
        # Everything is fetched before anything is changed: a store that fails half way leaves the
        # old state whole.
        opened = self._opened
        gone, papers = _difference(store, opened.state, changes)
        draft = Draft(opened.state)
        lines = [journal.drop_line(key) for key in gone if draft.drop(key)]
        lines += [journal.put_line(paper) for paper in papers if draft.put(paper, Tally())]
        state = draft.state()
        alone = Opened(replace(opened.manifest, follows=changes.revision), state, opened.commits)
        if self._waiting is None:
            self._hold(alone, on_disk=self._on_disk, waiting=None)
            return
        waiting = [*self._waiting, *lines]
        committed = self._commit(
            lambda: commit_change(
                self.folder, opened, state, draft.touched, waiting, follows=changes.revision
            )
        )
        if committed is None:
            self._hold(alone, on_disk=self._on_disk, waiting=waiting)
        else:
            self._hold(committed, on_disk=committed.manifest.revision, waiting=[])

    def _rebuild(self, store: CitationStore) -> None:
        revision = store.revision
        if _name(revision) != _name(self.revision):
            raise InputError(
                f"is the index of the store {_name(self.revision)}, and this is the store"
                f" {_name(revision)}, another one or one that was made anew; name its own index,"
                " or build one with 'citehop build --store'",
                file=str(self.folder),
                code="INDEX_OF_ANOTHER_STORE",
            )
        committed = self._commit(lambda: self._rewritten(self.folder, store))
        if committed is not None:
            self._hold(committed, on_disk=committed.manifest.revision, waiting=[])
            return
        folder = Path(tempfile.mkdtemp(prefix="citehop-index-"))
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        self._hold(self._rewritten(folder, store), on_disk=self._on_disk, waiting=None)

    def _rewritten(self, folder: Path, store: CitationStore) -> Opened:
        manifest, _ = _read(folder, self.settings, store, self._progress)
        commit(folder, manifest)
        return open_library(folder)

    def _commit(self, write: Callable[[], Opened]) -> Opened | None:
        """Change the folder, or return None where that is not this process's to do now."""
        try:
            with writing(self.folder, wait_seconds=0):
                if read_manifest(self.folder).revision != self._on_disk:
                    return None
                return write()
        except OSError:
            return None
        except StoreError as error:
            if error.code != "LIBRARY_BUSY":
                raise
            return None


def _followed(manifest: Manifest) -> str:
    assert manifest.follows is not None  # noqa: S101 - looked at when it was opened
    return manifest.follows


def _name(revision: str) -> str:
    """Return the part of a revision that names the store."""
    return revision.rpartition(":")[0]


def _read(
    folder: Path, settings: IndexSettings, store: CitationStore, progress: Progress | None
) -> tuple[Manifest, LoadReport]:
    """Write a store's papers as a generation; what changes meanwhile is not left out for good.

    It is named after the revision before the reading: following it takes in the rest.
    """
    revision = store.revision
    manifest, report = write_generation(folder, settings, _counted(store.papers(), progress))
    return replace(manifest, follows=revision), report


def _counted(papers: Iterable[Paper], progress: Progress | None) -> Iterator[Paper]:
    if progress is not None:
        progress(0)
    for number, paper in enumerate(papers, start=1):
        if progress is not None and number % _REPORTED == 0:
            progress(number)
        yield paper


def _difference(
    store: CitationStore, state: State, changes: Changes
) -> tuple[list[str], list[Paper]]:
    """Return the papers of a state that are gone, and the records that are new or other ones.

    A record states all citations of its paper, those by others too. So a citation that is new
    stands in the record of the paper that changed; one that is not there any more must also go
    from the record at its other end, which is fetched for that.
    """
    touched = {*changes.upserted, *changes.removed}
    fetched = fetch(store, changes.upserted)
    lost: set[str] = set()
    for key in touched:
        paper = fetched.get(key)
        lost.update(set(state.ahead.get(key, ())).difference(paper.references if paper else ()))
        lost.update(set(state.back.get(key, ())).difference(paper.citations if paper else ()))
    around = fetch(store, sorted(key for key in lost - touched if key in state))
    gone = sorted(key for key in touched if key not in fetched and key in state)
    return gone, [*fetched.values(), *around.values()]
