"""A plan over the repository of this package."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from citehop import (
    CitationRepository,
    CitationReranker,
    Expansion,
    LegStatus,
    NetworkXStore,
    QuerySentenceCompressor,
    RetrievalConfig,
    RetrievalExecutionPlan,
    RetrievalStatus,
    StoreUnavailable,
    build_corpus,
)
from tests.unit.plan.fakes import FakeClock, variants

QUERIES = ["attention sparsity", "low rank adapters", "zzz", "harness"]


class BreakingStore(NetworkXStore):
    """A store that goes away when it is told to."""

    before: Callable[[], None] = staticmethod(lambda: None)

    def _expand(self, request: Any) -> Expansion:
        self.before()
        return super()._expand(request)


@pytest.fixture(scope="module")
def store() -> Iterator[BreakingStore]:
    """The 100 papers."""
    with BreakingStore() as made:
        made.load(build_corpus())
        yield made


@pytest.fixture
def repository(store: BreakingStore) -> CitationRepository:
    """A repository over them."""
    store.before = lambda: None
    return CitationRepository(store)


@pytest.mark.parametrize("query", QUERIES)
def test_an_empty_plan_is_repository_search(repository: CitationRepository, query: str) -> None:
    """The same hits in the same order, the same scores, status and legs."""
    alone = repository.search(query)
    result = RetrievalExecutionPlan().run(repository, query)

    assert [hit.sources["q0"] for hit in result] == alone.hits
    assert [(hit.doc, hit.score) for hit in result] == [(hit.doc, hit.score) for hit in alone]
    assert result.status is alone.status
    assert [(leg.kind, leg.status) for leg in result.legs["q0"]] == [
        (leg.kind, leg.status) for leg in alone.legs
    ]
    assert result.revision == repository.revision


def test_config_filter_and_deadline_reach_the_repository(repository: CitationRepository) -> None:
    """Config, filter and the time left are understood there."""
    plan = RetrievalExecutionPlan(
        retrieval=RetrievalConfig(max_hops=0, top_k=3), deadline_seconds=1e6
    )
    result = plan.run(repository, "attention", filter={"year_min": 2020})

    assert result.status is RetrievalStatus.SUCCESS
    assert result.leg("graph").reason == "DISABLED"  # type: ignore[union-attr]
    assert len(result) == 3
    assert all(hit.doc.year >= 2020 for hit in result)


def test_a_store_lost_mid_run_leaves_the_lexical_hits(
    store: BreakingStore, repository: CitationRepository
) -> None:
    """DEGRADED; each later response and the worst leg say FAILED, and why; the rest of it runs."""
    walks = iter([None])

    def lost() -> None:
        if next(walks, "gone"):
            raise StoreUnavailable("the connection was lost")

    store.before = lost
    plan = RetrievalExecutionPlan(
        transform=variants("low rank adapters", "harness"),
        rerank=CitationReranker(),
        compress=QuerySentenceCompressor(500),
    )
    result = plan.run(repository, "attention sparsity")
    graph = {name: answer.leg("graph").status for name, answer in result.responses.items()}

    assert graph == {"q0": LegStatus.SUCCESS, "q1": LegStatus.FAILED, "q2": LegStatus.FAILED}
    assert result.status is RetrievalStatus.DEGRADED
    assert result.leg("graph").error.code == "STORE_UNAVAILABLE"  # type: ignore[union-attr]
    assert result.leg("lexical").status is LegStatus.SUCCESS  # type: ignore[union-attr]
    assert [record.code for record in result.error_records()] == ["STORE_UNAVAILABLE"] * 2
    assert all(record.retryable for record in result.error_records())
    assert {"q1", "q2"} <= {name for hit in result for name in hit.queries}
    assert sum(len(hit.kept_text or "") for hit in result) <= 500


def test_an_embedding_without_a_dense_leg_is_reported(repository: CitationRepository) -> None:
    """The dense leg says why it could not run."""
    result = RetrievalExecutionPlan().run(repository, "harness", query_embedding=[0.1])
    dense = result.leg("dense")

    assert dense is not None
    assert (dense.status, dense.reason) == (LegStatus.SKIPPED, "NO_EMBEDDINGS")


def test_the_reranker_reads_the_repository_s_evidence(repository: CitationRepository) -> None:
    """Hits that the walk reached have evidence, and it changes the order."""
    plain = RetrievalExecutionPlan().run(repository, "attention sparsity")
    ranked = RetrievalExecutionPlan(rerank=CitationReranker(weight=1)).run(
        repository, "attention sparsity"
    )
    evidence = [CitationReranker().evidence(hit) for hit in ranked]

    assert evidence == sorted(evidence, reverse=True)
    assert evidence[0] > evidence[-1]
    assert [hit.doc_id for hit in plain] != [hit.doc_id for hit in ranked]
    assert {hit.doc_id for hit in plain} == {hit.doc_id for hit in ranked}


def test_two_runs_give_the_same_bytes(repository: CitationRepository) -> None:
    """Outside ``diagnostics``, with every stage in use."""
    plan = RetrievalExecutionPlan(
        transform=variants("harness"),
        rerank=CitationReranker(),
        compress=QuerySentenceCompressor(300),
        top_k=5,
        clock=FakeClock(),
    )
    first, second = (plan.run(repository, "attention").to_dict() for _ in range(2))

    assert first["diagnostics"]["run_id"] == second["diagnostics"]["run_id"]
    first.pop("diagnostics")
    second.pop("diagnostics")
    assert first == second
    assert first["status"] == "success"
