"""From the files that were named to a store and a repository."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import typer

from citehop.cli import complain, say
from citehop.cli.opening import Opening
from citehop.cli.reading import read_merged
from citehop.errors import InputError, StoreError
from citehop.graph.networkx import NetworkXStore
from citehop.graph.open import open_store
from citehop.graph.store import CitationStore, LoadReport
from citehop.library.manifest import is_library
from citehop.library.settings import IndexSettings
from citehop.library.store import LibraryStore
from citehop.library.store_index import StoreIndex
from citehop.library.unfinished import is_unfinished
from citehop.search.repository import CitationRepository
from citehop.sources.merge import MergeReport
from citehop.sources.read import ReadReport


@dataclass(frozen=True, slots=True)
class Library:
    """A store; what was met on the way where it was made from files; what ran where it is Neo4j.

    With ``index`` the folder with the index of its papers.
    """

    store: CitationStore
    read: ReadReport | None = None
    merged: MergeReport | None = None
    loaded: LoadReport | None = None
    statements: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list)
    index: Path | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.store.close()

    def repository(self, analysis: str | None = None) -> CitationRepository:
        """Return a repository over the store, with its index ready.

        Raises:
            InputError: If a library or an index on disk was built with another analysis.
        """
        if self.index is not None:
            return _indexed(self.store, self.index, analysis)
        if isinstance(self.store, LibraryStore):
            return _stored(self.store, analysis)
        repository = CitationRepository(self.store, analysis=analysis or "plain")
        with working("indexing"):
            repository.refresh()
        return repository


def _stored(store: LibraryStore, analysis: str | None) -> CitationRepository:
    made = _as_built(store.settings, store.folder, analysis)
    if store.follows is not None:
        say(f"{store.folder}: the papers of a store, as they were when this index last followed it")
    return _repository(store, made)


def _repository(
    store: CitationStore, made: IndexSettings, index: StoreIndex | None = None
) -> CitationRepository:
    return CitationRepository(
        store, index=index, analysis=made.analyser, fields=made.fields, k1=made.k1, b=made.b
    )


def _indexed(store: CitationStore, folder: Path, analysis: str | None) -> CitationRepository:
    """Return a repository over a store and its index, once that has taken in what changed."""

    def told(papers: int) -> None:
        if not papers:
            say(f"{folder}: too far behind the store; reading all its papers")
        show(papers)

    failure: StoreError | None = None
    with counting("taking in what changed", at_once=True) as show:
        index = StoreIndex(folder, progress=told)
        repository = _repository(store, _as_built(index.settings, folder, analysis), index)
        try:
            repository.refresh()
        except StoreError as error:
            failure = error
    if failure is not None:
        complain(f"warning: {failure}")
        complain(f"  searching {folder} as it was at revision {repository.revision}")
    return repository


def _as_built(made: IndexSettings, folder: Path, analysis: str | None) -> IndexSettings:
    if analysis not in (None, made.analyser.name):
        raise InputError(
            f"was built with --analysis {made.analyser.name}, not {analysis}; leave --analysis"
            " out, or build it anew",
            file=str(folder),
            code="LIBRARY_ANALYSER",
        )
    return made


def open_named(where: Opening, *, noting: bool = False) -> Library:
    """Open what a command's options name: a Neo4j server, or files; ``noting`` as below."""
    if where.store is None:
        return open_library(
            where.paths, format=where.format, encoding=where.encoding, strict=where.strict
        )
    return open_server(where, noting=noting)


def open_server(where: Opening, *, noting: bool = False, **more: Any) -> Library:
    """Connect to the Neo4j server that the options name.

    With an index it is not asked for anything yet, as the index answers without it too.

    Args:
        where: The options.
        noting: Whether statements are kept, for ``--cypher``; their parameters hold all that a
            load sends, and grow with every search.
        more: Further options of the store.

    Raises:
        StoreError: If it cannot be used.
    """
    statements: list[tuple[str, Mapping[str, Any]]] = []

    def note(text: str, parameters: Mapping[str, Any]) -> None:
        statements.append((text, parameters))

    options = {"on_statement": note if noting else None, **where.store_options(), **more}
    try:
        store = (
            open_store(where.store, **options) if where.index is None else _unasked(where, options)
        )
    except InputError:
        raise
    except ValueError as error:
        raise typer.BadParameter(f"--store: {error}") from error
    return Library(store, statements=statements, index=where.index)


def _unasked(where: Opening, options: Mapping[str, Any]) -> CitationStore:
    from citehop.graph.neo4j import Neo4jStore

    return Neo4jStore(where.store, **options)


def open_library(
    paths: Sequence[Path | str],
    *,
    format: str | None = None,
    encoding: str | None = None,
    strict: bool = False,
) -> Library:
    """Open a library on disk; or read files, merge records of one paper, and load the rest.

    Raises:
        InputError: If a library stands among other paths.
    """
    stored = [path for path in paths if is_library(path)]
    if stored and len(paths) > 1:
        raise InputError(
            "is a library, which is searched alone; use 'citehop add' to put files into it",
            file=str(stored[0]),
        )
    if stored:
        return Library(LibraryStore(stored[0]))
    for path in map(Path, paths):
        if is_unfinished(path):
            raise InputError(
                "is a library whose build was interrupted; run that 'citehop build' again, it goes"
                " on from what is finished",
                file=str(path),
                code="NO_LIBRARY",
            )
    report, merged = read_merged(paths, format=format, encoding=encoding, strict=strict)
    store = NetworkXStore()
    with working("loading"):
        loaded = store.load(merged)
    return Library(store, report, merged.report, loaded)


@contextmanager
def working(what: str) -> Iterator[None]:
    """Show a spinner on a terminal while something long runs."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(f"{what} …"):
        yield


@contextmanager
def counting(what: str, *, at_once: bool = False) -> Iterator[Callable[[int], None]]:
    """Give a callback for how many papers are done, which shows it where a terminal is watching.

    Args:
        what: What is done to them.
        at_once: Whether it is shown before the callback is called.
    """
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console

    status = Console(stderr=True).status(f"{what} …")

    def show(papers: int) -> None:
        status.update(f"{what} … {papers:,} papers")
        status.start()

    try:
        if at_once:
            status.start()
        yield show
    finally:
        status.stop()
