"""What a store in memory holds: records, and the edges that they state."""

from __future__ import annotations

from dataclasses import dataclass

from citehop.graph.networkx_edges import StatedEdges
from citehop.graph.networkx_records import Records, own_copy
from citehop.graph.store import Counts, Direction, LoadReport
from citehop.graph.walk import View
from citehop.paper import Paper


@dataclass(slots=True)
class Tally:
    """The numbers of a :class:`LoadReport` while they grow."""

    created: int = 0
    updated: int = 0
    unchanged: int = 0
    dropped_self: int = 0
    dropped_doubled: int = 0


class Contents:
    """Records and edges, kept in step. Not safe for threads.

    Args:
        edges: An empty edge set.
    """

    def __init__(self, edges: StatedEdges) -> None:
        self.records = Records()
        self.edges = edges

    def put(self, paper: Paper, tally: Tally) -> bool:
        """Add or replace a record and return whether anything changed."""
        own = self._own(paper)
        references = self._stated(own.id, own.references, tally)
        citations = self._stated(own.id, own.citations, tally)
        old = self.records.get(own.id)
        if old == own:
            tally.unchanged += 1
            return False
        if old is None:
            tally.created += 1
            self.edges.add_paper(own.id)
        else:
            tally.updated += 1
            self.edges.retract(own.id)
        self.edges.state(own.id, references, citations)
        self.records.put(own)
        return True

    def drop(self, id: str) -> None:
        """Remove a record; what others say of the paper stays."""
        self.edges.retract(id)
        self.edges.remove_paper(id)
        self.records.drop(id)

    def mend(self) -> None:
        """Make the edges anew from the records, after an interrupted change."""
        self.edges.clear()
        self.records.forget_aliases()
        for paper in self.records.values():
            self.edges.add_paper(paper.id)
        for paper in self.records.values():
            references = self._stated(paper.id, paper.references, Tally())
            citations = self._stated(paper.id, paper.citations, Tally())
            self.edges.state(paper.id, references, citations)

    def read(self, id: str) -> Paper:
        """Return a paper with the graph's edges for references and citations."""
        return own_copy(
            self.records[id],
            references=sorted(self.edges.ahead[id]),
            citations=sorted(self.edges.back[id]),
        )

    def counts(self) -> Counts:
        """Return what is held."""
        years = [paper.year for paper in self.records.values() if paper.year is not None]
        return Counts(
            papers=len(self.records),
            external=len(self.edges.external),
            citations=self.edges.inside(),
            citations_all=self.edges.count,
            year_min=min(years, default=None),
            year_max=max(years, default=None),
        )

    def view(self, direction: Direction, barred: frozenset[str], use_external: bool) -> View:
        """Return the graph as a request sees it."""
        edges = self.edges
        return View(edges.ahead, edges.back, edges.external, direction, barred, use_external)

    def report(self, tally: Tally, edges: int, externals: int) -> LoadReport:
        """Return the report of a batch, given what was held before it."""
        return LoadReport(
            created=tally.created,
            updated=tally.updated,
            unchanged=tally.unchanged,
            edges=self.edges.count - edges,
            externals=len(self.edges.external) - externals,
            dropped_self=tally.dropped_self,
            dropped_doubled=tally.dropped_doubled,
        )

    def _own(self, paper: Paper) -> Paper:
        names = self.edges.names
        return own_copy(
            paper,
            id=names([paper.id])[0],
            references=names(paper.references),
            citations=names(paper.citations),
        )

    def _stated(self, id: str, ids: list[str], tally: Tally) -> dict[str, None]:
        """Return the different ids of a list without the paper's own."""
        stated = dict.fromkeys(ids)
        tally.dropped_doubled += len(ids) - len(stated)
        if id in stated:
            tally.dropped_self += 1
            del stated[id]
        return stated
