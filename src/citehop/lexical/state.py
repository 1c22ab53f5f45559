"""One state of the index: immutable, so any number of threads may search it."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from citehop.lexical.explanation import ScoreExplanation, TermScore
from citehop.lexical.scores import QueryScores, QueryTerm
from citehop.lexical.segment import Mask, Segment, Vocabulary
from citehop.lexical.tokenise import one_sign, tokenise

_Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """A segment within a state.

    Args:
        segment: The postings.
        offset: The state's slot of the segment's slot 0.
        alive: Which slots hold a paper still.
        dead: The slots that do not.
        lengthening: ``k1 (1 - b + b dl / avgdl)`` by slot.
    """

    segment: Segment
    offset: int
    alive: Mask
    dead: NDArray[np.intp]
    lengthening: _Floats


class IndexState:
    """The index as it stood at one moment. Papers sit in slots, numbered from 0.

    Attributes:
        n_docs: How many papers it holds (``N``).
        n_slots: Length of masks and of ``QueryScores.values``; slots of removed papers stay
            until they are cleared, so it may exceed ``n_docs``.
        n_tokens: Tokens of all papers together.
        avgdl: ``n_tokens / n_docs``; 0.0 without papers.
        k1: As the index has it.
        b: As the index has it.
    """

    __slots__ = (
        "_offsets", "_parts", "_vocabulary", "avgdl", "b", "k1", "n_docs", "n_slots", "n_tokens",
    )  # fmt: skip

    def __init__(
        self, vocabulary: Vocabulary, parts: Iterable[tuple[Segment, Mask]], k1: float, b: float
    ) -> None:
        held = [(segment, alive) for segment, alive in parts if len(segment)]
        self.k1 = k1
        self.b = b
        self.n_docs = sum(int(np.count_nonzero(alive)) for _, alive in held)
        self.n_tokens = sum(int(segment.lengths[alive].sum()) for segment, alive in held)
        self.avgdl = self.n_tokens / self.n_docs if self.n_docs else 0.0
        self._vocabulary = vocabulary
        self._parts: list[_Part] = []
        self.n_slots = 0
        for segment, alive in held:
            self._parts.append(
                _Part(
                    segment, self.n_slots, alive, np.flatnonzero(~alive), self._lengthening(segment)
                )
            )
            self.n_slots += len(segment)
        self._offsets = [part.offset for part in self._parts]

    def __len__(self) -> int:
        return self.n_docs

    def __contains__(self, doc_id: object) -> bool:
        return isinstance(doc_id, str) and self.slot_of(doc_id) is not None

    def slot_of(self, doc_id: str) -> int | None:
        """Return the slot of a paper; None where the state does not hold it."""
        for part in reversed(self._parts):
            slot = part.segment.slot_of.get(doc_id)
            if slot is not None and part.alive[slot]:
                return part.offset + slot
        return None

    def id_at(self, slot: int) -> str:
        """Return the paper in a slot, or the one removed from it if it was not cleared yet."""
        part = self._part(slot)
        return part.segment.ids[slot - part.offset]

    def mask(self, predicate: Callable[[str], bool]) -> Mask:
        """Return which slots hold a paper whose id ``predicate`` accepts.

        It asks once for each slot: keep the mask while state and filter stay the same.
        """
        ids = chain.from_iterable(part.segment.ids for part in self._parts)
        accepted = np.fromiter(map(predicate, ids), dtype=np.bool_, count=self.n_slots)
        for part in self._parts:
            accepted[part.dead + part.offset] = False
        return accepted

    def query(self, query: str) -> QueryScores:
        """Score every paper for the words of ``query``."""
        return self.query_terms(tokenise(query))

    def query_terms(self, terms: Iterable[str]) -> QueryScores:
        """Score every paper for terms that are tokenised already, with repeats."""
        known, unknown = self._resolve(terms)
        values = np.zeros(self.n_slots)
        touched = [slots for term in known for slots in self._accumulate(term, values)]
        for part in self._parts:
            values[part.dead + part.offset] = 0.0
        values.flags.writeable = False
        return QueryScores(self, known, unknown, values, touched)

    def idf(self, term: str) -> float:
        """Return ``ln((N - df + 0.5) / (df + 0.5) + 1)``, also for a term that no paper holds."""
        return self._idf(self.df(term))

    def df(self, term: str) -> int:
        """Return how many papers hold a term."""
        number = self._vocabulary.get(term)
        if number is None:
            return 0
        total = 0
        for part in self._parts:
            place = part.segment.postings(number)
            if place is None:
                continue
            if len(part.dead):
                total += int(np.count_nonzero(part.alive[part.segment.slots[place]]))
            else:
                total += place.stop - place.start
        return total

    def explain(self, doc_id: str, terms: Iterable[str]) -> ScoreExplanation:
        """Return what one paper's score is made of, for terms that are tokenised already.

        Raises:
            KeyError: If the state does not hold the paper.
        """
        slot = self.slot_of(doc_id)
        if slot is None:
            raise KeyError(f"no paper {doc_id!r} in the index; add it first")
        known, unknown = self._resolve(terms)
        scores = tuple(self._term_score(term, slot) for term in known)
        total = 0.0
        for part in scores:
            total += part.score
        place = self._part(slot)
        return ScoreExplanation(
            doc_id=doc_id,
            score=total,
            terms=scores,
            unknown=unknown,
            dl=int(place.segment.lengths[slot - place.offset]),
            avgdl=self.avgdl,
            n_docs=self.n_docs,
            k1=self.k1,
            b=self.b,
        )

    def _part(self, slot: int) -> _Part:
        return self._parts[bisect_right(self._offsets, slot) - 1]

    def _lengthening(self, segment: Segment) -> _Floats:
        if not self.n_tokens:
            return np.zeros(len(segment))
        lengths = segment.lengths.astype(np.float64)
        return self.k1 * (1.0 - self.b + self.b * lengths / self.avgdl)

    def _idf(self, df: int) -> float:
        return math.log((self.n_docs - df + 0.5) / (df + 0.5) + 1.0)

    def _resolve(self, terms: Iterable[str]) -> tuple[tuple[QueryTerm, ...], tuple[str, ...]]:
        """Return the known terms and the unknown, both sorted.

        Sorted, so that the order of a query's words does not show in the last bit of a sum.
        """
        counts: Counter[str] = Counter()
        unknown: set[str] = set()
        for term, count in Counter(terms).items():
            meant = [term, *self._vocabulary.pairs(term)] if one_sign(term) else [term]
            found = [name for name in meant if self.df(name)]
            counts.update(dict.fromkeys(found, count))
            if not found:
                unknown.add(term)
        known = tuple(
            QueryTerm(term, count, df := self.df(term), self._idf(df))
            for term, count in sorted(counts.items())
        )
        return known, tuple(sorted(unknown))

    def _accumulate(self, term: QueryTerm, values: _Floats) -> Iterable[NDArray[np.int32]]:
        """Add a term's part to every paper that holds it, and yield those papers' slots."""
        number = self._vocabulary[term.term]
        weight = term.count * term.idf
        for part in self._parts:
            place = part.segment.postings(number)
            if place is None:
                continue
            slots = part.segment.slots[place]
            tfs = part.segment.tfs[place].astype(np.float64)
            norms = tfs * (self.k1 + 1.0)
            norms /= tfs + part.lengthening[slots]
            norms *= weight
            # A slot stands once in a term's postings, so this adds each part.
            values[part.offset : part.offset + len(part.segment)][slots] += norms
            yield slots + np.int32(part.offset) if part.offset else slots

    def _term_score(self, term: QueryTerm, slot: int) -> TermScore:
        part = self._part(slot)
        local = slot - part.offset
        tf = _tf(part.segment, self._vocabulary[term.term], local)
        # The same operations in the same order as for all papers at once: the same bits.
        norm = tf * (self.k1 + 1.0) / (tf + float(part.lengthening[local])) if tf else 0.0
        score = (term.count * term.idf) * norm
        return TermScore(term.term, term.count, tf, term.df, term.idf, norm, score)


def _tf(segment: Segment, number: int, slot: int) -> int:
    place = segment.postings(number)
    if place is None:
        return 0
    slots = segment.slots[place]
    at = int(slots.searchsorted(np.int32(slot)))
    return int(segment.tfs[place][at]) if at < len(slots) and slots[at] == slot else 0
