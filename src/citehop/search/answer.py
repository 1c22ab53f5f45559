"""One search from its legs to its hits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from citehop.deadline import Deadline
from citehop.errors import ErrorRecord, StoreError
from citehop.graph.store import CitationPath, CitationStore, Neighbour
from citehop.lexical.analysis import PLAIN
from citehop.outcome import LegKind, LegOutcome, RetrievalResponse
from citehop.search.documents import foreign_record
from citehop.search.hit import Hit
from citehop.search.legs import (
    GraphFinding,
    LexicalFinding,
    deadline_record,
    graph_leg,
    lexical_leg,
    skipped_graph,
    with_lost_paths,
)
from citehop.search.propagation import seeds_reaching
from citehop.search.reason import distant_reason, graph_reason, lexical_reason, words_by_term
from citehop.search.request import SearchRequest
from citehop.search.scoring import Evidence, Scored, rank, weighted_parts
from citehop.search.snapshot import Snapshot

Paths = Mapping[tuple[str, str], CitationPath]


@dataclass(frozen=True, slots=True)
class Answer:
    """Everything that one search found, before and after its limits.

    Args:
        request: What was asked.
        snapshot: The state that answered.
        lexical: What the lexical leg found.
        graph: What the graph leg found.
        ranked: The whole merged set in order.
        hits: The first ``top_k`` of it.
        legs: The final outcomes.
    """

    request: SearchRequest
    snapshot: Snapshot
    lexical: LexicalFinding
    graph: GraphFinding
    ranked: list[Scored]
    hits: list[Hit]
    legs: list[LegOutcome]

    def response(self) -> RetrievalResponse[Hit]:
        """Return the answer as callers get it."""
        return RetrievalResponse(self.hits, self.legs, self.request.query)


def answer(store: CitationStore, snapshot: Snapshot, request: SearchRequest) -> Answer:
    """Run both legs, join what they found, score it, and explain what is returned."""
    deadline = Deadline.after(request.timeout_seconds)
    lexical = lexical_leg(snapshot, request)
    graph = graph_leg(store, snapshot, request, lexical, deadline)
    ranked = _rank(snapshot, request, lexical, graph)
    shown = ranked[: request.config.top_k]
    nearest = _nearest(graph.neighbours, _ranks(lexical), (entry.id for entry in shown))
    paths, lost = find_paths(store, request, nearest.items(), deadline)
    chains = {key: path for (_, key), path in paths.items()}
    builder = _HitBuilder(request, snapshot, lexical, graph, chains)
    hits = [builder.hit(entry) for entry in shown]
    legs = [
        _shown(lexical.outcome, hits),
        _shown(with_lost_paths(graph.outcome, lost) if lost else graph.outcome, hits),
        *dense_leg(request),
    ]
    return Answer(request, snapshot, lexical, graph, ranked, hits, legs)


def unread(
    store: CitationStore, request: SearchRequest, error: ErrorRecord
) -> RetrievalResponse[Hit]:
    """Return the answer where the store could not be read: nothing could be searched."""
    reason = "DISABLED" if request.config.max_hops == 0 else "NO_SEEDS"
    legs = [
        LegOutcome.failed(LegKind.LEXICAL, error, hits=0),
        skipped_graph(store, reason),
        *dense_leg(request),
    ]
    return RetrievalResponse([], legs, request.query)


def dense_leg(request: SearchRequest) -> list[LegOutcome]:
    """Return what the dense leg says where a query embedding was given: no store has any."""
    return [LegOutcome.skipped(LegKind.DENSE, "NO_EMBEDDINGS")] if request.dense else []


def _rank(
    snapshot: Snapshot, request: SearchRequest, lexical: LexicalFinding, graph: GraphFinding
) -> list[Scored]:
    evidence = evidence_of(snapshot, request, lexical, graph)
    years = {key: snapshot.facts[key].year for key in evidence.bm25}
    return rank(evidence, years, snapshot.years, request.config)


def evidence_of(
    snapshot: Snapshot, request: SearchRequest, lexical: LexicalFinding, graph: GraphFinding
) -> Evidence:
    """Return what the two legs know of the merged set."""
    bm25 = dict(lexical.hits)
    score_of = lexical.scores.score_of
    for near in graph.neighbours:
        if near.id not in bm25:
            bm25[near.id] = score_of(near.id)
    links = graph.expansion.seed_links if graph.expansion is not None else {}
    return Evidence(
        bm25,
        tuple(key for key, _ in lexical.hits),
        graph.neighbours,
        links,
        {seed: snapshot.degree(seed, external=request.config.external) for seed in links},
    )


def _ranks(lexical: LexicalFinding) -> dict[str, int]:
    return {key: place for place, (key, _) in enumerate(lexical.hits, start=1)}


def _nearest(
    neighbours: Iterable[Neighbour], lexical_ranks: Mapping[str, int], shown: Iterable[str]
) -> dict[str, str]:
    """Return the nearest seed, of several the best-ranked, of each shown hit of the graph alone."""
    wanted = {key for key in shown if key not in lexical_ranks}
    return {
        near.id: min(near.seeds, key=lambda seed: (near.seeds[seed], lexical_ranks[seed]))
        for near in neighbours
        if near.id in wanted
    }


def find_paths(
    store: CitationStore,
    request: SearchRequest,
    nearest: Iterable[tuple[str, str]],
    deadline: Deadline,
) -> tuple[Paths, ErrorRecord | None]:
    """Ask the store for the chain of each (paper, seed), in one call; or say why there is none."""
    pairs = [(seed, key) for key, seed in nearest]
    if not pairs:
        return {}, None
    left = deadline.remaining
    if not left:
        return {}, deadline_record("before the chains were asked for", request)
    try:
        paths = store.paths(
            pairs,
            max_hops=request.config.max_hops,
            direction=request.config.direction,
            timeout_seconds=left,
            exclude=request.exclude,
            external=request.config.external,
        )
    except StoreError as error:
        return {}, error.record
    except Exception as error:  # noqa: BLE001 - the hits must stay, whatever a store does
        return {}, foreign_record(store, error)
    return paths, None


class _HitBuilder:
    """Turns scored ids into hits."""

    def __init__(
        self,
        request: SearchRequest,
        snapshot: Snapshot,
        lexical: LexicalFinding,
        graph: GraphFinding,
        chains: Mapping[str, CitationPath],
    ) -> None:
        self._config = request.config
        self._papers = snapshot.papers
        self._scores = lexical.scores
        self._lexical_ranks = _ranks(lexical)
        self._graph_ranks = {
            near.id: (place, near) for place, near in enumerate(graph.neighbours, start=1)
        }
        expansion = graph.expansion
        self._links = seeds_reaching(expansion.seed_links) if expansion is not None else {}
        self._chains = chains
        self._analyser = lexical.scores.state.analyser
        self._words = (
            {} if self._analyser == PLAIN else words_by_term(request.query, self._analyser)
        )

    def hit(self, entry: Scored) -> Hit:
        """Return the hit that ``entry`` scores."""
        key = entry.id
        place, near = self._graph_ranks.get(key, (0, None))
        lexical = self._lexical_ranks.get(key, 0)
        path = self._chains.get(key)
        seeds = near.seeds if near is not None else self._links.get(key, {})
        legs = ((LegKind.LEXICAL.value, lexical), (LegKind.GRAPH.value, place))
        return Hit(
            doc=self._papers[key],
            score=entry.final_score,
            bm25_score=entry.bm25_score,
            graph_score=entry.graph_score,
            graph_distance=near.distance if near is not None and not lexical else 0,
            recency_score=entry.recency_score,
            final_score=entry.final_score,
            legs={name: rank for name, rank in legs if rank},
            seeds=dict(seeds),
            path=path,
            reason=self._reason(key, lexical, seeds, path),
            parts=weighted_parts(
                entry.bm25_part, entry.graph_score, entry.recency_score, self._config
            ),
        )

    def _reason(
        self, key: str, lexical: int, seeds: Mapping[str, int], path: CitationPath | None
    ) -> str:
        if lexical:
            held = [part.term for part in self._scores.explain(key).terms if part.tf]
            words = dict.fromkeys(self._words.get(term, term) for term in held)
            return lexical_reason(list(words), forms=self._analyser != PLAIN)
        if path is not None:
            return graph_reason(path, self._papers)
        return distant_reason(seeds, self._papers)


def _shown(outcome: LegOutcome, hits: list[Hit]) -> LegOutcome:
    """Return the outcome with how many of the leg's hits are in the answer, past ``top_k``."""
    if not outcome.asked or not outcome.hits:
        return outcome
    count = sum(outcome.kind.value in hit.legs for hit in hits)
    return replace(
        outcome,
        truncated=outcome.truncated or count < outcome.hits,
        details={**outcome.details, "in_answer": count},
    )
