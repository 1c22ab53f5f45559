"""The commands on a Neo4j server, and the same bytes from both stores."""

from __future__ import annotations

import json
from pathlib import Path

import neo4j
import pytest
from tests.commands import run
from tests.servers.handle import Server

from citehop import Paper
from citehop.data import bibliometrics, corpus_lines

pytestmark = pytest.mark.neo4j


def _search(*arguments: object) -> str:
    done = run("search", *arguments, "--json")
    assert done.exit_code == 0, done.output
    document = json.loads(done.stdout)
    assert document.pop("diagnostics")
    return json.dumps(document)


@pytest.fixture
def server(empty_neo4j: Server, monkeypatch: pytest.MonkeyPatch) -> Server:
    """An empty server whose user and password are in the environment."""
    user, password = empty_neo4j.auth
    monkeypatch.setenv("NEO4J_USERNAME", user)
    monkeypatch.setenv("NEO4J_PASSWORD", password)
    monkeypatch.delenv("CITEHOP_LIBRARY", raising=False)
    return empty_neo4j


def test_the_demo_papers_give_the_same_answer_from_both_stores(server: Server) -> None:
    """`search --json` is byte-identical, diagnostics apart."""
    with bibliometrics() as path:
        loaded = run("load", path, "--store", server.uri, "--json")
        assert loaded.exit_code == 0, loaded.output
        assert json.loads(loaded.stdout)["created"] == 613
        for query in ("atypical combinations", "author ranking", "peer review", "h-index"):
            for more in ((), ("--direction", "references"), ("--year", "2005..2015")):
                here = _search(query, "--in", path, *more)
                assert _search(query, "--store", server.uri, *more) == here


@pytest.mark.shared
def test_the_acl_papers_give_the_same_answer_from_both_stores(
    server: Server, shared_dir: Path
) -> None:
    """So are the answers over 1,672 papers with cycles, edges stated in a table of their own."""
    acl = shared_dir / "data" / "acl_scisumm"
    files = ("--in", acl / "papers.jsonl", "--in", acl / "edges_inside.tsv")
    loaded = run(
        "load", acl / "papers.jsonl", acl / "edges_inside.tsv", "--store", server.uri, "--json"
    )
    assert json.loads(loaded.stdout)["created"] == 1672

    for query in ("statistical machine translation", "part of speech tagging", "coreference"):
        assert _search(query, "--store", server.uri) == _search(query, *files)


def test_neighbours_show_and_stats_work_on_the_server(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The address may come from the environment; loading again changes nothing."""
    path = tmp_path / "corpus.jsonl"
    path.write_text("".join(corpus_lines()), encoding="utf-8")
    monkeypatch.setenv("CITEHOP_STORE", server.uri)
    first, second = run("load", path, "--json"), run("load", path, "--json")

    assert json.loads(first.stdout)["created"] == 100
    assert json.loads(second.stdout)["unchanged"] == 100
    assert json.loads(run("stats", "--json").stdout)["citations_between_papers"] == 192
    assert json.loads(run("show", "p018", "--json").stdout)["id"] == "p018"
    near = json.loads(run("neighbours", "p018", "--json").stdout)["neighbours"]
    here = json.loads(run("neighbours", "p018", "--json", "--in", path).stdout)["neighbours"]
    assert near == here
    assert near


def test_the_statements_that_ran_can_be_pasted(server: Server, tmp_path: Path) -> None:
    """`--cypher` prints `:param` lines and statements; run by hand they give rows."""
    path = tmp_path / "corpus.jsonl"
    path.write_text("".join(corpus_lines()), encoding="utf-8")
    assert run("load", path, "--store", server.uri).exit_code == 0

    done = run("search", "sparse attention", "--store", server.uri, "--cypher")

    assert done.exit_code == 0, done.output
    assert ":param seeds => [" in done.stdout
    assert ":CITES*1.." in done.stdout


def test_a_wrong_password_is_one_line_without_the_password(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error has its code's words and no credential."""
    monkeypatch.setenv("NEO4J_PASSWORD", "not-the-password")

    done = run("stats", "--store", server.uri)

    assert done.exit_code == 1
    assert getattr(done.exception, "code", None) == "AUTH_FAILED"
    assert "not-the-password" not in str(done.exception)


def test_a_paper_added_elsewhere_is_found_by_the_next_command(server: Server) -> None:
    """Each command reads the store as it is."""
    from citehop import Neo4jStore

    with Neo4jStore(server.uri, server.auth) as store:
        store.load([Paper("x1", "Estuarine turbidity", "", 2001, [])])
    with neo4j.GraphDatabase.driver(server.uri, auth=server.auth) as driver:
        records, _, _ = driver.execute_query("MATCH (p:Paper) RETURN p.id AS id")

    assert [record["id"] for record in records] == ["x1"]
    assert json.loads(_search("turbidity", "--store", server.uri))["hits"][0]["id"] == "x1"
