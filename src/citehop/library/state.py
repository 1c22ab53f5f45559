"""What a library holds at one moment: a generation, and what was changed since."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterator, Mapping, Set
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, cast

import numpy as np

from citehop.graph.networkx_contents import Tally
from citehop.graph.networkx_edges import Stated, StatedEdges
from citehop.graph.networkx_records import own_copy
from citehop.graph.store import Counts, Direction
from citehop.graph.walk import Row, View
from citehop.identifiers import parse_identifier
from citehop.library.columns import Facts
from citehop.library.generation import Generation, aliases_of, distinct
from citehop.library.rows import Rows
from citehop.paper import Paper

Changed = dict[str, dict[str, Stated]]


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


class RowsView(Mapping[str, Mapping[str, Stated]]):
    """The rows of every node in one direction."""

    def __init__(self, state: State, rows: Rows, changed: Mapping[str, dict[str, Stated]]) -> None:
        self._names = state.generation.names
        self._rows = rows
        self._changed = changed
        self._no_node = state.overlay.no_node

    def __getitem__(self, key: str) -> Mapping[str, Stated]:
        changed = self._changed.get(key)
        if changed is not None:
            return changed
        number = self._names.number(key)
        if number is None or key in self._no_node:
            raise KeyError(key)
        return self._rows.at(self._names, number)

    def __contains__(self, key: object) -> bool:
        if key in self._changed:
            return True
        return (
            isinstance(key, str)
            and key not in self._no_node
            and self._names.number(key) is not None
        )

    def __iter__(self) -> Iterator[str]:
        stored = (key for texts in (self._names.papers, self._names.outside) for key in texts)
        yield from (key for key in stored if key not in self._no_node and key not in self._changed)
        yield from self._changed

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def sizes(self, ids: Collection[str]) -> list[int]:
        """Return how long the row of each node is."""
        known = map(self._names.ids.numbers.get, ids)
        found = [
            self._names.number(key) if number is None else number
            for key, number in zip(ids, known, strict=True)
        ]
        numbers = np.array([0 if number is None else number for number in found], dtype=np.int64)
        starts = self._rows.starts
        sizes = [0] * len(ids)
        if len(starts) > 1:
            sizes = (starts[numbers + 1] - starts[numbers]).tolist()
        if self._changed:
            for place, key in enumerate(ids):
                changed = self._changed.get(key)
                if changed is not None:
                    sizes[place] = len(changed)
        return sizes


class LibraryView(View):
    """A graph as one request sees it, with the sizes of many rows looked up at once."""

    __slots__ = ()

    def _sizes(self, rows: Mapping[str, Row], nodes: Collection[str]) -> Iterator[int]:
        if self.use_external and isinstance(rows, RowsView):
            return iter(rows.sizes(nodes))
        return super()._sizes(rows, nodes)


class Outside(Set[str]):
    """The works outside the corpus."""

    def __init__(self, state: State) -> None:
        self._names = state.generation.names
        self._papers = state.generation.papers
        self._more = state.overlay.outside
        self._fewer = state.overlay.not_outside

    def __contains__(self, key: object) -> bool:
        if key in self._more:
            return True
        if not isinstance(key, str) or key in self._fewer:
            return False
        number = self._names.number(key)
        return number is not None and number >= self._papers

    def __iter__(self) -> Iterator[str]:
        yield from (key for key in self._names.outside if key not in self._fewer)
        yield from self._more

    def __len__(self) -> int:
        return len(self._names.outside) - len(self._fewer) + len(self._more)

    def __rsub__(self, other: Set[Any]) -> set[Any]:
        return {key for key in other if key not in self}

    def intersection(self, ids: Mapping[str, object]) -> set[str]:
        """Return those of ``ids`` that are works outside."""
        return {key for key in ids if key in self}


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

    def draft(self) -> Draft:
        """Return a copy to change."""
        return Draft(self)


class FactsView(Mapping[str, Paper]):
    """What filters and ranking ask of each paper, without reading it whole."""

    def __init__(self, state: State) -> None:
        self._state = state

    def __getitem__(self, key: str) -> Paper:
        changed = self._state.overlay.papers.get(key)
        if changed is not None:
            return changed
        number = self._state.stored(key)
        if number is None:
            raise KeyError(key)
        return cast("Paper", Facts(key, number, self._state.generation.columns))

    def __contains__(self, key: object) -> bool:
        return key in self._state

    def __iter__(self) -> Iterator[str]:
        return self._state.ids()

    def __len__(self) -> int:
        return self._state.counts.papers


class _OwnRows(dict[str, dict[str, Stated]]):
    """Rows that are copied when first touched: a draft's changes leave its state as it is."""

    def __init__(self, view: RowsView) -> None:
        super().__init__()
        self._view = view
        self.deleted: set[str] = set()

    def __missing__(self, key: str) -> dict[str, Stated]:
        if key in self.deleted:
            raise KeyError(key)
        row = self._view[key]
        own = dict(row) if isinstance(row, dict) else row.stated()  # type: ignore[attr-defined]
        self[key] = own
        return own

    def __contains__(self, key: object) -> bool:
        return super().__contains__(key) or (key not in self.deleted and key in self._view)

    def __setitem__(self, key: str, row: dict[str, Stated]) -> None:
        self.deleted.discard(key)
        super().__setitem__(key, row)

    def __delitem__(self, key: str) -> None:
        self.pop(key, None)
        self.deleted.add(key)

    def over(self, old: Mapping[str, dict[str, Stated]]) -> Changed:
        """Return the changed rows of a state with these in their place."""
        kept = {key: row for key, row in old.items() if key not in self.deleted}
        return {**kept, **self}


class _Nodes(dict[str, Any]):
    """Which nodes there are, told by their rows; :class:`StatedEdges` keeps both in step."""

    def __init__(self, rows: _OwnRows) -> None:
        super().__init__()
        self._rows = rows

    def __contains__(self, key: object) -> bool:
        return key in self._rows

    def __setitem__(self, key: str, facts: object) -> None:
        """Do nothing: the row that is set next says it."""

    def __delitem__(self, key: str) -> None:
        """Do nothing: the row that is deleted next says it."""


class _OwnOutside:
    """The works outside, with what a draft changes of them."""

    def __init__(self, outside: Outside) -> None:
        self._outside = outside
        self.added: set[str] = set()
        self.removed: set[str] = set()

    def __contains__(self, key: str) -> bool:
        return key in self.added or (key not in self.removed and key in self._outside)

    def __len__(self) -> int:
        return len(self._outside) + len(self.added) - len(self.removed)

    def add(self, key: str) -> None:
        if key in self.removed:
            self.removed.discard(key)
        elif key not in self._outside:
            self.added.add(key)

    def discard(self, key: str) -> None:
        if key in self.added:
            self.added.discard(key)
        elif key in self._outside:
            self.removed.add(key)


class Draft:
    """Changes to a state that nobody sees yet. For one thread."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._papers: dict[str, Paper | None] = {}
        self._ahead = _OwnRows(state.ahead)
        self._back = _OwnRows(state.back)
        self._outside = _OwnOutside(state.outside)
        self.touched: dict[str, bool] = {}
        # A node is there exactly while it has rows, so those of one direction tell of it.
        self._edges = StatedEdges(_Nodes(self._ahead), self._ahead, self._back)
        self._edges.external = cast("set[str]", self._outside)

    @property
    def edges(self) -> int:
        """How many more edges there are than in the state."""
        return self._edges.count

    @property
    def externals(self) -> int:
        """How many more works outside there are than in the state."""
        return len(self._outside.added) - len(self._outside.removed)

    def __contains__(self, key: str) -> bool:
        if key in self._papers:
            return self._papers[key] is not None
        return key in self._state

    def put(self, paper: Paper, tally: Tally) -> bool:
        """Add or replace a record and return whether anything changed."""
        references = distinct(paper.id, paper.references, tally)
        citations = distinct(paper.id, paper.citations, tally)
        old = self._papers[paper.id] if paper.id in self._papers else self._state.record(paper.id)
        if old == paper:
            tally.unchanged += 1
            return False
        if old is None:
            tally.created += 1
            self._edges.add_paper(paper.id)
        else:
            tally.updated += 1
            self._edges.retract(paper.id)
        self._edges.state(paper.id, references, citations)
        self._papers[paper.id] = own_copy(paper)
        self.touched.setdefault(paper.id, old is not None)
        return True

    def drop(self, key: str) -> bool:
        """Remove a record and return whether there was one; what others say of it stays."""
        if key not in self:
            return False
        self._edges.retract(key)
        self._edges.remove_paper(key)
        self._papers[key] = None
        self.touched.setdefault(key, True)
        return True

    def state(self) -> State:
        """Return the state with these changes."""
        old, generation = self._state.overlay, self._state.generation
        papers = {**old.papers, **self._papers}
        gone = old.gone.difference(self._papers).union(
            key
            for key, paper in self._papers.items()
            if paper is None and generation.paper(key) is not None
        )
        no_node = old.no_node.difference(self._ahead).union(
            key for key in self._ahead.deleted if generation.names.number(key) is not None
        )
        added, removed = self._outside.added, self._outside.removed
        stored = {key for key in added if key in old.not_outside}
        overlay = Overlay(
            papers={key: paper for key, paper in papers.items() if paper is not None},
            gone=gone,
            ahead=self._ahead.over(old.ahead),
            back=self._back.over(old.back),
            no_node=no_node,
            outside=(old.outside | (added - stored)) - removed,
            not_outside=(old.not_outside - stored) | (removed - old.outside),
            edges=old.edges + self._edges.count,
        )
        return State(generation, overlay)
