"""What a library holds at one moment: a generation, and what was changed since."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import cast

import numpy as np

from citehop.graph.networkx_edges import Stated
from citehop.graph.networkx_records import own_copy
from citehop.graph.store import Counts, Direction
from citehop.graph.walk import View
from citehop.identifiers import parse_identifier
from citehop.library.generation import Generation, aliases_of
from citehop.library.views import FactsView, LibraryView, Outside, RowsView
from citehop.paper import Paper


@dataclass(frozen=True, slots=True)
class Overlay:
    """What differs from a generation. Nothing of it is changed once a state has it.

    Args:
        papers: Records that were added or replaced, as they were loaded.
        gone: Papers of the generation that were removed.
        ahead: Whole rows that differ: what these nodes cite.
        back: What cites them.
        no_node: Nodes of the generation that are not there any more.
        outside: Works outside that the generation does not have as such.
        not_outside: Works outside of the generation that are papers now, or gone.
        edges: How many more edges there are.
    """

    papers: Mapping[str, Paper] = field(default_factory=dict)
    gone: frozenset[str] = frozenset()
    ahead: Mapping[str, dict[str, Stated]] = field(default_factory=dict)
    back: Mapping[str, dict[str, Stated]] = field(default_factory=dict)
    no_node: frozenset[str] = frozenset()
    outside: frozenset[str] = frozenset()
    not_outside: frozenset[str] = frozenset()
    edges: int = 0

    def __len__(self) -> int:
        return len(self.papers) + len(self.gone)


class State:
    """Answers every question from one moment. Immutable, so any number of threads may ask."""

    def __init__(self, generation: Generation, overlay: Overlay) -> None:
        self.generation = generation
        self.overlay = overlay
        self.ahead = RowsView(self, generation.ahead, overlay.ahead)
        self.back = RowsView(self, generation.back, overlay.back)
        self.outside = Outside(self)
        self.facts = FactsView(self)

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and (key in self.overlay.papers or self.stored(key) is not None)

    def stored(self, key: str) -> int | None:
        """Return the number of a paper whose record in the generation still holds."""
        if key in self.overlay.papers or key in self.overlay.gone:
            return None
        return self.generation.paper(key)

    def record(self, key: str) -> Paper | None:
        """Return a record as it was loaded, or None."""
        changed = self.overlay.papers.get(key)
        if changed is not None:
            return changed
        number = self.stored(key)
        return None if number is None else self.generation.records.read_stated(number)

    def read(self, key: str) -> Paper:
        """Return a paper with the graph's edges for references and citations.

        Raises:
            KeyError: If there is none.
        """
        record = self.overlay.papers.get(key)
        if record is None:
            number = self.stored(key)
            if number is None:
                raise KeyError(key)
            record = self.generation.records.read(number)
        return own_copy(
            record, references=sorted(self.ahead[key]), citations=sorted(self.back[key])
        )

    def ids(self) -> Iterator[str]:
        """Yield the ids of all papers in order."""
        changed, gone = self.overlay.papers, self.overlay.gone
        held = (
            key for key in self.generation.names.papers if key not in changed and key not in gone
        )
        return heapq.merge(held, sorted(changed))

    def find(self, name: str) -> str | None:
        """Return the id that ``name`` stands for: itself, else the smallest with that alias."""
        if name in self:
            return name
        alias = parse_identifier(name)
        if alias is None:
            return None
        return min(self.named(alias), default=None)

    def named(self, alias: tuple[str, str]) -> list[str]:
        """Return the papers that have an alias."""
        stored = self.generation.with_alias(alias)
        held = [key for key in stored if self.stored(key) is not None]
        return held + self._changed_aliases.get(alias, [])

    @cached_property
    def _changed_aliases(self) -> dict[tuple[str, str], list[str]]:
        aliases: dict[tuple[str, str], list[str]] = {}
        for paper in self.overlay.papers.values():
            for alias in aliases_of(paper):
                aliases.setdefault(alias, []).append(paper.id)
        return aliases

    @cached_property
    def counts(self) -> Counts:
        """What is held."""
        stored, overlay = self.generation.counts, self.overlay
        if not len(overlay):
            return stored
        years = self._years()
        edges = stored.citations_all + overlay.edges
        return Counts(
            papers=sum(1 for _ in overlay.papers) + self.generation.papers - len(self.replaced),
            external=len(self.outside),
            citations=edges - self._edges_outside(),
            citations_all=edges,
            year_min=min(years, default=None),
            year_max=max(years, default=None),
        )

    @cached_property
    def replaced(self) -> list[int]:
        """Papers of the generation whose records there do not hold any more, by number."""
        ids = {*self.overlay.papers, *self.overlay.gone}
        return [number for key in ids if (number := self.generation.paper(key)) is not None]

    def _years(self) -> list[int]:
        columns = self.generation.columns
        held = np.array(columns.dated)
        held[self.replaced] = False
        stored = columns.years[held]
        ends = [int(stored.min()), int(stored.max())] if len(stored) else []
        return ends + [p.year for p in self.overlay.papers.values() if p.year is not None]

    def _edges_outside(self) -> int:
        """Return how many edges end or begin outside: these have one end there, never two."""
        generation, overlay = self.generation, self.overlay
        count = generation.counts.citations_all - generation.counts.citations
        touched = {*overlay.ahead, *overlay.back, *overlay.outside, *overlay.not_outside}
        for key in touched:
            number = generation.names.number(key)
            if number is not None and number >= generation.papers:
                count -= generation.ahead.size(number) + generation.back.size(number)
            if key in self.outside:
                count += len(self.ahead[key]) + len(self.back[key])
        return count

    def view(self, direction: Direction, barred: frozenset[str], use_external: bool) -> View:
        """Return the graph as a request sees it."""
        outside = cast("set[str]", self.outside)
        return LibraryView(self.ahead, self.back, outside, direction, barred, use_external)
