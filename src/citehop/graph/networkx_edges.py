"""The edge set in memory: which edges there are, and whose record states each."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

Stated = dict[str, bool]
Rows = dict[str, dict[str, Stated]]

# Every edge points at one of these three, so that an edge costs two dict entries and no dict.
CITING: Stated = {"citing": True, "cited": False}
CITED: Stated = {"citing": False, "cited": True}
BOTH: Stated = {"citing": True, "cited": True}
# Likewise the attributes of every node: its record is kept elsewhere.
_NO_FACTS: dict[str, Any] = {}


class StatedEdges:
    """Directed edges over adjacency rows, kept exactly as long as one of the two ends states them.

    A node is there while it has a record or an edge; one without a record is external. Not safe
    for threads, and half done when interrupted: the store locks, and mends.

    Args:
        nodes: Attributes by node, kept in step with the rows.
        ahead: For each node what it cites.
        back: For each node what cites it.
    """

    def __init__(self, nodes: dict[str, Any], ahead: Rows, back: Rows) -> None:
        self.nodes = nodes
        self.ahead = ahead
        self.back = back
        self.external: set[str] = set()
        self.count = 0
        # The one string object of each id: equal ids are then found equal without being read.
        self._names: dict[str, str] = {}

    def clear(self) -> None:
        """Forget every node and edge."""
        for rows in (self.nodes, self.ahead, self.back, self._names):
            rows.clear()
        self.external.clear()
        self.count = 0

    def names(self, ids: list[str]) -> list[str]:
        """Return these ids as the one string object that each has here."""
        return list(map(self._names.setdefault, ids, ids))

    def add_paper(self, id: str) -> None:
        """Let there be a node with a record."""
        if id in self.nodes:
            self.external.discard(id)
        else:
            self._add_node(id)

    def state(self, id: str, references: Collection[str], citations: Collection[str]) -> None:
        """Add what a record states: different ids, not its own. It must not have stated any yet."""
        if references:
            self.count += self._state(id, references, self.ahead, self.back, CITING)
        if citations:
            self.count += self._state(id, citations, self.back, self.ahead, CITED)

    def retract(self, id: str) -> None:
        """Take back everything that the record of ``id`` states."""
        self._retract(id, self.ahead, self.back, CITING, CITED)
        self._retract(id, self.back, self.ahead, CITED, CITING)

    def remove_paper(self, id: str) -> None:
        """Let the node be there only while others state edges to it."""
        self.external.add(id)
        self._drop_if_bare(id)

    def inside(self) -> int:
        """Return the number of edges between two papers: an external has edges to papers alone."""
        outside = sum(len(self.ahead[node]) + len(self.back[node]) for node in self.external)
        return self.count - outside

    def _add_node(self, id: str) -> None:
        self.nodes[self._names.setdefault(id, id)] = _NO_FACTS
        self.ahead[id] = {}
        self.back[id] = {}

    def _state(self, id: str, others: Iterable[str], here: Rows, there: Rows, by: Stated) -> int:
        # The loop that every edge of a load goes through: no calls, no objects made.
        row = here[id]
        before = len(row)
        if row:
            row.update({other: BOTH if other in row else by for other in others})
        else:
            row = here[id] = dict.fromkeys(others, by)
        for other in others:
            stated = row[other] if before else by
            try:
                there[other][id] = stated
            except KeyError:
                self._add_node(other)
                self.external.add(other)
                there[other][id] = stated
        return len(row) - before

    def _retract(self, id: str, here: Rows, there: Rows, mine: Stated, theirs: Stated) -> None:
        row = here[id]
        for other, stated in list(row.items()):
            if stated is BOTH:
                row[other] = there[other][id] = theirs
            elif stated is mine:
                del row[other], there[other][id]
                self.count -= 1
                if other in self.external:
                    self._drop_if_bare(other)

    def _drop_if_bare(self, id: str) -> None:
        if not self.ahead[id] and not self.back[id]:
            del self.nodes[id], self.ahead[id], self.back[id]
            self._names.pop(id, None)
            self.external.discard(id)
