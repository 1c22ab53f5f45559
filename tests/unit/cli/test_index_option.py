"""The option `--index`, as far as it needs no server."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.commands import run

from citehop.errors import InputError
from citehop.graph.networkx import NetworkXStore
from citehop.library.store_index import StoreIndex, build_index
from citehop.paper import Paper

NOBODY = "bolt://127.0.0.1:9"
PAPERS = [
    Paper("marsh", "Salt marshes", "", 1999, [], ["tide"]),
    Paper("tide", "Tides and mud", "", 1998, []),
]


@pytest.fixture(autouse=True)
def _no_surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LIBRARY", "STORE", "INDEX"):
        monkeypatch.delenv(f"CITEHOP_{name}", raising=False)
    monkeypatch.setenv("NEO4J_USERNAME", "neo4j")
    monkeypatch.setenv("NEO4J_PASSWORD", "not used")


@pytest.fixture
def index(tmp_path: Path) -> Path:
    """An index of two papers."""
    store = NetworkXStore()
    store.load(PAPERS)
    build_index(tmp_path / "index", store)
    return tmp_path / "index"


def test_where_no_server_answers_the_index_does(index: Path) -> None:
    """The search ends well, with the keyword hits, a failed graph leg, and a warning."""
    done = run("search", "salt", "--store", NOBODY, "--index", index, "--json")

    assert done.exit_code == 0
    document = json.loads(done.stdout)
    assert document["status"] == "degraded"
    assert [hit["doc"]["id"] for hit in document["hits"]] == ["marsh"]
    assert document["hits"][0]["doc"]["references"] == ["tide"]
    assert [leg["status"] for leg in document["legs"]] == ["success", "failed"]
    assert document["legs"][1]["error"]["code"] == "STORE_UNAVAILABLE"
    revision = StoreIndex(index).revision
    assert document["diagnostics"]["legs"]["lexical"]["revision"] == revision
    assert f"searching {index} as it was at revision {revision}" in done.stderr


def test_a_plan_runs_on_the_index_too(index: Path, tmp_path: Path) -> None:
    """`plan` takes it as `search` does."""
    (tmp_path / "plan.toml").write_text("top_k = 1\n", encoding="utf-8")
    done = run("plan", tmp_path / "plan.toml", "mud", "--store", NOBODY, "--index", index, "--json")

    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["status"] == "degraded"


def test_without_an_index_a_server_that_is_down_is_an_error() -> None:
    """There is nothing to search then."""
    done = run("search", "salt", "--store", NOBODY)

    assert done.exit_code == 1
    assert getattr(done.exception, "code", None) == "STORE_UNAVAILABLE"


def test_an_index_goes_with_a_store(
    index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Named beside files it is refused; from the environment it is left alone there."""
    (tmp_path / "papers.jsonl").write_text('{"id": "a", "title": "Salt"}\n', encoding="utf-8")
    files = ("search", "salt", "--in", tmp_path / "papers.jsonl")

    refused = run(*files, "--index", index)

    assert refused.exit_code == 2
    assert "name the store with --store" in " ".join(refused.stderr.split())
    monkeypatch.setenv("CITEHOP_INDEX", str(index))
    assert run(*files).exit_code == 0


def test_what_is_no_index_is_refused_before_the_server_is_asked(
    index: Path, tmp_path: Path
) -> None:
    """A folder that is not there, and an index of another analysis, say what is wrong."""
    asked = ("search", "salt", "--store", NOBODY, "--index")

    missing = run(*asked, tmp_path / "nothing")
    other = run(*asked, index, "--analysis", "english")

    assert isinstance(missing.exception, InputError)
    assert missing.exception.code == "NO_LIBRARY"
    assert isinstance(other.exception, InputError)
    assert "was built with --analysis plain, not english" in str(other.exception)


def test_an_index_is_searched_as_a_library_too(index: Path) -> None:
    """With a word that it is the papers of a store; it is not added to."""
    done = run("search", "salt", "--in", index, "--json")

    assert [hit["doc"]["id"] for hit in json.loads(done.stdout)["hits"]] == ["marsh", "tide"]
    assert "the papers of a store, as they were" in done.stderr
    added = run("remove", "marsh", "--in", index)
    assert getattr(added.exception, "code", None) == "INDEX_FOLLOWS_STORE"


def test_a_build_takes_files_or_a_store(tmp_path: Path) -> None:
    """Neither, or both, is a mistake that is told."""
    (tmp_path / "papers.jsonl").write_text('{"id": "a", "title": "Salt"}\n', encoding="utf-8")
    for given in ((), (tmp_path / "papers.jsonl", "--store", NOBODY)):
        done = run("build", *given, "-o", tmp_path / "out")
        assert done.exit_code == 2
        assert "files, or a store with --store, and not both" in " ".join(done.stderr.split())
    assert not (tmp_path / "out").exists()
    assert run("search", "salt", "--store", "http://x", "--index", tmp_path).exit_code == 2
