"""BM25 over papers that come and go."""

from __future__ import annotations

from collections.abc import Iterable
from threading import RLock
from typing import Final, Self

import numpy as np

from citehop.lexical.analysis import Analyser, analyser
from citehop.lexical.explanation import ScoreExplanation
from citehop.lexical.scores import Allowed, QueryScores, check_k
from citehop.lexical.segment import Ints, Segment, Vocabulary
from citehop.lexical.shelf import Shelf, Waiting, merged, tidied
from citehop.lexical.state import IndexState
from citehop.paper import check_id

MAX_K1: Final = 1e6
"""Ceiling of ``k1``; far above it the formula overflows."""

_CHUNK_TOKENS: Final = 1 << 22
"""Tokens that wait before they are packed: what packing needs in memory stays small."""


class BM25Index:
    """A BM25 index that lives: papers are added, replaced and removed, the statistics stay exact.

    ::

        idf(t)       = ln((N - df + 0.5) / (df + 0.5) + 1)
        tf_norm(t,d) = f (k1 + 1) / (f + k1 (1 - b + b dl / avgdl))
        score(d, q)  = sum over t in q, with repeats, of idf(t) tf_norm(t, d)

    Scores depend on the papers that are held alone: after any sequence of changes they equal those
    of a fresh index bit for bit. A query's parts are added in the order of the terms' text.

    Safe for threads: a search works on one immutable :class:`IndexState`, whatever is changed
    meanwhile. What was changed is packed into a small segment beside the large ones when the next
    search needs it; segments are merged as they grow, so that a search after one change costs no
    rebuilding.

    Args:
        k1: How soon repeats of a term stop to count, 0 to 1e6.
        b: How much a paper's length counts, 0 to 1.
        analysis: How text and queries become terms: ``"plain"`` is :func:`citehop.tokenise`,
            ``"english"`` :func:`citehop.lexical.english.english`.

    Raises:
        TypeError: If one is of the wrong type.
        ValueError: If one is out of range, or no analysis has this name.
    """

    def __init__(
        self, k1: float = 1.5, b: float = 0.75, *, analysis: str | Analyser = "plain"
    ) -> None:
        self.k1: Final = _number("k1", k1, MAX_K1)
        self.b: Final = _number("b", b, 1.0)
        self.analyser: Final = analyser(analysis)
        self._lock = RLock()
        self._vocabulary = Vocabulary()
        self._shelves: list[Shelf] = []
        self._waiting = Waiting()
        # Shelves at the front that are never merged: they are mapped from files.
        self._pinned = 0
        self._size = 0
        self._changed = False
        self._state = IndexState(self._vocabulary, [], self.k1, self.b, self.analyser)

    @classmethod
    def over(
        cls,
        segment: Segment,
        vocabulary: Vocabulary,
        k1: float = 1.5,
        b: float = 0.75,
        *,
        analysis: str | Analyser = "plain",
    ) -> Self:
        """Return an index over postings that are there already; they stay as they are.

        Args:
            segment: The postings. Its papers keep the first slots of every state.
            vocabulary: The numbers of its terms; the index adds to it.
            k1: See the class.
            b: See the class.
            analysis: What made the terms.
        """
        index = cls(k1, b, analysis=analysis)
        index._vocabulary = vocabulary
        index._shelves = [Shelf(segment, np.ones(len(segment), dtype=np.bool_))]
        index._pinned = 1
        index._size = len(segment)
        index._changed = True
        return index

    def packed(self) -> Segment:
        """Return all that the index holds as one segment, its papers in order of id."""
        with self._lock:
            self.finalise()
            held = self._shelves or [Waiting().pack()]
            if len(held) == 1 and not held[0].dead:
                return held[0].segment.in_order()
            return merged(held).segment.in_order()

    def terms(self, numbers: Ints) -> dict[str, int]:
        """Return the terms that have these numbers, with their number."""
        wanted = set(numbers.tolist())
        return {term: number for term, number in self._vocabulary.every() if number in wanted}

    def __len__(self) -> int:
        return self._size

    def __contains__(self, doc_id: object) -> bool:
        if not isinstance(doc_id, str):
            return False
        with self._lock:
            return self._waiting_slot(doc_id) is not None or self._shelf_of(doc_id) is not None

    def add(self, doc_id: str, text: str) -> None:
        """Add a paper, or replace the one with this id.

        Raises:
            TypeError: If id or text is no str.
            ValueError: If the id can be no paper's id.
        """
        check_id("doc_id", doc_id)
        terms = self.analyser.terms(text)
        with self._lock:
            self._discard(doc_id)
            waiting = self._waiting
            waiting.slot_of[doc_id] = len(waiting.ids)
            waiting.ids.append(doc_id)
            waiting.tokens.extend(map(self._vocabulary.__getitem__, terms))
            waiting.lengths.append(len(terms))
            waiting.alive.append(True)
            self._size += 1
            self._changed = True
            if len(waiting.tokens) >= _CHUNK_TOKENS:
                self._pack()

    def remove(self, doc_id: str) -> bool:
        """Remove a paper; return whether it was there."""
        with self._lock:
            return self._discard(doc_id)

    def finalise(self) -> None:
        """Take in what was added and removed; searching does this when it is due."""
        with self._lock:
            if not self._changed:
                return
            if self._waiting.ids:
                self._pack()
            self._merge()
            for shelf in self._shelves:
                shelf.shared = True
            held = [(shelf.segment, shelf.alive) for shelf in self._shelves]
            self._state = IndexState(self._vocabulary, held, self.k1, self.b, self.analyser)
            self._changed = False

    def state(self) -> IndexState:
        """Return the index as it stands now, finalised; later changes do not touch it."""
        if self._changed:
            self.finalise()
        return self._state

    def query(self, query: str) -> QueryScores:
        """Score every paper: ``state().query(query)``."""
        return self.state().query(query)

    def search(
        self, query: str, top_k: int | None = 10, *, allowed: Allowed | None = None
    ) -> list[tuple[str, float]]:
        """Return the best papers as (id, score), best first, ties by id.

        Only papers with at least one term of the query are hits, so there may be fewer than
        ``top_k``, and none for an empty query or one without a known term.

        Args:
            query: Plain text; no sign in it has a meaning of its own.
            top_k: How many at most, from 1; None: all.
            allowed: Only these may be hits; see :data:`citehop.lexical.scores.Allowed`.

        Raises:
            TypeError: If ``query`` is no str or ``top_k`` no int.
            ValueError: If ``top_k`` is below 1.
        """
        check_k("top_k", top_k)
        return self.query(query).top(top_k, allowed=allowed)

    def score(self, doc_id: str, terms: Iterable[str]) -> float:
        """Return one paper's score for terms that are tokenised already, with repeats.

        Raises:
            KeyError: If the index does not hold the paper.
            TypeError: If ``terms`` is one string.
        """
        if isinstance(terms, str):
            raise TypeError(f"terms must be a sequence of terms, not {terms!r}; tokenise it first")
        return self.state().explain(doc_id, terms).score

    def idf(self, term: str) -> float:
        """Return the weight of a term; of one that no paper holds, the most there is."""
        return self.state().idf(term)

    def explain(self, doc_id: str, query: str) -> ScoreExplanation:
        """Return what one paper's score for ``query`` is made of.

        Raises:
            KeyError: If the index does not hold the paper.
        """
        return self.state().explain(doc_id, self.analyser.terms(query))

    def _waiting_slot(self, doc_id: str) -> int | None:
        slot = self._waiting.slot_of.get(doc_id)
        return slot if slot is not None and self._waiting.alive[slot] else None

    def _shelf_of(self, doc_id: str) -> tuple[Shelf, int] | None:
        for shelf in self._shelves:
            slot = shelf.find(doc_id)
            if slot is not None:
                return shelf, slot
        return None

    def _discard(self, doc_id: str) -> bool:
        slot = self._waiting_slot(doc_id)
        if slot is not None:
            self._waiting.alive[slot] = False
        else:
            held = self._shelf_of(doc_id)
            if held is None:
                return False
            held[0].drop(held[1])
        self._size -= 1
        self._changed = True
        return True

    def _pack(self) -> None:
        self._shelves.append(self._waiting.pack())
        self._waiting = Waiting()

    def _merge(self) -> None:
        pinned, loose = self._shelves[: self._pinned], self._shelves[self._pinned :]
        self._shelves = pinned + tidied(loose)


def _number(name: str, value: object, ceiling: float) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{name} must be a number, not {value!r}")
    if not 0 <= value <= ceiling:
        raise ValueError(f"{name} must be from 0 to {ceiling:g}, not {value!r}")
    return float(value)
