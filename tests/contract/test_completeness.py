"""No store ships untested, and none widens or narrows the contract."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from pathlib import Path

import pytest

import citehop.graph
import citehop.library
from citehop.graph.store import CitationStore
from citehop.testing import StoreContract


def _modules() -> list[str]:
    return [
        f"{package.__name__}.{module.name}"
        for package in (citehop.graph, citehop.library)
        for module in pkgutil.iter_modules(package.__path__)
    ]


def _stores() -> list[type[CitationStore]]:
    """Every concrete store that a module of the package defines."""
    found = []
    for name in _modules():
        module = importlib.import_module(name)
        found += [
            value
            for value in vars(module).values()
            if inspect.isclass(value)
            and issubclass(value, CitationStore)
            and not inspect.isabstract(value)
            and value.__module__ == module.__name__
        ]
    return found


@pytest.mark.parametrize("store", _stores(), ids=lambda store: store.__name__)
def test_each_store_has_its_contract_tests(store: type[CitationStore], root_dir: Path) -> None:
    """A test file inherits the suite for each store that ships: class ``Test`` and its name."""
    sources = [path.read_text(encoding="utf-8") for path in root_dir.glob("tests/*/test_*.py")]

    assert any(f"class Test{store.__name__}(StoreContract)" in source for source in sources)


def test_the_store_in_memory_is_found() -> None:
    """The search for stores finds at least the one in memory and the one on disk."""
    assert {"NetworkXStore", "LibraryStore"} <= {store.__name__ for store in _stores()}


@pytest.mark.parametrize("store", _stores(), ids=lambda store: store.__name__)
def test_signatures_are_the_contracts(store: type[CitationStore]) -> None:
    """Every public method takes what the contract says, with the same defaults."""
    for name, method in inspect.getmembers(CitationStore, inspect.isfunction):
        if not name.startswith("_"):
            own = inspect.signature(getattr(store, name))

            assert str(own) == str(inspect.signature(method)), name


@pytest.mark.parametrize("store", _stores(), ids=lambda store: store.__name__)
def test_the_checks_are_the_contracts(store: type[CitationStore]) -> None:
    """``expand`` and ``paths`` check their arguments in one place, so that all refuse alike."""
    assert store.expand is CitationStore.expand
    assert store.paths is CitationStore.paths


def test_backends_have_names_of_their_own() -> None:
    """Every backend is told apart by its name."""
    names = [store.backend for store in _stores()]

    assert len(set(names)) == len(names)


def test_no_test_hides_another() -> None:
    """The suite's parts share no test name, as the later one would never run."""
    seen: dict[str, type] = {}
    for part in StoreContract.__mro__:
        for name in vars(part):
            if name.startswith("test_"):
                assert name not in seen, f"{name} stands in {part} and in {seen[name]}"
                seen[name] = part
    assert len(seen) > 90
