"""Changes to a state that nobody sees before they are committed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from citehop.graph.networkx_contents import Tally
from citehop.graph.networkx_edges import Stated, StatedEdges
from citehop.graph.networkx_records import own_copy
from citehop.library.generation import distinct
from citehop.library.state import Overlay, State
from citehop.library.views import Outside, RowsView
from citehop.paper import Paper


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

    def over(self, old: Mapping[str, dict[str, Stated]]) -> dict[str, dict[str, Stated]]:
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
