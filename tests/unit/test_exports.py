"""The public names."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import citehop


def test_all_is_sorted_and_complete() -> None:
    """`__all__` is sorted, and holds exactly the names that type checkers see."""
    tree = ast.parse(Path(str(citehop.__file__)).read_text(encoding="utf-8"))
    seen = {
        alias.asname
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("citehop.")
        for alias in node.names
    }

    assert sorted(citehop.__all__) == citehop.__all__
    assert seen == set(citehop.__all__)


@pytest.mark.parametrize("name", citehop.__all__)
def test_every_public_name_is_there_and_documented(name: str) -> None:
    """Each public name can be imported and says what it is."""
    value = getattr(citehop, name)

    assert value.__doc__


def test_an_unknown_name_is_an_attribute_error() -> None:
    """A name that is not there is refused as Python refuses it."""
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        _ = citehop.Nothing  # type: ignore[attr-defined]
