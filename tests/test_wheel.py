"""What users install: the wheel, built and unpacked into a folder of its own, away from `src`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LOOK = """
import json, citehop
from citehop.data import bibliometrics, corpus_lines
from citehop.graph import cypher

with bibliometrics() as path:
    size = path.stat().st_size
print(json.dumps({
    "from": citehop.__file__,
    "version": citehop.__version__,
    "statements": cypher.names(),
    "walk": cypher.render("search/expand", hops=3),
    "lines": len(list(corpus_lines())),
    "size": size,
}))
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the wheel was installed into; nothing is fetched."""
    made = tmp_path_factory.mktemp("wheel")
    folder = tmp_path_factory.mktemp("installed")
    _done([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(made)], ROOT)
    (wheel,) = made.glob("citehop-*-py3-none-any.whl")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    _done([*pip, "--no-compile", "--target", str(folder), str(wheel)], made)
    return folder


def _done(command: list[str], where: Path, **environment: str) -> str:
    done = subprocess.run(
        command,
        cwd=where,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def _run(installed: Path, *arguments: str) -> str:
    """Run Python with the folder, and the packages that citehop needs, but not `src`."""
    # -S leaves out the .pth file by which the checkout is installed for development.
    packages = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    path = os.pathsep.join([str(installed), *sorted(packages)])
    return _done([sys.executable, "-S", *arguments], installed, PYTHONPATH=path)


def test_statements_and_data_are_found(installed: Path) -> None:
    """The installed package reads its own Cypher and its own papers, all that the checkout has."""
    seen = json.loads(_run(installed, "-c", LOOK))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    statements = {
        f"{file.parent.name}/{file.stem}" for file in (ROOT / "cypher").glob("*/*.cypher")
    }

    assert Path(seen["from"]).is_relative_to(installed)
    assert seen["version"] == project["project"]["version"]
    assert set(seen["statements"]) == statements
    assert "[:CITES*1..3]" in seen["walk"]
    assert seen["lines"] == 100
    assert seen["size"] == (ROOT / "src/citehop/data/bibliometrics.jsonl.gz").stat().st_size


def test_every_file_is_there(installed: Path) -> None:
    """Modules, type marker, the Browser's style and the licence are in the wheel."""
    source = ROOT / "src" / "citehop"
    wanted = {file.relative_to(source) for file in source.rglob("*.py")}
    had = {file.relative_to(installed / "citehop") for file in installed.glob("citehop/**/*.py")}

    assert had == wanted
    for name in ("citehop/py.typed", "citehop/cypher/browser/style.grass"):
        assert (installed / name).is_file()
    (info,) = installed.glob("citehop-*.dist-info")
    assert {file.name for file in (info / "licenses").iterdir()} == {"LICENSE", "NOTICE"}


def test_the_command_runs(installed: Path) -> None:
    """The command that the wheel installs shows its help, and the demo finds its paper."""
    command = str(installed / "bin" / "citehop")

    assert "neighbours" in _run(installed, command, "--help")
    assert "found because it cites" in _run(installed, command, "demo")
