"""One state of the index: immutable, so any number of threads may search it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from citehop.lexical.scores import Mask, QueryScores


class IndexState:
    """The index as it stood at one moment. Papers sit in slots, numbered from 0.

    Attributes:
        n_docs: How many papers it holds (``N``).
        n_slots: Length of masks and of ``QueryScores.values``; slots of removed papers stay
            until they are cleared, so it may exceed ``n_docs``.
        n_tokens: Tokens of all papers together.
        avgdl: ``n_tokens / n_docs``; 0.0 without papers.
    """

    n_docs: int
    n_slots: int
    n_tokens: int
    avgdl: float

    def __len__(self) -> int:
        return self.n_docs

    def __contains__(self, doc_id: object) -> bool:
        raise NotImplementedError

    def query(self, query: str) -> QueryScores:
        """Score every paper for the words of ``query``."""
        raise NotImplementedError

    def query_terms(self, terms: Sequence[str]) -> QueryScores:
        """Score every paper for terms that are tokenised already."""
        raise NotImplementedError

    def idf(self, term: str) -> float:
        """Return the weight of a term; of one that no paper holds, the most there is."""
        raise NotImplementedError

    def mask(self, predicate: Callable[[str], bool]) -> Mask:
        """Return which slots hold a paper whose id ``predicate`` accepts.

        It asks once for each paper: keep the mask while state and filter stay the same.
        """
        raise NotImplementedError
