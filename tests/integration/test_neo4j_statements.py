"""Every file of ``cypher/`` on a real server: it runs, by a cheap plan, without notices."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import neo4j
import pytest
from tests.servers.handle import Server
from tests.servers.wiping import wipe

from citehop.graph import cypher
from citehop.graph.neo4j import Neo4jStore
from citehop.paper import Paper

ROWS = [{"key": "a", "references": ["b"], "citations": ["c"], "order": "a", "properties": {}}]
NAMES = ["10.5555/a"]
FILTER = dict.fromkeys(("year_min", "year_max", "sources", "venues", "authors", "retracted", "ids"))
PARAMETERS: dict[str, Any] = {
    "ids": ["a", "b"],
    "names": NAMES,
    "rows": ROWS,
    "revision": 3,
    "store": "name",
    "properties": ["title"],
    "since": 0,
    "keep": 10,
    "seeds": ["a"],
    "known": ["a"],
    "at": 2,
    "room": 10,
    "odd_ids": True,
    "exclude": ["x"],
    "pairs": [["a", "c"]],
    "after": "",
    "id": "a",
    "from": "a",
    "to": "c",
}
SEEKS = {
    "NodeUniqueIndexSeek",
    "NodeIndexSeek",
    "NodeIndexSeekByRange",
    "NodeUniqueIndexSeekByRange",
}
WALKS = tuple(name for name in cypher.names() if name.startswith("search/expand"))
CHAINS = ("search/paths", "search/paths_inside")
POINTS = ("search/seeds", "search/get", "search/papers", "search/changed", "load/known")


def parameters_of(name: str) -> dict[str, Any]:
    """Return parameters with which a statement runs."""
    special: dict[str, dict[str, Any]] = {
        "load/papers": {"rows": [{"key": "a", "properties": {"title": "A"}}]},
        "load/remove": {"properties": {"title": None}},
        "search/papers": {"rows": 10},
        "schema/drop_orphan": {"index": "of_nobody"},
    }
    return PARAMETERS | FILTER | special.get(name, {})


@pytest.fixture(scope="module", params=["long-term", "calendar"])
def neo4j_each_version(request: pytest.FixtureRequest) -> Server:
    """The server of each version, for all tests of this module."""
    name = {"long-term": "neo4j_server", "calendar": "neo4j_calendar_server"}[request.param]
    server: Server = request.getfixturevalue(name)
    return server


@pytest.fixture(scope="module")
def driver(neo4j_each_version: Server) -> Iterator[neo4j.Driver]:
    """A driver of a server that holds a few papers."""
    wipe(neo4j_each_version)
    with Neo4jStore(neo4j_each_version.uri, neo4j_each_version.auth) as store:
        store.load(papers())
    with neo4j.GraphDatabase.driver(
        neo4j_each_version.uri, auth=neo4j_each_version.auth, warn_notification_severity="OFF"
    ) as made:
        # By what is there now, not by what other tests had there before.
        made.execute_query("CALL db.prepareForReplanning()")
        yield made


def papers() -> list[Paper]:
    """Return papers that use every kind of node and edge."""
    ring = [
        Paper(f"r{i:03}", f"T{i}", "", 1990, ["A"], [f"r{(i + 1) % 500:03}"]) for i in range(500)
    ]
    return [
        Paper("a", "A", "", 2000, ["X"], ["b", "x"], external_ids={"doi": "10.5555/a"}),
        Paper("b", "B", "", 2001, [], ["c"], ["a"]),
        Paper("c", "C", "", None, [], [], ["d"]),
        *ring,
    ]


def operators(plan: dict[str, Any]) -> Iterator[str]:
    """Yield the names of a plan's operators."""
    yield plan["operatorType"].split("@")[0]
    for child in plan.get("children", ()):
        yield from operators(child)


def explained(driver: neo4j.Driver, text: str, parameters: dict[str, Any]) -> set[str]:
    """Return the operators of a statement, having checked that the server has nothing to say."""
    with driver.session() as session:
        summary = session.run(f"EXPLAIN {text}", parameters).consume()
    noted = [
        status
        for status in (
            summary.metadata.get("statuses") or summary.metadata.get("notifications") or ()
        )
        if status.get("code") or status.get("neo4j_code")
    ]
    assert noted == []
    assert summary.plan is not None
    return set(operators(summary.plan))


@pytest.mark.parametrize("name", cypher.names())
def test_runs_as_it_stands(driver: neo4j.Driver, name: str) -> None:
    """Each file runs with its defaults, and its header says what it is for."""
    for word in ("// Purpose: ", "// Parameters: ", "// Returns: ", "// Caller: "):
        assert word in cypher.header(name)
    text = cypher.statement(name)
    assert all(ord(sign) < 0x2000 for sign in text)
    with driver.session() as session:
        if name.startswith("schema/"):
            session.run(text, parameters_of(name)).consume()
            return
        with session.begin_transaction() as transaction:
            transaction.run(text, parameters_of(name)).consume()
            transaction.rollback()


@pytest.mark.parametrize("hops", [2, 3, 4])
@pytest.mark.parametrize("direction", ["both", "references", "citations"])
@pytest.mark.parametrize("name", WALKS)
def test_walks_are_pruned(driver: neo4j.Driver, name: str, direction: Any, hops: int) -> None:
    """A walk is breadth first, visits a node once, and begins at the index."""
    text = cypher.render(name, hops=hops, direction=direction)

    used = explained(driver, text, parameters_of(name))

    assert {op for op in used if op.startswith("VarLength")} == {"VarLengthExpand(Pruning,BFS,All)"}
    assert used & SEEKS
    assert not any("Scan" in op for op in used)


@pytest.mark.parametrize("hops", [1, 2, 3, 4])
@pytest.mark.parametrize("name", CHAINS)
def test_chains_meet_in_the_middle(driver: neo4j.Driver, name: str, hops: int) -> None:
    """A chain is a shortest-path search between two ends found by the index."""
    used = explained(driver, cypher.render(name, hops=hops), parameters_of(name))

    assert "ShortestPath" in used
    assert not any(op.startswith("VarLength") or "Scan" in op for op in used)
    assert used & SEEKS


@pytest.mark.parametrize("name", [*POINTS, *(n for n in cypher.names() if "/by_" in n)])
def test_look_ups_use_an_index(driver: neo4j.Driver, name: str) -> None:
    """Papers are looked up, never looked for."""
    used = explained(driver, cypher.render(name), parameters_of(name))

    assert used & SEEKS
    assert not any(op.endswith("Scan") and op != "NodeIndexScan" for op in used)


@pytest.mark.parametrize("name", [n for n in cypher.names() if n.startswith(("load/", "browser/"))])
def test_no_notices(driver: neo4j.Driver, name: str) -> None:
    """The server has nothing to remark: nothing deprecated, no cartesian product."""
    explained(driver, cypher.render(name), parameters_of(name))


@pytest.mark.parametrize("name", [n for n in cypher.names() if n.startswith("browser/")])
def test_browser_queries_stay_below_its_nodes(driver: neo4j.Driver, name: str) -> None:
    """Around a hub of 500 each saved query shows fewer than 300 nodes, and at least one."""
    with driver.session() as session, session.begin_transaction() as transaction:
        transaction.run(
            "MATCH (hub:Work {id: 'a'}) MATCH (p:Paper) WHERE p.id STARTS WITH 'r'"
            " CREATE (p)-[:CITES]->(hub)"
        ).consume()
        graph = transaction.run(
            cypher.statement(name),
            PARAMETERS | {"seeds": ["r001", "r002"], "from": "r001", "to": "r250"},
        ).graph()
        assert 0 < len(graph.nodes) < 300
        transaction.rollback()
