"""How the contract suite gets its stores."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import pytest

from citehop.graph.store import CitationStore
from citehop.testing.corpus import corpus12


class StoreFixtures:
    """What a backend fills in.

    Each test gets an empty store. A backend on a server overrides ``one_store`` with a fixture
    that returns the same open store every time, and ``reset`` with the quickest way to empty it;
    then only the tests that close what they use make stores of their own. What ``make_store``
    needs, such as an address, an ``autouse`` fixture can put on ``self``.
    """

    examples: ClassVar[int] = 100
    """Graphs that hypothesis makes for each property."""

    def make_store(self) -> CitationStore:
        """Return an open store. On a server it may share its data with others made before."""
        raise NotImplementedError(f"{type(self).__name__} must say how its store is made")

    def reset(self, store: CitationStore) -> None:
        """Empty a store, by whatever way is quickest."""
        store.remove([paper.id for paper in store.papers()])

    @pytest.fixture
    def one_store(self) -> Iterator[CitationStore]:
        """A store, whatever it holds."""
        with self.make_store() as store:
            yield store

    @pytest.fixture
    def store(self, one_store: CitationStore) -> CitationStore:
        """An empty store."""
        self.reset(one_store)
        return one_store

    @pytest.fixture
    def corpus(self, store: CitationStore) -> CitationStore:
        """A store that holds the twelve papers."""
        store.load(corpus12())
        return store
