"""The legs of a search: each finds papers on its own and says what became of it."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from citehop.deadline import Deadline
from citehop.errors import ErrorCategory, ErrorRecord, StoreError
from citehop.graph.store import CitationStore, Expansion, Neighbour
from citehop.lexical.scores import QueryScores
from citehop.lexical.segment import Mask
from citehop.outcome import LegKind, LegOutcome, LegStatus
from citehop.search.documents import backend_name, foreign_record
from citehop.search.request import SearchRequest
from citehop.search.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class LexicalFinding:
    """What the lexical leg found: ids with their scores, best first, and every paper's score."""

    outcome: LegOutcome
    scores: QueryScores
    hits: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class GraphFinding:
    """What the graph leg found: neighbours that the snapshot knows, and the whole evidence."""

    outcome: LegOutcome
    seeds: tuple[str, ...] = ()
    neighbours: tuple[Neighbour, ...] = ()
    expansion: Expansion | None = None


def lexical_leg(snapshot: Snapshot, request: SearchRequest) -> LexicalFinding:
    """Score every paper for the query and return the best that may be found.

    EMPTY says why: ``NO_TERMS`` (the query has no term, or none that the corpus knows),
    ``EMPTY_INDEX`` (the corpus has no term), ``FILTERED`` (papers match, none may be found).
    """
    started = time.perf_counter()
    scores = snapshot.index.query(request.query)
    allowed = _allowed(snapshot, request)
    most = request.config.top_k_lexical
    # As many more are asked for as are excluded, so that enough are left without a mask of them.
    best = scores.top(most + len(request.exclude), allowed=allowed) if scores.terms else []
    hits = tuple(hit for hit in best if hit[0] not in request.exclude)[:most]
    matched = _matched(snapshot, request, scores, allowed)
    outcome = LegOutcome(
        LegKind.LEXICAL,
        LegStatus.SUCCESS if hits else LegStatus.EMPTY,
        reason=None if hits else _empty_reason(snapshot, scores),
        hits=len(hits),
        elapsed_seconds=time.perf_counter() - started,
        truncated=matched > len(hits),
        details={"matched": matched, "returned": len(hits)},
        diagnostics={"revision": snapshot.revision},
    )
    return LexicalFinding(outcome, scores, hits)


def _allowed(snapshot: Snapshot, request: SearchRequest) -> Mask | frozenset[str] | None:
    if request.among is not None:
        return request.among
    return snapshot.mask(request.filter) if request.filter is not None else None


def _matched(
    snapshot: Snapshot,
    request: SearchRequest,
    scores: QueryScores,
    allowed: Mask | frozenset[str] | None,
) -> int:
    if not scores.terms:
        return 0
    if request.among is not None:
        return sum(scores.score_of(key) > 0 for key in request.among - request.exclude)
    positive = scores.values > 0
    within = positive & allowed if isinstance(allowed, np.ndarray) else positive
    excluded = sum(
        scores.score_of(key) > 0
        and (request.filter is None or request.filter.matches(snapshot.facts[key]))
        for key in request.exclude
    )
    return int(np.count_nonzero(within)) - excluded


def _empty_reason(snapshot: Snapshot, scores: QueryScores) -> str:
    if not scores.has_terms:
        return "NO_TERMS"
    if snapshot.index.n_tokens == 0:
        return "EMPTY_INDEX"
    return "FILTERED" if scores.terms else "NO_TERMS"


def graph_leg(
    store: CitationStore,
    snapshot: Snapshot,
    request: SearchRequest,
    lexical: LexicalFinding,
    deadline: Deadline,
) -> GraphFinding:
    """Walk from the best lexical hits; whatever the store does, the outcome says it.

    Time that is up before the walk begins makes the leg DEGRADED (a deadline), not FAILED: the
    store was never asked.
    """
    seeds = _seeds(snapshot, request, lexical)
    skipped = _skip_reason(snapshot, request, seeds)
    if skipped is not None:
        return GraphFinding(skipped_graph(store, skipped))
    started = time.perf_counter()
    finding = _walk(store, snapshot, request, seeds, deadline)
    outcome = replace(finding.outcome, elapsed_seconds=time.perf_counter() - started)
    return replace(finding, outcome=outcome)


def _walk(
    store: CitationStore,
    snapshot: Snapshot,
    request: SearchRequest,
    seeds: tuple[str, ...],
    deadline: Deadline,
) -> GraphFinding:
    left = deadline.remaining
    if not left:
        record = deadline_record("before the walk began", request)
        return GraphFinding(_stopped(LegStatus.DEGRADED, record, store), seeds)
    try:
        expansion = _expand(store, request, seeds, left)
    except StoreError as error:
        return GraphFinding(_stopped(LegStatus.FAILED, error.record, store), seeds)
    except Exception as error:  # noqa: BLE001 - the lexical hits must stay, whatever a store does
        record = foreign_record(store, error)
        return GraphFinding(_stopped(LegStatus.FAILED, record, store), seeds)
    known = tuple(near for near in expansion if _may_show(snapshot, request, near.id))
    return GraphFinding(_walked(store, request, expansion, len(known)), seeds, known, expansion)


def _seeds(snapshot: Snapshot, request: SearchRequest, lexical: LexicalFinding) -> tuple[str, ...]:
    able = [key for key, _ in lexical.hits if not snapshot.papers[key].notice]
    return tuple(able[: request.config.n_seeds])


def _skip_reason(snapshot: Snapshot, request: SearchRequest, seeds: tuple[str, ...]) -> str | None:
    if request.config.max_hops == 0:
        return "DISABLED"
    if not seeds:
        return "NO_SEEDS"
    if not snapshot.has_citations(external=request.config.external):
        return "NO_CITATIONS"
    return None


def _expand(
    store: CitationStore, request: SearchRequest, seeds: tuple[str, ...], seconds: float
) -> Expansion:
    config = request.config
    return store.expand(
        seeds,
        max_hops=config.max_hops,
        direction=config.direction,
        limit=config.limit,
        per_seed_limit=config.per_seed_limit,
        timeout_seconds=seconds,
        filter=request.filter,
        exclude=request.exclude,
        external=config.external,
    )


def _walked(
    store: CitationStore, request: SearchRequest, expansion: Expansion, known: int
) -> LegOutcome:
    status = LegStatus.SUCCESS if known else LegStatus.EMPTY
    error = None
    if expansion.timed_out:
        status = LegStatus.DEGRADED
        error = deadline_record(
            f"after {expansion.completed_hops} of {request.config.max_hops} hops", request
        )
    return LegOutcome(
        LegKind.GRAPH,
        status,
        error,
        reason="NO_NEIGHBOURS" if status is LegStatus.EMPTY else None,
        hits=known,
        truncated=expansion.truncated,
        details=_details(request, expansion, known),
        diagnostics=graph_diagnostics(store) | {"newer": len(expansion) - known},
    )


def _may_show(snapshot: Snapshot, request: SearchRequest, key: str) -> bool:
    # What was loaded after the snapshot's revision waits for the next refresh.
    paper = snapshot.facts.get(key)
    return paper is not None and (request.filter is None or request.filter.matches(paper))


def _details(request: SearchRequest, expansion: Expansion, returned: int) -> dict[str, Any]:
    return {
        "seeds": list(expansion.seeds),
        "reached": expansion.reached,
        "returned": returned,
        "cut": {
            seed: {"left_out": cut.left_out, "exact": cut.exact}
            for seed, cut in expansion.cut.items()
            if cut.left_out or not cut.exact
        },
        "completed_hops": expansion.completed_hops,
        "max_hops": request.config.max_hops,
    }


def _stopped(status: LegStatus, error: ErrorRecord, store: CitationStore) -> LegOutcome:
    diagnostics = graph_diagnostics(store)
    return LegOutcome(LegKind.GRAPH, status, error, hits=0, diagnostics=diagnostics)


def with_lost_paths(outcome: LegOutcome, error: ErrorRecord) -> LegOutcome:
    """Return the graph leg's outcome when its hits stand, but not the chains that explain them."""
    return replace(outcome, status=LegStatus.DEGRADED, error=outcome.error or error, reason=None)


def skipped_graph(store: CitationStore, reason: str) -> LegOutcome:
    """Return the outcome of a graph leg that was not asked to run."""
    return LegOutcome.skipped(LegKind.GRAPH, reason, diagnostics=graph_diagnostics(store))


def graph_diagnostics(store: CitationStore) -> dict[str, Any]:
    """Return what may differ between stores: the backend, and why it stands in for another."""
    fallback = getattr(store, "fallback_reason", None)
    backend = {"backend": backend_name(store)}
    return backend | {"fallback_reason": str(fallback)} if fallback else backend


def deadline_record(when: str, request: SearchRequest) -> ErrorRecord:
    """Return the record of a search whose time was up."""
    return ErrorRecord(
        "DEADLINE_EXCEEDED",
        ErrorCategory.TIMEOUT,
        f"the {request.timeout_seconds:g} seconds of this search were up {when};"
        " give it more (timeout_seconds, --timeout), or fewer hops or seeds",
        retryable=True,
    )
