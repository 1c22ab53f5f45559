"""What a repository searches, straight from a library: only what a search uses is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache, partial
from typing import Final

from citehop.lexical.bm25 import BM25Index
from citehop.lexical.segment import Mask
from citehop.lexical.state import IndexState
from citehop.library.state import State
from citehop.paper import Filter, Paper
from citehop.search.snapshot import Snapshot

_CACHED_MASKS: Final = 8
_CACHED_PAPERS: Final = 4_096


class PapersView(Mapping[str, Paper]):
    """The papers of a state by id, each read when asked for; those asked for last are kept."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._read: Callable[[str], Paper] = lru_cache(_CACHED_PAPERS)(state.read)

    def __getitem__(self, key: str) -> Paper:
        return self._read(key)

    def __contains__(self, key: object) -> bool:
        return key in self._state

    def __iter__(self) -> Iterator[str]:
        return self._state.ids()

    def __len__(self) -> int:
        return self._state.counts.papers


class LibrarySnapshot(Snapshot):
    """One state of a library with its index."""

    def __init__(self, revision: str, state: State) -> None:
        counts = state.counts
        index = index_of(state).state()
        super().__init__(
            revision, PapersView(state), index, years=(counts.year_min, counts.year_max)
        )
        self.facts = state.facts
        self._state = state
        self._masks = lru_cache(_CACHED_MASKS)(partial(_mask, state, index))
        self._citations = (counts.citations, counts.citations_all)

    def has_citations(self, *, external: bool) -> bool:
        """See :meth:`Snapshot.has_citations`."""
        return self._citations[external] > 0

    def degree(self, key: str, *, external: bool) -> int:
        """See :meth:`Snapshot.degree`."""
        if key not in self._state:
            return 0
        rows = (self._state.ahead[key], self._state.back[key])
        if external:
            return sum(map(len, rows))
        return sum(end not in self._state.outside for row in rows for end in row)


def index_of(state: State) -> BM25Index:
    """Return an index of a state's papers, for the caller to change as it likes."""
    index = state.generation.index()
    for number in state.replaced:
        index.remove(state.generation.names.ids[number])
    for paper in state.overlay.papers.values():
        index.add(paper.id, state.generation.settings.text(paper))
    return index


def _mask(state: State, index: IndexState, filter: Filter) -> Mask:
    stored = state.generation.columns.mask(filter, state.generation.names.papers)

    def passes(key: str) -> bool:
        paper = state.overlay.papers.get(key)
        return paper is not None and filter.matches(paper)

    return index.mask(passes, stored)
