"""Finds out why a paper has its score, or what left it out of an answer."""

from __future__ import annotations

from citehop.deadline import Deadline
from citehop.errors import ErrorRecord
from citehop.graph.store import CitationPath, CitationStore
from citehop.outcome import LegStatus
from citehop.paper import check_id
from citehop.search.answer import Answer, answer, evidence_of, find_paths
from citehop.search.explanation import Explanation, LeftOut, WeightedPart
from citehop.search.propagation import Flow, Propagation
from citehop.search.request import SearchRequest
from citehop.search.scoring import Scored
from citehop.search.snapshot import Snapshot


def explain(
    store: CitationStore, snapshot: Snapshot, request: SearchRequest, asked: str
) -> Explanation:
    """Run the search and return what it makes of the paper ``asked`` for, by id or alias.

    Raises:
        StoreError: If an alias has to be looked up and the store does not answer.
    """
    check_id("id", asked)
    key = asked if asked in snapshot.papers else _resolve(store, asked)
    if key is None:
        message = "the corpus has no paper by this id or alias"
        return Explanation(
            query=request.query, id=asked, left_out=(LeftOut("NOT_IN_CORPUS", message),)
        )
    if key not in snapshot.papers:
        message = "it was loaded after the revision that this repository searches; refresh() it"
        return Explanation(query=request.query, id=key, left_out=(LeftOut("NOT_READ", message),))
    return _explain_known(store, answer(store, snapshot, request), key)


def _resolve(store: CitationStore, alias: str) -> str | None:
    paper = store.get([alias])[0]
    return paper.id if paper is not None else None


def _explain_known(store: CitationStore, found: Answer, key: str) -> Explanation:
    place = next((n for n, entry in enumerate(found.ranked, start=1) if entry.id == key), None)
    scored = found.ranked[place - 1] if place is not None else None
    hit = next((entry for entry in found.hits if entry.doc_id == key), None)
    path, lost = (hit.path, None) if hit is not None else _chain(store, found, key)
    return Explanation(
        query=found.request.query,
        id=key,
        paper=found.snapshot.papers[key],
        hit=hit,
        rank=place,
        left_out=() if hit is not None else _left_out(found, key, place, path, lost),
        bm25=found.lexical.scores.explain(key),
        parts=_parts(found, scored) if scored is not None else (),
        flows=_flows(found, key) if scored is not None else (),
        bm25_max=max((entry.bm25_score for entry in found.ranked), default=None),
        final_score=scored.final_score if scored is not None else None,
        path=path,
        reason=hit.reason if hit is not None else "",
    )


def _parts(found: Answer, scored: Scored) -> tuple[WeightedPart, ...]:
    config = found.request.config
    return (
        WeightedPart("bm25", scored.bm25_part, config.w_bm25),
        WeightedPart("graph", scored.graph_score, config.w_graph),
        WeightedPart("recency", scored.recency_score, config.w_recency),
    )


def _flows(found: Answer, key: str) -> tuple[Flow, ...]:
    if found.request.config.scoring != "propagation":
        return ()
    evidence = evidence_of(found.snapshot, found.request, found.lexical, found.graph)
    return Propagation(evidence.walked()).flows(key)


def _chain(
    store: CitationStore, found: Answer, key: str
) -> tuple[CitationPath | None, ErrorRecord | None]:
    """Return the chain to a paper that was not returned, or why the store could not say."""
    if found.graph.expansion is None or key in found.request.exclude or key in found.graph.seeds:
        return None, None
    deadline = Deadline.after(found.request.timeout_seconds)
    pairs = [(key, seed) for seed in found.graph.seeds]
    paths, error = find_paths(store, found.request, pairs, deadline)
    # Seeds stand in the order of their rank, and the first of the shortest chains is kept.
    chains = [path for seed in found.graph.seeds if (path := paths.get((seed, key))) is not None]
    return min(chains, key=len, default=None), error


def _left_out(
    found: Answer, key: str, place: int | None, path: CitationPath | None, lost: ErrorRecord | None
) -> tuple[LeftOut, ...]:
    request = found.request
    if key in request.exclude:
        return (LeftOut("EXCLUDED", "its id is among exclude_ids"),)
    if request.filter is not None and not request.filter.matches(found.snapshot.papers[key]):
        return (LeftOut("FILTERED", "it does not pass the filter"),)
    if place is not None:
        message = f"it ranks {place} and only top_k={request.config.top_k} hits are returned"
        return (LeftOut("BELOW_TOP_K", message),)
    return (_no_lexical_hit(found, key), _no_neighbour(found, path, lost))


def _no_lexical_hit(found: Answer, key: str) -> LeftOut:
    if not found.lexical.scores.score_of(key):
        if not found.lexical.scores.has_terms:
            return LeftOut("NO_MATCH", "the query has no word, only signs or function words")
        return LeftOut("NO_MATCH", "it has no word of the query")
    passing = found.request.filter
    above = [
        other
        for other, _ in found.lexical.scores.top(None)
        if other not in found.request.exclude
        and (passing is None or passing.matches(found.snapshot.facts[other]))
    ]
    most = found.request.config.top_k_lexical
    message = (
        f"by its words it ranks {above.index(key) + 1}, and only top_k_lexical={most} papers enter"
    )
    return LeftOut("BELOW_TOP_K_LEXICAL", message)


def _no_neighbour(found: Answer, path: CitationPath | None, lost: ErrorRecord | None) -> LeftOut:
    outcome = found.graph.outcome
    if outcome.status is LegStatus.SKIPPED:
        return LeftOut("GRAPH_SKIPPED", f"no walk was made ({outcome.reason})")
    error = lost if found.graph.expansion is not None else outcome.error
    if error is not None:
        return LeftOut("GRAPH_FAILED", f"the graph could not say ({error.code})")
    if path is None:
        hops = found.request.config.max_hops
        return LeftOut("NOT_REACHED", f"no seed reaches it within max_hops={hops}")
    if outcome.status is LegStatus.DEGRADED:
        return LeftOut("TIME_LIMIT", "the time was up before the walk came to it")
    config = found.request.config
    limits = f"limit={config.limit}, per_seed_limit={config.per_seed_limit}"
    return LeftOut("WALK_LIMIT", f"a seed reaches it, but the walk's limits cut it off ({limits})")
