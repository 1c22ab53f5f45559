"""citehop: papers found by their words, and papers that only the citation graph finds."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from citehop.errors import CitehopError as CitehopError
    from citehop.errors import ErrorCategory as ErrorCategory
    from citehop.errors import ErrorRecord as ErrorRecord
    from citehop.errors import InputError as InputError
    from citehop.errors import StoreError as StoreError
    from citehop.errors import StoreTimeout as StoreTimeout
    from citehop.errors import StoreUnavailable as StoreUnavailable
    from citehop.evaluation.evaluate import evaluate_retrieval as evaluate_retrieval
    from citehop.evaluation.result import RetrievalEvaluation as RetrievalEvaluation
    from citehop.graph.neo4j import Neo4jStore as Neo4jStore
    from citehop.graph.neo4j_schema import GraphSchema as GraphSchema
    from citehop.graph.networkx import CitationGraph as CitationGraph
    from citehop.graph.networkx import NetworkXStore as NetworkXStore
    from citehop.graph.open import open_store as open_store
    from citehop.graph.store import Changes as Changes
    from citehop.graph.store import CitationPath as CitationPath
    from citehop.graph.store import CitationStore as CitationStore
    from citehop.graph.store import Counts as Counts
    from citehop.graph.store import Cut as Cut
    from citehop.graph.store import Expansion as Expansion
    from citehop.graph.store import LoadReport as LoadReport
    from citehop.graph.store import Neighbour as Neighbour
    from citehop.lexical.bm25 import BM25Index as BM25Index
    from citehop.lexical.tokenise import tokenise as tokenise
    from citehop.library.build import build_library as build_library
    from citehop.library.store import LibraryStore as LibraryStore
    from citehop.library.store_index import StoreIndex as StoreIndex
    from citehop.library.store_index import build_index as build_index
    from citehop.outcome import LegKind as LegKind
    from citehop.outcome import LegOutcome as LegOutcome
    from citehop.outcome import LegStatus as LegStatus
    from citehop.outcome import RetrievalResponse as RetrievalResponse
    from citehop.outcome import RetrievalStatus as RetrievalStatus
    from citehop.paper import Filter as Filter
    from citehop.paper import Paper as Paper
    from citehop.plan.compress import CharBudgetCompressor as CharBudgetCompressor
    from citehop.plan.file import load_plan as load_plan
    from citehop.plan.fusion import FusionPolicy as FusionPolicy
    from citehop.plan.nearest import QuerySentenceCompressor as QuerySentenceCompressor
    from citehop.plan.plan import RetrievalExecutionPlan as RetrievalExecutionPlan
    from citehop.plan.rerank import CitationReranker as CitationReranker
    from citehop.plan.result import ExecutionResult as ExecutionResult
    from citehop.plan.result import PlannedHit as PlannedHit
    from citehop.plan.stages import StageBudget as StageBudget
    from citehop.plan.stages import StageKind as StageKind
    from citehop.plan.stages import StageOutcome as StageOutcome
    from citehop.plan.stages import StageStatus as StageStatus
    from citehop.search.client import ArxivMockClient as ArxivMockClient
    from citehop.search.client import RetrievalClient as RetrievalClient
    from citehop.search.client import RetrievalResult as RetrievalResult
    from citehop.search.client import SemanticScholarMockClient as SemanticScholarMockClient
    from citehop.search.client import build_client as build_client
    from citehop.search.client import build_corpus as build_corpus
    from citehop.search.config import RetrievalConfig as RetrievalConfig
    from citehop.search.kept import RefreshReport as RefreshReport
    from citehop.search.repository import CitationRepository as CitationRepository
    from citehop.search.repository import Explanation as Explanation
    from citehop.search.repository import Hit as Hit
    from citehop.sources.merge import MergeReport as MergeReport
    from citehop.sources.merge import merge as merge
    from citehop.sources.read import PaperStream as PaperStream
    from citehop.sources.read import ReadIssue as ReadIssue
    from citehop.sources.read import ReadReport as ReadReport
    from citehop.sources.read import read_papers as read_papers

__version__ = "0.1.0"

# A name's module is imported when the name is first asked for, so that `import citehop` and
# `citehop --help` cost next to nothing.
_MODULES = {
    "ArxivMockClient": "citehop.search.client",
    "BM25Index": "citehop.lexical.bm25",
    "Changes": "citehop.graph.store",
    "CharBudgetCompressor": "citehop.plan.compress",
    "CitationGraph": "citehop.graph.networkx",
    "CitationPath": "citehop.graph.store",
    "CitationRepository": "citehop.search.repository",
    "CitationReranker": "citehop.plan.rerank",
    "CitationStore": "citehop.graph.store",
    "CitehopError": "citehop.errors",
    "Counts": "citehop.graph.store",
    "Cut": "citehop.graph.store",
    "ErrorCategory": "citehop.errors",
    "ErrorRecord": "citehop.errors",
    "ExecutionResult": "citehop.plan.result",
    "Expansion": "citehop.graph.store",
    "Explanation": "citehop.search.repository",
    "Filter": "citehop.paper",
    "FusionPolicy": "citehop.plan.fusion",
    "GraphSchema": "citehop.graph.neo4j_schema",
    "Hit": "citehop.search.repository",
    "InputError": "citehop.errors",
    "LegKind": "citehop.outcome",
    "LegOutcome": "citehop.outcome",
    "LegStatus": "citehop.outcome",
    "LibraryStore": "citehop.library.store",
    "LoadReport": "citehop.graph.store",
    "MergeReport": "citehop.sources.merge",
    "Neighbour": "citehop.graph.store",
    "Neo4jStore": "citehop.graph.neo4j",
    "NetworkXStore": "citehop.graph.networkx",
    "Paper": "citehop.paper",
    "PaperStream": "citehop.sources.read",
    "ReadIssue": "citehop.sources.read",
    "ReadReport": "citehop.sources.read",
    "PlannedHit": "citehop.plan.result",
    "QuerySentenceCompressor": "citehop.plan.nearest",
    "RefreshReport": "citehop.search.kept",
    "RetrievalClient": "citehop.search.client",
    "RetrievalConfig": "citehop.search.config",
    "RetrievalEvaluation": "citehop.evaluation.result",
    "RetrievalExecutionPlan": "citehop.plan.plan",
    "RetrievalResponse": "citehop.outcome",
    "RetrievalResult": "citehop.search.client",
    "RetrievalStatus": "citehop.outcome",
    "SemanticScholarMockClient": "citehop.search.client",
    "StageBudget": "citehop.plan.stages",
    "StageKind": "citehop.plan.stages",
    "StageOutcome": "citehop.plan.stages",
    "StageStatus": "citehop.plan.stages",
    "StoreError": "citehop.errors",
    "StoreIndex": "citehop.library.store_index",
    "StoreTimeout": "citehop.errors",
    "StoreUnavailable": "citehop.errors",
    "build_client": "citehop.search.client",
    "build_corpus": "citehop.search.client",
    "build_index": "citehop.library.store_index",
    "build_library": "citehop.library.build",
    "evaluate_retrieval": "citehop.evaluation.evaluate",
    "load_plan": "citehop.plan.file",
    "merge": "citehop.sources.merge",
    "open_store": "citehop.graph.open",
    "read_papers": "citehop.sources.read",
    "tokenise": "citehop.lexical.tokenise",
}

__all__ = sorted(_MODULES)  # noqa: PLE0605 - one list, kept sorted by construction


if not TYPE_CHECKING:  # a type checker shall miss a name that is not listed above

    def __getattr__(name: str) -> object:
        module = _MODULES.get(name)
        if module is None:
            raise AttributeError(f"module 'citehop' has no attribute {name!r}")
        value = getattr(import_module(module), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
