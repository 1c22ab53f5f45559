"""BM25 over papers that come and go."""

from __future__ import annotations

from collections.abc import Iterable

from citehop.lexical.scores import Allowed, QueryScores, ScoreExplanation
from citehop.lexical.state import IndexState


class BM25Index:
    """A BM25 index that lives: papers are added, replaced and removed, the statistics stay exact.

    Safe for threads: a search works on one immutable :class:`IndexState`.
    """

    def __init__(self, k1: float = 1.5, b: float = 0.75) -> None:
        raise NotImplementedError

    def __len__(self) -> int:
        raise NotImplementedError

    def __contains__(self, doc_id: object) -> bool:
        raise NotImplementedError

    def add(self, doc_id: str, text: str) -> None:
        """Add a paper, or replace the one with this id."""
        raise NotImplementedError

    def remove(self, doc_id: str) -> bool:
        """Remove a paper; return whether it was there."""
        raise NotImplementedError

    def finalise(self) -> None:
        """Take in what was added and removed; searching does this when it is due."""
        raise NotImplementedError

    def state(self) -> IndexState:
        """Return the index as it stands now, finalised; later changes do not touch it."""
        raise NotImplementedError

    def query(self, query: str) -> QueryScores:
        """Score every paper: ``state().query(query)``."""
        raise NotImplementedError

    def search(
        self, query: str, top_k: int | None = 10, *, allowed: Allowed | None = None
    ) -> list[tuple[str, float]]:
        """Return the best papers as (id, score), best first, ties by id."""
        raise NotImplementedError

    def score(self, doc_id: str, terms: Iterable[str]) -> float:
        """Return one paper's score for terms that are tokenised already, with repeats."""
        raise NotImplementedError

    def idf(self, term: str) -> float:
        """Return the weight of a term."""
        raise NotImplementedError

    def explain(self, doc_id: str, query: str) -> ScoreExplanation:
        """Return what one paper's score for ``query`` is made of."""
        raise NotImplementedError
