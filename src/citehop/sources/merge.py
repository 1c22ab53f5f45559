"""One paper from many records of it: by id, and by any name that they share.

Records belong together when they have the same id, or the same value in one scheme of external
ids (a record's own id counts as such where it is one), and so do chains of them. This holds too
where other names differ: a preprint and its article share an arXiv id, have a DOI each, and are
one paper; two OpenAlex works with one DOI are one paper. What they disagree on is counted and
listed, ``external_ids.doi`` too, and references by either name lead to the one that stays. Only
names of what a paper appeared in (ISSN, ISBN) bind nothing together.

Which value wins is in :mod:`citehop.sources.choice`. Nothing depends on the order of the records.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import overload

from citehop.identifiers import names_in, parse_identifier
from citehop.paper import Paper
from citehop.sources.choice import Disagreement, chosen, surviving_id

__all__ = ["Disagreement", "MergeReport", "Merged", "merge"]

MAX_DISAGREEMENTS = 1_000
"""The most disagreements that a report lists; its counts are exact."""

# Shared by all that appeared in one journal or book, so no name of a paper.
_CONTAINERS = frozenset({"issn", "issn_l", "eissn", "isbn"})
# Schemes whose values say by themselves what they are; the others need their prefix.
_SELF_EVIDENT = frozenset({"doi", "openalex", "s2", "arxiv", "pmcid"})


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeReport:
    """What a merge did.

    Args:
        records: Records given.
        papers: Papers that they became.
        merged: How many of these came from more than one record.
        redirected: References and citations that named a paper by another of its names.
        disagreements: In how many papers the records disagreed, by field.
        examples: The first :data:`MAX_DISAGREEMENTS` disagreements, in order of id.
        aliases: For each record's id that did not survive, the one that did.
    """

    records: int = 0
    papers: int = 0
    merged: int = 0
    redirected: int = 0
    disagreements: Mapping[str, int] = field(default_factory=dict)
    examples: tuple[Disagreement, ...] = ()
    aliases: Mapping[str, str] = field(default_factory=dict)


class Merged(Sequence[Paper]):
    """The merged papers, in order of id, and the report. Made by :func:`merge`."""

    def __init__(self, papers: Sequence[Paper], report: MergeReport) -> None:
        self._papers = papers
        self.report = report

    def __len__(self) -> int:
        return len(self._papers)

    def __iter__(self) -> Iterator[Paper]:
        return iter(self._papers)

    @overload
    def __getitem__(self, index: int) -> Paper: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Paper]: ...
    def __getitem__(self, index: int | slice) -> Paper | Sequence[Paper]:
        return self._papers[index]


def merge(papers: Iterable[Paper]) -> Merged:
    """Return one paper for each set of records that share an id or an external id.

    A record that stands alone, and whose references need no redirection, is returned itself.

    Raises:
        TypeError: If an entry is no Paper.
    """
    records = _checked(papers)
    groups = _grouped(records)
    disagreements: list[Disagreement] = []
    survivors: dict[str, Paper] = {}
    aliases: dict[str, str] = {}
    for group in groups:
        ids = {paper.id for paper in group}
        survivor = surviving_id(ids) if len(ids) > 1 else group[0].id
        survivors[survivor] = (
            group[0] if len(group) == 1 else chosen(survivor, group, disagreements)
        )
        aliases.update((paper_id, survivor) for paper_id in ids if paper_id != survivor)
    redirect = _Redirect(groups, survivors, aliases)
    merged = [redirect.applied(survivors[paper_id]) for paper_id in sorted(survivors)]
    disagreements.sort(key=lambda entry: (entry.id, entry.field))
    report = MergeReport(
        records=len(records),
        papers=len(merged),
        merged=sum(len(group) > 1 for group in groups),
        redirected=redirect.count,
        disagreements=dict(sorted(Counter(entry.field for entry in disagreements).items())),
        examples=tuple(disagreements[:MAX_DISAGREEMENTS]),
        aliases=dict(sorted(aliases.items())),
    )
    return Merged(merged, report)


def _checked(papers: Iterable[Paper]) -> list[Paper]:
    records: list[Paper] = []
    for number, paper in enumerate(papers, start=1):
        if not isinstance(paper, Paper):
            raise TypeError(f"entry {number} of papers must be a Paper, not {paper!r}")
        records.append(paper)
    return records


def _names(paper: Paper) -> Iterable[tuple[str, str]]:
    own = names_in(paper.id)
    return [*own, *paper.external_ids.items()] if own else paper.external_ids.items()


def _grouped(records: Sequence[Paper]) -> list[list[Paper]]:
    """Return the records of each paper together (union of sets with path halving)."""
    parents = list(range(len(records)))

    def root(start: int) -> int:
        at = start
        while parents[at] != at:
            parents[at] = parents[parents[at]]
            at = parents[at]
        return at

    by_id: dict[str, int] = {}
    by_name: dict[str, dict[str, int]] = {}
    for index, paper in enumerate(records):
        first = by_id.setdefault(paper.id, index)
        if first != index:
            parents[root(index)] = root(first)
        for scheme, value in _names(paper):
            if scheme in _CONTAINERS:
                continue
            first = by_name.setdefault(scheme, {}).setdefault(value, index)
            if first != index:
                parents[root(index)] = root(first)
    groups: dict[int, list[Paper]] = {}
    for index, paper in enumerate(records):
        groups.setdefault(root(index), []).append(paper)
    return list(groups.values())


class _Redirect:
    """Leads references from any name of a paper to the id under which it is kept."""

    def __init__(
        self,
        groups: Iterable[Sequence[Paper]],
        survivors: Mapping[str, Paper],
        aliases: Mapping[str, str],
    ) -> None:
        self.count = 0
        self._survivors = survivors
        self._others: dict[str, str] = {}
        self._by_name: dict[tuple[str, str], str] = {}
        for group in groups:
            survivor = aliases.get(group[0].id, group[0].id)
            for paper in group:
                self._learn(paper, survivor)
        # An id is an id first: another paper's name never takes it over.
        self._others.update(aliases)
        for paper_id in survivors:
            self._others.pop(paper_id, None)
        self._settled = set(survivors)

    def _learn(self, paper: Paper, survivor: str) -> None:
        for scheme, value in _names(paper):
            if value == survivor or scheme in _CONTAINERS:
                continue
            if scheme in _SELF_EVIDENT:
                # Two papers may have one text as names of two schemes: the smaller id takes it.
                self._others[value] = min(self._others.get(value, survivor), survivor)
            else:
                self._by_name[scheme, value] = survivor

    def applied(self, paper: Paper) -> Paper:
        """Return the paper with its lists redirected: itself, if nothing changes."""
        references = self._list(paper.references)
        citations = self._list(paper.citations)
        if references is paper.references and citations is paper.citations:
            return paper
        return replace(paper, references=references, citations=citations)

    def _list(self, ids: list[str]) -> list[str]:
        # Most lists name only papers by their ids, or outside works met before.
        if not self._settled.issuperset(ids):
            for paper_id in ids:
                self._settle(paper_id)
        if self._others.keys().isdisjoint(ids):
            return ids
        redirected = [self._others.get(paper_id, paper_id) for paper_id in ids]
        self.count += sum(new != old for new, old in zip(redirected, ids, strict=True))
        return redirected

    def _settle(self, paper_id: str) -> None:
        """Find out once what an id leads to."""
        if paper_id in self._settled:
            return
        self._settled.add(paper_id)
        # Only a name with a mark in it can be a spelling that the reader left as it was.
        if paper_id not in self._others and (":" in paper_id or "." in paper_id or "/" in paper_id):
            found = self._parsed(paper_id)
            if found != paper_id:
                self._others[paper_id] = found

    def _parsed(self, paper_id: str) -> str:
        name = parse_identifier(paper_id)
        if name is None:
            return paper_id
        if name[1] in self._survivors and name[0] in _SELF_EVIDENT:
            return name[1]
        return self._others.get(name[1]) or self._by_name.get(name) or paper_id
