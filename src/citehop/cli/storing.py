"""What `citehop load` does: files into Neo4j, with progress, to be run again if interrupted."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from citehop.cli import say
from citehop.cli.library import open_server, working
from citehop.cli.opening import Opening
from citehop.cli.reading import reading, report_reading, with_dropped
from citehop.cli.tables import print_json, print_table
from citehop.graph.store import LoadReport, Progress
from citehop.sources.merge import merge
from citehop.sources.read import read_papers


def load_into_store(where: Opening, *, merging: bool, as_json: bool) -> None:
    """Load the files into the store that was named, and print what that did.

    Raises:
        InputError: If a file is not what it should be.
        StoreError: If the store cannot take the papers.
    """
    with open_server(where).store as store:
        stream = read_papers(
            *where.paths, format=where.format, encoding=where.encoding, strict=where.strict
        )
        with stream:
            papers = merge(reading(stream)) if merging else stream
            with _counting() as progress:
                try:
                    report = store.load(papers, progress=progress)
                except KeyboardInterrupt:
                    say("interrupted; what was loaded is whole, run it again to go on")
                    raise SystemExit(130) from None
        report_reading(stream.report)
        with working("counting"):
            held = store.counts()
    rows = {
        **with_dropped(report, stream.report),
        "papers_in_store": held.papers,
        "citations_in_store": held.citations_all,
    }
    if as_json:
        print_json(rows)
    else:
        print_table(["what", "how many"], [(k.replace("_", " "), v) for k, v in rows.items()])


@contextmanager
def _counting() -> Iterator[Progress | None]:
    """Give a callback that shows how far a load is, where a terminal is watching."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console

    with Console(stderr=True).status("loading …") as status:

        def show(report: LoadReport) -> None:
            status.update(f"loading … {report.papers:,} papers, {report.edges:,} new citations")

        yield show
