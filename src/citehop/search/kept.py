"""Indexes that are kept somewhere, so that not every process makes its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from citehop.graph.store import CitationStore
from citehop.lexical.analysis import Analyser
from citehop.search.snapshot import Snapshot


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


@runtime_checkable
class IndexedStore(Protocol):
    """A store that keeps an index beside its papers, so that nothing is read before a search."""

    def check_index(
        self, analysis: str | Analyser, fields: Sequence[str], k1: float, b: float
    ) -> None:
        """Raise ValueError unless its index was made like this."""

    def snapshot(self) -> Snapshot:
        """Return its papers and its index as they stand now."""


@runtime_checkable
class KeptIndex(Protocol):
    """An index of a store's papers that is kept apart from the store, and follows its changes."""

    def check_index(
        self, analysis: str | Analyser, fields: Sequence[str], k1: float, b: float
    ) -> None:
        """Raise ValueError unless it was made like this."""

    def snapshot(self) -> Snapshot:
        """Return its papers as they were when it last followed the store, which is not asked."""

    def follow(self, store: CitationStore) -> tuple[Snapshot, RefreshReport]:
        """Take in what changed in the store since, and return what that gives.

        Raises:
            StoreError: If the store cannot be read; the index stays as it was.
            InputError: If it is the index of another store.
        """
