"""What every test may ask for."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

# A busy machine is no failure: examples are bounded in number, not in time.
settings.register_profile("citehop", deadline=None)
settings.load_profile("citehop")

pytest_plugins = ["tests.servers.plugin"]

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def root_dir() -> Path:
    """The checkout."""
    return ROOT


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    """Real records and cases, kept beside the checkout; the test is skipped without them."""
    path = ROOT.parent / "shared"
    if not (path / "cases" / "CASES.md").is_file():
        pytest.skip(f"needs the records and cases in {path}, which is not there")
    return path
