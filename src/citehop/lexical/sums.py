"""The parts of a query's terms added up for each paper, and the best of the sums."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from citehop.lexical.segment import Ints, Mask, changes

Floats = NDArray[np.float64]

_LONGEST: Final = (1 << 16) - 1
"""The most tokens that the tables know."""
_SPARSE: Final = 64
"""Below one posting for this many slots the sums are kept for the papers touched alone."""
_WIDTH: Final = 64
"""Scores of which only the best is looked at for a first bar, at most."""
_AHEAD: Final = 8
"""How many times as many are looked at, in case a mask leaves most of them out."""


@dataclass(frozen=True, slots=True, eq=False)
class Hold:
    """The postings of a query's terms, one term after another.

    Args:
        slots: Slot of each posting, int32, ascending within a term; an array of its own.
        tfs: Occurrences of each; likewise.
        ends: Where each term's postings end, int64.
        weights: What each term's part is multiplied by.
    """

    slots: NDArray[np.int32]
    tfs: Ints
    ends: NDArray[np.int64]
    weights: Floats


class Norms:
    """Each paper's side of the formula, ``k1 (1 - b + b dl / avgdl)``.

    Attributes:
        gain: ``k1 + 1``.
        stretch: By slot.
    """

    __slots__ = ("_avgdl", "_b", "_k1", "_lengths", "_tables", "gain", "stretch")

    def __init__(self, lengths: NDArray[np.int64], k1: float, b: float, avgdl: float) -> None:
        self._lengths = lengths
        self._k1, self._b, self._avgdl = k1, b, avgdl or 1.0
        self._tables: Tables | None = None
        self.gain: Final = k1 + 1.0
        self.stretch: Final = self._of(lengths)

    def _of(self, lengths: NDArray[np.int64]) -> Floats:
        stretch = self._k1 * (1.0 - self._b + self._b * lengths / self._avgdl)
        return stretch.astype(np.float64, copy=False)

    def tables(self) -> Tables | None:
        """Return the same by length; None where a paper is too long for 16 bits."""
        if self._tables is None:
            longest = int(self._lengths.max(initial=0))
            if longest > _LONGEST:
                return None
            # The same operations on the same numbers: the bits of `stretch`.
            stretch = self._of(np.arange(longest + 1, dtype=np.int64))
            once = self.gain / (1.0 + stretch)
            self._tables = Tables(self.gain, self._lengths.astype(np.uint16), stretch, once)
        return self._tables


@dataclass(frozen=True, slots=True, eq=False)
class Tables:
    """Papers' lengths, with what the formula makes of each.

    Args:
        gain: ``k1 + 1``.
        lengths: By slot.
        stretch: By length, the paper's side of the formula.
        once: By length, ``tf_norm`` where a paper holds a term once.
    """

    gain: float
    lengths: NDArray[np.uint16]
    stretch: Floats
    once: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """The score of each paper that holds a term.

    Args:
        slots: The papers' slots, in any order.
        scores: The score of each, above 0.
        repeats: How often a slot may be named at most.
        values: Score by slot of the state, if it was made anyway.
    """

    slots: Ints
    scores: Floats
    repeats: int = 1
    values: Floats | None = None

    def reaching(self, k: int | None, mask: Mask | None) -> Sums:
        """Return some papers, each once, with the ``k`` best and all that score as the last.

        Args:
            k: From 1; None: all.
            mask: Which slots may be among them; None: all.
        """
        wanted = len(self.slots) if k is None else k * self.repeats
        reach = wanted if mask is None else wanted * _AHEAD
        if reach < len(self.slots):
            at = np.flatnonzero(self.scores >= _floor(self.scores, reach))
            found = Sums(self.slots[at], self.scores[at], self.repeats).within(mask)
            # Nothing below the floor was looked at, and what is above it is enough.
            if len(found.slots) >= wanted:
                return found.once()
        return self.within(mask).once()

    def within(self, mask: Mask | None) -> Sums:
        """Return the same without the slots that a mask leaves out."""
        if mask is None:
            return self
        passed = mask.take(self.slots)
        return Sums(self.slots[passed], self.scores[passed], self.repeats)

    def once(self) -> Sums:
        """Return the same with each slot named once."""
        if self.repeats == 1:
            return self
        order = np.argsort(self.slots)
        first = order[changes(self.slots[order])]
        return Sums(self.slots[first], self.scores[first])

    def over(self, n_slots: int) -> Floats:
        """Return the score by slot, read-only; 0.0 where no term is held."""
        values = self.values
        if values is None:
            values = np.zeros(n_slots)
            values[self.slots] = self.scores
        values.flags.writeable = False
        return values


def add_up(hold: Hold, norms: Norms) -> Sums:
    """Return the sums over a query's terms, each paper's parts added in the order of the terms."""
    slots = hold.slots.astype(np.intp)
    tfs = hold.tfs.astype(np.float64)
    # The same operations in the same order as for one paper alone: the same bits.
    parts = tfs * norms.gain
    parts /= tfs + norms.stretch.take(slots)
    parts *= np.repeat(hold.weights, np.diff(hold.ends, prepend=0))
    if len(slots) * _SPARSE < len(norms.stretch):
        # np.unique hashes, which takes ten times as long as sorting here.
        ordered = np.sort(slots)
        held = ordered[changes(ordered)]
        return Sums(held, _binned(held.searchsorted(slots), parts, len(held)))
    values = _binned(slots, parts, len(norms.stretch))
    return Sums(slots, values.take(slots), max(len(hold.ends), 1), values)


def _binned(places: NDArray[np.intp], parts: Floats, size: int) -> Floats:
    summed = np.bincount(places, weights=parts, minlength=size)
    return summed.astype(np.float64, copy=False)


def _floor(scores: Floats, reach: int) -> float:
    """Return a bar that at least ``reach`` of the scores reach, near the highest such."""
    # The best of each of some groups are few, and the bar that `reach` of them reach is one.
    width = min(_WIDTH, len(scores) // (4 * reach))
    if width < 2:
        return float(np.partition(scores, len(scores) - reach)[len(scores) - reach])
    groups = len(scores) // width
    best = scores[: groups * width].reshape(width, groups).max(axis=0)
    return float(np.partition(best, groups - reach)[groups - reach])
