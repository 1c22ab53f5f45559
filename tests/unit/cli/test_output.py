"""The whole command where its output goes somewhere unusual: no traceback, a documented exit."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from citehop.cli import main


@pytest.fixture
def one_paper(tmp_path: Path) -> Path:
    """A file of one paper whose title ASCII does not hold."""
    path = tmp_path / "papers.jsonl"
    path.write_text('{"id": "a", "title": "Ångström scale"}\n', encoding="utf-8")
    return path


def _exit_code(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> object:
    monkeypatch.setattr(sys, "argv", ["citehop", *map(str, arguments)])
    with pytest.raises(SystemExit) as left:
        main()
    return left.value.code


def test_a_table_escapes_what_the_output_cannot_hold(
    monkeypatch: pytest.MonkeyPatch, one_paper: Path
) -> None:
    """On an output of ASCII a letter beyond it is written as its escape."""
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    assert _exit_code(monkeypatch, "show", "a", "--in", one_paper) == 0
    assert b"\ntitle\t\\xc5ngstr\\xf6m scale\n" in raw.getvalue().replace(b"\r\n", b"\n")


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_json_is_json_in_every_encoding_and_for_every_query(
    monkeypatch: pytest.MonkeyPatch, one_paper: Path, encoding: str
) -> None:
    """A byte of the command line that is no text comes back escaped, and the title whole."""
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding=encoding))
    assert _exit_code(monkeypatch, "search", "scale \udcff", "--in", one_paper, "--json") == 0
    document = json.loads(raw.getvalue().decode(encoding))
    assert document["query"] == "scale \udcff"
    assert document["hits"][0]["doc"]["title"] == "Ångström scale"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
@pytest.mark.parametrize("arguments", [("--help",), ("show", "a"), ("search", "scale", "--json")])
def test_a_full_disk_is_one_line_and_exit_1(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    one_paper: Path,
    arguments: tuple[str, ...],
) -> None:
    """What cannot be written is an error of one line, also when it is noticed at the end."""
    monkeypatch.setenv("CITEHOP_LIBRARY", str(one_paper))
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        monkeypatch.setattr(sys, "stdout", full)
        assert _exit_code(monkeypatch, *arguments) == 1
    complaints = [
        line for line in capsys.readouterr().err.splitlines() if line.startswith("citehop: ")
    ]
    assert complaints == ["citehop: No space left on device"]


@pytest.mark.parametrize("closed", ["stdout", "stderr"])
def test_an_output_that_is_closed_swallows_what_is_written(
    monkeypatch: pytest.MonkeyPatch, one_paper: Path, closed: str
) -> None:
    """Without standard output, or standard error, the command runs to its end."""
    monkeypatch.setattr(sys, closed, None)
    try:
        assert _exit_code(monkeypatch, "search", "scale", "--in", one_paper) == 0
    finally:
        getattr(sys, closed).close()


def test_ctrl_c_is_one_line_and_exit_130(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], one_paper: Path
) -> None:
    """An interruption while files are read ends in a word on standard error, and no traceback."""

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("citehop.cli.reading.read_papers", interrupted)
    assert _exit_code(monkeypatch, "stats", "--in", one_paper) == 130
    printed = capsys.readouterr()
    assert (printed.out, printed.err.strip()) == ("", "citehop: interrupted")


def test_what_the_system_refuses_is_one_line_and_exit_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A name that no file can have is an error of one line that names it."""
    name = f"/{'x' * 300}"
    assert _exit_code(monkeypatch, "stats", "--in", name) == 1
    assert capsys.readouterr().err == f"citehop: File name too long: {name}\n"


@pytest.mark.parametrize(("excluded", "code"), [("", 2), ("  ", 2), (" a ", 0)])
def test_an_id_to_exclude_is_trimmed_and_not_empty(
    monkeypatch: pytest.MonkeyPatch, one_paper: Path, excluded: str, code: int
) -> None:
    """Blanks around an id mean nothing; nothing but blanks is wrong usage."""
    arguments = ("search", "scale", "--in", one_paper, "--exclude", excluded)
    assert _exit_code(monkeypatch, *arguments) == code
