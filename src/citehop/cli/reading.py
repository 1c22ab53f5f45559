"""From files to papers, with what a person should see of it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from citehop.cli import complain
from citehop.graph.reports import LoadReport
from citehop.paper import Paper
from citehop.sources.files import find_files
from citehop.sources.merge import Merged, merge
from citehop.sources.read import PaperStream, ReadReport, read_papers


def read_merged(
    paths: Sequence[Path | str],
    *,
    format: str | None = None,
    encoding: str | None = None,
    strict: bool = False,
) -> tuple[ReadReport, Merged]:
    """Read files and merge records of one paper; say what was rejected or repaired."""
    stream = read_papers(*paths, format=format, encoding=encoding, strict=strict)
    with stream:
        merged = merge(reading(stream))
    report_reading(stream.report)
    return stream.report, merged


def merged_later(
    paths: Sequence[Path], tell: Callable[[ReadReport], object], **reading: Any
) -> Iterator[Paper]:
    """Yield what :func:`read_merged` gives; nothing is read before the first is asked for.

    Args:
        paths: The files.
        tell: Called with the report once they are read.
        reading: How they are read.
    """
    report, merged = read_merged(paths, **reading)
    tell(report)
    yield from merged


def with_dropped(loaded: LoadReport, read: ReadReport | None) -> dict[str, Any]:
    """Return a load's report with the citations too that reading had dropped before it.

    Args:
        loaded: What the store said.
        read: What the reader said; None where this run read nothing and cannot know, so that
            both counts are None.
    """
    report = asdict(loaded)
    for name, kind in (("dropped_self", "self_citation"), ("dropped_doubled", "doubled_edge")):
        report[name] = None if read is None else report[name] + read.warnings[kind]
    return report


def named_source(paths: Sequence[Path], **reading: Any) -> str | None:
    """Return a text for files and how they are read, another one when what they give may be.

    None where one is a pipe, which gives what it gives once.
    """
    found = [(path, inside, path.stat()) for path, inside in find_files(paths)]
    if not all(path.is_file() for path, _, _ in found):
        return None
    files = [
        [str(path.resolve()), inside, seen.st_size, seen.st_mtime_ns]
        for path, inside, seen in found
    ]
    # The reader drops years that have not come yet.
    return json.dumps([files, reading, datetime.now(tz=UTC).year])


def report_reading(report: ReadReport) -> None:
    """Say on standard error what was rejected or repaired, and name the first few."""
    if not report.rejected and not report.warnings:
        return
    counts = []
    if report.rejected:
        counts.append(f"{report.rejected:,} of {report.records:,} records rejected")
    files = report.warnings["empty_file"] + report.warnings["skipped_file"]
    if files:
        counts.append(f"{files:,} of {report.files:,} files passed over")
    if report.warned > files:
        counts.append(f"repaired or dropped in records: {report.warned - files:,}")
    complain("; ".join(counts))
    for issue in report.issues[:3]:
        complain(f"  {issue}")
    if len(report.issues) > 3:
        complain("  … ('citehop stats' counts the kinds, --strict stops at the first)")


def reading(stream: PaperStream) -> Iterator[Paper]:
    """Pass papers on, with a bar of the bytes read where a terminal is watching."""
    if not sys.stderr.isatty():
        yield from stream
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("reading"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %  {task.fields[papers]:,} papers"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("reading", total=stream.bytes_total or None, papers=0)
        for number, paper in enumerate(stream, start=1):
            if number % 500 == 0:
                progress.update(task, completed=stream.bytes_read, papers=number)
            yield paper
