"""What `citehop plan` prints: stages, legs and hits of an execution plan's run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from citehop.cli import complain, say
from citehop.cli.tables import MARKS, describe_leg, print_json, print_table
from citehop.errors import InputError
from citehop.outcome import LegStatus, RetrievalStatus
from citehop.plan.file import load_plan
from citehop.plan.plan import RetrievalExecutionPlan
from citehop.plan.result import ExecutionResult
from citehop.search.repository import CitationRepository
from citehop.search.request import checked_config


def read_plan(path: Path) -> RetrievalExecutionPlan:
    """Return the plan of a TOML file, its `[retrieval]` table turned into a configuration.

    Raises:
        InputError: If the file is no plan, or the table no configuration.
    """
    plan = load_plan(path)
    if plan.retrieval is None:
        return plan
    try:
        return replace(plan, retrieval=checked_config(plan.retrieval))
    except (TypeError, ValueError) as error:
        raise InputError(f"[retrieval]: {error}", file=str(path), code="BAD_PLAN") from error


def run(
    repository: CitationRepository,
    plan: RetrievalExecutionPlan,
    query: str,
    *,
    filter: Mapping[str, Any],
    as_json: bool,
) -> None:
    """Run the plan and print its result; a failed run ends the command with exit code 1."""
    result = plan.run(repository, query, filter=filter or None)
    if as_json:
        print_json(result.to_dict())
    else:
        _print_stages(result)
        _print_hits(result)
    if result.status is RetrievalStatus.FAILED:
        raise SystemExit(1)
    if result.status is RetrievalStatus.DEGRADED:
        complain("warning: part of the plan did not run normally; its stages and legs say what")


def _print_stages(result: ExecutionResult) -> None:
    for stage in result.stages:
        mark = MARKS[LegStatus(stage.status.value)][0]
        told = "; ".join(f"{record.code}: {record.message}" for record in stage.errors)
        calls = f"{stage.calls} calls" if stage.calls != 1 else "1 call"
        say(f"{mark} {stage.kind.value:<10}{stage.status.value:<9}{told or stage.reason or calls}")
    for name, query in result.queries.items():
        say(f"  {name}: {query}")
        for leg in result.legs.get(name, []):
            say(f"    {MARKS[leg.status][0]} {leg.kind.value:<8} {describe_leg(leg)}")


def _print_hits(result: ExecutionResult) -> None:
    header = ["rank", "score", "queries", "year", "id", "title", "kept"]
    rows = [
        (
            hit.rank,
            hit.score,
            " ".join(f"{name}:{rank}" for name, rank in hit.queries.items()),
            getattr(hit.doc, "year", None),
            hit.doc_id,
            getattr(hit.doc, "title", ""),
            hit.kept_text,
        )
        for hit in result.hits
    ]
    kept = any(row[-1] is not None for row in rows)
    if rows:
        last = len(header) if kept else len(header) - 1
        print_table(header[:last], [row[:last] for row in rows])
