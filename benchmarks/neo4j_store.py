"""The store in Neo4j against hand-written statements on the same server, as ratios of one run.

    python benchmarks/neo4j_store.py [PAPERS]

Needs a server that may be wiped: NEO4J_URI, NEO4J_USERNAME, NEO4J_PASSWORD and
CITEHOP_NEO4J_DISPOSABLE=1. With 200,000 papers (2 M citations) it takes some minutes.
"""

from __future__ import annotations

import os
import random
import resource
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import neo4j

from citehop.graph.neo4j import Neo4jStore
from citehop.paper import Paper

ROWS = 10_000
WIPE = "MATCH (n) CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 5000 ROWS"
NODES = """
UNWIND $rows AS row
MERGE (p:Work {id: row.id})
SET p:Paper, p.title = row.title, p.abstract = row.abstract, p.year = row.year,
    p.authors = row.authors, p.source = row.source, p.sources = row.sources
"""
EDGES = """
UNWIND $rows AS row
MATCH (a:Work {id: row[0]})
MATCH (b:Work {id: row[1]})
MERGE (a)-[:CITES]->(b)
"""
# The best of the shapes tried that returns the same neighbours with the same evidence.
EXPAND = """
UNWIND $seeds AS seed
MATCH (s:Work {id: seed})
CALL (s) {
  MATCH path = (s)-[:CITES*1..2]-(n:Work)
  WITH n, min(length(path)) AS distance
  WHERE n:Paper AND NOT n.id IN $seeds
  WITH n, distance ORDER BY distance, COUNT { (n)<-[:CITES]-() } DESC, n.id LIMIT 500
  RETURN n, distance
}
WITH n, min(distance) AS nearest, collect([seed, distance]) AS by_seed
WITH n, nearest, by_seed, COUNT { (n)<-[:CITES]-() } AS cited_by
ORDER BY nearest, size(by_seed) DESC, cited_by DESC, n.id LIMIT 500
RETURN n.id, nearest, by_seed, cited_by, COUNT { (n)-[:CITES]-() } AS degree
"""


def references(papers: int, mean: int = 10, seed: int = 7) -> list[list[int]]:
    """Make citations to older papers, half of them in proportion to citations so far."""
    chance = random.Random(seed)
    ends: list[int] = []
    made: list[list[int]] = [[]]
    for paper in range(1, papers):
        count = min(paper, chance.randrange(1, 2 * mean))
        cited = {
            ends[chance.randrange(len(ends))]
            if ends and chance.random() < 0.5
            else chance.randrange(paper)
            for _ in range(count)
        }
        made.append(sorted(cited))
        ends.extend(cited)
    return made


def corpus(cited: list[list[int]]) -> Iterator[Paper]:
    """Yield the papers, each with an abstract of about a kilobyte."""
    abstract = "We study citations and find what we looked for. " * 20
    for number, references_ in enumerate(cited):
        yield Paper(
            f"W{number:07}",
            f"Paper {number} on citations",
            abstract,
            1950 + number % 70,
            ["A. Author", "B. Author"],
            [f"W{other:07}" for other in references_],
            source="made",
        )


def timed(work: Callable[[], Any]) -> float:
    """Return the seconds that ``work`` takes."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def by_hand(driver: neo4j.Driver, papers: Iterator[Paper]) -> None:
    """Load as a person would: nodes, then edges, ten thousand rows at a time."""
    nodes: list[dict[str, Any]] = []
    edges: list[list[str]] = []
    driver.execute_query(
        "CREATE CONSTRAINT citehop_work_id IF NOT EXISTS FOR (w:Work) REQUIRE w.id IS UNIQUE"
    )

    def send(text: str, rows: list[Any], least: int) -> list[Any]:
        while len(rows) > least:
            driver.execute_query(text, rows=rows[:ROWS])
            rows = rows[ROWS:]
        return rows

    for paper in papers:
        nodes.append({n: getattr(paper, n) for n in ("id", "title", "abstract", "year", "authors")})
        nodes[-1] |= {"source": paper.source, "sources": list(paper.sources)}
        edges += [[paper.id, other] for other in paper.references]
        if len(nodes) >= ROWS:
            nodes = send(NODES, nodes, 0)
    send(NODES, nodes, 0)
    send(EDGES, edges, 0)


def wipe(driver: neo4j.Driver) -> None:
    with driver.session() as session:
        session.run(WIPE).consume()
        for kind in ("CONSTRAINT", "INDEX"):
            shown = "CONSTRAINTS" if kind == "CONSTRAINT" else "INDEXES"
            for record in session.run(f"SHOW {shown} YIELD name WHERE name STARTS WITH 'citehop'"):
                session.run(f"DROP {kind} `{record['name']}` IF EXISTS").consume()


def compare(name: str, ours: Callable[[], Any], theirs: Callable[[], Any], runs: int = 15) -> None:
    """Print the ratio of the medians, measured in turns."""
    mine, others = [], []
    for _ in range(runs):
        others.append(timed(theirs))
        mine.append(timed(ours))
    left, right = statistics.median(mine[3:]), statistics.median(others[3:])
    print(f"{name}: {left / right:.2f} times by hand ({left * 1e3:.0f} ms, {right * 1e3:.0f} ms)")


def main() -> None:
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    assert os.environ.get("CITEHOP_NEO4J_DISPOSABLE") == "1", __doc__
    uri, auth = (
        os.environ["NEO4J_URI"],
        (
            os.environ.get("NEO4J_USERNAME", "neo4j"),
            os.environ["NEO4J_PASSWORD"],
        ),
    )
    cited = references(size)
    print(f"{size:,} papers, {sum(map(len, cited)):,} citations")
    with (
        neo4j.GraphDatabase.driver(uri, auth=auth, warn_notification_severity="OFF") as driver,
        Neo4jStore(uri, auth, timeout_seconds=60) as store,
    ):
        wipe(driver)
        theirs = timed(lambda: by_hand(driver, corpus(cited)))
        wipe(driver)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        ours = timed(lambda: store.load(corpus(cited)))
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        print(f"load: {ours / theirs:.2f} times by hand ({ours:.1f} s, {theirs:.1f} s);"
              f" peak memory grew by {grown / 1024:.0f} MB")  # fmt: skip
        again = timed(lambda: store.load(corpus(cited)))
        print(f"load again, nothing changed: {again / ours:.2f} times the first")
        chance = random.Random(3)
        typical = [f"W{chance.randrange(size // 3, size):07}" for _ in range(10)]
        hubs = [
            record[0]
            for record in driver.execute_query(
                "MATCH (n:Work) RETURN n.id ORDER BY COUNT { (n)<-[:CITES]-() } DESC LIMIT 5"
            ).records
        ]
        seeds = {"typical": typical, "five hubs": typical[:5] + hubs}
        for name, chosen in seeds.items():
            compare(
                f"expand, two hops, ten {name} seeds",
                partial(store.expand, chosen, timeout_seconds=60),
                partial(driver.execute_query, EXPAND, seeds=chosen, routing_="r"),
            )
        compare(
            "expand, with five hubs against typical seeds",
            lambda: store.expand(seeds["five hubs"], timeout_seconds=60),
            lambda: store.expand(typical, timeout_seconds=60),
        )


if __name__ == "__main__":
    main()
