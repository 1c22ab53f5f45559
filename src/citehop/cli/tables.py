"""Tables on a terminal, tab-separated lines in a pipe."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from citehop.outcome import LegKind, LegOutcome, LegStatus

MARKS = {
    LegStatus.SUCCESS: ("✓", "ok", "green"),
    LegStatus.EMPTY: ("∅", "none", "yellow"),
    LegStatus.SKIPPED: ("–", "skip", "bright_black"),
    LegStatus.DEGRADED: ("~", "part", "yellow"),
    LegStatus.FAILED: ("✗", "fail", "red"),
}
"""For each status: its mark, the mark where the terminal has no such sign, and its colour."""


NARROWEST = 60
"""Columns of the narrowest terminal that a table is drawn on."""


def print_json(document: Mapping[str, Any]) -> None:
    """Print one JSON document, keys in the order given."""
    text = json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False)
    # Escapes where the output cannot hold a sign, or nobody can: half a surrogate pair.
    if not _writes(sys.stdout.encoding or "utf-8", text):
        text = json.dumps(document, indent=2, allow_nan=False)
    sys.stdout.write(f"{text}\n")


def print_table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print rows: a table on a terminal, tab-separated lines with a header in a pipe."""
    cells = [[_cell(value) for value in row] for row in rows]
    if not _wide_terminal():
        for line in ([*header], *cells):
            sys.stdout.write("\t".join(" ".join(cell.split()) for cell in line) + "\n")
        return
    from rich import box
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for name, column in zip(header, zip(*cells, strict=True) if cells else header, strict=False):
        numeric = bool(cells) and all(_numeric(cell) for cell in column)
        table.add_column(name, justify="right" if numeric else "left", overflow="fold")
    for line in cells:
        table.add_row(*(escape(cell) for cell in line))
    Console().print(table)


def print_hits(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print ranked papers, each with its score's parts and the reason it is there."""
    if not _wide_terminal():
        header = ["rank", "score", "words", "graph", "recency", "year", "id", "title", "because"]
        print_table(header, [[row[name] for name in header] for row in rows])
        return
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for name in ("", "score", "= words", "+ graph", "+ recent", "year"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("paper", overflow="fold")
    for row in rows:
        paper = Text(row["title"] or "(no title)", style="bold")
        if row["retracted"] != "no":
            paper.append(f"  [retracted: {row['retracted']}]", style="bold red")
        paper.append(f"\n{row['because']}  ", style="not bold")
        paper.append(row["id"], style="not bold bright_black")
        numbers = [row[name] for name in ("rank", "score", "words", "graph", "recency")]
        table.add_row(*(_cell(number) for number in numbers), _cell(row["year"]), paper)
    Console().print(table)


def print_legs(legs: Iterable[LegOutcome]) -> None:
    """Say on standard error what became of each leg, one line each."""
    from rich.console import Console
    from rich.text import Text

    console = Console(stderr=True, highlight=False, soft_wrap=True)
    signs = _writes(console.encoding, "".join(mark for mark, _, _ in MARKS.values()))
    for leg in legs:
        sign, word, colour = MARKS[leg.status]
        line = Text(f"{sign if signs else word} {leg.kind.value:<8}", style=colour)
        line.append(f"{describe_leg(leg)}", style="default")
        console.print(line)


def describe_leg(leg: LegOutcome) -> str:
    """Say in words what became of a leg."""
    if leg.error is not None:
        kept = "" if leg.status is LegStatus.FAILED else f"{leg.hits or 0} papers, then "
        return f"{leg.status.value}: {kept}{leg.error.code}: {leg.error.message}"
    if leg.status in (LegStatus.SKIPPED, LegStatus.EMPTY):
        reason = leg.reason or ""
        return f"{leg.status.value}: {REASONS.get(reason, reason)}"
    if leg.kind is LegKind.LEXICAL:
        matched = leg.details.get("matched", leg.hits)
        best = "" if matched == leg.hits else f"the best {leg.hits} of "
        return f"{best}{plural(matched, 'paper')} with words of the query"
    return _describe_graph(leg)


def _describe_graph(leg: LegOutcome) -> str:
    details = leg.details
    seeds = len(details.get("seeds", ()))
    hops = details.get("max_hops", 0)
    near = f"{plural(hops, 'citation')} of the {plural(seeds, 'seed')}"
    text = f"{plural(leg.hits or 0, 'paper')} within {near}"
    shown = details.get("in_answer", leg.hits)
    told = f", {shown} of them in the answer" if shown != leg.hits else ""
    cut = any(entry["left_out"] or not entry["exact"] for entry in details.get("cut", {}).values())
    more = details.get("reached", 0) > (leg.hits or 0)
    return f"{text}{told}{' (the limits of the walk left more out)' if cut or more else ''}"


REASONS = {
    "NO_TERMS": "no word of the query is in these papers (signs, and in English function words,"
    " are no words)",
    "EMPTY_INDEX": "there are no papers with text",
    "FILTERED": "papers match, but the filter allows none of them",
    "NO_SEEDS": "no keyword hit to start from",
    "DISABLED": "switched off with 0 hops",
    "NO_CITATIONS": "these papers have no citations",
    "NO_NEIGHBOURS": "the seeds have no citations that lead to another paper",
    "NO_EMBEDDINGS": "the papers have no embeddings",
}
"""The reason codes of legs, in words."""


def plural(number: int, noun: str) -> str:
    """Return the number with its noun, which takes an s but for 1."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _wide_terminal() -> bool:
    """Whether a table has room; a narrow terminal gets the lines that a pipe gets."""
    return sys.stdout.isatty() and shutil.get_terminal_size().columns >= NARROWEST


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.3f}"
    return str(value)


def _numeric(cell: str) -> bool:
    return not cell or cell.replace(".", "", 1).replace(",", "").isdigit()


def _writes(encoding: str, signs: str) -> bool:
    try:
        signs.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True
