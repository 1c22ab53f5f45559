"""From the files that were named to a store and a repository."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from citehop.cli import complain
from citehop.graph.networkx import NetworkXStore
from citehop.graph.store import CitationStore, LoadReport
from citehop.search.repository import CitationRepository
from citehop.sources.merge import MergeReport, merge
from citehop.sources.read import PaperStream, ReadReport, read_papers


@dataclass(frozen=True, slots=True)
class Library:
    """Files, read and loaded: the store, and what was met on the way."""

    store: CitationStore
    read: ReadReport
    merged: MergeReport
    loaded: LoadReport

    def repository(self, analysis: str | None = None) -> CitationRepository:
        """Return a repository over the store, with its index built."""
        repository = CitationRepository(self.store, analysis=analysis or "plain")
        with working("indexing"):
            repository.refresh()
        return repository


def open_library(
    paths: Sequence[Path | str],
    *,
    format: str | None = None,
    encoding: str | None = None,
    strict: bool = False,
) -> Library:
    """Read the files, merge records of one paper, and load the rest into memory."""
    stream = read_papers(*paths, format=format, encoding=encoding, strict=strict)
    with stream:
        merged = merge(_with_progress(stream))
    report_reading(stream.report)
    store = NetworkXStore()
    with working("loading"):
        loaded = store.load(merged)
    return Library(store, stream.report, merged.report, loaded)


def report_reading(report: ReadReport) -> None:
    """Say on standard error what was rejected or repaired, and name the first few."""
    if not report.rejected and not report.warnings:
        return
    counts = []
    if report.rejected:
        counts.append(f"{report.rejected:,} of {report.records:,} records rejected")
    if report.warnings:
        counts.append(f"{sum(report.warnings.values()):,} values repaired or dropped")
    complain("; ".join(counts))
    for issue in report.issues[:3]:
        complain(f"  {issue}")
    if len(report.issues) > 3:
        complain("  … ('citehop stats' lists the kinds, --strict stops at the first)")


@contextmanager
def working(what: str) -> Iterator[None]:
    """Show a spinner on a terminal while something long runs."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(f"{what} …"):
        yield


def _with_progress(stream: PaperStream) -> Iterator:  # type: ignore[type-arg]
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
