"""Which store a command works on: one in memory, made from files, or one in Neo4j."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

LIBRARY_VARIABLE = "CITEHOP_LIBRARY"
STORE_VARIABLE = "CITEHOP_STORE"
INDEX_VARIABLE = "CITEHOP_INDEX"


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """What the options of a command say about where the papers are.

    Args:
        paths: Files and folders to read.
        store: Address of a Neo4j server to use instead.
        database: Name of the database there.
        auth_file: File with user and password for it.
        index: Folder with the index of that server's papers.
        format: Format of the files.
        encoding: Encoding of the files.
        strict: Whether the first bad record is an error.
    """

    paths: tuple[Path, ...] = ()
    store: str | None = None
    database: str | None = None
    auth_file: Path | None = None
    index: Path | None = None
    format: str | None = None
    encoding: str | None = None
    strict: bool = False

    def store_options(self) -> dict[str, Any]:
        """Return what the Neo4j store is made with."""
        return {"database": self.database, "auth_file": self.auth_file}


def opening(
    paths: list[Path] | None,
    store: str | None = None,
    *,
    database: str | None = None,
    auth_file: Path | None = None,
    index: Path | None = None,
    indexed: bool = False,
    both: bool = False,
    **reading: Any,
) -> Opening:
    """Return where the papers are: from the options, else from the environment.

    Args:
        paths: Given with ``--in``, or as arguments.
        store: Given with ``--store``.
        database: Given with ``--database``.
        auth_file: Given with ``--auth-file``.
        index: Given with ``--index``.
        indexed: Whether the command can use an index.
        both: Whether the command takes files to a store, and so needs both.
        reading: How the files are read.

    Raises:
        typer.BadParameter: If nothing, or too much, is named, or a file is not there.
    """
    if paths and store and not both:
        raise typer.BadParameter("name either files (--in) or a store (--store), not both")
    address = store or (os.environ.get(STORE_VARIABLE) if both or not paths else None) or None
    files = paths or ([] if address and not both else _paths_of_environment())
    if both and not address:
        raise typer.BadParameter(f"name the store: --store neo4j://host, or set {STORE_VARIABLE}")
    if not files and not (address and not both):
        raise typer.BadParameter(
            f"name a file: --in papers.jsonl, or set {LIBRARY_VARIABLE}; or a store with --store"
        )
    for path in files:
        if not path.exists():
            raise typer.BadParameter(f"{path}: there is no such file or folder")
    if index is not None and not address:
        raise typer.BadParameter("--index is the index of a store; name the store with --store")
    named = os.environ.get(INDEX_VARIABLE) if indexed and address and index is None else None
    return Opening(
        paths=tuple(files),
        store=address,
        database=database,
        auth_file=auth_file,
        index=Path(named) if named else index,
        **reading,
    )


def _paths_of_environment() -> list[Path]:
    return [Path(p) for p in os.environ.get(LIBRARY_VARIABLE, "").split(os.pathsep) if p]
