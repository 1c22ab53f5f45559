"""The commands."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from citehop.cli import build as building
from citehop.cli import evaluate as evaluating
from citehop.cli import options as opt
from citehop.cli.opening import opening

if TYPE_CHECKING:
    from citehop.search.config import RetrievalConfig
    from citehop.search.repository import CitationRepository

app = typer.Typer(
    name="citehop",
    help="Find papers by their words, and the papers that only the citation graph finds.",
    epilog='Example: citehop search "peer review" --in works.jsonl',
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,
)

app.command(epilog="Example: citehop build works.jsonl.gz -o library --analysis english")(
    building.build
)
app.command(epilog="Example: citehop add new.jsonl --in library")(building.add)
app.command(epilog="Example: citehop remove W2755950973 10.5555/retracted --in library")(
    building.remove
)
app.command(
    epilog="Example: citehop evaluate --in papers.jsonl --queries queries.jsonl --qrels qrels.tsv"
)(evaluating.evaluate)

Query = Annotated[str, typer.Argument(help="Plain words; no sign has a meaning.")]
PaperId = Annotated[
    str, typer.Argument(metavar="ID", help="An OpenAlex id, a DOI, an arXiv id, or the file's own.")
]


def _version(wanted: bool) -> None:
    if wanted:
        from citehop import __version__

        typer.echo(f"citehop {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Find papers by their words, and the papers that only the citation graph finds."""


@app.command(epilog='Example: citehop search "peer review" --in works.jsonl --year 2010..2020')
def search(
    context: typer.Context,
    query: Query,
    paths: opt.In = None,
    scoring: opt.ScoringOption = opt.ScoringName.HOPS,
    hops: opt.Hops = 2,
    direction: opt.DirectionOption = opt.DirectionName.BOTH,
    top: opt.Top = 20,
    lexical: opt.Lexical = 10,
    year: opt.Years = None,
    provider: opt.Provider = None,
    exclude_retracted: opt.NotRetracted = False,
    exclude: opt.Exclude = None,
    external: opt.External = True,
    timeout: opt.Timeout = 5.0,
    analysis: opt.Analysis = None,
    cypher: opt.Cypher = False,
    store: opt.Store = None,
    database: opt.Database = None,
    auth_file: opt.AuthFile = None,
    format: opt.Format = None,
    encoding: opt.Encoding = None,
    strict: opt.Strict = False,
    json: opt.Json = False,
) -> None:
    """Search by keywords, and follow the citations of the best hits."""
    if not query.strip():
        raise typer.BadParameter("the query is empty; give at least one word")
    limits = _filter(year, provider, exclude_retracted)
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

    config = _config(
        context,
        scoring,
        top_k_lexical=lexical,
        max_hops=hops,
        direction=direction.value,
        top_k=top,
        timeout_seconds=timeout,
        external=external,
    )
    with open_named(where) as library:
        repository = library.repository(analysis.value if analysis else None)
        excluded = _ids(repository, exclude)
        library.statements.clear()
        answer.search(
            repository,
            query,
            config,
            filter=limits,
            exclude=excluded,
            statements=library.statements if cypher else None,
            as_json=json,
        )


@app.command(epilog="Example: citehop load works.jsonl.gz --store neo4j://localhost")
def load(
    paths: Annotated[
        list[Path] | None, typer.Argument(metavar="PATH…", help="Files or folders to read.")
    ] = None,
    store: opt.Store = None,
    merged: Annotated[
        bool,
        typer.Option(
            "--merge/--no-merge",
            help="Make one paper of several records of it first, in memory; --no-merge streams.",
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
    from citehop.cli.loading import load_into_store

    load_into_store(where, merging=merged, as_json=json)


@app.command(epilog="Example: citehop neighbours W2755950973 --in works.jsonl --hops 2")
def neighbours(
    id: PaperId,
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
    limits = _filter(year, provider, exclude_retracted)
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


@app.command(
    epilog="Example: citehop show https://doi.org/10.1103/physrevlett.118.091101 --in works.jsonl"
)
def show(
    id: PaperId,
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


@app.command(epilog='Example: citehop explain "peer review" W2755950973 --in works.jsonl')
def explain(
    context: typer.Context,
    query: Query,
    id: PaperId,
    paths: opt.In = None,
    scoring: opt.ScoringOption = opt.ScoringName.HOPS,
    hops: opt.Hops = 2,
    direction: opt.DirectionOption = opt.DirectionName.BOTH,
    lexical: opt.Lexical = 10,
    year: opt.Years = None,
    provider: opt.Provider = None,
    exclude_retracted: opt.NotRetracted = False,
    exclude: opt.Exclude = None,
    external: opt.External = True,
    analysis: opt.Analysis = None,
    store: opt.Store = None,
    database: opt.Database = None,
    auth_file: opt.AuthFile = None,
    format: opt.Format = None,
    encoding: opt.Encoding = None,
    strict: opt.Strict = False,
    json: opt.Json = False,
) -> None:
    """Show how one paper's score for a query comes about, or what left the paper out."""
    if not query.strip():
        raise typer.BadParameter("the query is empty; give at least one word")
    limits = _filter(year, provider, exclude_retracted)
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

    config = _config(
        context,
        scoring,
        top_k_lexical=lexical,
        max_hops=hops,
        direction=direction.value,
        external=external,
    )
    with open_named(where) as library:
        repository = library.repository(analysis.value if analysis else None)
        answer.explain(
            repository,
            query,
            id,
            config,
            filter=limits,
            exclude=_ids(repository, exclude),
            as_json=json,
        )


@app.command(epilog='Example: citehop plan plan.toml "peer review" --in works.jsonl')
def plan(
    file: Annotated[Path, typer.Argument(metavar="PLAN.toml", help="The plan, as TOML.")],
    query: Query,
    paths: opt.In = None,
    year: opt.Years = None,
    provider: opt.Provider = None,
    exclude_retracted: opt.NotRetracted = False,
    analysis: opt.Analysis = None,
    store: opt.Store = None,
    database: opt.Database = None,
    auth_file: opt.AuthFile = None,
    format: opt.Format = None,
    encoding: opt.Encoding = None,
    strict: opt.Strict = False,
    json: opt.Json = False,
) -> None:
    """Run an execution plan: several queries, fused, reranked and cut to a budget of text."""
    if not query.strip():
        raise typer.BadParameter("the query is empty; give at least one word")
    limits = _filter(year, provider, exclude_retracted)
    where = opening(
        paths,
        store,
        database=database,
        auth_file=auth_file,
        format=format,
        encoding=encoding,
        strict=strict,
    )
    from citehop.cli import planned
    from citehop.cli.library import open_named

    made = planned.read_plan(file)
    with open_named(where) as library:
        repository = library.repository(analysis.value if analysis else None)
        planned.run(repository, made, query, filter=limits, as_json=json)


@app.command(epilog="Example: citehop stats --in works.jsonl --in edges.tsv")
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
    from citehop.cli import answer
    from citehop.cli.library import open_named

    with open_named(where) as library:
        answer.stats(library, as_json=json)


@app.command(epilog='Example: citehop demo "open access advantage"')
def demo(
    query: Annotated[
        str | None, typer.Argument(help="Another query than the demo's own.", show_default=False)
    ] = None,
) -> None:
    """Search 613 real papers on bibliometrics, which ship with citehop."""
    from citehop.cli.demo import run

    run(query)


def _config(context: typer.Context, scoring: opt.ScoringName, **fields: Any) -> RetrievalConfig:
    """Return the configuration; propagation has its own hops and hits where none were asked for."""
    from citehop.search.config import RetrievalConfig

    if scoring is opt.ScoringName.HOPS:
        return RetrievalConfig(**fields)
    own = {"max_hops": "hops", "top_k_lexical": "lexical"}
    # By name: where the class comes from differs between releases of typer.
    sources = {field: context.get_parameter_source(option) for field, option in own.items()}
    unasked = {field for field, source in sources.items() if source and source.name == "DEFAULT"}
    return RetrievalConfig.propagation(
        **{name: value for name, value in fields.items() if name not in unasked}
    )


def _filter(
    year: str | None, provider: list[str] | None, exclude_retracted: bool
) -> dict[str, Any]:
    limits: dict[str, Any] = {}
    if year:
        limits["year_min"], limits["year_max"] = opt.parse_years(year)
    if provider:
        limits["sources"] = provider
    if exclude_retracted:
        limits["retracted"] = ("no", "suspected")
    return limits


def _ids(repository: CitationRepository, names: list[str] | None) -> list[str]:
    """Return the ids of the papers named, each by its id or an alias."""
    trimmed = [name.strip() for name in names or ()]
    if "" in trimmed:
        raise typer.BadParameter("--exclude: an id is empty; give the id of a paper")
    papers = repository.store.get(trimmed)
    return [paper.id if paper else name for name, paper in zip(trimmed, papers, strict=True)]
