"""A library on disk keeps the contract."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from citehop.library.build import build_library
from citehop.library.store import LibraryStore
from citehop.testing import StoreContract


class TestLibraryStore(StoreContract):
    """Everything that a store promises."""

    examples = 30

    @pytest.fixture(autouse=True)
    def _folders(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
        # Nothing here survives a loss of power, and waiting for the disk is most of the time.
        monkeypatch.setattr(os, "fsync", lambda _number: None)
        with tempfile.TemporaryDirectory() as folder:
            self._folder = Path(folder)
            self._made = 0
            yield

    def make_store(self) -> LibraryStore:
        """Return an empty library, opened."""
        self._made += 1
        folder = self._folder / str(self._made)
        build_library(folder, [])
        return LibraryStore(folder)
