"""A search from words to papers, against langchain-neo4j and neo4j-graphrag on one server.

``python -m benchmarks.frameworks`` loads a corpus into a throwaway server of its own (Java and
Maven; see tests/README.md), asks all three the same queries, and prints ratios, and what each
answers: to good queries, to odd ones, and when the server is frozen or gone. A contender that is
not installed is left out by name. They bring plugins for pytest, so that they want an environment
of their own: ``pip install --editable . --group bench-frameworks`` (pip 25.1) in a new one.

Both frameworks search words by a full-text index of the server and leave the walk to a statement
that the caller writes. Their hybrid search also wants a vector index and an embedding of the query;
they get an empty index and a constant, so that words alone decide.
"""

from __future__ import annotations

import argparse
import logging
import statistics
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, ClassVar, Protocol

import neo4j
from tests.servers import distribution
from tests.servers.local import LocalServer

from benchmarks.search import papers, queries
from benchmarks.table import Row, print_rows
from citehop.graph.neo4j import Neo4jStore
from citehop.search.repository import CitationRepository

FULL_TEXT, VECTORS = "paper_words", "paper_vectors"
INDEXES = f"""
CREATE FULLTEXT INDEX {FULL_TEXT} FOR (p:Paper) ON EACH [p.title, p.abstract];
CREATE VECTOR INDEX {VECTORS} FOR (p:Paper) ON p.embedding
OPTIONS {{indexConfig: {{`vector.dimensions`: 2, `vector.similarity_function`: 'cosine'}}}};
CALL db.awaitIndexes(600)
"""
SEEDS, PAPERS = 10, 50
# As the packages' own pages have it: what the words found, each with some papers around it.
CONTEXT = """
OPTIONAL MATCH (node)-[:CITES*1..2]-(near:Paper)
WITH node, score, collect(DISTINCT near.id)[..4] AS near ORDER BY score DESC
RETURN node.title AS text, score,
       {id: node.id, abstract: node.abstract, year: node.year, authors: node.authors,
        distance: 0, near: near} AS metadata
"""
# With what a hit of citehop's tells: how near, from which seeds, how much cited.
EVIDENCE = """
CALL (node) {
  MATCH path = (node)-[:CITES*0..2]-(found:Paper)
  WITH found, min(length(path)) AS distance
  WITH found, distance, COUNT { (found)<-[:CITES]-() } AS cited_by
  ORDER BY distance, cited_by DESC, found.id LIMIT 500
  RETURN found, distance, cited_by
}
WITH found, cited_by, min(distance) AS nearest, max(score) AS score,
     collect([node.id, distance]) AS seeds
ORDER BY nearest, size(seeds) DESC, cited_by DESC, found.id LIMIT 50
RETURN found.title AS text, score,
       {id: found.id, abstract: found.abstract, year: found.year, authors: found.authors,
        distance: nearest, seeds: seeds, cited_by: cited_by} AS metadata
"""
STATEMENTS = {"papers around each hit": CONTEXT, "evidence by hand": EVIDENCE}
ODD = {
    "a word that no paper has": "zzyzzx",
    "`C++ (w120`": "C++ (w120",
    "`w120 AND`": "w120 AND",
    "`venue:w120`": "venue:w120",
    "`???`": "???",
}
ROUNDS = 3
PATIENCE = 90.0
"""Seconds after which an answer is no longer waited for."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The ids found, in order; those of them found by words; what else the answer says."""

    ids: tuple[str, ...]
    by_words: frozenset[str]
    said: str = ""


class Contender(Protocol):
    """Something that answers a query with papers."""

    def ask(self, query: str) -> Answer:
        """Answer, or raise."""


class Citehop:
    """The repository over the same server: words from its own index, the walk from the server."""

    def __init__(self, server: LocalServer) -> None:
        self._repository = CitationRepository(Neo4jStore(server.uri, server.auth))
        self._repository.refresh()

    def ask(self, query: str) -> Answer:
        """Answer with the ids, the status and what each leg says."""
        found = self._repository.search(query)
        legs = [
            f"{leg.kind} {leg.status}" + (f" ({code})" if (code := _why(leg)) else "")
            for leg in found.legs
        ]
        return Answer(
            tuple(hit.doc.id for hit in found),
            frozenset(hit.doc.id for hit in found if hit.graph_distance == 0),
            f"{found.status}: {', '.join(legs)}",
        )


def _why(leg: Any) -> str:
    return leg.error.code if leg.error else (leg.reason or "")


class LangChain:
    """Neo4jVector in hybrid mode, with the walk as its retrieval query."""

    package: ClassVar[str] = "langchain_neo4j"

    def __init__(self, server: LocalServer, statement: str) -> None:
        from langchain_core.embeddings import DeterministicFakeEmbedding
        from langchain_neo4j import Neo4jVector
        from neo4j_graphrag.types import SearchType

        self._store = Neo4jVector.from_existing_index(
            DeterministicFakeEmbedding(size=2),
            VECTORS,
            search_type=SearchType.HYBRID,
            keyword_index_name=FULL_TEXT,
            retrieval_query=statement,
            url=server.uri,
            username=server.auth[0],
            password=server.auth[1],
        )

    def ask(self, query: str) -> Answer:
        """Answer with the documents' ids."""
        found = self._store.similarity_search_with_score(query, k=SEEDS)
        return _told(document.metadata for document, _ in found)


class GraphRag:
    """HybridCypherRetriever, with the walk as its retrieval query."""

    package: ClassVar[str] = "neo4j_graphrag"

    def __init__(self, server: LocalServer, statement: str) -> None:
        from neo4j_graphrag.retrievers import HybridCypherRetriever

        driver = neo4j.GraphDatabase.driver(server.uri, auth=server.auth)
        self._retriever = HybridCypherRetriever(driver, VECTORS, FULL_TEXT, statement)

    def ask(self, query: str) -> Answer:
        """Answer with the items' ids."""
        found = self._retriever.search(query_text=query, query_vector=[1.0, 0.0], top_k=SEEDS)
        return _told(item.metadata for item in found.items)


def _told(found: Iterable[dict[str, Any]]) -> Answer:
    listed = list(found)
    nearest = frozenset(one["id"] for one in listed if one.get("distance") == 0)
    ids = (name for one in listed for name in (one["id"], *one.get("near", ())))
    return Answer(tuple(dict.fromkeys(ids)), nearest)


def run(count: int) -> None:
    """Print the tables for a corpus of that size."""
    logging.getLogger("neo4j").setLevel(logging.CRITICAL)  # each retry would be told
    settings = {"server.memory.pagecache.size": "512m"}
    with LocalServer(distribution.long_term(), settings=settings, heap="1g", quick=False) as server:
        with Neo4jStore(server.uri, server.auth) as store:
            store.load(papers(count))
        start = time.perf_counter()
        _index(server)
        indexed = time.perf_counter() - start
        made: dict[str, Contender] = {"citehop": Citehop(server)}
        read = time.perf_counter() - start - indexed
        made |= _frameworks(server)
        print(
            f"Getting ready, {count:,} papers loaded: citehop reads and indexes them in"
            f" {read:.1f} s, the server's full-text index takes {indexed:.1f} s\n"
        )
        print_rows(_race(made, queries()))
        print()
        _print_answers(made, server)


def _index(server: LocalServer) -> None:
    with neo4j.GraphDatabase.driver(server.uri, auth=server.auth) as driver:
        for statement in INDEXES.split(";"):
            driver.execute_query(statement)


def _frameworks(server: LocalServer) -> Iterator[tuple[str, Contender]]:
    for framework in (LangChain, GraphRag):
        name = framework.package.replace("_", "-")
        if find_spec(framework.package) is None:
            print(f"{name} is not installed and left out; `--group bench-frameworks` installs it\n")
            continue
        for how, statement in STATEMENTS.items():
            yield f"{name}, {how}", framework(server, statement)


def _race(made: dict[str, Contender], asked: Sequence[str]) -> Iterator[Row]:
    """Time all in turns and compare what they find."""
    times: dict[str, list[float]] = {name: [] for name in made}
    found: dict[str, list[Answer]] = {name: [] for name in made}
    for number in range(ROUNDS + 1):
        for query in asked:
            for name, contender in made.items():
                start = time.perf_counter()
                answer = contender.ask(query)
                if number:  # the first round warms up
                    times[name].append(time.perf_counter() - start)
                else:
                    found[name].append(answer)
    ours = statistics.median(times.pop("citehop"))
    mine = found.pop("citehop")
    for name, seconds in times.items():
        theirs = statistics.median(seconds)
        note = f"{ours * 1e3:.0f} ms against {theirs * 1e3:.0f} ms; {_shared(mine, found[name])}"
        yield Row("citehop, a whole search", name, ours / theirs, None, note)


def _shared(ours: Sequence[Answer], theirs: Sequence[Answer]) -> str:
    pairs = list(zip(ours, theirs, strict=True))
    words = statistics.mean(len(a.by_words & b.by_words) for a, b in pairs)
    whole = statistics.mean(len(set(a.ids) & set(b.ids)) for a, b in pairs)
    return f"the same papers: {words:.1f} of {SEEDS} by words, {whole:.1f} of {PAPERS} in all"


def _print_answers(made: dict[str, Contender], server: LocalServer) -> None:
    shown = {name: one for name, one in made.items() if not name.endswith("each hit")}
    print(f"| asked | {' | '.join(name.partition(',')[0] for name in shown)} |")
    print("|---|" + "---|" * len(shown))
    query = queries()[0]
    for label, text in {"four words": query, **ODD}.items():
        _print_line(label, _outcomes(shown.values(), text))
    server.freeze()
    frozen = _outcomes(shown.values(), query)
    server.thaw()
    _print_line("four words, server frozen", frozen)
    server.stop()
    _print_line("four words, server stopped", _outcomes(shown.values(), query))


def _print_line(label: str, cells: list[str]) -> None:
    print(f"| {label} | {' | '.join(cells)} |", flush=True)


def _outcomes(contenders: Iterable[Contender], query: str) -> list[str]:
    """Say in words what became of a query, waiting for :data:`PATIENCE` at most."""
    asked = [_Asked(contender, query) for contender in contenders]
    end = time.monotonic() + PATIENCE
    for one in asked:
        one.thread.join(max(0.0, end - time.monotonic()))
    return [one.said for one in asked]


class _Asked:
    """A query under way, in a thread that is not waited for at the end."""

    def __init__(self, contender: Contender, query: str) -> None:
        self.said = f"nothing yet after {PATIENCE:.0f} s"
        self.thread = threading.Thread(target=self._ask, args=(contender, query), daemon=True)
        self.thread.start()

    def _ask(self, contender: Contender, query: str) -> None:
        start = time.perf_counter()
        try:
            answer = contender.ask(query)
        except Exception as error:  # noqa: BLE001 - what is raised is what is asked for
            text = f"raises {type(error).__name__}"
        else:
            text = f"{len(answer.ids)} papers" + (f"; {answer.said}" if answer.said else "")
        taken = time.perf_counter() - start
        self.said = text + (f", after {taken:.0f} s" if taken >= 3 else "")


def main(argv: Sequence[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.frameworks",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--papers", type=int, default=20_000)
    run(parser.parse_args(argv).papers)


if __name__ == "__main__":
    main()
