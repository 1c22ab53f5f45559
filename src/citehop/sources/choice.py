"""Which record's value a merged paper keeps: the written order of sources, and what breaks ties.

=====================  ==========================================================================
field                  rule
=====================  ==========================================================================
id                     first of the ids by scheme (:data:`~citehop.identifiers.SCHEMES`, then any
                       other), then the smallest
title, abstract,       of the best source that has one; of equal sources the longest, then the
venue                  smallest text
year                   of the best source that has one; of equal sources the earliest
authors                the whole list of the best source that has one; of equal sources the
                       longest, then the one with most letters, then the smallest
external ids           scheme by scheme of the best source that has one; of equal sources the
                       smallest. A scheme named by the id itself keeps the id.
references, citations  all of them, the best source's first
source                 the best source's; ``sources``: all of them, best first
retracted              the gravest, whoever says so, with its evidence
notice                 whether any of them says so
=====================  ==========================================================================

Missing (empty text, empty list, no year) never replaces what is present.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from citehop.identifiers import SCHEMES, names_in
from citehop.paper import Paper

SOURCE_ORDER = ("crossref", "pubmed", "openalex", "s2", "dblp", "arxiv", "bibtex", "ris")
"""Best first. Then come sources with other names, in order of name; then records that name no
source; last edge lists, which know nothing but ids."""

_RANKS = {name: rank for rank, name in enumerate(SOURCE_ORDER)}
_OTHER, _UNNAMED, _EDGES = len(_RANKS), len(_RANKS) + 1, len(_RANKS) + 2
_GRAVITY = {"no": 0, "suspected": 1, "yes": 2}

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Records of one paper that say different things of it.

    Args:
        id: The merged paper.
        field: The field; ``external_ids.doi`` and so on for each scheme.
        kept: The value that stays, as text.
        others: The values that do not, as text, in order.
    """

    id: str
    field: str
    kept: str
    others: tuple[str, ...]


def rank(source: str) -> tuple[int, str]:
    """Return where a source stands; smaller is better."""
    lowered = source.lower()
    if lowered in _RANKS:
        return _RANKS[lowered], ""
    return {"": (_UNNAMED, ""), "edges": (_EDGES, "")}.get(lowered, (_OTHER, source))


def surviving_id(ids: Iterable[str]) -> str:
    """Return the id under which records of one paper are kept."""
    return min(ids, key=lambda paper_id: (_scheme_rank(paper_id), paper_id))


def _scheme_rank(paper_id: str) -> int:
    schemes = [scheme for scheme, _ in names_in(paper_id)]
    return min((SCHEMES.index(s) for s in schemes if s in SCHEMES), default=len(SCHEMES))


def chosen(paper_id: str, records: Sequence[Paper], disagreements: list[Disagreement]) -> Paper:
    """Return one paper from all records of it, and add what they disagree on to the list."""
    ordered = _in_order(records)
    if len(ordered) == 1 and ordered[0].id == paper_id:
        return ordered[0]
    pick = _Picker(paper_id, ordered, disagreements)
    gravest = max(ordered, key=lambda paper: _GRAVITY[paper.retracted])
    return Paper(
        paper_id,
        pick.value("title", lambda text: (-len(text), text)),
        pick.value("abstract", lambda text: (-len(text), text)),
        pick.value("year", lambda year: year),
        list(pick.value("authors", lambda names: (-len(names), -sum(map(len, names)), names))),
        _united(paper.references for paper in ordered),
        _united(paper.citations for paper in ordered),
        ordered[0].source,
        external_ids=pick.external_ids(),
        venue=pick.value("venue", lambda text: (-len(text), text)),
        retracted=gravest.retracted,
        sources=tuple(
            sorted({name for paper in ordered for name in paper.sources}, key=_source_order)
        ),
        retraction_evidence=gravest.retraction_evidence,
        notice=any(paper.notice for paper in ordered),
    )


def _source_order(source: str) -> tuple[tuple[int, str], str]:
    return rank(source), source


def _in_order(records: Sequence[Paper]) -> list[Paper]:
    """Return different records, best first, in an order that does not depend on how they came."""
    if all(paper == records[0] for paper in records):
        return [records[0]]
    different = {repr(sorted(paper.to_dict().items())): paper for paper in records}
    return [
        paper for _, _, paper in sorted((rank(p.source), text, p) for text, p in different.items())
    ]


def _united(lists: Iterable[Iterable[str]]) -> list[str]:
    return list(dict.fromkeys(entry for entries in lists for entry in entries))


class _Picker:
    """Picks field by field from records that stand best first."""

    def __init__(
        self, paper_id: str, ordered: Sequence[Paper], disagreements: list[Disagreement]
    ) -> None:
        self._id = paper_id
        self._ordered = ordered
        self._disagreements = disagreements

    def value(self, field: str, tie: Callable[[Any], Any]) -> Any:
        """Return the field of the best record that has one, or the first record's empty one."""
        present = [
            (rank(p.source), getattr(p, field))
            for p in self._ordered
            if not _missing(getattr(p, field))
        ]
        return self._pick(field, present, tie) if present else getattr(self._ordered[0], field)

    def external_ids(self) -> dict[str, str]:
        """Return one name in each scheme that any record has."""
        schemes = sorted({scheme for paper in self._ordered for scheme in paper.external_ids})
        own = dict(names_in(self._id))
        picked: dict[str, str] = {}
        for scheme in schemes:
            present = [
                (rank(p.source), p.external_ids[scheme])
                for p in self._ordered
                if scheme in p.external_ids
            ]
            picked[scheme] = self._pick(
                f"external_ids.{scheme}", present, lambda text: text, forced=own.get(scheme)
            )
        return picked

    def _pick(
        self,
        field: str,
        present: list[tuple[tuple[int, str], T]],
        tie: Callable[[T], Any],
        *,
        forced: T | None = None,
    ) -> T:
        kept = (
            min(present, key=lambda pair: (pair[0], tie(pair[1])))[1] if forced is None else forced
        )
        others = sorted({_shown(value) for _, value in present} - {_shown(kept)})
        if others:
            self._disagreements.append(Disagreement(self._id, field, _shown(kept), tuple(others)))
        return kept


def _missing(value: object) -> bool:
    return value is None or value in ("", [])


def _shown(value: object) -> str:
    return "; ".join(value) if isinstance(value, list) else str(value)
