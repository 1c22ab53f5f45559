"""What the tests of libraries share."""

from __future__ import annotations

import os

import pytest


@pytest.fixture(autouse=True)
def _no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    # Nothing here survives a loss of power, and waiting for the disk is most of the time.
    monkeypatch.setattr(os, "fsync", lambda _number: None)
