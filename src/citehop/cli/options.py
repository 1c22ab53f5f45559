"""The options that several commands share."""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from citehop.bounds import MAX_HOPS, MAX_LIMIT, MAX_SEEDS, MAX_TIMEOUT_SECONDS
from citehop.cli.opening import INDEX_VARIABLE, LIBRARY_VARIABLE, STORE_VARIABLE

_YEARS = re.compile(r"([0-9]{1,4})?\.\.([0-9]{1,4})?|([0-9]{1,4})")


class DirectionName(StrEnum):
    """Which way citations are followed."""

    BOTH = "both"
    REFERENCES = "references"
    CITATIONS = "citations"


class ScoringName(StrEnum):
    """How graph evidence becomes a score; the names of ``RetrievalConfig.scoring``."""

    HOPS = "hops"
    PROPAGATION = "propagation"


class AnalysisName(StrEnum):
    """How text becomes terms; the names of :data:`citehop.lexical.analysis.ANALYSERS`."""

    PLAIN = "plain"
    ENGLISH = "english"


def parse_years(text: str) -> tuple[int | None, int | None]:
    """Return first and last year of ``2010..2020``, ``2010..``, ``..2020`` or ``2015``.

    Raises:
        typer.BadParameter: If the text is none of these, or the years are the wrong way round.
    """
    match = _YEARS.fullmatch(text.strip())
    if match is None or text.strip() == "..":
        raise typer.BadParameter(f"{text!r} is no range of years; write 2010..2020, 2010.. or 2015")
    if match.group(3):
        return int(match.group(3)), int(match.group(3))
    low, high = (int(year) if year else None for year in match.group(1, 2))
    if low is not None and high is not None and low > high:
        raise typer.BadParameter(f"{text!r} starts after it ends; write {high}..{low}")
    return low, high


def named_path(text: str) -> Path:
    """Return the path; an empty one, as of a variable that is not set, would mean this folder."""
    if not str(text):
        raise typer.BadParameter("a path is empty; write . for this folder")
    return Path(text)


def limits_of(
    year: str | None, provider: list[str] | None, exclude_retracted: bool
) -> dict[str, Any]:
    """Return the filter that the options make, as a mapping with a filter's keys."""
    limits: dict[str, Any] = {}
    if year is not None:
        limits["year_min"], limits["year_max"] = parse_years(year)
    if provider:
        limits["sources"] = provider
    if exclude_retracted:
        limits["retracted"] = ("no", "suspected")
    return limits


Query = Annotated[str, typer.Argument(help="Plain words; no sign has a meaning.")]
PaperId = Annotated[
    str, typer.Argument(metavar="ID", help="An OpenAlex id, a DOI, an arXiv id, or the file's own.")
]
In = Annotated[
    list[Path] | None,
    typer.Option(
        "--in",
        metavar="PATH",
        parser=named_path,
        help=f"File or folder with papers or citations, given once or often; or a library made by"
        f" 'citehop build'. Default: ${LIBRARY_VARIABLE}.",
        show_default=False,
    ),
]
Store = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        help=f"Neo4j server with the papers, such as neo4j://localhost; user and password from"
        f" NEO4J_USERNAME and NEO4J_PASSWORD or --auth-file. Default: ${STORE_VARIABLE}.",
        show_default=False,
    ),
]
Index = Annotated[
    Path | None,
    typer.Option(
        "--index",
        metavar="DIR",
        parser=named_path,
        help="Index on disk of that server's papers, made by 'citehop build --store'; it takes in"
        f" what changed, and no other paper is read. Default: ${INDEX_VARIABLE}.",
        show_default=False,
    ),
]
Database = Annotated[
    str | None, typer.Option(help="Database on that server; its own default where not given.")
]
AuthFile = Annotated[
    Path | None,
    typer.Option(help="File with user and password for that server, on two lines."),
]
Cypher = Annotated[
    bool,
    typer.Option("--cypher", help="Print the statements that ran in Neo4j, ready to paste."),
]
Format = Annotated[
    str | None,
    typer.Option(help="Format of the files; recognised by their content where not given."),
]
Encoding = Annotated[
    str | None,
    typer.Option(help="Encoding of text files that are neither UTF-8 nor marked UTF-16."),
]
Strict = Annotated[
    bool, typer.Option("--strict", help="Stop at the first record that is not as it should be.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Analysis = Annotated[
    AnalysisName | None,
    typer.Option(
        help="How words are read: plain, or english (stems, stop words, accents). A library or an"
        " index has its own; files are read plain where not given.",
        show_default=False,
    ),
]
ScoringOption = Annotated[
    ScoringName,
    typer.Option(
        "--scoring",
        help="How the graph is weighed: by hops, or by what flows from the keyword hits"
        " (propagation; then 1 hop from 200 hits, unless --hops or --lexical say otherwise).",
    ),
]
Hops = Annotated[int, typer.Option(min=0, max=MAX_HOPS, help="Citations away, at most.")]
DirectionOption = Annotated[
    DirectionName,
    typer.Option(
        help="Follow references (what a paper cites), citations (what cites it), or both."
    ),
]
Top = Annotated[int, typer.Option(min=1, max=MAX_LIMIT, help="Papers shown, at most.")]
Lexical = Annotated[
    int,
    typer.Option(min=1, max=MAX_SEEDS, help="Keyword hits taken in; the walk starts from them."),
]
Years = Annotated[
    str | None, typer.Option("--year", metavar="FROM..TO", help="Years allowed: 2010..2020, 2015..")
]
Provider = Annotated[
    list[str] | None,
    typer.Option(help="Only papers that this source supplied (openalex, s2, …); may be repeated."),
]
NotRetracted = Annotated[
    bool, typer.Option("--exclude-retracted", help="Leave out papers known to be retracted.")
]
Exclude = Annotated[
    list[str] | None,
    typer.Option(metavar="ID", help="Leave this paper out as hit, seed and bridge; repeatable."),
]
External = Annotated[
    bool,
    typer.Option(
        "--external/--no-external", help="Walk through cited works that are not in the files."
    ),
]
Timeout = Annotated[
    float, typer.Option(min=0.001, max=MAX_TIMEOUT_SECONDS, help="Seconds for the search itself.")
]
