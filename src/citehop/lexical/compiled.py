"""Adding up a query's parts and picking the best in the way that numba compiles."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Final, cast

import numpy as np
from numpy.typing import NDArray

from citehop.lexical.segment import Mask
from citehop.lexical.sums import Floats

_BITS: Final = 12
_WINDOW: Final = 1 << _BITS
"""Slots whose sums are kept at a time: so few that they stay in the processor's nearest cache."""
_BEYOND: Final = 1 << 40
"""Above every slot."""
_LEAST: Final = 5e-324
"""Above 0.0, and nothing is between."""


Accumulate = Callable[..., int]
""":func:`accumulate`, compiled or not."""


def accumulate(  # noqa: PLR0917, PLR0915 - numba takes arguments by position, and one function best
    slots: NDArray[np.int32],
    tfs: NDArray[np.uint16],
    ends: NDArray[np.int64],
    weights: Floats,
    gain: float,
    lengths: NDArray[np.uint16],
    stretch: Floats,
    once: Floats,
    mask: Mask,
    heap: Floats,
    touched: NDArray[np.int32],
    scores: Floats,
) -> int:
    """Add up, write papers with their scores, each once, and return how many there are.

    The slots are gone through in windows, all terms of a window before the next.

    Args:
        slots: See :class:`citehop.lexical.sums.Hold`.
        tfs: See there.
        ends: See there.
        weights: See there.
        gain: See :class:`citehop.lexical.sums.Tables`.
        lengths: See there, and so for the next two.
        stretch: By length.
        once: By length.
        mask: By slot, which papers may be written; empty: all. Used only with a ``heap``.
        heap: Room for ``k`` scores: the ``k`` best papers are written and all that are level with
            the last, and some more. Empty: all papers are written.
        touched: Filled with slots; one entry more than ``slots``.
        scores: Filled with their scores; likewise.
    """
    sums = np.zeros(_WINDOW)
    # Unsigned, or each access would look whether it counts from the end.
    within = np.uint32(_WINDOW - 1)
    here = np.zeros_like(ends)
    here[1:] = ends[:-1]
    begun = np.empty_like(ends)
    k, size, bar, count = len(heap), 0, _LEAST, 0
    while True:
        lowest = _BEYOND
        for term in range(len(ends)):
            if here[term] < ends[term]:
                lowest = min(lowest, slots[here[term]])
        if lowest == _BEYOND:
            return count
        end = ((lowest >> _BITS) + 1) << _BITS
        for term in range(len(ends)):
            weight, place, last = weights[term], here[term], ends[term]
            begun[term] = place
            while place < last and slots[place] < end:
                slot = np.uint32(slots[place])
                length = lengths[slot]
                # Nearly all occur once, and a division takes long.
                if tfs[place] == 1:
                    sums[slot & within] += once[length] * weight
                else:
                    tf = np.float64(tfs[place])
                    sums[slot & within] += tf * gain / (tf + stretch[length]) * weight
                place += 1
            here[term] = place
        if k == 0:
            for term in range(len(ends)):
                for place in range(begun[term], here[term]):
                    slot = np.uint32(slots[place]) & within
                    # Without a branch, which would be guessed wrong too often: what a slot's
                    # second visit writes, the next one overwrites.
                    touched[count] = slots[place]
                    scores[count] = sums[slot]
                    count += sums[slot] != 0.0
                    sums[slot] = 0.0
            continue
        for term in range(len(ends)):
            for place in range(begun[term], here[term]):
                slot = np.uint32(slots[place]) & within
                score = sums[slot]
                sums[slot] = 0.0
                if score < bar or (len(mask) and not mask[slots[place]]):
                    continue
                touched[count] = slots[place]
                scores[count] = score
                count += 1
                if size < k:
                    # Up from the last leaf.
                    at = size
                    size += 1
                    while at and heap[(at - 1) >> 1] > score:
                        heap[at] = heap[(at - 1) >> 1]
                        at = (at - 1) >> 1
                else:
                    # Down from the root, whose score falls out.
                    at = 0
                    while True:
                        child = 2 * at + 1
                        if child + 1 < k and heap[child + 1] < heap[child]:
                            child += 1
                        if child >= k or heap[child] >= score:
                            break
                        heap[at] = heap[child]
                        at = child
                heap[at] = score
                if size == k:
                    bar = heap[0]


def compile_kernel() -> Accumulate:
    """Return :func:`accumulate` compiled, from numba's cache on disk where it is there.

    Without ``fastmath``, so that no operation is fused or reordered: the bits are numpy's.

    Raises:
        ImportError: If numba is not installed.
    """
    import numba  # noqa: PLC0415 - optional, and slow to import

    signature = _signature(numba.types)
    try:
        made = numba.njit(signature, nogil=True, cache=True)(accumulate)
    except RuntimeError:  # no folder that the cache could be written to
        made = numba.njit(signature, nogil=True)(accumulate)
    return cast("Accumulate", made)


def _signature(types: ModuleType) -> object:
    def row(dtype: object, *, readonly: bool = True) -> object:
        return types.Array(dtype, 1, "C", readonly=readonly)

    floats, out = row(types.float64), row(types.float64, readonly=False)
    return types.intp(
        row(types.int32),
        row(types.uint16),
        row(types.int64),
        floats,
        types.float64,
        row(types.uint16),
        floats,
        floats,
        row(types.boolean),
        out,
        row(types.int32, readonly=False),
        out,
    )
