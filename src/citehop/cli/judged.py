"""The judged queries that a command asks, from files, under the ids that papers have here."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from citehop.cli import complain
from citehop.errors import InputError

if TYPE_CHECKING:
    from citehop.evaluation.collection import Queries
    from citehop.evaluation.evaluate import Qrels
    from citehop.graph.store import CitationStore

    Asked = tuple[Mapping[str, str], Qrels, Mapping[str, Collection[str]]]
    """Texts by query, judgements of those that are to count, and what is left out for them."""


def judged(queries: Queries, qrels: Qrels, sample: int | None) -> Asked:
    """Return the queries to ask, with those that nobody judged, and the judgements of the others.

    Of a sample only the judged queries that are not in it are missing.
    """
    from citehop.evaluation import collection

    judged = [
        key for key in queries.texts if any(grade > 0 for grade in qrels.get(key, {}).values())
    ]
    if not judged:
        raise InputError(
            f"no query has a relevant paper: none of the {len(queries)} query ids is among the"
            f" {len(qrels)} of the judgements with a score above 0; are the files of one"
            " collection?"
        )
    chosen = {key: qrels[key] for key in collection.sample(judged, sample)}
    left = set(judged) - chosen.keys()
    texts = {key: text for key, text in queries.texts.items() if key not in left}
    return texts, chosen, queries.exclude


def check_run_ids(asked: Asked, file: Path) -> None:
    """Refuse what no run can hold before hours are spent on it."""
    from citehop.evaluation.collection import check_run_id

    for key in asked[1]:
        try:
            check_run_id("query", key)
        except ValueError as error:
            raise InputError(f"{error}, or leave out --run", file=str(file)) from error


def named_as_here(asked: Asked, store: CitationStore) -> Asked:
    """Return judgements and exclusions under the ids that the papers have here; say what is not."""
    from citehop.identifiers import canonical_id

    texts, qrels, exclude = asked
    named = {paper for query in qrels for paper in (*qrels[query], *exclude.get(query, ()))}
    ordered = sorted(named)
    papers = dict(zip(ordered, store.get(ordered), strict=True))
    known = {name: paper.id if paper else canonical_id(name) for name, paper in papers.items()}
    judged = {known[paper] for query in qrels for paper in qrels[query]}
    absent = len(judged - {paper.id for paper in papers.values() if paper})
    if absent:
        complain(f"{absent:,} of {len(judged):,} judged papers are not here; they count as missed")
    grades: dict[str, dict[str, int]] = {query: {} for query in qrels}
    for query, own in grades.items():
        for paper, grade in qrels[query].items():
            own[known[paper]] = max(grade, own.get(known[paper], grade))
    left_out = {query: frozenset(known[p] for p in exclude.get(query, ())) for query in qrels}
    return texts, grades, left_out
