"""Adding up a query's parts in the way that numba compiles."""

from __future__ import annotations

from typing import Final, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from citehop.lexical.sums import Floats

_SIGNATURE: Final = (
    "intp(int32[::1], float64[::1], int64[::1], float64[::1], float64, float64[::1], int32[::1],"
    " float64[::1])"
)
_BITS: Final = 12
_WINDOW: Final = 1 << _BITS
"""Slots whose sums are kept at a time: so few that they stay in the processor's nearest cache."""
_BEYOND: Final = 1 << 40
"""Above every slot."""


class Accumulate(Protocol):
    """See :func:`accumulate`."""

    def __call__(  # noqa: PLR0917 - numba takes arguments by position
        self,
        slots: NDArray[np.int32],
        tfs: Floats,
        ends: NDArray[np.int64],
        weights: Floats,
        gain: float,
        stretch: Floats,
        touched: NDArray[np.int32],
        scores: Floats,
    ) -> int:
        """Add up and return how many papers were touched."""


def accumulate(  # noqa: PLR0917 - numba takes arguments by position
    slots: NDArray[np.int32],
    tfs: Floats,
    ends: NDArray[np.int64],
    weights: Floats,
    gain: float,
    stretch: Floats,
    touched: NDArray[np.int32],
    scores: Floats,
) -> int:
    """Add up, write each paper touched once with its score, and return how many there are.

    The slots are gone through in windows, all terms of a window before the next.

    Args:
        slots: See :class:`citehop.lexical.sums.Hold`.
        tfs: See there.
        ends: See there.
        weights: See there.
        gain: ``k1 + 1``.
        stretch: By slot, the paper's side of the formula.
        touched: Filled with slots; one entry more than ``slots``.
        scores: Filled with their scores; likewise.
    """
    sums = np.zeros(_WINDOW)
    # Unsigned, or each access would look whether it counts from the end.
    within = np.uint32(_WINDOW - 1)
    here = np.zeros_like(ends)
    here[1:] = ends[:-1]
    begun = np.empty_like(ends)
    count = 0
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
                tf = tfs[place]
                sums[slot & within] += tf * gain / (tf + stretch[slot]) * weight
                place += 1
            here[term] = place
        for term in range(len(ends)):
            for place in range(begun[term], here[term]):
                slot = np.uint32(slots[place]) & within
                # Without a branch, which would be guessed wrong too often: what a slot's second
                # visit writes, the next one overwrites.
                touched[count] = slots[place]
                scores[count] = sums[slot]
                count += sums[slot] != 0.0
                sums[slot] = 0.0


def compile_kernel() -> Accumulate:
    """Return :func:`accumulate` compiled, from numba's cache on disk where it is there.

    Without ``fastmath``, so that no operation is fused or reordered: the bits are numpy's.

    Raises:
        ImportError: If numba is not installed.
    """
    import numba  # noqa: PLC0415 - optional, and slow to import

    try:
        made = numba.njit(_SIGNATURE, nogil=True, cache=True)(accumulate)
    except RuntimeError:  # no folder that the cache could be written to
        made = numba.njit(_SIGNATURE, nogil=True)(accumulate)
    return cast("Accumulate", made)
