"""What a repository keeps beside its store: the papers and their index, in one immutable state."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from typing import Protocol, runtime_checkable

from citehop.errors import ErrorRecord, StoreError
from citehop.graph.store import Changes, CitationStore
from citehop.lexical.analysis import Analyser
from citehop.lexical.bm25 import BM25Index
from citehop.lexical.segment import Mask
from citehop.lexical.state import IndexState
from citehop.paper import Filter, Paper

FIELDS = ("title", "abstract")
"""The fields that can be indexed."""
_CACHED_MASKS = 8
_ATTEMPTS = 3
_BATCH = 1_000

logger = logging.getLogger(__name__)


class Snapshot:
    """The papers of one revision and their index. Immutable: a search works on one of these.

    Attributes:
        revision: The store's name of the state.
        papers: Every paper by id.
        facts: Of every paper at least what a filter asks for, and its year: the papers themselves,
            or what is quicker to look up.
        index: The index of their texts.
        years: Oldest and newest known year of a paper.
    """

    def __init__(
        self,
        revision: str,
        papers: Mapping[str, Paper],
        index: IndexState,
        *,
        years: tuple[int | None, int | None] | None = None,
    ) -> None:
        self.revision = revision
        self.papers = papers
        self.facts = papers
        self.index = index
        self.years = _span(papers.values()) if years is None else years
        # Bound to papers and index, not to the snapshot: a cycle would keep old snapshots alive.
        self._masks: Callable[[Filter], Mask] = lru_cache(_CACHED_MASKS)(
            partial(_mask, papers, index)
        )

    def mask(self, filter: Filter) -> Mask:
        """Return which slots of the index hold papers that pass; kept for the next search."""
        return self._masks(filter)

    def has_citations(self, *, external: bool) -> bool:
        """Return whether there is any citation; without ``external``, any between two papers."""
        return self._has_any_citation if external else self._has_inner_citation

    def degree(self, key: str, *, external: bool) -> int:
        """Return how many citation edges a paper has, in and out, as the store counts them."""
        paper = self.papers.get(key)
        if paper is None:
            return 0
        ends = (*paper.references, *paper.citations)
        return len(ends) if external else sum(end in self.papers for end in ends)

    @cached_property
    def _has_any_citation(self) -> bool:
        return any(paper.references or paper.citations for paper in self.papers.values())

    @cached_property
    def _has_inner_citation(self) -> bool:
        # Every edge between two papers stands in the citing one's references.
        return any(key in self.papers for paper in self.papers.values() for key in paper.references)


def _span(papers: Iterable[Paper]) -> tuple[int | None, int | None]:
    years = {paper.year for paper in papers if paper.year is not None}
    return min(years, default=None), max(years, default=None)


def _mask(papers: Mapping[str, Paper], index: IndexState, filter: Filter) -> Mask:
    def passes(key: str) -> bool:
        # The index also asks for papers that were removed and not cleared yet.
        paper = papers.get(key)
        return paper is not None and filter.matches(paper)

    return index.mask(passes)


@runtime_checkable
class IndexedStore(Protocol):
    """A store that keeps an index beside its papers, so that nothing is read before a search."""

    def check_index(
        self, analysis: str | Analyser, fields: Sequence[str], k1: float, b: float
    ) -> None:
        """Raise ValueError unless its index was made like this."""

    def snapshot(self) -> Snapshot:
        """Return its papers and its index as they stand now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RefreshReport:
    """What a refresh took in.

    Args:
        revision: The store's revision that searches now use.
        upserted: Papers added or replaced; all of them where ``rebuilt``.
        removed: Papers that are gone; 0 where ``rebuilt``.
        rebuilt: Whether everything was read anew.
    """

    revision: str
    upserted: int = 0
    removed: int = 0
    rebuilt: bool = False


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
    ) -> None:
        self._store = store
        self._fields = checked_fields(fields)
        self._new_index: Callable[[], BM25Index] = partial(BM25Index, k1=k1, b=b, analysis=analysis)
        self._index = self._new_index()  # Also checks these before anything is read.
        if isinstance(store, IndexedStore):
            store.check_index(analysis, self._fields, k1, b)
        self._snapshot: Snapshot | None = None
        self._lock = threading.Lock()
        self._readings = 0
        self._failure: ErrorRecord | None = None

    @property
    def revision(self) -> str | None:
        """The revision that searches use, or None before the first reading."""
        return self._snapshot.revision if self._snapshot else None

    def snapshot(self) -> Snapshot:
        """Return the present snapshot; the first call reads the store.

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
                return self._follow()
            except StoreError:
                raise
            except Exception as error:
                raise _foreign(self._store, error) from error

    def _read(self) -> Snapshot:
        self._failure = None
        try:
            return self._rebuild()
        except StoreError as error:
            self._failure = error.record
            raise
        except Exception as error:
            foreign = _foreign(self._store, error)
            self._failure = foreign.record
            raise foreign from error
        finally:
            self._readings += 1

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
        fetched = self._fetch(changes.upserted)
        touched = {*changes.upserted, *changes.removed}
        near = _around(
            paper for key in touched for paper in (old.papers.get(key), fetched.get(key))
        )
        # A citation shows in both papers' records, so those around a changed paper are read too.
        around = self._fetch(sorted(key for key in near - touched if key in old.papers))
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

    def _fetch(self, ids: Sequence[str]) -> dict[str, Paper]:
        found: dict[str, Paper] = {}
        for start in range(0, len(ids), _BATCH):
            wanted = ids[start : start + _BATCH]
            pairs = zip(wanted, self._store.get(wanted), strict=True)
            # The paper of an alias is another one: an id that is gone may live on as an alias.
            found |= {key: paper for key, paper in pairs if paper is not None and paper.id == key}
        return found

    def _text(self, paper: Paper) -> str:
        return text_of(paper, self._fields)


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
