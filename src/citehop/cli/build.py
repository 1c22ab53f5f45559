"""The commands that make and change a library on disk."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from citehop.bounds import MAX_TIMEOUT_SECONDS
from citehop.cli import INTERRUPTED, say
from citehop.cli import options as opt
from citehop.cli.opening import LIBRARY_VARIABLE, STORE_VARIABLE, Opening, opening
from citehop.errors import InputError

if TYPE_CHECKING:
    from citehop.library.store import LibraryStore
    from citehop.paper import Paper
    from citehop.sources.report import ReadReport

Out = Annotated[
    Path,
    typer.Option(
        "--out", "-o", metavar="DIR", help="The library: a new folder, or one to be replaced."
    ),
]
Files = Annotated[
    list[Path],
    typer.Argument(metavar="PATH…", help="Files or folders with papers or citations.", exists=True),
]
FilesOrNone = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="PATH…",
        help="Files or folders with papers or citations; or none, with --store.",
        exists=True,
    ),
]
Changed = Annotated[
    Path,
    typer.Option(
        "--in",
        metavar="DIR",
        help="The library to change.",
        envvar=LIBRARY_VARIABLE,
        show_envvar=False,
    ),
]
Replace = Annotated[
    bool,
    typer.Option(
        "--replace",
        help="Put each record in the place of the one with its id; else records of one paper are"
        " merged, as when they are read together.",
    ),
]
Names = Annotated[
    list[str],
    typer.Argument(
        metavar="ID…", help="Ids or aliases such as a DOI, or files with one of these in each line."
    ),
]


def build(
    out: Out,
    paths: FilesOrNone = None,
    analysis: opt.Analysis = None,
    store: opt.Store = None,
    database: opt.Database = None,
    auth_file: opt.AuthFile = None,
    format: opt.Format = None,
    encoding: opt.Encoding = None,
    strict: opt.Strict = False,
    json: opt.Json = False,
) -> None:
    """Build a library from files: a folder that opens at once and is searched with --in.

    Interrupted, it leaves what was there, and goes on where it was when it is run again.
    With --store it is an index of that server's papers, which follows what changes there: searched
    with --store and --index.
    """
    address = store or (None if paths else os.environ.get(STORE_VARIABLE))
    if bool(paths) == bool(address):
        raise typer.BadParameter("name files, or a store with --store, and not both")
    analyser = analysis.value if analysis else "plain"
    if address:
        where = opening(None, address, database=database, auth_file=auth_file)
        _build_index(where, out, analyser, as_json=json)
        return
    from citehop.cli.library import counting
    from citehop.cli.reading import merged_later, named_source, with_dropped
    from citehop.library.build import build_library
    from citehop.library.unfinished import keeps_papers

    before = _standing(out)
    reading = {"format": format, "encoding": encoding, "strict": strict}
    source = named_source(paths or [], **reading)
    read: list[ReadReport] = []  # Of an interrupted build the papers are read, and not once more.
    with counting("indexing") as progress:
        try:
            report = build_library(
                out,
                merged_later(paths or [], read.append, **reading),
                analysis=analyser,
                source=source,
                tell=say,
                progress=progress,
            )
        except KeyboardInterrupt:
            kept = keeps_papers(out)
            say(
                "interrupted; run it again to go on from what is finished"
                if kept
                else "interrupted before all papers were read, so nothing of it is kept"
            )
            raise SystemExit(INTERRUPTED) from None
    told = with_dropped(report, read[0] if read else None)
    _tell(told | {"library": str(out)}, json)
    if before is not None:
        say(f"it took the place of {before}")
    say(f"now: citehop search WORDS --in {out}")


def _standing(out: Path) -> str | None:
    """Return a word on the library that is about to be replaced; None where there is none."""
    from citehop.library.manifest import is_library, read_manifest

    if not is_library(out):
        return None
    try:
        made = read_manifest(out)
    except ValueError:
        return "a library that could not be read"
    return (
        f"a library of {made.counts['papers']:,} papers (--analysis {made.settings.analyser.name})"
    )


def _build_index(where: Opening, out: Path, analysis: str, *, as_json: bool) -> None:
    from citehop.cli.library import counting, open_server
    from citehop.library.store_index import build_index

    # Reading all papers takes what it takes; whoever waits for it can stop it.
    opened = open_server(where, load_timeout_seconds=MAX_TIMEOUT_SECONDS)
    with opened as library, counting("reading the store") as progress:
        report = build_index(out, library.store, analysis=analysis, progress=progress)
    _tell(asdict(report) | {"index": str(out)}, as_json)
    say(f"now: citehop search WORDS --store {where.store} --index {out}")


def add(
    paths: Files,
    library: Changed,
    replace_records: Replace = False,
    format: opt.Format = None,
    encoding: opt.Encoding = None,
    strict: opt.Strict = False,
    json: opt.Json = False,
) -> None:
    """Add papers from files to a library; killed before it ends, it changes nothing."""
    from citehop.cli.library import working
    from citehop.cli.reading import read_merged, with_dropped
    from citehop.library.store import LibraryStore

    read, merged = read_merged(paths, format=format, encoding=encoding, strict=strict)
    with LibraryStore(library) as store, working("adding"), store.holding():
        papers = _directed(store, merged)
        gone: list[str] = []
        if not replace_records:
            papers, gone = _united(store, papers)
        report = store.update(papers, remove=gone)
    _tell(with_dropped(report, read) | {"merged_away": len(gone)}, json)


def remove(
    names: Names,
    library: Changed,
    json: opt.Json = False,
) -> None:
    """Remove papers from a library; works that others still cite stay as works outside."""
    from citehop.library.store import LibraryStore

    wanted = [name for given in names for name in _listed(given)]
    with LibraryStore(library) as store, store.holding():
        found = store.get(wanted)
        missing = [name for name, paper in zip(wanted, found, strict=True) if paper is None]
        removed = store.remove([paper.id for paper in found if paper is not None])
    for name in missing[:3]:
        say(f"there is no paper {name!r}")
    _tell({"removed": removed, "not_there": len(missing)}, json)


def _listed(given: str) -> list[str]:
    path = Path(given)
    try:
        data = path.read_bytes() if path.is_file() else None
    except (OSError, ValueError):
        data = None  # Too long, or of signs that no path has: an id.
    if data is None:
        return [given]
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"byte {error.start} is no UTF-8; expected one id on each line",
            file=given,
        ) from None
    # Lines end at \n alone: an id may hold what else ends one elsewhere.
    return [line.strip() for line in text.split("\n") if line.strip()]


def _directed(store: LibraryStore, papers: Any) -> list[Paper]:
    """Return papers whose citations name those of the library by their ids, not by an alias."""
    cited = sorted({key for paper in papers for key in _cited_and_citing(paper)})
    own = {paper.id for paper in papers}
    to = store.resolve(key for key in cited if key not in own)
    return [
        replace(
            paper,
            references=[to.get(key, key) for key in paper.references],
            citations=[to.get(key, key) for key in paper.citations],
        )
        if any(key in to for key in _cited_and_citing(paper))
        else paper
        for paper in papers
    ]


def _cited_and_citing(paper: Paper) -> list[str]:
    return [*paper.references, *paper.citations]


def _united(store: LibraryStore, papers: list[Paper]) -> tuple[list[Paper], list[str]]:
    """Return the papers merged with the library's records of them, and the ids that go."""
    from citehop.sources.merge import merge

    held = store.records(papers)
    met = {paper.id for paper in held}
    united = merge([*held, *papers])
    gone = _merged_away(held, united)
    if gone:
        # Who cites a paper under the id that goes must cite it under the one that stays.
        ids = {key for paper in store.get(gone) if paper for key in _cited_and_citing(paper)}
        held = store.records([*papers, *(paper for paper in store.get(sorted(ids)) if paper)])
        united = merge([*held, *papers])
    # Of those held only to follow who goes, a record that nothing changed is returned itself.
    alone = {id(paper) for paper in held if paper.id not in met}
    return [paper for paper in united if id(paper) not in alone], _merged_away(held, united)


def _merged_away(held: Iterable[Paper], united: Iterable[Paper]) -> list[str]:
    kept = {paper.id for paper in united}
    return [paper.id for paper in held if paper.id not in kept]


def _tell(report: dict[str, Any], as_json: bool) -> None:
    from citehop.cli.tables import print_json, print_table

    if as_json:
        print_json(report)
    else:
        rows = [(name.replace("_", " "), value) for name, value in report.items()]
        print_table(["what", "how many"], rows)
