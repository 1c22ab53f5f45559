"""A library as a citation store: the contract over files that are mapped, not read."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar, Final

from citehop.errors import InputError, StoreClosed
from citehop.graph.chains import paths
from citehop.graph.networkx_contents import Tally
from citehop.graph.store import (
    Changes,
    CitationPath,
    CitationStore,
    Counts,
    ExpandRequest,
    Expansion,
    LoadReport,
    PathsRequest,
    Progress,
    batches,
    id_list,
)
from citehop.graph.walk import expand
from citehop.lexical.analysis import Analyser
from citehop.library import journal
from citehop.library.change import commit_change
from citehop.library.draft import Draft
from citehop.library.generation import aliases_of
from citehop.library.lock import writing
from citehop.library.manifest import read_manifest
from citehop.library.opened import Opened, changes_since, open_library
from citehop.library.settings import IndexSettings
from citehop.library.snapshot import LibrarySnapshot
from citehop.paper import Paper

BATCH: Final = 256
"""Papers that a load takes in between two reports."""


class LibraryStore(CitationStore):
    """A library on disk, opened.

    Each answer comes from one state, which is mapped and never changed; a load makes the next one
    beside it. A load or a removal is committed as a whole when it ends: killed before, it never
    was. Changes are kept in a journal, and written out into a new generation once they are more
    than a hundredth of the papers, at least 500.

    One process changes a library at a time; what others changed since is seen when the revision
    is asked for, as :meth:`citehop.CitationRepository.refresh` does, or when something is changed.

    Args:
        folder: The library's.

    Raises:
        InputError: If it is no library, is damaged, or was made by an incompatible version or
            with an analyser that gives other terms now.
    """

    backend: ClassVar[str] = "library"

    def __init__(self, folder: Path | str) -> None:
        self.folder: Final = Path(folder)
        self._opened: Opened | None = open_library(self.folder)
        self._writing = threading.RLock()
        self._holding = False
        self._refreshing = threading.Lock()

    @property
    def settings(self) -> IndexSettings:
        """How the library's text is indexed."""
        return self._held().manifest.settings

    @property
    def follows(self) -> str | None:
        """The revision of the store whose index this is; None for a library of its own."""
        return self._held().manifest.follows

    @property
    def pending(self) -> int:
        """Changed and removed papers in the journal."""
        return len(self._held().state.overlay)

    def load(self, papers: Iterable[Paper], *, progress: Progress | None = None) -> LoadReport:
        """See :meth:`CitationStore.load`. Committed when it ends, by an exception too."""
        with self._changing() as (draft, lines):
            report = LoadReport()
            for batch in batches(papers, BATCH):
                report += _put(draft, batch, lines)
                if progress is not None:
                    progress(report)
        return report

    def remove(self, ids: Iterable[str]) -> int:
        """See :meth:`CitationStore.remove`."""
        wanted = id_list(ids)
        with self._changing() as (draft, lines):
            for key in wanted:
                if draft.drop(key):
                    lines.append(journal.drop_line(key))
            return len(draft.touched)

    def update(self, papers: Iterable[Paper], remove: Iterable[str] = ()) -> LoadReport:
        """Remove papers and load others, committed as one change.

        Raises:
            TypeError: If an entry of ``papers`` is no Paper, or ``remove`` is no collection of ids.
        """
        gone = id_list(remove)
        with self._changing() as (draft, lines):
            lines += [journal.drop_line(key) for key in gone if draft.drop(key)]
            report = LoadReport(edges=draft.edges, externals=draft.externals)
            for batch in batches(papers, BATCH):
                report += _put(draft, batch, lines)
        return report

    def records(self, like: Iterable[Paper]) -> list[Paper]:
        """Return the records, as they were loaded, that have an id or alias of one of these."""
        state = self._held().state
        found: set[str] = set()
        for paper in like:
            found.update(key for alias in aliases_of(paper) for key in state.named(alias))
            found.update([paper.id] if paper.id in state else [])
        return [record for key in sorted(found) if (record := state.record(key)) is not None]

    def resolve(self, names: Iterable[str]) -> dict[str, str]:
        """Return for each name that is an alias the id of the paper that it names."""
        state = self._held().state
        found = ((name, state.find(name)) for name in names)
        return {name: key for name, key in found if key is not None and key != name}

    def get(self, ids: Iterable[str]) -> list[Paper | None]:
        """See :meth:`CitationStore.get`."""
        state = self._held().state
        found = map(state.find, id_list(ids))
        return [None if key is None else state.read(key) for key in found]

    def papers(self) -> Iterator[Paper]:
        """See :meth:`CitationStore.papers`."""
        state = self._held().state
        return map(state.read, state.ids())

    def counts(self) -> Counts:
        """See :meth:`CitationStore.counts`."""
        return self._held().state.counts

    @property
    def revision(self) -> str:
        """See :attr:`CitationStore.revision`."""
        return self._newest().manifest.revision

    def changes(self, since: str) -> Changes | None:
        """See :meth:`CitationStore.changes`; None also once changes were written out."""
        return changes_since(self._newest(), since)

    def close(self) -> None:
        """See :meth:`CitationStore.close`."""
        self._opened = None

    def check_index(
        self, analysis: str | Analyser, fields: Sequence[str], k1: float, b: float
    ) -> None:
        """Raise ValueError unless the library's index was made like this."""
        self.settings.check(self.folder, analysis, fields, k1, b)

    def snapshot(self) -> LibrarySnapshot:
        """Return the papers and the index as they stand now."""
        opened = self._newest()
        return LibrarySnapshot(opened.manifest.revision, opened.state)

    def _expand(self, request: ExpandRequest) -> Expansion:
        state = self._held().state
        view = state.view(request.direction, request.exclude, request.external)
        return expand(view, state.facts, request)

    def _paths(self, request: PathsRequest) -> dict[tuple[str, str], CitationPath]:
        state = self._held().state
        return paths(state.view(request.direction, request.exclude, request.external), request)

    def _held(self) -> Opened:
        opened = self._opened
        if opened is None:
            raise StoreClosed("this store is closed; open another")
        return opened

    def _newest(self) -> Opened:
        """Take in what another process changed, and return what is held then."""
        with self._refreshing:
            held = self._held()
            if read_manifest(self.folder).revision != held.manifest.revision:
                self._opened = open_library(self.folder)
            return self._held()

    @contextmanager
    def holding(self) -> Iterator[None]:
        """Keep other writers out, also between reading papers and writing what follows from them.

        What others wrote before is taken in; changes inside are made as always. May be nested.

        Raises:
            StoreError: ``LIBRARY_BUSY``, if another writer does not end in time.
        """
        self._held()
        with self._writing:
            if self._holding:
                yield
                return
            with writing(self.folder):
                self._newest()
                self._holding = True
                try:
                    yield
                finally:
                    self._holding = False

    @contextmanager
    def _changing(self) -> Iterator[tuple[Draft, list[bytes]]]:
        """Give a draft and where to note its changes; commit them at the end.

        An exception in between commits what came before it; being interrupted leaves no trace.
        """
        with self.holding():
            opened = self._newest()
            if opened.manifest.follows is not None:
                raise InputError(
                    "is the index of a store; change the store, and the index follows it at the"
                    " next search",
                    file=str(self.folder),
                    code="INDEX_FOLLOWS_STORE",
                )
            draft, lines = Draft(opened.state), list[bytes]()
            try:
                yield draft, lines
            except Exception:
                self._commit(opened, draft, lines)
                raise
            self._commit(opened, draft, lines)

    def _commit(self, opened: Opened, draft: Draft, lines: list[bytes]) -> None:
        if lines:
            self._opened = commit_change(self.folder, opened, draft.state(), draft.touched, lines)


def _put(draft: Draft, batch: Sequence[Paper], lines: list[bytes]) -> LoadReport:
    tally, edges, externals = Tally(), draft.edges, draft.externals
    lines += [journal.put_line(paper) for paper in batch if draft.put(paper, tally)]
    return LoadReport(
        created=tally.created,
        updated=tally.updated,
        unchanged=tally.unchanged,
        edges=draft.edges - edges,
        externals=draft.externals - externals,
        dropped_self=tally.dropped_self,
        dropped_doubled=tally.dropped_doubled,
    )
