"""Imports go one way."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import citehop

# Which packages a module of the left one may import; `errors` to `outcome` stand in order.
_BASE = ["errors", "bounds", "deadline", "sentences", "identifiers", "paper", "outcome"]
_ALLOWED: dict[str, set[str]] = {
    **{name: set(_BASE[:position]) for position, name in enumerate(_BASE)},
    "lexical": {*_BASE},
    "graph": {*_BASE},
    "library": {*_BASE, "lexical", "graph", "search"},
    "sources": {*_BASE} - {"outcome"},
    "data": {*_BASE},
    "search": {*_BASE, "lexical", "graph.store", "data"},
    "evaluation": {"errors", "outcome"},
    "plan": {"errors", "deadline", "sentences", "outcome"},
    "testing": {*_BASE, "graph.store", "data"},
    "cli": {
        *_BASE,
        "lexical",
        "graph",
        "search",
        "library",
        "plan",
        "evaluation",
        "sources",
        "data",
        "",
    },
    "__main__": {"cli"},
    "__init__": {*_BASE, "lexical", "graph", "search", "library", "plan", "evaluation", "sources"},
}
# What one module may import beside that: the lesson's client makes a store of its own, in memory.
_ALSO = {"search/client.py": {"graph.networkx"}}
# A third-party package that one module alone may import.
_ONLY = {"neo4j": "graph/neo4j", "networkx": "graph/networkx"}


def _source() -> Path:
    return Path(str(citehop.__file__)).parent


def _modules() -> list[str]:
    return sorted(str(path.relative_to(_source())) for path in _source().rglob("*.py"))


def _imports(path: Path) -> list[str]:
    names: list[str] = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return names


@pytest.mark.parametrize("module", _modules())
def test_imports_go_one_way(module: str) -> None:
    """A module imports only from the packages below its own."""
    own = module.removesuffix(".py").split("/")[0]
    allowed = _ALLOWED[own] | _ALSO.get(module, set())
    for name in _imports(_source() / module):
        if not name.startswith("citehop"):
            continue
        target = name.removeprefix("citehop").lstrip(".")
        package = target.split(".")[0]
        fits = (
            package in (own, "__version__")
            or package in allowed
            or any(target == entry or target.startswith(f"{entry}.") for entry in allowed if entry)
            or ("" in allowed and package in citehop.__all__)
        )

        assert fits, f"{module} imports {name}"


@pytest.mark.parametrize("module", _modules())
def test_each_driver_has_one_home(module: str) -> None:
    """The Neo4j driver and networkx are imported by the store of that name alone."""
    for name in _imports(_source() / module):
        home = _ONLY.get(name.split(".")[0])

        assert home is None or module.startswith(home), f"{module} imports {name}"


def test_no_module_has_a_vague_name() -> None:
    """A module is named after what it holds."""
    vague = {"utils", "util", "core", "common", "helpers", "base", "misc"}

    assert [m for m in _modules() if vague & set(m.removesuffix(".py").split("/"))] == []


def test_importing_the_package_imports_nothing_heavy() -> None:
    """`import citehop` leaves numpy, networkx, the driver and the terminal libraries alone."""
    heavy = "numpy networkx neo4j typer rich regex snowballstemmer Stemmer".split()
    code = f"import sys, citehop; print([m for m in {heavy!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
