"""Loading for real: killed and resumed, two at once, under searches, out of memory, with twins."""

from __future__ import annotations

import json
import random
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import neo4j
import pytest
from tests.servers.handle import OwnServer, Server

from citehop.errors import StoreError
from citehop.graph import neo4j_load as loading
from citehop.graph.neo4j import Neo4jStore
from citehop.graph.neo4j_schema import GraphSchema
from citehop.graph.networkx import NetworkXStore
from citehop.graph.open import open_store
from citehop.graph.store import CitationStore
from citehop.paper import Paper
from citehop.sources.read import read_papers

Start = Callable[..., OwnServer]
Content = tuple[Any, list[Paper]]


def corpus(papers: int = 3_000, seed: int = 5) -> list[Paper]:
    """Return papers of which some cite others, or say who cites them, in no order."""
    chance = random.Random(seed)
    names = [f"p{i:05}" for i in range(papers)]
    made = [
        Paper(
            name,
            f"Title of {name}",
            "",
            1990 + chance.randrange(30),
            ["A"],
            chance.sample(names, 6),
            chance.sample(names, chance.randrange(3)),
        )
        for name in names
    ]
    chance.shuffle(made)
    return made


def content(store: CitationStore) -> Content:
    """Return all that a store holds."""
    return store.counts(), list(store.papers())


def in_memory(papers: Iterable[Paper]) -> Content:
    """Return what an undisturbed load in memory holds."""
    with NetworkXStore() as store:
        store.load(papers)
        return content(store)


@pytest.fixture
def store(empty_neo4j: Server) -> Iterator[Neo4jStore]:
    """A store on an empty database."""
    with Neo4jStore(empty_neo4j.uri, empty_neo4j.auth, timeout_seconds=30) as made:
        yield made


@pytest.fixture
def driver(empty_neo4j: Server) -> Iterator[neo4j.Driver]:
    """A driver of the test's own."""
    with neo4j.GraphDatabase.driver(empty_neo4j.uri, auth=empty_neo4j.auth) as made:
        yield made


def test_same_report_and_content_as_in_memory(store: Neo4jStore) -> None:
    """Three loads, one of changed records, report and leave the same in both stores."""
    first, second = corpus(800), corpus(800, seed=6)[:300]
    with NetworkXStore() as memory:
        for papers in (first, second, second):
            assert store.load(papers) == memory.load(papers)
        assert content(store) == content(memory)


def test_killed_loads_run_again(own_server: Start) -> None:
    """Three times killed at a random moment, a load ends in the undisturbed load's graph."""
    server = own_server()
    papers = corpus()
    chance = random.Random(time.time_ns())
    for _ in range(3):
        with Neo4jStore(server.uri, server.auth) as store:
            killer = threading.Timer(chance.uniform(0.2, 3), server.kill)
            killer.start()
            try:
                store.load(papers)
            except StoreError as error:
                assert error.code == "STORE_UNAVAILABLE"  # noqa: PT017 - it need not be raised
            killer.join()
        server.start()
    with Neo4jStore(server.uri, server.auth, timeout_seconds=30) as store:
        store.load(papers)
        assert content(store) == in_memory(papers)


def test_a_schema_that_was_cut_off_is_made_whole(own_server: Start) -> None:
    """A server killed while it makes a constraint leaves an index of that name; it is replaced."""
    server = own_server()
    with (
        neo4j.GraphDatabase.driver(server.uri, auth=server.auth) as driver,
        Neo4jStore(server.uri, server.auth, timeout_seconds=30) as store,
    ):
        driver.execute_query("CREATE INDEX citehop_work_id FOR (w:Work) ON (w.id)")
        driver.execute_query("CREATE INDEX citehop_meta_name FOR (m:CitehopMeta) ON (m.name)")
        store.load(corpus(20))
        made = driver.execute_query("SHOW CONSTRAINTS YIELD name RETURN collect(name) AS names")

    assert {"citehop_work_id", "citehop_meta_name"} <= set(made.records[0]["names"])


def test_an_index_in_the_way_is_named_as_such(own_server: Start) -> None:
    """Somebody's own index on the ids is not dropped, and the message says what to do."""
    server = own_server()
    with (
        neo4j.GraphDatabase.driver(server.uri, auth=server.auth) as driver,
        Neo4jStore(server.uri, server.auth, timeout_seconds=30) as store,
    ):
        driver.execute_query("CREATE INDEX mine FOR (w:Work) ON (w.id)")
        with pytest.raises(StoreError, match="SHOW INDEXES names it, drop it") as caught:
            store.load(corpus(20))

    assert caught.value.code == "SCHEMA_CONFLICT"


def test_a_reader_goes_on_after_a_writer_was_lost(store: Neo4jStore, driver: neo4j.Driver) -> None:
    """A clock that a killed writer left behind is set right by the next reader."""
    store.load(corpus(50))
    driver.execute_query("MATCH (m:CitehopMeta {name: 'clock'}) SET m.applying = m.applying + 1")

    assert len(store.expand(["p00001"], timeout_seconds=10)) > 5


def test_two_loads_at_once(store: Neo4jStore, empty_neo4j: Server) -> None:
    """Two that load the same papers in different orders end in the one graph, in bounded time."""
    papers = corpus()
    store.initialise()
    with (
        Neo4jStore(empty_neo4j.uri, empty_neo4j.auth) as other,
        ThreadPoolExecutor(2) as threads,
    ):
        loads = [
            threads.submit(store.load, papers),
            threads.submit(other.load, list(reversed(papers))),
        ]
        reports = [load.result(timeout=100) for load in loads]

    assert content(store) == in_memory(papers)
    assert sum(report.created for report in reports) == len(papers)
    assert sum(report.edges for report in reports) == store.counts().citations_all


def test_searching_while_loading(store: Neo4jStore) -> None:
    """Twenty threads walk while records are replaced: each answer is of one state."""
    before = [Paper(f"p{i:03}", "", "", None, [], ["hub", f"x{i}"]) for i in range(150)]
    after = [Paper(f"p{i:03}", "", "", None, [], ["hub", f"y{i}", "z"]) for i in range(150)]
    hub = Paper("hub", "", "", None, [])
    store.load([hub, *before])
    states = [store.expand(["hub"], max_hops=1, timeout_seconds=30)]
    store.load([hub, *after])
    states.append(store.expand(["hub"], max_hops=1, timeout_seconds=30))
    assert states[0] != states[1]
    over = threading.Event()

    def search() -> int:
        count = 0
        while not over.is_set():
            assert store.expand(["hub"], max_hops=1, timeout_seconds=60) in states
            count += 1
        return count

    with ThreadPoolExecutor(20) as threads:
        searches = [threads.submit(search) for _ in range(20)]
        for _ in range(4):
            store.load(before)
            store.load(after)
        over.set()
        assert sum(done.result() for done in searches) > 20


def test_halved_on_a_memory_error(store: Neo4jStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch that the server has no memory for is cut in halves until it fits."""
    sizes: list[int] = []
    write = loading.write

    async def greedy(transaction: Any, rows: Any) -> Any:
        sizes.append(len(rows))
        if len(rows) > 100:
            raise StoreError("no memory", code="MEMORY_LIMIT")
        return await write(transaction, rows)

    monkeypatch.setattr(loading, "write", greedy)
    papers = corpus(300)

    assert store.load(papers).created == 300
    assert max(sizes) == 300
    assert content(store) == in_memory(papers)


def test_memory_limit_of_the_server(own_server: Start) -> None:
    """Where the server gives a transaction little memory a load goes through all the same."""
    server = own_server(settings={"db.memory.transaction.max": "12m"})
    papers = corpus(2_000)
    with Neo4jStore(server.uri, server.auth, timeout_seconds=30) as store:
        store.load(papers)
        assert store.counts().papers == 2_000
        assert store.counts() == in_memory(papers)[0]


def test_ids_that_look_like_code(store: Neo4jStore, shared_dir: Path) -> None:
    """Each comes back as it was, and nothing is deleted."""
    papers = list(read_papers(shared_dir / "cases/32-injection/papers.jsonl"))
    store.load(papers)

    assert len(papers) == 8
    assert [p.id for p in store.papers()] == sorted(p.id for p in papers)
    assert [p and p.id for p in store.get([p.id for p in papers])] == [p.id for p in papers]
    assert store.expand([p.id for p in papers]).seeds == tuple(p.id for p in papers)


def test_papers_come_once_each_whatever_their_ids(
    store: Neo4jStore, empty_neo4j: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Page by page, signs that the server orders by UTF-8 here and by UTF-16 there do no harm."""
    monkeypatch.setattr("citehop.graph.neo4j._PAGE_ROWS", 2)
    chance = random.Random(7)
    signs = "aZ\u00e4\u4e2d\ud7fe\ud7ff\ue000\uffee\U00010000\U0001f600"
    ids = sorted({"".join(chance.choices(signs, k=chance.randint(1, 3))) for _ in range(60)})
    papers = [Paper(key, key, "", None, [], [ids[0], "outside"]) for key in ids]
    store.load(papers)

    assert content(store) == in_memory(papers)
    with Neo4jStore(empty_neo4j.uri, empty_neo4j.auth, schema=GraphSchema()) as foreign:
        assert [paper.id for paper in foreign.papers()] == ids


def test_odd_properties(store: Neo4jStore, shared_dir: Path) -> None:
    """What the reader makes of nested maps, mixed lists and nulls is the same in both stores."""
    papers = list(read_papers(shared_dir / "cases/30-neo4j-property-types/papers.jsonl"))
    store.load(papers)

    assert len(papers) > 7
    assert content(store) == in_memory(papers)


def test_queries_with_signs(store: Neo4jStore, shared_dir: Path) -> None:
    """No sign of a search's filter has a meaning on the server."""
    queries = json.loads((shared_dir / "cases/23-reserved-characters/queries.json").read_text())
    papers = [Paper(f"p{i}", "", "", None, [q], ["hub"]) for i, q in enumerate(queries)]
    store.load([Paper("hub", "", "", None, []), *papers])

    for paper, query in zip(papers, queries, strict=True):
        assert [n.id for n in store.expand(["hub"], filter={"authors": [query]})] == [paper.id]


def test_twins(store: Neo4jStore, driver: neo4j.Driver, shared_dir: Path) -> None:
    """Nodes that share an id are named, with the way to merge them, which then works."""
    preload = (shared_dir / "cases/34-keys-and-constraints/preload.cypher").read_text("utf-8")
    for statement in preload.split(";"):
        if "CREATE" in statement:
            driver.execute_query(statement)
    driver.execute_query("MATCH (p:Paper) WITH p LIMIT 1 CREATE (p)-[:CITES]->(:Paper {id: 'c2'})")

    with pytest.raises(StoreError) as caught:
        store.load([Paper("c1", "One", "", None, [])])
    assert caught.value.code == "DUPLICATE_IDS"
    assert "'c1'" in str(caught.value)
    assert "merge_twins" in str(caught.value)

    assert store.merge_twins() == 1
    store.initialise()
    store.initialise()
    store.load([Paper("c1", "One", "", None, [], ["c2"])])
    assert [p.id for p in store.papers()] == ["c1", "c2"]


def test_a_graph_of_others(own_server: Start) -> None:
    """A graph with other names, on a server that never saw ours, is searched as it is."""
    server = own_server()
    with neo4j.GraphDatabase.driver(server.uri, auth=server.auth) as driver:
        _make_a_graph_of_others(driver)
    schema = GraphSchema(
        label="Article", relationship="QUOTES", id="key", title="heading", year="published"
    )
    with Neo4jStore(server.uri, server.auth, schema=schema, timeout_seconds=30) as store:
        found = store.expand(["k2"], filter={"year_min": 2002}, timeout_seconds=30)
        assert [(n.id, n.distance, n.degree) for n in found] == [("k3", 2, 1), ("k4", 2, 1)]
        assert [(p.id, p.title, p.year) for p in store.papers()] == [
            (f"k{i}", f"H{i}", 2000 + i) for i in range(1, 5)
        ]
        counts = store.counts()
        assert (counts.papers, counts.external, counts.citations) == (4, 0, 3)
        assert store.changes(store.revision) is None
        assert store.paths([("k2", "k3")])["k2", "k3"].nodes == ("k2", "k1", "k3")


def _make_a_graph_of_others(driver: neo4j.Driver) -> None:
    driver.execute_query(
        "UNWIND range(1, 4) AS i"
        " CREATE (:Article {key: 'k' + i, heading: 'H' + i, published: 2000 + i})"
    )
    driver.execute_query(
        "MATCH (a:Article), (b:Article {key: 'k1'}) WHERE a <> b CREATE (a)-[:QUOTES]->(b)"
    )


def test_open_store(empty_neo4j: Server) -> None:
    """An address gives a store on the server, which stands in for nothing."""
    with open_store(empty_neo4j.uri, auth=empty_neo4j.auth, timeout_seconds=30) as store:
        assert (store.backend, store.fallback_reason) == ("neo4j", None)
        with pytest.raises(StoreError) as caught:
            store.counts()
        assert caught.value.code == "SCHEMA_MISSING"


def test_routing_scheme(empty_neo4j: Server) -> None:
    """With neo4j:// reads and writes are routed."""
    uri = empty_neo4j.uri.replace("bolt://", "neo4j://")
    with Neo4jStore(uri, empty_neo4j.auth, timeout_seconds=30) as store:
        store.load(corpus(20))
        assert len(store.expand(["p00001"], timeout_seconds=30)) > 3


def test_a_given_driver(driver: neo4j.Driver) -> None:
    """A driver that was given does all the same, and stays open."""
    papers = corpus(300)
    with Neo4jStore(driver=driver, timeout_seconds=30) as store:
        store.load(papers)
        assert content(store) == in_memory(papers)
    driver.verify_connectivity()


def test_case_35_is_read_as_a_stream(store: Neo4jStore) -> None:
    """Two-kilobyte abstracts are sent in batches bounded by bytes, with progress after each."""
    rows = (
        Paper(f"W{i}", "T", "word " * 400, None, [], [f"W{(i * 7 + k) % 5_000}" for k in range(5)])
        for i in range(5_000)
    )
    seen: list[int] = []

    store.load(rows, progress=lambda report: seen.append(report.papers))

    assert len(seen) > 2
    assert seen[-1] == store.counts().papers == 5_000
