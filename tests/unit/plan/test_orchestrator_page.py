"""The page for an orchestrator's author."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from citehop import CitationReranker, FusionPolicy, StageKind, StageStatus
from citehop.plan.file import load_plan

PLAN = Path("src/citehop/plan")


@pytest.fixture
def page(root_dir: Path) -> str:
    """The page's text."""
    return (root_dir / "docs/orchestrator.md").read_text(encoding="utf-8")


def _blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page, re.DOTALL | re.MULTILINE)


def test_its_python_runs(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The blocks run one after the other; the loop prints five papers on the topic."""
    names: dict[str, Any] = {"__name__": "page"}
    for block in _blocks(page, "python"):
        exec(compile(block, "orchestrator.md", "exec"), names)  # noqa: S102 - the page's own code
    *papers, counts = capsys.readouterr().out.splitlines()

    assert len(papers) == 5
    assert "p018 2024 Attention Sparsity Predicts Safe Head Pruning" in papers
    assert counts == "[5, 5]"
    found = names["literature"]("attention sparsity")
    assert all(paper["whole"] and paper["context"] and paper["year"] for paper in found)
    assert any(paper["references"] for paper in found)


def test_its_file_is_a_plan(page: str, tmp_path: Path) -> None:
    """The TOML block is read as it stands there."""
    (block,) = _blocks(page, "toml")
    (tmp_path / "plan.toml").write_text(block, encoding="utf-8")
    plan = load_plan(tmp_path / "plan.toml")

    assert plan.rerank == CitationReranker()
    assert plan.fusion == FusionPolicy(weights={"q0": 2})


def test_it_lists_every_code_reason_stage_and_status(page: str, root_dir: Path) -> None:
    """No word that a program may act on is missing from it."""
    listed = set(re.findall(r"`([A-Z0-9_]+|[a-z]+)`", page))
    sources = "".join(
        path.read_text(encoding="utf-8") for path in sorted((root_dir / PLAN).glob("*.py"))
    )
    codes = set(re.findall(r'"([A-Z]+_[A-Z_]+)"', sources))
    made = {
        f"{stage}_{end}"
        for stage in ("TRANSFORM", "RERANK", "COMPRESS")
        for end in ("FAILED", "INVALID")
    }

    assert codes >= {"DEADLINE_EXCEEDED", "BUDGET_EXHAUSTED", "QUERIES_DROPPED", "NO_HITS"}
    assert (codes | made | {"SEARCH_INVALID"} | {*StageKind, *StageStatus}) <= listed
