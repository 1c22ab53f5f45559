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


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what takes minutes where another choice, as `-m neo4j`, says nothing of it."""
    chosen: str = config.option.markexpr
    if chosen and "long" not in chosen:
        long = [item for item in items if item.get_closest_marker("long")]
        items[:] = [item for item in items if not item.get_closest_marker("long")]
        config.hook.pytest_deselected(items=long)
