"""What a repository keeps beside its store: the papers and their index, in one immutable state."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from citehop.errors import ErrorRecord, InputError, StoreError
from citehop.graph.store import Changes, CitationStore
from citehop.lexical.analysis import Analyser
from citehop.lexical.bm25 import BM25Index
from citehop.paper import Paper
from citehop.search.kept import IndexedStore, KeptIndex, RefreshReport
from citehop.search.snapshot import Snapshot

FIELDS = ("title", "abstract")
"""The fields that can be indexed."""
_ATTEMPTS = 3
_BATCH = 1_000

logger = logging.getLogger(__name__)


class Documents:
    """Reads a store once, follows its changes, and hands out snapshots. Safe for threads."""

    def __init__(
        self,
        store: CitationStore,
        *,
        analysis: str | Analyser,
        fields: Sequence[str],
        k1: float,
        b: float,
        kept: KeptIndex | None = None,
    ) -> None:
        self._store = store
        self._kept = kept
        self._fields = checked_fields(fields)
        self._new_index: Callable[[], BM25Index] = partial(BM25Index, k1=k1, b=b, analysis=analysis)
        self._index = self._new_index()  # Also checks these before anything is read.
        made = store if isinstance(store, IndexedStore) else kept
        if made is not None:
            made.check_index(analysis, self._fields, k1, b)
        self._snapshot: Snapshot | None = None
        self._lock = threading.Lock()
        self._readings = 0
        self._failure: ErrorRecord | None = None

    @property
    def revision(self) -> str | None:
        """The revision that searches use, or None before the first reading."""
        return self._snapshot.revision if self._snapshot else None

    def snapshot(self) -> Snapshot:
        """Return the present snapshot; the first call reads the store, or follows it.

        An index that is kept answers as it stands where the store cannot be followed at first.

        Calls that wait for a reading that fails share its failure: a hundred searches at a store
        that is down wait once, not one after another.

        Raises:
            StoreError: If the store cannot be read; the next call tries again.
        """
        readings = self._readings
        if self._snapshot is not None:
            return self._snapshot
        with self._lock:
            if self._snapshot is not None:
                return self._snapshot
            if self._readings != readings and self._failure is not None:
                raise _as_error(self._failure)
            return self._read()

    def refresh(self) -> RefreshReport:
        """Take in what changed in the store; searches meanwhile use the old snapshot.

        Raises:
            StoreError: If the store cannot be read; the old snapshot stays.
        """
        with self._lock:
            try:
                return self._follow() if self._kept is None else self._follow_kept(self._kept)
            except (StoreError, InputError):
                raise
            except Exception as error:
                raise _foreign(self._store, error) from error

    def _read(self) -> Snapshot:
        self._failure = None
        try:
            return self._rebuild() if self._kept is None else self._first_of(self._kept)
        except StoreError as error:
            self._failure = error.record
            raise
        except InputError as error:
            # Of an index that cannot be searched; a search tells it and does not raise.
            self._failure = error.record
            raise _as_error(error.record) from error
        except Exception as error:
            foreign = _foreign(self._store, error)
            self._failure = foreign.record
            raise foreign from error
        finally:
            self._readings += 1

    def _first_of(self, kept: KeptIndex) -> Snapshot:
        try:
            self._follow_kept(kept)
        except InputError:
            raise
        except Exception as error:
            logger.debug("the store cannot be followed", exc_info=error)
        return self._snapshot or kept.snapshot()

    def _follow_kept(self, kept: KeptIndex) -> RefreshReport:
        try:
            self._snapshot, report = kept.follow(self._store)
        except InputError:
            raise
        except Exception:
            if self._snapshot is None:
                self._snapshot = kept.snapshot()
            raise
        return report

    def _rebuild(self) -> Snapshot:
        if isinstance(self._store, IndexedStore):
            self._snapshot = self._store.snapshot()
            return self._snapshot
        # The revision is asked for on both sides of the reading, so that the name is right also
        # while papers are loaded. After the last attempt the older name stands: following the
        # changes since then does no harm.
        for _ in range(_ATTEMPTS):
            revision = self._store.revision
            papers = {paper.id: paper for paper in self._store.papers()}
            if self._store.revision == revision:
                break
        index = self._new_index()
        for paper in papers.values():
            index.add(paper.id, self._text(paper))
        snapshot = Snapshot(revision, papers, index.state())
        self._index, self._snapshot = index, snapshot
        return snapshot

    def _follow(self) -> RefreshReport:
        upserted: set[str] = set()
        removed: set[str] = set()
        for _ in range(_ATTEMPTS):
            old = self._snapshot
            changes = self._store.changes(old.revision) if old is not None else None
            if old is None or changes is None:
                return self._rebuilt()
            if isinstance(self._store, IndexedStore):
                if changes.revision != old.revision:
                    self._rebuild()
            else:
                self._apply(old, changes)
            upserted = (upserted - set(changes.removed)) | set(changes.upserted)
            removed = (removed - set(changes.upserted)) | set(changes.removed)
            if self._store.revision == changes.revision:
                break
        return RefreshReport(
            revision=self.revision or "", upserted=len(upserted), removed=len(removed)
        )

    def _rebuilt(self) -> RefreshReport:
        snapshot = self._rebuild()
        return RefreshReport(
            revision=snapshot.revision, upserted=len(snapshot.papers), rebuilt=True
        )

    def _apply(self, old: Snapshot, changes: Changes) -> None:
        # Everything is fetched before the index is touched: a store that fails half way leaves
        # the old state whole.
        if changes.revision == old.revision:
            return
        fetched = fetch(self._store, changes.upserted)
        touched = {*changes.upserted, *changes.removed}
        near = _around(
            paper for key in touched for paper in (old.papers.get(key), fetched.get(key))
        )
        # A citation shows in both papers' records, so those around a changed paper are read too.
        around = fetch(self._store, sorted(key for key in near - touched if key in old.papers))
        papers = {**old.papers, **around, **fetched}
        for key in sorted(touched):
            if key not in fetched:
                papers.pop(key, None)
                self._index.remove(key)
        for paper in fetched.values():
            before = old.papers.get(paper.id)
            if before is None or self._text(before) != self._text(paper):
                self._index.add(paper.id, self._text(paper))
        self._snapshot = Snapshot(changes.revision, papers, self._index.state())

    def _text(self, paper: Paper) -> str:
        return text_of(paper, self._fields)


def fetch(store: CitationStore, ids: Sequence[str]) -> dict[str, Paper]:
    """Return those of the papers with these ids that a store has, asked for by and by."""
    found: dict[str, Paper] = {}
    for start in range(0, len(ids), _BATCH):
        wanted = ids[start : start + _BATCH]
        pairs = zip(wanted, store.get(wanted), strict=True)
        # The paper of an alias is another one: an id that is gone may live on as an alias.
        found |= {key: paper for key, paper in pairs if paper is not None and paper.id == key}
    return found


def text_of(paper: Paper, fields: tuple[str, ...]) -> str:
    """Return what is indexed of a paper."""
    if fields == FIELDS:
        return paper.text
    return "\n\n".join(text for name in fields if (text := getattr(paper, name)))


def _around(papers: Iterable[Paper | None]) -> set[str]:
    return {
        key
        for paper in papers
        if paper is not None
        for key in (*paper.references, *paper.citations)
    }


def checked_fields(fields: Sequence[str]) -> tuple[str, ...]:
    """Return the fields to index in their order, or raise TypeError or ValueError."""
    if isinstance(fields, str) or not isinstance(fields, Sequence):
        raise TypeError(f"fields must be a sequence of names, not {fields!r}")
    names = tuple(name for name in FIELDS if name in fields)
    if not names or len(names) != len(fields):
        raise ValueError(
            f"fields must be one or more of {', '.join(FIELDS)}, each once, not {fields!r}"
        )
    return names


def _as_error(record: ErrorRecord) -> StoreError:
    return StoreError(
        record.message, code=record.code, category=record.category, retryable=record.retryable
    )


def _foreign(store: CitationStore, error: Exception) -> StoreError:
    return _as_error(foreign_record(store, error))


def foreign_record(store: CitationStore, error: Exception) -> ErrorRecord:
    """Return the record for an exception that no store should raise; without its text."""
    logger.debug("the store failed unexpectedly", exc_info=error)
    return ErrorRecord(
        StoreError.default_code,
        StoreError.default_category,
        f"the {backend_name(store)} store failed in a way that it should not"
        f" ({type(error).__name__}); the log of citehop.search has the details",
    )


def backend_name(store: CitationStore) -> str:
    """Return the name by which outcomes and messages call the store."""
    return str(getattr(store, "backend", type(store).__name__))
