"""What one query scores in one state of the index: every paper's score, and the best."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection
from dataclasses import dataclass
from itertools import repeat
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from citehop.lexical.explanation import ScoreExplanation
from citehop.lexical.kernel import KERNEL
from citehop.lexical.segment import Ints, Mask
from citehop.lexical.sums import Floats, Hold, Norms, Sums

if TYPE_CHECKING:
    from citehop.lexical.state import IndexState

Allowed = NDArray[np.bool_] | Collection[str] | Callable[[str], bool]
"""Which papers may be hits: a mask over the slots of the same state (``IndexState.mask``; the
quick way), a collection of ids (a set, for speed), or a function of the id."""

_FEW: Final = 50
"""So many more than are asked for are sorted without further ado."""


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """A term of a query that the index knows.

    Args:
        term: The term.
        count: How often the query names it.
        df: How many papers hold it, at least 1.
        idf: Its weight, above 0.
    """

    term: str
    count: int
    df: int
    idf: float


class QueryScores:
    """Every paper's score for one query, all from one state of the index.

    A term of one Han, kana, Hangul or Thai sign stands for itself and for every pair of signs in
    the index that begins with it: the query reads as though it had named each of them, and each
    scores as a term of its own.

    Attributes:
        state: The state that was searched; masks must come from it.
        terms: The known terms, sorted by term; empty where nothing can be found.
        unknown: The query's terms that no paper holds, sorted, each once.
    """

    __slots__ = ("_added", "_hold", "_norms", "_values", "state", "terms", "unknown")

    def __init__(
        self,
        state: IndexState,
        terms: tuple[QueryTerm, ...],
        unknown: tuple[str, ...],
        hold: Hold,
        norms: Norms,
    ) -> None:
        self.state = state
        self.terms = terms
        self.unknown = unknown
        self._hold = hold
        self._norms = norms
        self._added: Sums | None = None
        self._values: Floats | None = None

    @property
    def values(self) -> Floats:
        """Score by slot, read-only; 0.0 where no term is held."""
        if self._values is None:
            self._values = self._sums().over(self.state.n_slots)
        return self._values

    @property
    def has_terms(self) -> bool:
        """Whether the query held any term at all, known or not."""
        return bool(self.terms or self.unknown)

    def top(self, k: int | None = 10, *, allowed: Allowed | None = None) -> list[tuple[str, float]]:
        """Return the ``k`` best (None: all) as (id, score), best first, ties by id.

        Args:
            k: From 1; more than there are is fine.
            allowed: Only these may be hits; it acts before the first ``k`` are taken.

        Raises:
            TypeError: If ``k`` is no int, or ``allowed`` is one str.
            ValueError: If ``k`` is below 1, or a mask has another length than the state's slots.
        """
        check_k("k", k)
        if allowed is None or isinstance(allowed, np.ndarray):
            return self._best(self._reaching(k, self._checked(allowed)), k)
        return self._best(self._passed(allowed), k)

    def score_of(self, doc_id: str) -> float:
        """Return the score of one paper; 0.0 where it holds no term or is not in the index."""
        slot = self.state.slot_of(doc_id)
        return 0.0 if slot is None else float(self.values[slot])

    def explain(self, doc_id: str) -> ScoreExplanation:
        """Return what the score of one paper is made of.

        Raises:
            KeyError: If the state does not hold the paper.
        """
        return self.state.explain_resolved(doc_id, self.terms, self.unknown)

    def _sums(self) -> Sums:
        if self._added is None:
            self._added = KERNEL.add_up(self._hold, self._norms)
        return self._added

    def _reaching(self, k: int | None, mask: Mask | None) -> Sums:
        if k is not None and self._added is None:
            best = KERNEL.best(self._hold, self._norms, k, mask)
            if best is not None:
                return best
        return self._sums().reaching(k, mask)

    def _checked(self, mask: Mask | None) -> Mask | None:
        size = self.state.n_slots
        if mask is None or (mask.shape == (size,) and mask.dtype == np.bool_):
            return mask
        raise ValueError(
            f"allowed must be a mask of {size} bool from this query's state, "
            f"not {mask.shape} of {mask.dtype}"
        )

    def _passed(self, allowed: Collection[str] | Callable[[str], bool]) -> Sums:
        """Return the scores of papers that may be hits."""
        if isinstance(allowed, str):
            raise TypeError(f"allowed must be a collection of ids, not the str {allowed!r}")
        if not callable(allowed) and len(allowed) < len(self._hold.slots):
            held = {slot for doc_id in allowed if (slot := self.state.slot_of(doc_id)) is not None}
            few = np.array(sorted(held), dtype=np.intp)
            return _those(few, self.values[few], self.values[few] > 0)
        accepts = allowed if callable(allowed) else allowed.__contains__
        found = self._sums().once()
        ids = map(self.state.id_at, found.slots.tolist())
        passed = np.fromiter(map(accepts, ids), dtype=np.bool_, count=len(found.slots))
        return _those(found.slots, found.scores, passed)

    def _best(self, found: Sums, k: int | None) -> list[tuple[str, float]]:
        slots, scores = found.slots, found.scores
        if k is None or len(slots) <= k + _FEW:
            return sorted(self._named(slots, scores), key=_rank)[:k]
        bar = np.partition(scores, len(scores) - k)[len(scores) - k]
        above = scores > bar
        best = sorted(self._named(slots[above], scores[above]), key=_rank)
        # All of these score the same, and they may be very many: only the smallest ids are due.
        level = heapq.nsmallest(k - len(best), map(self.state.id_at, slots[scores == bar].tolist()))
        return best + list(zip(level, repeat(float(bar)), strict=False))

    def _named(self, slots: Ints, scores: Floats) -> list[tuple[str, float]]:
        return list(zip(map(self.state.id_at, slots.tolist()), scores.tolist(), strict=True))


def _those(slots: Ints, scores: Floats, which: Mask) -> Sums:
    return Sums(slots[which], scores[which])


def check_k(name: str, k: int | None) -> None:
    """Raise unless ``k`` is None or an int from 1."""
    if k is None:
        return
    if isinstance(k, bool) or not isinstance(k, int):
        raise TypeError(f"{name} must be an int from 1, or None for all, not {k!r}")
    if k < 1:
        raise ValueError(f"{name} must be at least 1, or None for all, not {k}")


def _rank(hit: tuple[str, float]) -> tuple[float, str]:
    return -hit[1], hit[0]
