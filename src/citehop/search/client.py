"""The lesson's client: two literature sources behind one search, a thin face on the repository."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Protocol

from citehop.errors import CitehopError, ErrorCategory, ErrorRecord
from citehop.graph.networkx import NetworkXStore
from citehop.lexical.bm25 import BM25Index
from citehop.outcome import LegKind, LegStatus, RetrievalResponse
from citehop.paper import Paper
from citehop.search.config import RetrievalConfig
from citehop.search.corpus import build_corpus
from citehop.search.hit import Hit
from citehop.search.repository import CitationRepository
from citehop.search.request import SearchRequest

__all__ = [
    "ArxivMockClient",
    "LiteratureSource",
    "RetrievalClient",
    "RetrievalResult",
    "SemanticScholarMockClient",
    "build_client",
    "build_corpus",
]


class LiteratureSource(Protocol):
    """Anything that answers a query with papers: a mock, or a real provider in its place."""

    def search(self, query: str) -> list[Paper]:
        """Return papers for ``query``, best first."""
        ...


class _MockClient:
    """Searches a corpus by BM25 and shows of each paper what one provider would."""

    def __init__(self, corpus: Iterable[Paper]) -> None:
        self._papers = {paper.id: self._shown(paper) for paper in corpus}
        self._index = BM25Index()
        for paper in self._papers.values():
            self._index.add(paper.id, paper.text)

    def search(self, query: str, top_k: int | None = None) -> list[Paper]:
        """Return the papers with a word of ``query``, best first; all where ``top_k`` is None."""
        return [self._papers[key] for key, _ in self._index.search(query, top_k)]

    @staticmethod
    def _shown(paper: Paper) -> Paper:
        raise NotImplementedError


class ArxivMockClient(_MockClient):
    """Shows title, abstract, year and authors; no references. Each paper's source is "arxiv"."""

    @staticmethod
    def _shown(paper: Paper) -> Paper:
        return Paper(
            paper.id, paper.title, paper.abstract, paper.year, list(paper.authors), source="arxiv"
        )


class SemanticScholarMockClient(_MockClient):
    """Shows references and citations too. Each paper's source is "s2"."""

    @staticmethod
    def _shown(paper: Paper) -> Paper:
        return Paper(
            paper.id,
            paper.title,
            paper.abstract,
            paper.year,
            list(paper.authors),
            list(paper.references),
            list(paper.citations),
            "s2",
        )

    def fetch(self, id: str) -> Paper | None:
        """Return the paper with this id, or None."""
        return self._papers.get(id)


@dataclass(frozen=True, slots=True)
class RetrievalResult:
    """A ranked list with its measures.

    Args:
        ranked: All hits, best first.
        hit_count: How many there are.
        average_score: Mean of their final scores; 0 without hits.
        top_score: The best final score; 0 without hits.
        wall_time_ms: Time that the search took, in milliseconds.
        response: What became of each leg.
    """

    ranked: list[Hit]
    hit_count: int
    average_score: float
    top_score: float
    wall_time_ms: float
    response: RetrievalResponse[Hit]


class RetrievalClient:
    """Two sources and a corpus behind one ``search``.

    The sources say which papers match a query; their records are united on id and may be lexical
    hits, scored by BM25 over the corpus. The corpus is what citations are followed in. A paper
    that only a source has joins the corpus for that one search, so that an answer does not depend
    on the searches before it.

    Args:
        arxiv: First source; of a field that both fill in, its value stands.
        s2: Second source.
        corpus: Papers whose citations are followed.
        config: How searches are run; all hits are returned whatever its ``top_k``.
    """

    def __init__(
        self,
        arxiv: LiteratureSource,
        s2: LiteratureSource,
        corpus: Iterable[Paper],
        config: RetrievalConfig | None = None,
    ) -> None:
        self._sources = {"arxiv": arxiv, "s2": s2}
        self._corpus = tuple(corpus)
        self._known = frozenset(paper.id for paper in self._corpus)
        self._config = replace(config or RetrievalConfig(), top_k=None)
        self._repository = self._index(())

    def search(self, query: str) -> RetrievalResult:
        """Return all hits for ``query``, best first, with the measures of the search.

        A source that fails is told by the lexical leg: DEGRADED, FAILED where both fail.

        Raises:
            TypeError: If the query is no str.
        """
        started = time.perf_counter()
        found, faults = self._ask(SearchRequest.of(query, self._config).query)
        repository = self._repository
        new = [paper for key, paper in found.items() if key not in self._known]
        if new:
            repository = self._index(new)
        request = SearchRequest.of(query, self._config, among=frozenset(found))
        answered = repository.run(request)
        response = _with_faults(_supplied(answered, found), faults, len(self._sources))
        return _measured(response, time.perf_counter() - started)

    def _index(self, new: Iterable[Paper]) -> CitationRepository:
        store = NetworkXStore()
        store.load([*self._corpus, *new])
        repository = CitationRepository(store, config=self._config)
        repository.refresh()
        return repository

    def _ask(self, query: str) -> tuple[dict[str, Paper], list[ErrorRecord]]:
        found: dict[str, Paper] = {}
        faults: list[ErrorRecord] = []
        for name, source in self._sources.items():
            try:
                papers = source.search(query)
                found |= {
                    paper.id: unite(found[paper.id], paper) if paper.id in found else paper
                    for paper in papers
                }
            except Exception as error:  # noqa: BLE001 - one source's fault must not lose the other
                faults.append(_fault(name, error))
        return found, faults


def unite(first: Paper, second: Paper) -> Paper:
    """Return one paper from two records of it: the first's values, the second's where it has none.

    References, citations and sources are united, in the order in which they come.
    """
    return replace(
        first,
        title=first.title or second.title,
        abstract=first.abstract or second.abstract,
        year=second.year if first.year is None else first.year,
        authors=first.authors or second.authors,
        references=list(dict.fromkeys([*first.references, *second.references])),
        citations=list(dict.fromkeys([*first.citations, *second.citations])),
        external_ids={**second.external_ids, **first.external_ids},
        venue=first.venue or second.venue,
        retracted=max(first.retracted, second.retracted, key=("no", "suspected", "yes").index),
        retraction_evidence=first.retraction_evidence or second.retraction_evidence,
        sources=tuple(dict.fromkeys([*first.sources, *second.sources])),
        notice=first.notice or second.notice,
    )


def _supplied(response: RetrievalResponse[Hit], found: dict[str, Paper]) -> RetrievalResponse[Hit]:
    """Return the response with the papers as the sources supplied them."""
    hits = [replace(hit, doc=found.get(hit.doc_id, hit.doc)) for hit in response.hits]
    return RetrievalResponse(hits, response.legs, response.query)


def _with_faults(
    response: RetrievalResponse[Hit], faults: list[ErrorRecord], asked: int
) -> RetrievalResponse[Hit]:
    if not faults:
        return response
    status = LegStatus.FAILED if len(faults) == asked else LegStatus.DEGRADED
    legs = [
        replace(leg, status=status, error=faults[0], reason=None)
        if leg.kind is LegKind.LEXICAL
        else leg
        for leg in response.legs
    ]
    return RetrievalResponse(response.hits, legs, response.query)


def _fault(name: str, error: Exception) -> ErrorRecord:
    if isinstance(error, CitehopError):
        return error.record
    return ErrorRecord(
        "SOURCE_FAILED",
        ErrorCategory.UNAVAILABLE,
        f"the source {name} failed ({type(error).__name__}); its papers are missing",
        retryable=True,
    )


def _measured(response: RetrievalResponse[Hit], seconds: float) -> RetrievalResult:
    scores = [hit.final_score for hit in response.hits]
    return RetrievalResult(
        ranked=response.hits,
        hit_count=len(scores),
        average_score=math.fsum(scores) / len(scores) if scores else 0.0,
        top_score=max(scores, default=0.0),
        wall_time_ms=seconds * 1_000,
        response=response,
    )


def build_client(config: RetrievalConfig | None = None) -> RetrievalClient:
    """Return a client over the mock corpus, with both mocks."""
    corpus = build_corpus()
    s2 = SemanticScholarMockClient(corpus)
    # Only the second mock knows citations, so it is the one that supplies what they lead to.
    supplied = [paper for paper in map(s2.fetch, (paper.id for paper in corpus)) if paper]
    return RetrievalClient(ArxivMockClient(corpus), s2, supplied, config)
