"""How a benchmark's ratios are kept and printed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """One ratio: what was timed, against what, and the most that it should be (None: no target)."""

    what: str
    against: str
    ratio: float
    target: float | None = None
    note: str = ""


def print_rows(rows: Iterable[Row]) -> None:
    """Print ratios as a table that Markdown reads too."""
    print("| what | against | ratio | at most | |")
    print("|---|---|---|---|---|")
    for row in rows:
        target = "" if row.target is None else f"{row.target:g}"
        print(
            f"| {row.what} | {row.against} | {row.ratio:.3g} | {target} | {row.note} |", flush=True
        )
