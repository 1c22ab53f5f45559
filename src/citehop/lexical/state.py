"""One state of the index: immutable, so any number of threads may search it."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import accumulate, chain

import numpy as np
from numpy.typing import NDArray

from citehop.lexical.analysis import PLAIN, Analyser
from citehop.lexical.explanation import ScoreExplanation, TermScore
from citehop.lexical.scores import QueryScores, QueryTerm
from citehop.lexical.segment import Ints, Mask, Segment, Vocabulary
from citehop.lexical.sums import Hold, Norms
from citehop.lexical.tokenise import one_sign

_Floats = NDArray[np.float64]
_NONE: NDArray[np.int64] = np.empty(0, dtype=np.int64)
_NO_SLOTS: NDArray[np.int32] = np.empty(0, dtype=np.int32)
_NO_TFS: NDArray[np.uint8] = np.empty(0, dtype=np.uint8)
_Postings = tuple[NDArray[np.int32], Ints]


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """A segment within a state.

    Args:
        segment: The postings.
        offset: The state's slot of the segment's slot 0.
        alive: Which slots hold a paper still.
        whole: Whether all do.
    """

    segment: Segment
    offset: int
    alive: Mask
    whole: bool

    def postings(self, number: int) -> _Postings | None:
        """Return a term's papers, in slots of the state, with the term's occurrences in each."""
        place = self.segment.postings(number)
        if place is None:
            return None
        slots, tfs = self.segment.slots[place], self.segment.tfs[place]
        if not self.whole:
            kept = self.alive[slots]
            slots, tfs = slots[kept], tfs[kept]
        return (slots + np.int32(self.offset) if self.offset else slots), tfs


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
        analyser: What turns text and queries into terms.
    """

    __slots__ = (
        "_lengths",
        "_norms",
        "_offsets",
        "_parts",
        "_vocabulary",
        "analyser",
        "avgdl",
        "b",
        "k1",
        "n_docs",
        "n_slots",
        "n_tokens",
    )

    def __init__(
        self,
        vocabulary: Vocabulary,
        parts: Iterable[tuple[Segment, Mask]],
        k1: float,
        b: float,
        analyser: Analyser = PLAIN,
    ) -> None:
        held = [(segment, alive) for segment, alive in parts if len(segment)]
        self.k1 = k1
        self.b = b
        self.n_docs = sum(int(np.count_nonzero(alive)) for _, alive in held)
        self.n_tokens = sum(int(segment.lengths[alive].sum()) for segment, alive in held)
        self.avgdl = self.n_tokens / self.n_docs if self.n_docs else 0.0
        self.analyser = analyser
        self._vocabulary = vocabulary
        self._parts: list[_Part] = []
        self.n_slots = 0
        for segment, alive in held:
            self._parts.append(_Part(segment, self.n_slots, alive, bool(alive.all())))
            self.n_slots += len(segment)
        self._offsets = [part.offset for part in self._parts]
        self._lengths = np.concatenate([_NONE, *(segment.lengths for segment, _ in held)])
        self._norms = Norms(self._lengths, k1, b, self.avgdl)

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

    def mask(self, predicate: Callable[[str], bool], first: Mask | None = None) -> Mask:
        """Return which slots hold a paper whose id ``predicate`` accepts.

        It asks once for each slot: keep the mask while state and filter stay the same.

        Args:
            predicate: Told an id, also that of a removed paper that was not cleared yet.
            first: The answers for the first slots, of whole segments; these are not asked for.
        """
        known = np.empty(0, dtype=np.bool_) if first is None else first
        later = (part for part in self._parts if part.offset >= len(known))
        ids = chain.from_iterable(part.segment.ids for part in later)
        asked = np.fromiter(map(predicate, ids), dtype=np.bool_, count=self.n_slots - len(known))
        accepted = np.concatenate([known, asked])
        for part in self._parts:
            accepted[part.offset : part.offset + len(part.segment)] &= part.alive
        return accepted

    def query(self, query: str) -> QueryScores:
        """Score every paper for the words of ``query``."""
        return self.query_terms(self.analyser.terms(query))

    def query_terms(self, terms: Iterable[str]) -> QueryScores:
        """Score every paper for terms that are tokenised already, with repeats."""
        found, unknown = self._resolve(terms)
        known = tuple([term for term, _ in found])
        hold = Hold(
            np.concatenate([_NO_SLOTS, *[slots for _, (slots, _) in found]]),
            np.concatenate([_NO_TFS, *[tfs for _, (_, tfs) in found]]),
            np.array(list(accumulate([term.df for term in known])), dtype=np.int64),
            np.array([term.count * term.idf for term in known], dtype=np.float64),
        )
        return QueryScores(self, known, unknown, hold, self._norms)

    def idf(self, term: str) -> float:
        """Return ``ln((N - df + 0.5) / (df + 0.5) + 1)``, also for a term that no paper holds."""
        return self._idf(self.df(term))

    def df(self, term: str) -> int:
        """Return how many papers hold a term."""
        return len(self._postings(term)[0])

    def explain(self, doc_id: str, terms: Iterable[str]) -> ScoreExplanation:
        """Return what one paper's score is made of, for terms that are tokenised already.

        Raises:
            KeyError: If the state does not hold the paper.
        """
        found, unknown = self._resolve(terms)
        return self.explain_resolved(doc_id, tuple(term for term, _ in found), unknown)

    def explain_resolved(
        self, doc_id: str, known: tuple[QueryTerm, ...], unknown: tuple[str, ...]
    ) -> ScoreExplanation:
        """Return the same for the known and unknown terms of a :class:`QueryScores`."""
        slot = self.slot_of(doc_id)
        if slot is None:
            raise KeyError(f"no paper {doc_id!r} in the index; add it first")
        scores = tuple(self._term_score(term, slot) for term in known)
        total = 0.0
        for part in scores:
            total += part.score
        return ScoreExplanation(
            doc_id=doc_id,
            score=total,
            terms=scores,
            unknown=unknown,
            dl=int(self._lengths[slot]),
            avgdl=self.avgdl,
            n_docs=self.n_docs,
            k1=self.k1,
            b=self.b,
        )

    def _part(self, slot: int) -> _Part:
        return self._parts[bisect_right(self._offsets, slot) - 1]

    def _postings(self, term: str) -> _Postings:
        number = self._vocabulary.number(term)
        if number is None:
            return _NO_SLOTS, _NO_TFS
        found = [held for part in self._parts if (held := part.postings(number)) is not None]
        if len(found) == 1:
            return found[0]
        slots = np.concatenate([_NO_SLOTS, *(slots for slots, _ in found)])
        return slots, np.concatenate([_NO_TFS, *(tfs for _, tfs in found)])

    def _idf(self, df: int) -> float:
        return math.log((self.n_docs - df + 0.5) / (df + 0.5) + 1.0)

    def _resolve(
        self, terms: Iterable[str]
    ) -> tuple[list[tuple[QueryTerm, _Postings]], tuple[str, ...]]:
        """Return the known terms with their postings, and the unknown, both sorted.

        Sorted, so that the order of a query's words does not show in the last bit of a sum.
        """
        counts: dict[str, int] = {}
        held: dict[str, _Postings] = {}
        unknown: list[str] = []
        for term, count in Counter(terms).items():
            found = False
            for name in (term, *self._vocabulary.pairs(term)) if one_sign(term) else (term,):
                postings = self._postings(name)
                if len(postings[0]):
                    found = True
                    held[name] = postings
                    counts[name] = counts.get(name, 0) + count
            if not found:
                unknown.append(term)
        known = []
        for term in sorted(held):
            postings = held[term]
            df = len(postings[0])
            known.append((QueryTerm(term, counts[term], df, self._idf(df)), postings))
        return known, tuple(sorted(unknown))

    def _term_score(self, term: QueryTerm, slot: int) -> TermScore:
        slots, tfs = self._postings(term.term)
        at = int(slots.searchsorted(np.int32(slot)))
        tf = int(tfs[at]) if at < len(slots) and slots[at] == slot else 0
        # The same operations in the same order as for all papers at once: the same bits.
        norm = tf * (self.k1 + 1.0) / (tf + float(self._norms.stretch[slot])) if tf else 0.0
        score = (term.count * term.idf) * norm
        return TermScore(term.term, term.count, tf, term.df, term.idf, norm, score)
