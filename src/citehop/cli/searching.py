"""The commands that search: by words and citations, by a plan, and why a score is what it is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from citehop.cli import complain
from citehop.cli import options as opt
from citehop.cli.opening import opening

if TYPE_CHECKING:
    from citehop.search.config import RetrievalConfig
    from citehop.search.repository import CitationRepository


def search(
    context: typer.Context,
    query: opt.Query,
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
    index: opt.Index = None,
    database: opt.Database = None,
    auth_file: opt.AuthFile = None,
    format: opt.Format = None,
    encoding: opt.Encoding = None,
    strict: opt.Strict = False,
    json: opt.Json = False,
) -> None:
    """Search by keywords, and follow the citations of the best hits."""
    _check_query(query)
    limits = opt.limits_of(year, provider, exclude_retracted)
    where = opening(
        paths,
        store,
        database=database,
        auth_file=auth_file,
        index=index,
        indexed=True,
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
    with open_named(where, noting=cypher) as library:
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


def explain(
    context: typer.Context,
    query: opt.Query,
    id: opt.PaperId,
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
    store: opt.Store = None,
    index: opt.Index = None,
    database: opt.Database = None,
    auth_file: opt.AuthFile = None,
    format: opt.Format = None,
    encoding: opt.Encoding = None,
    strict: opt.Strict = False,
    json: opt.Json = False,
) -> None:
    """Show how one paper's score for a query comes about, or what left the paper out."""
    _check_query(query)
    limits = opt.limits_of(year, provider, exclude_retracted)
    where = opening(
        paths,
        store,
        database=database,
        auth_file=auth_file,
        index=index,
        indexed=True,
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
        answer.explain(
            repository,
            query,
            id,
            config,
            filter=limits,
            exclude=_ids(repository, exclude),
            as_json=json,
        )


def plan(
    file: Annotated[
        Path,
        typer.Argument(metavar="PLAN.toml", help="The plan, as TOML.", exists=True, dir_okay=False),
    ],
    query: opt.Query,
    paths: opt.In = None,
    year: opt.Years = None,
    provider: opt.Provider = None,
    exclude_retracted: opt.NotRetracted = False,
    analysis: opt.Analysis = None,
    store: opt.Store = None,
    index: opt.Index = None,
    database: opt.Database = None,
    auth_file: opt.AuthFile = None,
    format: opt.Format = None,
    encoding: opt.Encoding = None,
    strict: opt.Strict = False,
    json: opt.Json = False,
) -> None:
    """Run an execution plan: several queries, fused, reranked and cut to a budget of text."""
    _check_query(query)
    limits = opt.limits_of(year, provider, exclude_retracted)
    where = opening(
        paths,
        store,
        database=database,
        auth_file=auth_file,
        index=index,
        indexed=True,
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


def _check_query(query: str) -> None:
    from citehop.identifiers import trim

    if not trim(query):
        raise typer.BadParameter("the query is empty; give at least one word")


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


def _ids(repository: CitationRepository, names: list[str] | None) -> list[str]:
    """Return the ids of the papers named, each by its id or an alias."""
    trimmed = [name.strip() for name in names or ()]
    if "" in trimmed:
        raise typer.BadParameter("--exclude: an id is empty; give the id of a paper")
    if not trimmed:
        return []
    papers = repository.store.get(trimmed)
    for name, paper in zip(trimmed, papers, strict=True):
        if paper is None:
            complain(f"warning: --exclude {name}: no paper has this id")
    return [paper.id if paper else name for name, paper in zip(trimmed, papers, strict=True)]
