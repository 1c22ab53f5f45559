"""An execution plan whose server goes away in the middle of its run."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.servers.choice import Starter
from tests.servers.handle import OwnServer
from typer.testing import CliRunner

from citehop import (
    CitationRepository,
    LegStatus,
    Neo4jStore,
    RetrievalExecutionPlan,
    RetrievalStatus,
    build_corpus,
)
from citehop.cli import planned
from citehop.cli.app import app

pytestmark = pytest.mark.neo4j

QUERY = "attention sparsity head pruning"
MORE = ["retrieval augmentation passages", "dataset distillation synthetic images"]


def _loaded(own_server: Starter) -> OwnServer:
    server = own_server()
    with Neo4jStore(server.uri, server.auth) as store:
        store.load(build_corpus())
    return server


def _plan(happening: Callable[[], object], **fields: Any) -> RetrievalExecutionPlan:
    """Return a plan of three queries in which something happens before the first of them."""

    def transform(_: str) -> list[str]:
        happening()
        return MORE

    return RetrievalExecutionPlan(transform=transform, **fields)


def test_a_server_killed_in_mid_run_costs_the_graph_leg_alone(own_server: Starter) -> None:
    """Each query keeps its keyword hits and says what failed; the whole is DEGRADED."""
    server = _loaded(own_server)
    with Neo4jStore(server.uri, server.auth) as store:
        repository = CitationRepository(store)
        repository.refresh()
        result = _plan(server.kill).run(repository, QUERY)

    graph = result.leg("graph")
    assert result.status is RetrievalStatus.DEGRADED
    assert len(result.responses) == 3
    for response in result.responses.values():
        assert len(response) == 10
        assert response.leg("lexical").status is LegStatus.SUCCESS
        assert response.leg("graph").error.code == "STORE_UNAVAILABLE"
    assert graph is not None
    assert graph.status is LegStatus.FAILED
    assert {record.code for record in result.error_records()} == {"STORE_UNAVAILABLE"}
    assert {leg for hit in result for legs in hit.legs.values() for leg in legs} == {"lexical"}


def test_a_frozen_server_keeps_the_plan_to_its_deadline(own_server: Starter) -> None:
    """The plan ends within its deadline and a second; the next run after the thaw is whole."""
    server = _loaded(own_server)
    with Neo4jStore(server.uri, server.auth) as store:
        repository = CitationRepository(store)
        repository.refresh()
        try:
            started = time.monotonic()
            result = _plan(server.freeze, deadline_seconds=2.0).run(repository, QUERY)
            spent = time.monotonic() - started
        finally:
            server.thaw()

        assert spent < 3.0
        assert result.status is RetrievalStatus.DEGRADED
        assert len(result) >= 10
        _wait_until_whole(repository)


def _wait_until_whole(repository: CitationRepository) -> None:
    for _ in range(40):
        status = RetrievalExecutionPlan().run(repository, QUERY).status
        if status is RetrievalStatus.SUCCESS:
            return
        time.sleep(0.25)
    pytest.fail(f"the store did not come back after the thaw: {status}")


def test_the_command_line_warns_and_exits_0(
    own_server: Starter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`citehop plan` shows the hits and the failed leg, warns, and is no failure."""
    server = _loaded(own_server)
    user, password = server.auth
    monkeypatch.setenv("NEO4J_USERNAME", user)
    monkeypatch.setenv("NEO4J_PASSWORD", password)
    # A file names nothing that could kill a server, so the plan is put in its place.
    monkeypatch.setattr(planned, "read_plan", lambda _: _plan(server.kill))
    file = tmp_path / "plan.toml"
    file.write_text("", encoding="utf-8")

    done = CliRunner().invoke(app, ["plan", str(file), QUERY, "--store", server.uri, "--json"])

    document = json.loads(done.stdout)
    assert done.exit_code == 0, done.output
    assert document["status"] == "degraded"
    assert document["hit_count"] >= 10
    assert "warning" in done.stderr
