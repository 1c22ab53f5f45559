"""`citehop build`, interrupted and run again."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from tests.unit.library.test_resume import PAPERS, PART, Stop
from typer.testing import CliRunner

from citehop.cli import reading as cli_reading
from citehop.cli.app import app
from citehop.errors import InputError
from citehop.library import unfinished
from citehop.library.unfinished import Unfinished
from citehop.paper import Paper


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unfinished, "PART_PAPERS", PART)
    monkeypatch.setattr(os, "fsync", lambda _number: None)


def _write(path: Path, papers: list[Paper]) -> Path:
    path.write_text("".join(json.dumps(paper.to_dict()) + "\n" for paper in papers), "utf-8")
    return path


def test_the_command_goes_on_without_reading_its_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C says that it can be run again; that says what it goes on from."""
    file, out = _write(tmp_path / "papers.jsonl", PAPERS), tmp_path / "library"
    asked = ["build", str(file), "-o", str(out), "--json"]
    reads: Counter[str] = Counter()
    read_merged = cli_reading.read_merged

    def counted(*arguments: Any, **named: Any) -> Any:
        reads["files"] += 1
        return read_merged(*arguments, **named)

    monkeypatch.setattr(cli_reading, "read_merged", counted)
    with patch.object(Unfinished, "keep_part", Stop(Unfinished.keep_part, 3)):
        stopped = CliRunner().invoke(app, asked)
    done = CliRunner().invoke(app, asked)

    assert stopped.exit_code == 130
    assert "interrupted; run it again to go on" in stopped.stderr
    assert "230 papers were read, 100 of them indexed" in done.stderr
    assert json.loads(done.stdout)["created"] == 230
    assert reads["files"] == 1


def test_an_unfinished_library_says_so(tmp_path: Path) -> None:
    """Searching what an interrupted build left names the build, and reads none of its files."""
    file, out = _write(tmp_path / "papers.jsonl", PAPERS), tmp_path / "library"
    with patch.object(Unfinished, "keep_part", Stop(Unfinished.keep_part, 3)):
        CliRunner().invoke(app, ["build", str(file), "-o", str(out)])
    searched = CliRunner().invoke(app, ["search", "tide", "--in", str(out)])

    assert isinstance(searched.exception, InputError)
    assert searched.exception.code == "NO_LIBRARY"
    assert "whose build was interrupted" in str(searched.exception)


def test_a_build_that_kept_nothing_says_so(tmp_path: Path) -> None:
    """Stopped while it writes down what it read, it leaves nothing and promises nothing."""
    file, out = _write(tmp_path / "papers.jsonl", PAPERS), tmp_path / "library"
    asked = ["build", str(file), "-o", str(out), "--json"]
    with patch.object(Unfinished, "_note", Stop(Unfinished._note, 2)):
        stopped = CliRunner().invoke(app, asked)
    left = out.exists()
    done = CliRunner().invoke(app, asked)

    assert stopped.exit_code == 130
    assert "nothing of it is kept" in stopped.stderr
    assert not left
    assert json.loads(done.stdout)["created"] == 230


@pytest.mark.parametrize(
    "change",
    [
        lambda file: _write(file, PAPERS[:-1]),
        lambda file: os.utime(file, ns=(1, 1)),
        lambda _: ["--strict"],
        lambda _: ["--analysis", "english"],
    ],
)
def test_the_command_starts_anew_where_anything_differs(
    tmp_path: Path, change: Callable[[Path], object]
) -> None:
    """Files of another size or time, and other options, are another build."""
    file, out = _write(tmp_path / "papers.jsonl", PAPERS), tmp_path / "library"
    with patch.object(Unfinished, "keep_part", Stop(Unfinished.keep_part, 3)):
        assert CliRunner().invoke(app, ["build", str(file), "-o", str(out)]).exit_code == 130
    more = change(file)
    options = more if isinstance(more, list) else []
    done = CliRunner().invoke(app, ["build", str(file), "-o", str(out), *options])

    assert done.exit_code == 0, done.output
    assert "what an interrupted build left is thrown away" in done.stderr


def test_a_build_from_a_pipe_is_no_draft(tmp_path: Path) -> None:
    """What comes through a pipe comes once, so nothing is kept of it."""
    os.mkfifo(tmp_path / "pipe")

    assert cli_reading.named_source([tmp_path / "pipe"], strict=False) is None
