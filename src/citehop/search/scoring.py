"""From evidence to an order: pure functions, so that every store ranks alike.

Each paper of the merged set (lexical hits and graph neighbours) has three parts, each in [0, 1]:
its own BM25 score over the largest in the set, what the graph says for it, and how recent it is.
A new way to read the graph is one more entry in :data:`GRAPH_SCORINGS`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from citehop.errors import CitehopError
from citehop.graph.store import Neighbour
from citehop.search.config import RetrievalConfig
from citehop.search.propagation import Propagation, Walked

HOP_SCORES = (1.0, 0.6, 0.3)
"""Graph score at distance 0 (a lexical hit), one hop and two hops; further it is 0."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the legs know of the merged set.

    Args:
        bm25: Each paper of the merged set with its own BM25 score for the query.
        lexical: The lexical hits, best first.
        neighbours: What the walk returned, in its order.
        seed_links: For each seed, the other seeds that its walk met, with their distance.
        degrees: Citation edges at each seed, in and out.
    """

    bm25: Mapping[str, float]
    lexical: Sequence[str] = ()
    neighbours: Sequence[Neighbour] = ()
    seed_links: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    degrees: Mapping[str, int] = field(default_factory=dict)

    def walked(self) -> Walked:
        """Return what propagation needs of this."""
        return Walked(self.bm25, tuple(self.neighbours), self.seed_links, self.degrees)


class Scored(NamedTuple):
    """One paper's parts and their weighted sum, with all that is needed to add it up again."""

    id: str
    bm25_score: float
    bm25_part: float
    graph_score: float
    recency_score: float
    final_score: float


def round9(value: float) -> float:
    """Return ``value`` to 9 significant digits: what is compared, ordered and shown."""
    return float(f"{value:.9g}") if value else 0.0


def hop_score(distance: int | None) -> float:
    """Return the graph score of a distance; None, where no seed reaches, is 0."""
    return HOP_SCORES[distance] if distance is not None and distance < len(HOP_SCORES) else 0.0


def normalise(scores: Mapping[str, float], part: str) -> dict[str, float]:
    """Return each score over the largest: in [0, 1], all 0 where the largest is 0.

    Args:
        scores: Finite scores, not negative, by id.
        part: Name of the part, for the error.

    Raises:
        CitehopError: For a score that is not finite or is negative: code ``BAD_<PART>_SCORE``.
    """
    check_scores(scores, part)
    top = max(scores.values(), default=0.0)
    return {key: score / top if top else 0.0 for key, score in scores.items()}


def check_scores(scores: Mapping[str, float], part: str, ceiling: float = math.inf) -> None:
    """Raise a CitehopError named after ``part`` unless all scores are finite, in [0, ceiling]."""
    for key, score in scores.items():
        if not (0 <= score <= ceiling and score < math.inf):
            raise CitehopError(
                f"the {part} score of {key!r} is {score!r}; it must be finite and from 0"
                f"{'' if math.isinf(ceiling) else f' to {ceiling:g}'}. This is a fault of citehop"
                " or of the store, please report it",
                code=f"BAD_{part.upper()}_SCORE",
            )


def recency(year: int | None, oldest: int | None, newest: int | None) -> float:
    """Return where ``year`` lies between the corpus's oldest year (0) and its newest (1).

    An unknown year gives 0; where all known years are equal, they give 1.
    """
    if year is None or oldest is None or newest is None:
        return 0.0
    if oldest == newest:
        return 1.0
    return round9(min(1.0, max(0.0, (year - oldest) / (newest - oldest))))


def score_by_hops(evidence: Evidence) -> dict[str, float]:
    """Return 1 for a lexical hit, else 0.6 at one hop, 0.3 at two, 0 further."""
    scores = {neighbour.id: hop_score(neighbour.distance) for neighbour in evidence.neighbours}
    return scores | dict.fromkeys(evidence.lexical, HOP_SCORES[0])


def score_by_propagation(evidence: Evidence) -> dict[str, float]:
    """Return what flows to each paper from the seeds that reach it, to 9 significant digits."""
    scores = Propagation(evidence.walked()).scores()
    return {key: round9(score) for key, score in scores.items()}


GraphScoring = Callable[[Evidence], dict[str, float]]
"""Gives each paper of the merged set a score in [0, 1]; a paper that it leaves out has 0."""

GRAPH_SCORINGS: Mapping[str, GraphScoring] = {
    "hops": score_by_hops,
    "propagation": score_by_propagation,
}
"""The ways to read the graph, by the name that ``RetrievalConfig.scoring`` gives."""


def rank(
    evidence: Evidence,
    years: Mapping[str, int | None],
    span: tuple[int | None, int | None],
    config: RetrievalConfig,
) -> list[Scored]:
    """Return the merged set with its scores, ordered by final score, then id.

    Args:
        evidence: What the legs found.
        years: The year of each paper of the merged set.
        span: Oldest and newest year of the corpus.
        config: Weights, and which graph scoring.
    """
    check_scores(evidence.bm25, "bm25")
    own = {key: round9(score) for key, score in evidence.bm25.items()}
    parts = normalise(own, "bm25")
    graph = GRAPH_SCORINGS[config.scoring](evidence)
    check_scores(graph, "graph", ceiling=1.0)
    ramp = {year: recency(year, *span) for year in set(years.values())}
    scored = []
    for key, part in parts.items():
        heard, recent = graph.get(key, 0.0), ramp[years[key]]
        final = final_score(part, heard, recent, config)
        scored.append(Scored(key, own[key], part, heard, recent, final))
    return sorted(scored, key=lambda entry: (-entry.final_score, entry.id))


def weighted_parts(
    part: float, graph: float, recent: float, config: RetrievalConfig
) -> dict[str, float]:
    """Return what each part adds to the final score."""
    return {
        "bm25": config.w_bm25 * part,
        "graph": config.w_graph * graph,
        "recency": config.w_recency * recent,
    }


def final_score(part: float, graph: float, recent: float, config: RetrievalConfig) -> float:
    """Return the weighted sum of the three parts, added in this order, to 9 significant digits."""
    bm25, heard, ramp = weighted_parts(part, graph, recent, config).values()
    return round9(bm25 + heard + ramp)
