"""What one query scores in one state of the index: every paper's score, the best, and why."""

from __future__ import annotations

import heapq
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from citehop.lexical.state import IndexState

Mask = NDArray[np.bool_]
Allowed = Mask | Collection[str] | Callable[[str], bool]
"""Which papers may be hits: a mask over the slots of the state (see ``IndexState.mask``), a
collection of ids (a set, for speed), or a function of the id."""


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """A term of a query that the index knows.

    Args:
        term: The term; a one-sign term stands here beside the bigrams that it stands for.
        count: How often the query names it.
        df: How many papers hold it, at least 1.
        idf: Its weight, above 0.
    """

    term: str
    count: int
    df: int
    idf: float


@dataclass(frozen=True, slots=True)
class TermScore:
    """One term's part of a paper's score: ``score = (query_count * idf) * tf_norm``.

    Args:
        term: The term, known to the index.
        query_count: How often the query names it.
        tf: How often the paper holds it; 0 where it does not, and then the score is 0.
        df: How many papers hold it.
        idf: The term's weight.
        tf_norm: The paper's side of the product.
        score: The part.
    """

    term: str
    query_count: int
    tf: int
    df: int
    idf: float
    tf_norm: float
    score: float


@dataclass(frozen=True, slots=True)
class ScoreExplanation:
    """A paper's score for a query with all that it is made of.

    Args:
        doc_id: The paper.
        score: The score; exactly the parts of ``terms`` added one after another in their order
            (``sum`` of later Pythons compensates and may differ in the last bit).
        terms: One part for each known term of the query, sorted by term.
        unknown: The query's terms that no paper holds, sorted.
        dl: Tokens of the paper.
        avgdl: Mean tokens of all papers.
        n_docs: How many papers there are (``N``).
        k1: As the index has it.
        b: As the index has it.
    """

    doc_id: str
    score: float
    terms: tuple[TermScore, ...]
    unknown: tuple[str, ...]
    dl: int
    avgdl: float
    n_docs: int
    k1: float
    b: float


class QueryScores:
    """Every paper's score for one query, all from one state of the index.

    Attributes:
        state: The state that was searched; masks must come from it.
        terms: The known terms, sorted; empty where nothing can be found.
        unknown: The query's terms that no paper holds, sorted, each once.
        values: Score by slot, float64; 0 where no term is held.

    """

    __slots__ = ("state", "terms", "unknown", "values")

    state: IndexState
    terms: tuple[QueryTerm, ...]
    unknown: tuple[str, ...]
    values: NDArray[np.float64]

    @property
    def has_terms(self) -> bool:
        """Whether the query held any term at all, known or not."""
        return bool(self.terms or self.unknown)

    def top(self, k: int | None = 10, *, allowed: Allowed | None = None) -> list[tuple[str, float]]:
        """Return the ``k`` best (None: all) as (id, score), best first, ties by id.

        Args:
            k: From 1; more than there are is fine.
            allowed: Only these may be hits; the filter acts before the first ``k`` are taken.
        """
        raise NotImplementedError

    def score_of(self, doc_id: str) -> float:
        """Return the score of one paper; 0.0 where it holds no term or is not in the index."""
        raise NotImplementedError

    def explain(self, doc_id: str) -> ScoreExplanation:
        """Return what the score of one paper is made of.

        Raises:
            KeyError: If the state does not hold the paper.
        """
        raise NotImplementedError
