"""What one query scores in one state of the index: every paper's score, and the best."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from citehop.lexical.explanation import ScoreExplanation

if TYPE_CHECKING:
    from citehop.lexical.state import IndexState

Allowed = NDArray[np.bool_] | Collection[str] | Callable[[str], bool]
"""Which papers may be hits: a mask over the slots of the same state (``IndexState.mask``; the
quick way), a collection of ids (a set, for speed), or a function of the id."""

_Slots = NDArray[np.integer]


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
        values: Score by slot, float64, read-only; 0.0 where no term is held.
    """

    __slots__ = ("_touched", "state", "terms", "unknown", "values")

    def __init__(
        self,
        state: IndexState,
        terms: tuple[QueryTerm, ...],
        unknown: tuple[str, ...],
        values: NDArray[np.float64],
        touched: Sequence[NDArray[np.int32]],
    ) -> None:
        self.state = state
        self.terms = terms
        self.unknown = unknown
        self.values = values
        self._touched = touched

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
            TypeError: If ``k`` is no int.
            ValueError: If ``k`` is below 1, or a mask belongs to another state.
        """
        check_k("k", k)
        slots = self._candidates() if allowed is None else self._allowed(allowed)
        if k is None or len(slots) <= k:
            return sorted(self._named(slots), key=_rank)
        scores = self.values[slots]
        bar = np.partition(scores, len(scores) - k)[len(scores) - k]
        best = sorted(self._named(slots[scores > bar]), key=_rank)
        # All of these score the same, and they may be very many: only the smallest ids are due.
        level = heapq.nsmallest(k - len(best), map(self.state.id_at, slots[scores == bar].tolist()))
        return best + list(zip(level, repeat(float(bar))))

    def score_of(self, doc_id: str) -> float:
        """Return the score of one paper; 0.0 where it holds no term or is not in the index."""
        slot = self.state.slot_of(doc_id)
        return 0.0 if slot is None else float(self.values[slot])

    def explain(self, doc_id: str) -> ScoreExplanation:
        """Return what the score of one paper is made of.

        Raises:
            KeyError: If the state does not hold the paper.
        """
        named = chain.from_iterable(repeat(term.term, term.count) for term in self.terms)
        return self.state.explain(doc_id, chain(named, self.unknown))

    def _candidates(self) -> _Slots:
        """Return the slots that score, each once, ascending."""
        if 4 * sum(map(len, self._touched)) > len(self.values):
            return np.flatnonzero(self.values)
        touched = np.unique(np.concatenate([*self._touched, np.empty(0, dtype=np.int32)]))
        return touched[self.values[touched] > 0]

    def _allowed(self, allowed: Allowed) -> _Slots:
        slots = self._candidates()
        if isinstance(allowed, np.ndarray):
            if allowed.shape != self.values.shape or allowed.dtype != np.bool_:
                raise ValueError(
                    f"allowed must be a mask of {len(self.values)} bool from this query's state, "
                    f"not {allowed.shape} of {allowed.dtype}"
                )
            passed: NDArray[np.bool_] = allowed[slots]
            return slots[passed]
        accepts = allowed if callable(allowed) else allowed.__contains__
        ids = map(self.state.id_at, slots.tolist())
        return slots[np.fromiter(map(accepts, ids), dtype=np.bool_, count=len(slots))]

    def _named(self, slots: _Slots) -> list[tuple[str, float]]:
        ids = map(self.state.id_at, slots.tolist())
        return list(zip(ids, self.values[slots].tolist(), strict=True))


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
