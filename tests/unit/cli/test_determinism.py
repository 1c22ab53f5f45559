"""The same corpus and query give the same bytes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from citehop.data import corpus_lines

QUERIES = ["attention sparsity head pruning", "benchmark", "retrieval passages", "nosuchword"]
CODE = """
import json, sys
from typer.testing import CliRunner
from citehop.cli.app import app
for query in json.loads(sys.argv[1]):
    document = json.loads(CliRunner().invoke(app, ["search", query, *sys.argv[2:]]).stdout)
    assert document.pop("diagnostics")
    print(json.dumps(document))
"""


def _search(paths: list[Path], seed: int) -> str:
    command = [sys.executable, "-c", CODE, json.dumps(QUERIES), "--json", "--top", "100"]
    for path in paths:
        command += ["--in", str(path)]
    environment = {**os.environ, "PYTHONHASHSEED": str(seed)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return done.stdout


def test_output_is_the_same_across_hash_seeds_file_orders_and_processes(tmp_path: Path) -> None:
    """But for `diagnostics`, the JSON is byte-identical however the papers come."""
    lines = list(corpus_lines())
    forward, backward = tmp_path / "forward.jsonl", tmp_path / "backward.jsonl"
    forward.write_text("".join(lines), encoding="utf-8")
    backward.write_text("".join(line.strip() + "\n" for line in lines[::-1]), encoding="utf-8")
    halves = [tmp_path / "first.jsonl", tmp_path / "second.jsonl"]
    halves[0].write_text("".join(lines[:50]), encoding="utf-8")
    halves[1].write_text("".join(lines[50:]), encoding="utf-8")

    expected = _search([forward], 0)

    assert len(expected.splitlines()) == len(QUERIES)
    assert _search([backward], 1) == expected
    assert _search(halves, 2) == expected
    assert _search(halves[::-1], 3) == expected
