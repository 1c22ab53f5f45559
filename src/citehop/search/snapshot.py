"""What a search works on: the papers of one revision and their index, in one immutable state."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, lru_cache, partial
from typing import Final

from citehop.lexical.segment import Mask
from citehop.lexical.state import IndexState
from citehop.paper import Filter, Paper

_CACHED_MASKS: Final = 8


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
