"""Why a paper has its score, or was left out: the record, and its words."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from citehop.graph.store import CitationPath
from citehop.lexical.explanation import ScoreExplanation
from citehop.paper import Paper
from citehop.search.hit import Hit, path_dict
from citehop.search.propagation import Flow
from citehop.search.scoring import round9

SHOWN_FLOWS = 10
"""How many seeds the words of an explanation name; the record has all."""


@dataclass(frozen=True, slots=True)
class WeightedPart:
    """One part of a final score: ``contribution = weight * value``.

    Args:
        name: ``"bm25"``, ``"graph"`` or ``"recency"``.
        value: The part, from 0 to 1.
        weight: Its weight in the config.
    """

    name: str
    value: float
    weight: float

    @property
    def contribution(self) -> float:
        """What the part adds to the final score, not rounded."""
        return self.weight * self.value


@dataclass(frozen=True, slots=True)
class LeftOut:
    """One thing that kept a paper from being returned: a stable code, and words."""

    code: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """What one search makes of one paper.

    Args:
        query: The query.
        id: The paper's id, or what was asked for where the corpus has no such paper.
        paper: The paper, or None.
        hit: The hit, where the paper was returned.
        rank: Its place, from 1, in the whole merged set, also past ``top_k``; None outside of it.
        left_out: Why it was not returned; empty where it was.
        bm25: What its BM25 score is made of; None where the corpus does not have it.
        parts: The weighted parts, in the order in which they are added; empty outside of the
            merged set.
        flows: With ``scoring="propagation"``: what each seed adds to the graph part's value; their
            ``math.fsum``, to 9 significant digits, is the value.
        bm25_max: The largest BM25 score in the merged set, which the paper's own is divided by.
        final_score: ``round9`` of the contributions' sum; None outside of the merged set.
        path: The citation chain from the nearest seed, where the graph reaches it.
        reason: Why it was found, in a sentence; empty where it was not returned.
    """

    query: str
    id: str
    paper: Paper | None = None
    hit: Hit | None = None
    rank: int | None = None
    left_out: tuple[LeftOut, ...] = ()
    bm25: ScoreExplanation | None = None
    parts: tuple[WeightedPart, ...] = ()
    flows: tuple[Flow, ...] = ()
    bm25_max: float | None = None
    final_score: float | None = None
    path: CitationPath | None = None
    reason: str = ""

    @property
    def bm25_score(self) -> float:
        """The paper's own BM25 score: its terms' parts added up, to 9 significant digits."""
        return round9(self.bm25.score) if self.bm25 is not None else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-compatible mapping."""
        return {
            "query": self.query,
            "id": self.id,
            "returned": self.hit is not None,
            "rank": self.rank,
            "final_score": self.final_score,
            "parts": [asdict(part) | {"contribution": part.contribution} for part in self.parts],
            **({"flows": [asdict(flow) for flow in self.flows]} if self.flows else {}),
            "bm25_score": self.bm25_score,
            "bm25_max": self.bm25_max,
            "bm25": _bm25_dict(self.bm25),
            "path": path_dict(self.path),
            "reason": self.reason,
            "left_out": [asdict(entry) for entry in self.left_out],
            "doc": self.paper.to_dict() if self.paper is not None else None,
        }

    def __str__(self) -> str:
        return "\n".join(_lines(self))


def _bm25_dict(bm25: ScoreExplanation | None) -> dict[str, Any] | None:
    if bm25 is None:
        return None
    facts = asdict(bm25)
    return facts | {"terms": [dict(term) for term in facts["terms"]], "unknown": list(bm25.unknown)}


def _lines(told: Explanation) -> Iterator[str]:
    title = f"“{told.paper.title}” ({told.id})" if told.paper and told.paper.title else told.id
    yield f"{title} for the query “{told.query}”"
    if told.reason:
        yield f"rank {told.rank}: {told.reason}"
    for entry in told.left_out:
        yield f"not returned, {entry.code}: {entry.message}"
    if told.final_score is not None:
        yield f"final score {told.final_score:.9g}"
        for part in told.parts:
            yield f"  {part.name:<7} {part.value:.6g} x {part.weight:g} = {part.contribution:.6g}"
            if part.name == "graph":
                yield from _flow_lines(told)
    if told.bm25 is not None:
        yield from _bm25_lines(told, told.bm25)
    if told.path is not None:
        yield f"chain: {_chain(told.path)}"


def _flow_lines(told: Explanation) -> Iterator[str]:
    strongest = sorted(told.flows, key=lambda flow: (-flow.value, flow.seed))
    for flow in strongest[:SHOWN_FLOWS]:
        hops = "citation" if flow.distance == 1 else "citations"
        yield f"    {flow.value:.6g} from {flow.seed}, {flow.distance} {hops} away"
    rest = strongest[SHOWN_FLOWS:]
    if rest:
        left = math.fsum(flow.value for flow in rest)
        yield f"    {left:.6g} from {len(rest)} more"


def _bm25_lines(told: Explanation, bm25: ScoreExplanation) -> Iterator[str]:
    most = f", the largest is {told.bm25_max:.6g}" if told.bm25_max else ""
    yield f"BM25 {told.bm25_score:.9g}{most}"
    for term in bm25.terms:
        count = f"{term.query_count} x " if term.query_count > 1 else ""
        yield (
            f"  “{term.term}” {count}idf {term.idf:.6g} x tf {term.tf_norm:.6g} = {term.score:.6g}"
            f" ({term.tf} in the paper, in {term.df} of {bm25.n_docs} papers)"
        )
    for unknown in bm25.unknown:
        yield f"  “{unknown}” is in no paper"


def _chain(path: CitationPath) -> str:
    words = {"cites": "cites", "cited_by": "is cited by"}
    pieces = [path.nodes[0]]
    for step, node in zip(path.steps, path.nodes[1:], strict=True):
        outside = " (outside the corpus)" if node in path.external else ""
        pieces.append(f"{words[step]} {node}{outside}")
    return " ".join(pieces)
