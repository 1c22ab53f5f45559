from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import citehop
from citehop import errors
from citehop.graph import neo4j_errors
from citehop.graph.neo4j_errors import Fault
from citehop.graph.neo4j_records import MAX_ID_BYTES, row_of
from citehop.paper import Paper

_CODE = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)+|DISABLED|EXCLUDED|FILTERED")


def _codes(path: Path) -> set[str]:
    """Return the texts in a module that look like a code."""
    texts = {
        node.value
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    return {text for text in texts if _CODE.fullmatch(text)}


def test_every_code_of_a_search_is_documented(root_dir: Path) -> None:
    """`docs/codes.md` names each reason and error that the search package can give."""
    package = Path(str(citehop.__file__)).parent
    documented = set(re.findall(r"`([A-Z0-9_]+)`", (root_dir / "docs/codes.md").read_text("utf-8")))
    modules = [package / "errors.py", *(package / "search").glob("*.py")]
    used = set().union(*map(_codes, modules))

    assert {"NO_TERMS", "DEADLINE_EXCEEDED", "STORE_UNAVAILABLE", "DISABLED"} <= used
    assert used - documented == set()


def test_the_documented_defaults_are_those_of_the_classes(root_dir: Path) -> None:
    """Category and retryability of the store's errors are as the table says."""
    text = (root_dir / "docs/codes.md").read_text("utf-8")

    for kind in (errors.StoreUnavailable, errors.StoreTimeout, errors.StoreError):
        again = "yes" if kind.default_retryable else "no"
        row = f"| `{kind.default_code}` | {kind.default_category.value} | {again} |"
        assert row in text


def _row(error: errors.StoreError) -> str:
    again = "yes" if error.record.retryable else "no"
    return rf"(?m)^\| `{error.code}` \| {error.record.category.value} \| {again} \|"


def test_every_code_of_the_neo4j_store_is_documented(root_dir: Path) -> None:
    """`docs/codes.md` has a row for each of its faults, with its category and retryability."""
    text = (root_dir / "docs/codes.md").read_text("utf-8")
    faults = [fault for fault in vars(neo4j_errors).values() if isinstance(fault, Fault)]
    with pytest.raises(errors.StoreError) as too_long:
        row_of(Paper("x" * (MAX_ID_BYTES + 1), "", "", None, []))
    raised = [fault.error("somewhere") for fault in faults] + [too_long.value]

    assert {"QUERY_TERMINATED", "ACCESS_DENIED", "ID_TOO_LONG"} <= {e.code for e in raised}
    assert [e.code for e in raised if not re.search(_row(e), text)] == []


def test_no_module_of_the_neo4j_store_has_a_code_of_its_own(root_dir: Path) -> None:
    """Whatever else looks like a code in its modules is in `docs/codes.md`."""
    graph = Path(str(citehop.__file__)).parent / "graph"
    text = (root_dir / "docs/codes.md").read_text("utf-8")
    used = set().union(*map(_codes, graph.glob("neo4j*.py")))
    settings = {name for name in used if name.startswith("NEO4J_")}

    assert {"STORE_STALLED", "ID_TOO_LONG", "MEMORY_LIMIT"} <= used
    assert {code for code in used - settings if f"`{code}`" not in text} == set()
