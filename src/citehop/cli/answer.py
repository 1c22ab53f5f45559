"""What the commands print, once the papers are in a store."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from citehop.cli import complain, say
from citehop.cli.tables import plural, print_hits, print_json, print_legs, print_table
from citehop.errors import InputError
from citehop.graph.cypher import pasteable
from citehop.graph.store import CitationStore, Direction, Expansion
from citehop.outcome import RetrievalResponse, RetrievalStatus
from citehop.paper import Paper
from citehop.search.config import RetrievalConfig
from citehop.search.hit import Hit
from citehop.search.repository import CitationRepository

Statement = tuple[str, Mapping[str, Any]]

SHOWN = 10
"""How many references or citations `show` names."""


def search(
    repository: CitationRepository,
    query: str,
    config: RetrievalConfig,
    *,
    filter: Mapping[str, Any],
    exclude: Sequence[str] = (),
    statements: Sequence[Statement] | None = None,
    as_json: bool = False,
) -> RetrievalResponse[Hit]:
    """Search and print the answer; a failed search ends the command with exit code 1.

    Args:
        repository: What is searched.
        query: The query.
        config: How.
        filter: What may be found.
        exclude: Ids to leave out.
        statements: Filled by a Neo4j store with what it sends; printed where it is not None.
        as_json: Whether to print one JSON document.
    """
    response = repository.search(query, config=config, filter=filter, exclude_ids=exclude)
    sent = [pasteable(*statement) for statement in statements or ()]
    if as_json:
        document = search_document(response, config, filter)
        if statements is not None:
            document["diagnostics"]["cypher"] = sent
        print_json(document)
    else:
        print_legs(response.legs)
        if response.hits:
            print_hits(hit_rows(response))
        _print_statements(statements, sent)
    if response.status is RetrievalStatus.FAILED:
        raise SystemExit(1)
    if response.status is RetrievalStatus.DEGRADED:
        complain("warning: part of the search did not run normally; see the legs above")
    elif not response.hits and not as_json:
        say("nothing found")
    return response


def _print_statements(statements: Sequence[Statement] | None, sent: Sequence[str]) -> None:
    if statements is not None and not sent:
        say("no statement was sent; --cypher needs a --store, and a query with seeds")
    for text in sent:
        print(text)  # noqa: T201 - standard output is where results go


def search_document(
    response: RetrievalResponse[Hit], config: RetrievalConfig, filter: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the JSON document of a search; what may differ between runs is in `diagnostics`."""
    outcome = response.to_dict()
    legs = [dict(leg) for leg in outcome["legs"]]
    diagnostics = {leg["kind"]: leg.pop("diagnostics") for leg in legs}
    return {
        "query": response.query,
        "status": outcome["status"],
        "config": asdict(config),
        "filter": {key: filter[key] for key in sorted(filter)},
        "legs": legs,
        "hits": [hit.to_dict() for hit in response.hits],
        "diagnostics": {"legs": diagnostics},
    }


def hit_rows(response: RetrievalResponse[Hit]) -> list[dict[str, Any]]:
    """Return one row a hit: its rank, its score, the three weighted parts, and its reason."""
    return [
        {
            "rank": rank,
            "score": hit.final_score,
            "words": hit.parts["bm25"],
            "graph": hit.parts["graph"],
            "recency": hit.parts["recency"],
            "year": hit.doc.year,
            "id": hit.doc.id,
            "title": hit.doc.title,
            "retracted": hit.doc.retracted,
            "because": hit.reason,
        }
        for rank, hit in enumerate(response.hits, start=1)
    ]


def find(store: CitationStore, name: str) -> Paper:
    """Return the paper with this id or alias.

    Raises:
        InputError: If there is none.
    """
    paper = store.get([name.strip()])[0] if name.strip() else None
    if paper is None:
        raise InputError(
            f"no paper here is named {name!r}; give an OpenAlex id, a DOI, an arXiv id or the id"
            " in the file ('citehop search' shows ids)"
        )
    return paper


def neighbours(
    store: CitationStore,
    name: str,
    *,
    hops: int,
    direction: Direction,
    top: int,
    filter: Mapping[str, Any],
    external: bool,
    timeout: float,
    as_json: bool,
) -> None:
    """Print the papers around one paper, nearest first."""
    paper = find(store, name)
    found = store.expand(
        [paper.id],
        max_hops=hops,
        direction=direction,
        limit=top,
        per_seed_limit=top,
        filter=filter,
        external=external,
        timeout_seconds=timeout,
    )
    papers = store.get([neighbour.id for neighbour in found])
    if as_json:
        print_json(_neighbours_document(paper, found, papers, store))
        return
    near = f"{plural(hops, 'citation')} of “{paper.title or paper.id}” ({paper.id})"
    say(f"{_say_count(found)} within {near}")
    header = ["distance", "cited by", "year", "id", "title"]
    rows = [
        (near.distance, near.cited_by, record and record.year, near.id, record and record.title)
        for near, record in zip(found, papers, strict=True)
    ]
    print_table(header, rows)


def _say_count(found: Expansion) -> str:
    left = sum(cut.left_out for cut in found.cut.values())
    if not found.truncated:
        return plural(len(found), "paper")
    least = "" if all(cut.exact for cut in found.cut.values()) else "at least "
    shown = plural(len(found), "paper")
    return f"the first {shown} ({least}{left:,} more left out; --top shows more)"


def _neighbours_document(
    paper: Paper, found: Expansion, papers: Sequence[Paper | None], store: CitationStore
) -> dict[str, Any]:
    return {
        "id": paper.id,
        "completed_hops": found.completed_hops,
        "truncated": found.truncated,
        "cut": {seed: asdict(cut) for seed, cut in found.cut.items()},
        "neighbours": [
            {
                "id": near.id,
                "distance": near.distance,
                "degree": near.degree,
                "cited_by": near.cited_by,
                "doc": record.to_dict() if record else None,
            }
            for near, record in zip(found, papers, strict=True)
        ],
        "diagnostics": {"backend": store.backend},
    }


def show(store: CitationStore, name: str, *, as_json: bool) -> None:
    """Print one paper's record, what it cites and what cites it."""
    paper = find(store, name)
    if as_json:
        print_json(paper.to_dict())
        return
    print_table(["field", "value"], _fields(paper))
    for title, ids in (("it cites", paper.references), ("it is cited by", paper.citations)):
        inside = [record for record in store.get(ids) if record is not None]
        outside = len(ids) - len(inside)
        say(f"{title} {plural(len(inside), 'paper')} here, {plural(outside, 'work')} outside")
        rows = [(record.year, record.id, record.title) for record in inside[:SHOWN]]
        if rows:
            print_table(["year", "id", title], rows)
        if len(inside) > SHOWN:
            say(f"  … and {len(inside) - SHOWN} more; --json lists all ids")


def _fields(paper: Paper) -> Iterable[tuple[str, object]]:
    yield "id", paper.id
    yield "title", paper.title
    yield "authors", "; ".join(paper.authors)
    yield "year", paper.year
    yield "venue", paper.venue
    yield from sorted(paper.external_ids.items())
    yield "sources", ", ".join(paper.sources)
    evidence = f" ({paper.retraction_evidence})" if paper.retraction_evidence else ""
    yield "retracted", f"{paper.retracted}{evidence}"
    yield "abstract", paper.abstract


def explain(
    repository: CitationRepository,
    query: str,
    name: str,
    config: RetrievalConfig,
    *,
    filter: Mapping[str, Any],
    exclude: Sequence[str],
    as_json: bool,
) -> None:
    """Print how a paper's score comes about."""
    paper = find(repository.store, name)
    explanation = repository.explain(
        query, paper.id, config=config, filter=filter, exclude_ids=exclude
    )
    if as_json:
        print_json(explanation.to_dict())
    else:
        print(explanation)  # noqa: T201 - standard output is where results go
