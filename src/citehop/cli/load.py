"""The command `load`: files into Neo4j."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from citehop.cli import options as opt
from citehop.cli.opening import opening


def load(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(metavar="PATH…", parser=opt.named_path, help="Files or folders to read."),
    ] = None,
    store: opt.Store = None,
    merged: Annotated[
        bool,
        typer.Option(
            "--merge/--no-merge",
            help="Make one paper of several records in these files first, in memory; --no-merge"
            " streams. A record takes the place of the one that the store has of its id.",
        ),
    ] = True,
    database: opt.Database = None,
    auth_file: opt.AuthFile = None,
    format: opt.Format = None,
    encoding: opt.Encoding = None,
    strict: opt.Strict = False,
    json: opt.Json = False,
) -> None:
    """Load papers into Neo4j; run it again after an interruption and it goes on."""
    where = opening(
        paths,
        store,
        both=True,
        database=database,
        auth_file=auth_file,
        format=format,
        encoding=encoding,
        strict=strict,
    )
    from citehop.cli.storing import load_into_store

    load_into_store(where, merging=merged, as_json=json)
