"""What the documents show is what happens."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from citehop.cli.app import app

ROOT = Path(__file__).resolve().parent.parent
PAGES = ["README.md", *sorted(str(p.relative_to(ROOT)) for p in (ROOT / "docs").glob("*.md"))]
COMMANDS = sorted(
    command.callback.__name__ for command in app.registered_commands if command.callback
)
_BLOCK = re.compile(r"```python\n(?P<code>.*?)```(?:\s*```text\n(?P<output>.*?)```)?", re.DOTALL)


def _blocks() -> list[tuple[str, str, str | None]]:
    """Each block with those above it on its page, as a reader would type them."""
    blocks = []
    for page in PAGES:
        above = ""
        for match in _BLOCK.finditer((ROOT / page).read_text(encoding="utf-8")):
            above += match["code"]
            blocks.append((page, above, match["output"]))
    return blocks


@pytest.mark.parametrize(("page", "code", "output"), _blocks())
def test_python_examples_run_and_show_their_output(
    page: str, code: str, output: str | None
) -> None:
    """Each Python block of the documents runs; where a text block follows, that is its output."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, f"{page}: {done.stderr}"
    if output is not None:
        assert done.stdout.endswith(output)


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_is_in_the_readme_and_its_help_ends_with_an_example(command: str) -> None:
    """A command is documented, and its help's last line is an example of it."""
    shown = CliRunner().invoke(app, [command, "--help"])

    last = shown.output.strip().splitlines()[-1]
    assert shown.exit_code == 0
    assert f"citehop {command}" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert (
        last.strip().startswith(f"Example: citehop {command}") or "Example:" in shown.output[-300:]
    )


def test_the_general_help_ends_with_an_example() -> None:
    """So does the help of the command itself."""
    shown = CliRunner().invoke(app, ["--help"])

    assert shown.exit_code == 0
    assert "Example: citehop search" in shown.output.strip().splitlines()[-1]


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", *PAGES[1:]])
def test_files_that_the_documents_name_are_there(page: str) -> None:
    """A path in backquotes that looks like one of the tree's own files exists."""
    text = (ROOT / page).read_text(encoding="utf-8")
    named = re.findall(r"`((?:docs|src|cypher|docker|tests|benchmarks)/[\w./-]*)`", text)

    assert [path for path in named if not (ROOT / path).exists()] == []
