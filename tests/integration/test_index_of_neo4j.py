"""An index on disk of the papers on a Neo4j server."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.commands import run, run_json
from tests.servers.choice import Starter
from tests.servers.handle import Server
from tests.servers.wiping import wipe

from citehop import CitationRepository, InputError, Neo4jStore, Paper, StoreIndex, build_index
from citehop.data import bibliometrics, corpus_lines

pytestmark = pytest.mark.neo4j

TURBID = Paper("x1", "Estuarine turbidity", "", 2001, [], ["p018"])
ALL_PAPERS = "WHERE p.id > $after AND p:Paper"


def _undiagnosed(*arguments: object) -> str:
    document = run_json(*arguments)
    document.pop("diagnostics")
    return json.dumps(document)


@pytest.fixture
def server(empty_neo4j: Server, monkeypatch: pytest.MonkeyPatch) -> Server:
    """An empty server whose user and password are in the environment."""
    _use(empty_neo4j, monkeypatch)
    return empty_neo4j


def _use(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    user, password = server.auth
    monkeypatch.setenv("NEO4J_USERNAME", user)
    monkeypatch.setenv("NEO4J_PASSWORD", password)
    for name in ("LIBRARY", "STORE", "INDEX"):
        monkeypatch.delenv(f"CITEHOP_{name}", raising=False)


def _loaded(server: Server, folder: Path) -> Path:
    """Load the hundred papers and return an index of them."""
    path = folder / "corpus.jsonl"
    path.write_text("".join(corpus_lines()), encoding="utf-8")
    assert run("load", path, "--store", server.uri).exit_code == 0
    assert run_json("build", "--store", server.uri, "-o", folder / "index")["created"] == 100
    return folder / "index"


def test_the_answers_are_those_without_an_index(server: Server, tmp_path: Path) -> None:
    """`search` and `explain` print the same bytes, diagnostics apart, and `evaluate` the same."""
    with bibliometrics() as path:
        assert run("load", path, "--store", server.uri).exit_code == 0
    index = tmp_path / "index"
    assert run_json("build", "--store", server.uri, "-o", index)["created"] == 613
    store, with_index = ("--store", server.uri), ("--store", server.uri, "--index", index)

    for query in ("atypical combinations", "peer review"):
        for more in ((), ("--scoring", "propagation", "--year", "2005..2015")):
            asked = ("search", query, *more)
            assert _undiagnosed(*asked, *with_index) == _undiagnosed(*asked, *store)
    paper = run_json("search", "peer review", *store)["hits"][-1]["doc"]["id"]
    asked = ("explain", "peer review", paper)
    assert run_json(*asked, *with_index) == run_json(*asked, *store)
    queries, qrels = tmp_path / "q.tsv", tmp_path / "qrels.tsv"
    queries.write_text("q1\tpeer review\n", encoding="utf-8")
    qrels.write_text(f"q1\t0\t{paper}\t1\n", encoding="utf-8")
    asked = ("evaluate", "--queries", str(queries), "--qrels", str(qrels))
    assert run_json(*asked, *with_index)["configs"] == run_json(*asked, *store)["configs"]


def test_a_change_is_found_without_reading_all_papers(server: Server, tmp_path: Path) -> None:
    """Following costs the same few statements, however many papers there are."""
    index, sent = _loaded(server, tmp_path), list[str]()

    def note(text: str, _: Mapping[str, Any]) -> None:
        sent.append(text)

    with Neo4jStore(server.uri, server.auth, on_statement=note) as store:
        store.load([TURBID])
        store.remove(["p012"])
        sent.clear()
        repository = CitationRepository(store, index=StoreIndex(index))
        report = repository.refresh()
        following = len(sent)

        assert (report.upserted, report.removed, report.rebuilt) == (1, 1, False)
        assert repository.search("turbidity")[0].doc_id == "x1"
        assert "p012" not in {hit.doc_id for hit in repository.search("pruning of heads")}
        assert not [text for text in sent if ALL_PAPERS in text]
        # What changed and what was removed, asked twice; the new paper, and those around the old.
        assert following == 2 + 2 + 2
        sent.clear()
        CitationRepository(store, index=StoreIndex(index)).refresh()
        assert len(sent) == 2
        plain = CitationRepository(store)
        plain.refresh()
        assert [text for text in sent if ALL_PAPERS in text]
        for query in ("turbidity", "pruning of heads", "sparse attention"):
            with_index = [hit.to_dict() for hit in repository.search(query)]
            assert with_index == [hit.to_dict() for hit in plain.search(query)]


def test_the_index_may_come_from_the_environment(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is used where there is a store, and by the commands that have a use for it."""
    index = _loaded(server, tmp_path)
    monkeypatch.setenv("CITEHOP_STORE", server.uri)
    monkeypatch.setenv("CITEHOP_INDEX", str(index))
    before = (index / "library.json").read_bytes()
    with Neo4jStore(server.uri, server.auth) as store:
        store.load([TURBID])

    assert run_json("show", "x1")["references"] == ["p018"]
    assert (index / "library.json").read_bytes() == before
    assert run_json("search", "turbidity")["hits"][0]["doc"]["id"] == "x1"
    assert (index / "library.json").read_bytes() != before
    assert run("search", "turbidity", "--in", tmp_path / "corpus.jsonl").exit_code == 0


def test_two_searches_at_once_follow_one_change(server: Server, tmp_path: Path) -> None:
    """Both find it; the index is whole and has taken it in."""
    index = _loaded(server, tmp_path)
    with Neo4jStore(server.uri, server.auth) as store:
        store.load([TURBID])
        newest = store.revision
        running = [_search(server, index) for _ in range(2)]
        for process in running:
            out, err = process.communicate(timeout=60)
            assert process.returncode == 0, err
            assert json.loads(out)["hits"][0]["doc"]["id"] == "x1"
        assert StoreIndex(index).revision == newest
        assert len(StoreIndex(index).snapshot().papers) == 101


def _search(server: Server, index: Path) -> subprocess.Popen[str]:
    where = ["--store", server.uri, "--index", str(index), "--json"]
    return subprocess.Popen(
        [sys.executable, "-m", "citehop", "search", "turbidity", *where],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_search_that_is_killed_leaves_the_index_whole(server: Server, tmp_path: Path) -> None:
    """At whatever moment; the next search takes in what it did not."""
    index, chance = _loaded(server, tmp_path), random.Random(6)
    with Neo4jStore(server.uri, server.auth) as store:
        for number in range(6):
            store.load([Paper(f"k{number}", f"Turbidity {number}", "", 2001, [])])
            process = _search(server, index)
            time.sleep(chance.uniform(0.2, 1.2))
            process.kill()
            process.communicate()
            assert StoreIndex(index).snapshot().papers.keys() >= {"p001", "p100"}
        repository = CitationRepository(store, index=StoreIndex(index))
        assert repository.search("turbidity").legs[0].hits == 6
        assert StoreIndex(index).revision == store.revision


def test_a_store_that_was_made_anew_is_another_one(server: Server, tmp_path: Path) -> None:
    """Its old index is refused, with what to do, and left as it is; building it anew mends it."""
    index = _loaded(server, tmp_path)
    wipe(server)
    assert run("load", tmp_path / "corpus.jsonl", "--store", server.uri).exit_code == 0
    asked = ("search", "attention", "--store", server.uri, "--index", index)

    refused = run(*asked)

    assert isinstance(refused.exception, InputError)
    assert refused.exception.code == "INDEX_OF_ANOTHER_STORE"
    assert "citehop build --store" in str(refused.exception)
    assert run("build", "--store", server.uri, "-o", index).exit_code == 0
    assert run(*asked).exit_code == 0


def test_another_analysis_or_a_plain_library_is_refused(server: Server, tmp_path: Path) -> None:
    """Each with its code, and what to do instead."""
    index, plain = _loaded(server, tmp_path), tmp_path / "plain"
    assert run("build", tmp_path / "corpus.jsonl", "-o", plain).exit_code == 0
    asked = ("search", "attention", "--store", server.uri, "--index")

    other, library = run(*asked, index, "--analysis", "english"), run(*asked, plain)

    assert getattr(other.exception, "code", None) == "LIBRARY_ANALYSER"
    assert getattr(library.exception, "code", None) == "NO_INDEX"
    assert run("search", "attention", "--in", index).exit_code == 0


def test_with_the_server_down_the_index_answers(
    own_server: Starter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The keyword hits of the revision that it names; the graph leg says what is wrong."""
    server = own_server()
    _use(server, monkeypatch)
    index = _loaded(server, tmp_path)
    revision = StoreIndex(index).revision
    asked = ("search", "sparse attention", "--store", server.uri, "--index", index)
    before = run_json(*asked)
    server.stop()

    down = run_json(*asked)

    assert down["status"] == "degraded"
    lexical, graph = down["legs"]
    assert (lexical["status"], graph["status"]) == ("success", "failed")
    assert graph["error"]["code"] == "STORE_UNAVAILABLE"
    assert down["diagnostics"]["legs"]["lexical"]["revision"] == revision
    found = {hit["doc"]["id"] for hit in before["hits"] if "lexical" in hit["legs"]}
    assert {hit["doc"]["id"] for hit in down["hits"]} == found
    said = run(*asked).stderr
    assert f"searching {index} as it was at revision {revision}" in said


def test_an_index_is_built_from_python_too(server: Server, tmp_path: Path) -> None:
    """With its own analysis and constants, which the repository must ask for."""
    with Neo4jStore(server.uri, server.auth) as store:
        store.load([TURBID])
        build_index(tmp_path / "index", store, analysis="english", b=0.5)
        index = StoreIndex(tmp_path / "index")
        repository = CitationRepository(store, index=index, analysis="english", b=0.5)

        assert repository.search("estuarine")[0].doc_id == "x1"
