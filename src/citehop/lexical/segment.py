"""Postings: which papers hold which term how often, packed into a few arrays."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress, pairwise
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from citehop.lexical.tokenise import first_sign

Ints = NDArray[np.integer]
Mask = NDArray[np.bool_]

_BLOCK: Final = 1 << 20
"""Postings that are merged at a time."""


class Vocabulary(dict[str, int]):
    """The number of each term ever met, from 0; asking for a new term by index gives it one.

    It only grows, so a state of the index may go on reading it while papers are added: what a
    state does not know is not in its postings.
    """

    def __init__(self) -> None:
        super().__init__()
        self._pairs: dict[str, list[str]] = {}

    def __missing__(self, term: str) -> int:
        number = len(self)
        self._note_pair(term)
        self[term] = number
        return number

    def number(self, term: str) -> int | None:
        """Return the number of a term; None where it was never met."""
        return self.get(term)

    def every(self) -> Iterable[tuple[str, int]]:
        """Return each term with its number."""
        return self.items()

    def pairs(self, sign: str) -> list[str]:
        """Return the pairs of signs that begin with ``sign``, sorted."""
        return sorted(self._pairs.get(sign, ()))

    def _note_pair(self, term: str) -> None:
        sign = first_sign(term)
        if sign is not None:
            self._pairs.setdefault(sign, []).append(term)


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """The postings of some papers, never changed once made.

    The papers sit in slots, numbered from 0 within the segment. The postings of the term
    ``terms[i]`` stand from ``starts[i]`` to ``starts[i + 1]`` in ``slots`` (ascending) and ``tfs``.

    Args:
        ids: Paper by slot.
        slot_of: Slot by paper; the last one where a paper was replaced within the segment.
        lengths: Tokens by slot.
        terms: Numbers of the terms that occur, ascending.
        starts: Where each term's postings begin; one entry more than there are terms.
        slots: Slot of each posting.
        tfs: Occurrences of each posting, in the smallest unsigned type that holds them.
    """

    ids: Sequence[str]
    slot_of: Mapping[str, int]
    lengths: NDArray[np.int64]
    terms: NDArray[np.int32]
    starts: NDArray[np.int64]
    slots: NDArray[np.int32]
    tfs: Ints

    def __len__(self) -> int:
        return len(self.ids)

    def postings(self, term: int) -> slice | None:
        """Return where the postings of a term stand, or None where it does not occur."""
        # A plain int would make numpy widen the whole array first.
        place = int(self.terms.searchsorted(np.int32(term)))
        if place == len(self.terms) or self.terms.item(place) != term:
            return None
        return slice(self.starts.item(place), self.starts.item(place + 1))

    @classmethod
    def build(cls, ids: list[str], lengths: array[int], tokens: array[int]) -> Self:
        """Return the segment of papers given by their terms, one paper after the other.

        Args:
            ids: The papers.
            lengths: Tokens of each.
            tokens: Numbers of the terms of all papers, in one row.
        """
        sizes = np.array(lengths, dtype=np.int64)
        bits = len(ids).bit_length()
        keys = np.array(tokens, dtype=np.int64)
        keys <<= bits
        keys |= np.repeat(np.arange(len(ids), dtype=np.int32), sizes)
        keys.sort()
        firsts = np.flatnonzero(changes(keys))
        # One large array less at each step: this is where building needs most memory.
        kept = keys[firsts]
        count = len(keys)
        del keys
        tfs = _small(np.diff(firsts, append=count))
        del firsts
        numbers = (kept >> bits).astype(np.int32)
        starts = np.flatnonzero(changes(numbers))
        return cls(
            ids=ids,
            slot_of=dict(zip(ids, range(len(ids)), strict=True)),
            lengths=sizes,
            terms=numbers[starts],
            starts=np.append(starts, len(numbers)).astype(np.int64),
            slots=(kept & ((1 << bits) - 1)).astype(np.int32),
            tfs=tfs,
        )

    @classmethod
    def merge(cls, parts: Sequence[tuple[Segment, Mask]]) -> Self:
        """Return one segment of several, in their order, without the papers that are masked out."""
        cleared = [_cleared(segment, alive) for segment, alive in parts]
        terms = np.unique(np.concatenate([part.terms for part in cleared]))
        places = [terms.searchsorted(part.terms) for part in cleared]
        sizes = np.zeros(len(terms), dtype=np.int64)
        for part, place in zip(cleared, places, strict=True):
            sizes[place] += np.diff(part.starts)
        starts = np.concatenate([[0], np.cumsum(sizes)])
        slots = np.empty(starts[-1], dtype=np.int32)
        tfs = np.empty(starts[-1], dtype=max((part.tfs.dtype for part in cleared), key=_width))
        room = starts[:-1].copy()
        offset = 0
        for part, place in zip(cleared, places, strict=True):
            _copy(part, room[place], offset, slots, tfs)
            room[place] += np.diff(part.starts)
            offset += len(part)
        ids = [doc_id for part in cleared for doc_id in part.ids]
        return cls(
            ids=ids,
            slot_of=dict(zip(ids, range(len(ids)), strict=True)),
            lengths=np.concatenate([part.lengths for part in cleared]),
            terms=terms,
            starts=starts,
            slots=slots,
            tfs=tfs,
        )

    def in_order(self) -> Self:
        """Return the segment with its papers in order of id."""
        order = sorted(range(len(self)), key=self.ids.__getitem__)
        if order == list(range(len(self))):
            return self
        old = np.array(order, dtype=np.int64)
        new = np.empty(len(old), dtype=np.int64)
        new[old] = np.arange(len(old))
        keys = np.repeat(np.arange(len(self.terms), dtype=np.int64), np.diff(self.starts))
        keys <<= 32
        keys |= new[self.slots]
        sorting = np.argsort(keys, kind="stable")
        ids = [self.ids[slot] for slot in order]
        return replace(
            self,
            ids=ids,
            slot_of=dict(zip(ids, range(len(ids)), strict=True)),
            lengths=self.lengths[old],
            slots=(keys[sorting] & 0xFFFFFFFF).astype(np.int32),
            tfs=self.tfs[sorting],
        )


def _copy(
    part: Segment, room: NDArray[np.int64], offset: int, slots: NDArray[np.int32], tfs: Ints
) -> None:
    """Copy a segment's postings into wider arrays, each term's to where ``room`` says."""
    shift = room - part.starts[:-1]
    # In blocks, as the places to copy to take more memory than what is copied.
    steps = part.starts.searchsorted(np.arange(0, len(part.slots), _BLOCK))
    for low, high in pairwise([*sorted({0, *steps.tolist()}), len(part.terms)]):
        first, last = int(part.starts[low]), int(part.starts[high])
        target = np.repeat(shift[low:high], np.diff(part.starts[low : high + 1]))
        target += np.arange(first, last)
        slots[target] = part.slots[first:last] + np.int32(offset)
        tfs[target] = part.tfs[first:last]


def _cleared(segment: Segment, alive: Mask) -> Segment:
    """Return a segment without the papers that are masked out, the others numbered anew."""
    if alive.all():
        return segment
    kept = alive[segment.slots]
    counts = np.add.reduceat(kept, segment.starts[:-1], dtype=np.int64)
    used = counts > 0
    renumbered = (np.cumsum(alive) - 1).astype(np.int32)
    ids = list(compress(segment.ids, alive))
    return Segment(
        ids=ids,
        slot_of=dict(zip(ids, range(len(ids)), strict=True)),
        lengths=segment.lengths[alive],
        terms=segment.terms[used],
        starts=np.concatenate([[0], np.cumsum(counts[used])]),
        slots=renumbered[segment.slots[kept]],
        tfs=segment.tfs[kept],
    )


def changes(values: Ints) -> Mask:
    """Return where a sorted row differs from the entry before it; the first one does."""
    changed = np.empty(len(values), dtype=np.bool_)
    changed[:1] = True
    np.not_equal(values[1:], values[:-1], out=changed[1:])
    return changed


def _small(values: Ints) -> Ints:
    return values.astype(np.min_scalar_type(int(values.max(initial=0))))


def _width(dtype: np.dtype[np.integer]) -> int:
    return dtype.itemsize
