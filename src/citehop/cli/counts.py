"""What `citehop stats` prints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from citehop.cli.library import Library
from citehop.cli.reading import with_dropped
from citehop.cli.tables import print_json, print_table


def print_counts(library: Library, *, as_json: bool) -> None:
    """Print what the files hold and what became of their records."""
    counts = library.store.counts()
    without = Counter[str]()
    for paper in library.store.papers():
        without.update(
            name for name in ("title", "abstract", "year", "references") if not getattr(paper, name)
        )
        without.update([f"retracted: {paper.retracted}"] if paper.retracted != "no" else [])
    rows: list[tuple[str, object]] = [
        ("papers", counts.papers),
        ("works outside", counts.external),
        ("citations between papers", counts.citations),
        ("citations in all", counts.citations_all),
        ("oldest year", counts.year_min),
        ("newest year", counts.year_max),
        *(
            (f"papers without {name}", without[name])
            for name in ("title", "abstract", "year", "references")
        ),
        *(
            (name, number)
            for name, number in sorted(without.items())
            if name.startswith("retracted")
        ),
        *_reading_rows(library),
    ]
    if as_json:
        print_json({name.replace(": ", "_").replace(" ", "_"): value for name, value in rows})
        return
    print_table(["what", "how many"], rows)


def _reading_rows(library: Library) -> Iterable[tuple[str, object]]:
    """Yield what happened to the records on their way from the files; nothing for a server."""
    read, merged, loaded = library.read, library.merged, library.loaded
    if read is None or merged is None or loaded is None:
        return
    yield "files read", read.files
    yield "records read", read.records
    yield "records rejected", read.rejected
    yield "records merged into others", merged.records - merged.papers
    yield "values that disagreed", sum(merged.disagreements.values())
    dropped = with_dropped(loaded, read)
    yield "self-citations dropped", dropped["dropped_self"]
    yield "doubled citations dropped", dropped["dropped_doubled"]
    yield from ((f"rejected: {kind}", number) for kind, number in sorted(read.rejections.items()))
    yield from ((f"warning: {kind}", number) for kind, number in sorted(read.warnings.items()))
