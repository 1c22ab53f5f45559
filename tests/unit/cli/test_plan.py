"""The command `plan`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from citehop import CitationRepository, NetworkXStore, build_corpus, load_plan
from citehop.cli.app import app

PLAN = """
top_k = 3
[retrieval]
max_hops = 1
[transform]
use = "queries"
queries = ["{query} sediment"]
[rerank]
use = "citations"
[compress]
use = "characters"
max_chars = 40
"""
PAPERS = [
    {"id": "marsh", "title": "Salt marsh accretion", "year": 2012, "references": ["tide"]},
    {"id": "tide", "title": "Tidal range and sediment", "year": 1998},
    {"id": "storm", "title": "Hurricanes bring mud", "year": 2019, "references": ["marsh"]},
]


def _run(tmp_path: Path, plan: str, *options: str) -> Any:
    file, papers = tmp_path / "plan.toml", tmp_path / "papers.jsonl"
    file.write_text(plan, encoding="utf-8")
    papers.write_text("".join(json.dumps(p) + "\n" for p in PAPERS), encoding="utf-8")
    arguments = ["plan", str(file), "marsh", "--in", str(papers), *options]
    return CliRunner().invoke(app, arguments)


def test_a_plan_shows_its_stages_legs_and_hits(tmp_path: Path) -> None:
    """Each stage and each query's legs have a line; the hits say which query found them."""
    done = _run(tmp_path, PLAN)

    rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert done.exit_code == 0
    assert rows[0] == "rank score queries year id title kept".split()
    assert {row[4] for row in rows[1:]} == {"marsh", "tide", "storm"}
    for stage in ("transform", "retrieve", "fuse", "rerank", "compress"):
        assert f"✓ {stage}" in done.stderr
    assert "q1: marsh sediment" in done.stderr


def test_a_plan_as_json_keeps_what_may_differ_apart(tmp_path: Path) -> None:
    """The run id and the seconds stand in `diagnostics`; the budget of text is kept to."""
    document = json.loads(_run(tmp_path, PLAN, "--json").stdout)

    diagnostics = document.pop("diagnostics")
    assert document["status"] == "success"
    assert diagnostics["run_id"]
    assert "elapsed_seconds" not in json.dumps(document)
    assert sum(len(hit["kept_text"]) for hit in document["hits"]) <= 40


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        ("[retrieval]\nhops = 2\n", "config has unknown keys ['hops']; it may hold top_k_lexical"),
        ("[retrieval]\nmax_hops = 9\n", "max_hops must be from 0 to 4, not 9"),
        ("[rerank]\nuse = 'magic'\n", "rerank.use must be"),
        ("topk = 1\n", "topk"),
        ("top_k = \n", "is no TOML"),
    ],
)
def test_a_wrong_plan_is_refused_with_its_file(tmp_path: Path, plan: str, message: str) -> None:
    """Unknown keys, values out of range and broken TOML name the file and what was expected."""
    done = _run(tmp_path, plan)

    assert done.exit_code == 1
    assert message in str(done.exception)
    assert "plan.toml" in str(done.exception)


def test_a_plan_from_a_file_runs_over_a_repository(tmp_path: Path) -> None:
    """Its table of the search's configuration is taken by the repository as it is."""
    file = tmp_path / "plan.toml"
    file.write_text(PLAN, encoding="utf-8")
    store = NetworkXStore()
    store.load(build_corpus())

    result = load_plan(file).run(CitationRepository(store), "attention sparsity")

    assert result.status == "success"
    assert len(result) == 3


@pytest.mark.parametrize(
    ("config", "error"), [({"hops": 1}, ValueError), ({"max_hops": 9}, ValueError), (7, TypeError)]
)
def test_a_configuration_that_is_none_is_refused(config: Any, error: type[Exception]) -> None:
    """Unknown keys, values out of range, and what is no mapping."""
    with pytest.raises(error):
        CitationRepository(NetworkXStore()).search("salt", config=config)
