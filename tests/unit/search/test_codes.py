from __future__ import annotations

import ast
import re
from pathlib import Path

import citehop
from citehop import errors

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
