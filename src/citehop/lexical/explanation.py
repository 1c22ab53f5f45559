"""What a paper's score is made of."""

from __future__ import annotations

from dataclasses import dataclass


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
