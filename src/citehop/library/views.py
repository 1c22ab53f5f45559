"""A state as walks, filters and rankings look at it: nothing is read before it is used."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Set
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from citehop.graph.networkx_edges import Stated
from citehop.graph.walk import Row, View
from citehop.library.columns import Facts
from citehop.library.rows import Rows
from citehop.paper import Paper

if TYPE_CHECKING:
    from citehop.library.state import State


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
