"""The commands that look at what is there: one paper, what is around it, and counts."""

from __future__ import annotations

from typing import Annotated

import typer

from citehop.cli import options as opt
from citehop.cli.opening import opening


def neighbours(
    id: opt.PaperId,
    paths: opt.In = None,
    hops: opt.Hops = 1,
    direction: opt.DirectionOption = opt.DirectionName.BOTH,
    top: opt.Top = 50,
    year: opt.Years = None,
    provider: opt.Provider = None,
    exclude_retracted: opt.NotRetracted = False,
    external: opt.External = True,
    timeout: opt.Timeout = 5.0,
    store: opt.Store = None,
    database: opt.Database = None,
    auth_file: opt.AuthFile = None,
    format: opt.Format = None,
    encoding: opt.Encoding = None,
    strict: opt.Strict = False,
    json: opt.Json = False,
) -> None:
    """List the papers a few citations away from one paper."""
    limits = opt.limits_of(year, provider, exclude_retracted)
    where = opening(
        paths,
        store,
        database=database,
        auth_file=auth_file,
        format=format,
        encoding=encoding,
        strict=strict,
    )
    from citehop.cli import answer
    from citehop.cli.library import open_named

    with open_named(where) as library:
        answer.neighbours(
            library.store,
            id,
            hops=hops,
            direction=direction.value,
            top=top,
            filter=limits,
            external=external,
            timeout=timeout,
            as_json=json,
        )


def show(
    id: opt.PaperId,
    paths: opt.In = None,
    store: opt.Store = None,
    database: opt.Database = None,
    auth_file: opt.AuthFile = None,
    format: opt.Format = None,
    encoding: opt.Encoding = None,
    strict: opt.Strict = False,
    json: opt.Json = False,
) -> None:
    """Show one paper: its record, what it cites, and what cites it."""
    where = opening(
        paths,
        store,
        database=database,
        auth_file=auth_file,
        format=format,
        encoding=encoding,
        strict=strict,
    )
    from citehop.cli import answer
    from citehop.cli.library import open_named

    with open_named(where) as library:
        answer.show(library.store, id, as_json=json)


def stats(
    paths: opt.In = None,
    store: opt.Store = None,
    database: opt.Database = None,
    auth_file: opt.AuthFile = None,
    format: opt.Format = None,
    encoding: opt.Encoding = None,
    strict: opt.Strict = False,
    json: opt.Json = False,
) -> None:
    """Count what the files hold, what was merged, and what was wrong with them."""
    where = opening(
        paths,
        store,
        database=database,
        auth_file=auth_file,
        format=format,
        encoding=encoding,
        strict=strict,
    )
    from citehop.cli.counts import print_counts
    from citehop.cli.library import open_named

    with open_named(where) as library:
        print_counts(library, as_json=json)


def demo(
    query: Annotated[
        str | None, typer.Argument(help="Another query than the demo's own.", show_default=False)
    ] = None,
) -> None:
    """Search 613 real papers on bibliometrics, which ship with citehop."""
    from citehop.cli.demo import run

    run(query)
