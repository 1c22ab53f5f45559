"""The segments of a living index, each with which of its papers are still there."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import Final

import numpy as np

from citehop.lexical.segment import Mask, Segment

_GROWTH: Final = 4
"""A segment is merged into the one before it once that is at most this many times as large."""


class Shelf:
    """A segment with which of its papers are still there; copied before a state's mask changes."""

    __slots__ = ("alive", "dead", "segment", "shared")

    def __init__(self, segment: Segment, alive: Mask) -> None:
        self.segment = segment
        self.alive = alive
        self.dead = len(alive) - int(np.count_nonzero(alive))
        self.shared = False

    def find(self, doc_id: str) -> int | None:
        """Return the slot of a paper that is still there."""
        slot = self.segment.slot_of.get(doc_id)
        return slot if slot is not None and self.alive[slot] else None

    def drop(self, slot: int) -> None:
        """Mark a paper as gone."""
        if self.shared:
            self.alive = self.alive.copy()
            self.shared = False
        self.alive[slot] = False
        self.dead += 1


class Waiting:
    """Papers added and not packed yet."""

    __slots__ = ("alive", "ids", "lengths", "slot_of", "tokens")

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.slot_of: dict[str, int] = {}
        self.lengths = array("q")
        self.tokens = array("i")
        self.alive = bytearray()

    def pack(self) -> Shelf:
        """Return a shelf of these papers."""
        segment = Segment.build(self.ids, self.lengths, self.tokens)
        return Shelf(segment, np.frombuffer(self.alive, dtype=np.bool_).copy())


def tidied(shelves: list[Shelf]) -> list[Shelf]:
    """Keep each segment well larger than the next, and not too empty.

    Segments are few then, about log4 of the number of papers, and a posting is moved that often
    at most.
    """
    cut = len(shelves) - 1
    run = _weight(shelves[cut:])
    while cut > 0 and _weight([shelves[cut - 1]]) <= _GROWTH * run:
        cut -= 1
        run += _weight([shelves[cut]])
    kept, young = shelves[: max(cut, 0)], shelves[max(cut, 0) :]
    older = [merged([shelf]) if _half_empty(shelf) else shelf for shelf in kept]
    if len(young) > 1 or any(map(_half_empty, young)):
        older.append(merged(young))
    else:
        older += young
    return [shelf for shelf in older if len(shelf.segment)]


def _weight(shelves: Iterable[Shelf]) -> int:
    return sum(len(shelf.segment.slots) + len(shelf.segment) for shelf in shelves)


def _half_empty(shelf: Shelf) -> bool:
    return 2 * shelf.dead > len(shelf.segment)


def merged(shelves: list[Shelf]) -> Shelf:
    """Return one shelf with all papers of several that are still there."""
    segment = Segment.merge([(shelf.segment, shelf.alive) for shelf in shelves])
    return Shelf(segment, np.ones(len(segment), dtype=np.bool_))
