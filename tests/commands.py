"""The command line, run within the test's own process."""

from __future__ import annotations

import json
from typing import Any

from typer.testing import CliRunner

from citehop.cli.app import app


def run(*arguments: object) -> Any:
    """Run `citehop` with these arguments, and return what typer's runner tells of it."""
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def run_json(*arguments: object) -> dict[str, Any]:
    """Run `citehop … --json`, which must succeed, and return its document."""
    done = run(*arguments, "--json")
    assert done.exit_code == 0, done.output
    document: dict[str, Any] = json.loads(done.stdout)
    return document
