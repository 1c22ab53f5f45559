"""The store in Neo4j against statements and a load written by hand, as ratios of one run.

``python -m benchmarks.neo4j_store --papers 200000`` prints them; ten minutes on two cores. It
starts throwaway servers of its own (Java and Maven; see tests/README.md), one for each load.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import neo4j
from tests.servers import distribution
from tests.servers.local import LocalServer

from benchmarks.table import Row, print_rows
from benchmarks.walk import hub_seeds, make_papers, typical_seeds
from citehop.graph.neo4j import Neo4jStore
from citehop.graph.store import Expansion
from citehop.paper import Paper

ROWS = 10_000
ROUNDS = 20
WARM_UP = 5
EARLY = 0.2
"""By this share of the rows a load must have all the memory that it ever needs."""
ABSTRACT = "We study citations and find what we looked for. " * 20
CONSTRAINT = "CREATE CONSTRAINT work_id IF NOT EXISTS FOR (w:Work) REQUIRE w.id IS UNIQUE"
NODES = """
UNWIND $rows AS row
MERGE (p:Work {id: row.id})
SET p:Paper, p.title = row.title, p.abstract = row.abstract, p.year = row.year,
    p.authors = row.authors, p.source = row.source
"""
EDGES = """
UNWIND $rows AS row
MATCH (a:Work {id: row[0]})
MATCH (b:Work {id: row[1]})
MERGE (a)-[:CITES]->(b)
"""
# All return the same neighbours with the same evidence; the quickest one is the yardstick.
JOINED = """
WITH n, cited_by, min(distance) AS nearest, collect([seed, distance]) AS by_seed
ORDER BY nearest, size(by_seed) DESC, cited_by DESC, n.id LIMIT 500
RETURN n.id, nearest, by_seed, cited_by, COUNT { (n)-[:CITES]-() } AS degree
"""
BY_HAND = {
    "one walk of both hops": """
UNWIND $seeds AS seed
MATCH (s:Work {id: seed})
CALL (s) {
  MATCH path = (s)-[:CITES*1..2]-(n:Paper)
  WITH n, min(length(path)) AS distance
  WHERE NOT n.id IN $seeds
  WITH n, distance, COUNT { (n)<-[:CITES]-() } AS cited_by
  ORDER BY distance, cited_by DESC, n.id LIMIT 500
  RETURN n, distance, cited_by
}
"""
    + JOINED,
    "the first hop alone where it fills the list": """
UNWIND $seeds AS seed
MATCH (s:Work {id: seed})
CALL (s) {
  MATCH (s)-[:CITES]-(n:Paper)
  WHERE NOT n.id IN $seeds
  WITH DISTINCT n, COUNT { (n)<-[:CITES]-() } AS cited_by
  ORDER BY cited_by DESC, n.id LIMIT 500
  RETURN collect([n, cited_by]) AS near
}
CALL (s, near) {
  WITH s, near WHERE size(near) < 500
  MATCH path = (s)-[:CITES*1..2]-(n:Paper)
  WITH n, min(length(path)) AS distance
  WHERE distance = 2 AND NOT n.id IN $seeds
  WITH n, COUNT { (n)<-[:CITES]-() } AS cited_by
  ORDER BY cited_by DESC, n.id LIMIT 500
  RETURN collect([n, cited_by]) AS far
UNION
  WITH near WHERE size(near) = 500
  RETURN [] AS far
}
WITH seed, [x IN near | [x[0], x[1], 1]] + [x IN far[..500 - size(near)] | [x[0], x[1], 2]] AS all
UNWIND all AS one
WITH seed, one[0] AS n, one[1] AS cited_by, one[2] AS distance
"""
    + JOINED,
}


def run(count: int) -> Iterator[Row]:
    """Measure a load by hand and ours, each on a new server, and then the walk."""
    papers = make_papers(count)
    with tempfile.TemporaryDirectory() as folder:
        rows = Path(folder, "rows.jsonl")
        with rows.open("w", encoding="utf-8") as file:
            for paper in papers:
                file.write(json.dumps({"id": paper.id, "references": paper.references}) + "\n")
        with _server() as server:
            theirs = _load_apart("hand", rows, count, server)
        with _server() as server:
            ours = _load_apart("store", rows, count, server)
            yield from _load_rows(ours, theirs)
            yield from _walk_rows(server, papers)


def _server() -> LocalServer:
    # As a production server runs, not as the tests' own that lives for seconds.
    settings = {"server.memory.pagecache.size": "1g"}
    return LocalServer(distribution.long_term(), settings=settings, heap="1g", quick=False)


def _load_rows(ours: dict[str, float], theirs: dict[str, float]) -> Iterator[Row]:
    seconds = f"{ours['seconds']:.0f} s against {theirs['seconds']:.0f} s"
    work = (
        f"processor time of server and client {ours['work']:.0f} s against {theirs['work']:.0f} s"
    )
    yield Row(
        "load",
        "UNWIND and MERGE by hand, same papers and citations",
        ours["seconds"] / theirs["seconds"],
        1.5,
        f"{seconds}; {work}",
    )
    yield Row(
        "most client memory in a load, after a fifth of the rows",
        "the same within that fifth",
        ours["late"] / ours["early"],
        None,
        f"{ours['late']:.0f} MB against {ours['early']:.0f} MB",
    )


def _walk_rows(server: LocalServer, papers: list[Paper]) -> Iterator[Row]:
    seeds = {"typical": typical_seeds(papers), "five hubs among the": hub_seeds(papers)}
    with (
        neo4j.GraphDatabase.driver(server.uri, auth=server.auth) as driver,
        Neo4jStore(server.uri, server.auth, timeout_seconds=60) as store,
    ):

        def walk(chosen: list[str]) -> Expansion:
            return store.expand(chosen, timeout_seconds=60)

        def by_hand(text: str, chosen: list[str]) -> list[neo4j.Record]:
            return driver.execute_query(text, seeds=chosen, routing_="r").records

        for name, chosen in seeds.items():
            _check_same(walk(chosen), [by_hand(text, chosen) for text in BY_HAND.values()])
            works = [partial(by_hand, text, chosen) for text in BY_HAND.values()]
            ours, *theirs = _times(server, partial(walk, chosen), *works)
            best = min(theirs)
            yield _walk_row(
                f"two hops, ten seeds, {name} seeds",
                f"the best statement by hand: {list(BY_HAND)[theirs.index(best)]}",
                1.3,
                ours,
                best,
            )
        slow, quick = _times(server, *(partial(walk, seeds[name]) for name in reversed(seeds)))
        yield _walk_row("two hops, five hubs among the seeds", "typical seeds", 2, slow, quick)


def _walk_row(what: str, against: str, target: float, ours: Times, theirs: Times) -> Row:
    wall = f"{ours.wall * 1e3:.0f} ms against {theirs.wall * 1e3:.0f} ms"
    work = f"{ours.work * 1e3:.0f} ms against {theirs.work * 1e3:.0f} ms"
    note = f"{wall}; processor time of server and client {work}: {ours.work / theirs.work:.2f}"
    return Row(what, against, ours.wall / theirs.wall, target, note)


def _check_same(found: Expansion, answers: Iterable[list[neo4j.Record]]) -> None:
    ours = [(n.id, n.distance, dict(n.seeds), n.cited_by, n.degree) for n in found]
    for records in answers:
        theirs = [(key, near, dict(by), cited, degree) for key, near, by, cited, degree in records]
        assert ours == theirs, "the yardstick gives other rows"


class Times(NamedTuple):
    """Median seconds on the clock; mean seconds of processors, which a busy machine bends less."""

    wall: float
    work: float


def _times(server: LocalServer, *works: Callable[[], object]) -> list[Times]:
    """Measure each, taken in turns."""
    walls: list[list[float]] = [[] for _ in works]
    spent = [0.0] * len(works)
    for number in range(WARM_UP + ROUNDS):
        for index, work in enumerate(works):
            start, before = time.perf_counter(), _spent(server)
            work()
            if number >= WARM_UP:
                walls[index].append(time.perf_counter() - start)
                spent[index] += _spent(server) - before
    return [
        Times(statistics.median(wall), work / ROUNDS)
        for wall, work in zip(walls, spent, strict=True)
    ]


def _spent(server: LocalServer) -> float:
    return time.process_time() + _processor_seconds(server.pid)


def _load_apart(how: str, rows: Path, count: int, server: LocalServer) -> dict[str, float]:
    """Load in a process that does nothing else; return what it measured."""
    before = _processor_seconds(server.pid)
    command = [sys.executable, "-m", "benchmarks.neo4j_store", "--papers", str(count)]
    command += ["--load", how, "--rows", str(rows), "--uri", server.uri]
    done = subprocess.run(  # noqa: S603
        command,
        env=os.environ | {"NEO4J_PASSWORD": server.auth[1]},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    measured: dict[str, float] = json.loads(done.stdout)
    measured["work"] += _processor_seconds(server.pid) - before
    return measured


def _load(how: str, rows: Path, count: int, uri: str) -> None:
    """Print what one load took."""
    auth = ("neo4j", os.environ["NEO4J_PASSWORD"])
    memory: dict[bool, float] = {}
    start, work = time.perf_counter(), time.process_time()

    def watched() -> Iterator[Paper]:
        for number, paper in enumerate(_papers(rows)):
            if number % 1_000 == 0:
                late = number > EARLY * count
                memory[late] = max(memory.get(late, 0), _resident(os.getpid()))
            yield paper

    if how == "store":
        with Neo4jStore(uri, auth) as store:
            store.load(watched())
    else:
        with neo4j.GraphDatabase.driver(uri, auth=auth) as driver:
            _load_by_hand(driver, watched())
    measured = {
        "seconds": time.perf_counter() - start,
        "work": time.process_time() - work,
        "early": memory[False],
        "late": memory[True],
    }
    print(json.dumps(measured))


def _papers(rows: Path) -> Iterator[Paper]:
    with rows.open(encoding="utf-8") as file:
        for number, line in enumerate(file):
            row = json.loads(line)
            yield Paper(
                row["id"],
                f"Paper {number} on citations",
                ABSTRACT,
                1950 + number % 70,
                ["A. Author", "B. Author"],
                row["references"],
                source="made",
            )


def _load_by_hand(driver: neo4j.Driver, papers: Iterable[Paper]) -> None:
    """Load as a person would: nodes, then citations, ten thousand rows at a time."""
    driver.execute_query(CONSTRAINT)
    names = ("id", "title", "abstract", "year", "authors", "source")
    nodes: list[dict[str, Any]] = []
    edges: list[list[str]] = []
    for paper in papers:
        nodes.append({name: getattr(paper, name) for name in names})
        edges += [[paper.id, other] for other in paper.references]
        if len(nodes) == ROWS:
            driver.execute_query(NODES, rows=nodes)
            nodes = []
    driver.execute_query(NODES, rows=nodes)
    for start in range(0, len(edges), ROWS):
        driver.execute_query(EDGES, rows=edges[start : start + ROWS])


def _resident(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def _processor_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main(argv: list[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--papers", type=int, default=200_000)
    parser.add_argument("--load", choices=["store", "hand"], help=argparse.SUPPRESS)
    parser.add_argument("--rows", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--uri", help=argparse.SUPPRESS)
    options = parser.parse_args(argv)
    if options.load:
        _load(options.load, options.rows, options.papers, options.uri)
    else:
        print_rows(run(options.papers))


if __name__ == "__main__":
    main()
