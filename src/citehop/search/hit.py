"""One paper of an answer, with its scores and the reason why it is there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from citehop.graph.store import CitationPath
from citehop.paper import Paper


@dataclass(frozen=True, slots=True)
class Hit:
    """A paper that was found, by which legs, at what score, and why.

    Args:
        doc: The paper.
        score: The final score, under the name by which an execution plan asks for it.
        bm25_score: The paper's own BM25 score for the query; above 0 for a graph hit too where it
            has a word of the query.
        graph_score: What the graph says for it, from 0 to 1.
        graph_distance: 0 for a lexical hit, else hops from the nearest seed.
        recency_score: From 0 at the corpus's oldest year to 1 at its newest.
        final_score: The weighted sum of the three parts, to 9 significant digits.
        legs: Each leg that found it, with its rank, from 1, in that leg's own list.
        seeds: Each seed that reaches it, with its distance; for a lexical hit, the other seeds
            that do.
        path: For a hit of the graph alone: the citation chain from its nearest seed (of several:
            the best-ranked).
        reason: Why it was found, in a sentence.
        parts: The weighted parts ``bm25``, ``graph`` and ``recency``; added in this order and
            rounded to 9 significant digits they are the final score.
    """

    doc: Paper
    score: float
    bm25_score: float
    graph_score: float
    graph_distance: int | None
    recency_score: float
    final_score: float
    legs: Mapping[str, int] = field(default_factory=dict)
    seeds: Mapping[str, int] = field(default_factory=dict)
    path: CitationPath | None = None
    reason: str = field(default="", kw_only=True)
    parts: Mapping[str, float] = field(default_factory=dict, kw_only=True)

    @property
    def doc_id(self) -> str:
        """The paper's id."""
        return self.doc.id

    @property
    def paper(self) -> Paper:
        """The paper, under the name that the lesson's client gives it."""
        return self.doc

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-compatible mapping."""
        return {
            "id": self.doc.id,
            "score": self.score,
            "bm25_score": self.bm25_score,
            "graph_score": self.graph_score,
            "graph_distance": self.graph_distance,
            "recency_score": self.recency_score,
            "final_score": self.final_score,
            "parts": dict(self.parts),
            "legs": dict(self.legs),
            "seeds": dict(self.seeds),
            "path": path_dict(self.path),
            "reason": self.reason,
            "doc": self.doc.to_dict(),
        }


def path_dict(path: CitationPath | None) -> dict[str, Any] | None:
    """Return a chain of citations as a JSON-compatible mapping."""
    if path is None:
        return None
    return {
        "nodes": list(path.nodes),
        "steps": list(path.steps),
        "external": list(path.external),
    }
