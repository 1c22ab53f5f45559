"""A store made of dicts, small and slow, that can be told to go wrong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, ClassVar

from citehop.graph.store import (
    Changes,
    CitationPath,
    CitationStore,
    Counts,
    ExpandRequest,
    Expansion,
    LoadReport,
    PathsRequest,
    Progress,
)
from citehop.paper import Paper
from citehop.testing import reference


class DictStore(CitationStore):
    """Answers by the reference walk of the contract suite.

    Attributes:
        faults: Exceptions to raise, by the name of the method that raises them.
        calls: Names of the methods called, in order.
        asked: The last walk and the last request for chains.
        stop_after: Hops after which the walk's time is up; None: never.
        forgets: Whether ``changes`` no longer knows any earlier revision.
    """

    backend: ClassVar[str] = "dicts"

    def __init__(self, papers: Iterable[Paper] = ()) -> None:
        self.records: dict[str, Paper] = {}
        self.log: list[tuple[str, str]] = []
        self.faults: dict[str, BaseException] = {}
        self.calls: list[str] = []
        self.asked: dict[str, Any] = {}
        self.stop_after: int | None = None
        self.forgets = False
        self.load(papers)

    def load(self, papers: Iterable[Paper], *, progress: Progress | None = None) -> LoadReport:
        """Take in records; all of them count as created."""
        report = LoadReport()
        for paper in papers:
            if self.records.get(paper.id) != paper:
                self.records[paper.id] = paper
                self.log.append(("upserted", paper.id))
            report += LoadReport(created=1)
            if progress is not None:
                progress(report)
        return report

    def remove(self, ids: Iterable[str]) -> int:
        """Remove records."""
        gone = [key for key in ids if self.records.pop(key, None) is not None]
        self.log += [("removed", key) for key in gone]
        return len(gone)

    def get(self, ids: Iterable[str]) -> list[Paper | None]:
        """Return records, by id or external id."""
        self._called("get")
        names = {
            name: key
            for key, paper in sorted(self.records.items(), reverse=True)
            for name in paper.external_ids.values()
        }
        names |= {key: key for key in self.records}
        return [self._seen(names[key]) if key in names else None for key in ids]

    def papers(self) -> Iterator[Paper]:
        """Yield records in order of id."""
        self._called("papers")
        return iter([self._seen(key) for key in sorted(self.records)])

    def counts(self) -> Counts:
        """Count by the reference."""
        return reference.counts(self.records.values())

    @property
    def revision(self) -> str:
        """Name the state after the number of changes so far."""
        return f"r{len(self.log)}"

    def changes(self, since: str) -> Changes | None:
        """Tell the changes from the log."""
        self._called("changes")
        if self.forgets:
            return None
        last = dict.fromkeys(reversed([key for _, key in self.log[int(since[1:]) :]]))
        upserted = sorted(key for key in last if key in self.records)
        removed = sorted(key for key in last if key not in self.records)
        return Changes(revision=self.revision, upserted=tuple(upserted), removed=tuple(removed))

    def close(self) -> None:
        """Note that it was closed."""
        self.calls.append("close")

    def _seen(self, key: str) -> Paper:
        edges = reference.edges_of(self.records.values())
        return replace(
            self.records[key],
            references=sorted(cited for citing, cited in edges if citing == key),
            citations=sorted(citing for citing, cited in edges if cited == key),
        )

    def _expand(self, request: ExpandRequest) -> Expansion:
        self.asked["expand"] = request
        self._called("expand")
        whole = request.max_hops if self.stop_after is None else self.stop_after
        found = reference.expand(
            self.records.values(),
            request.seeds,
            max_hops=whole,
            limit=request.limit,
            per_seed_limit=request.per_seed_limit,
            filter=request.filter,
            direction=request.direction,
            exclude=request.exclude,
            external=request.external,
        )
        return replace(found, timed_out=whole < request.max_hops)

    def _paths(self, request: PathsRequest) -> dict[tuple[str, str], CitationPath]:
        self.asked["paths"] = request
        self._called("paths")
        return reference.paths(
            self.records.values(),
            request.pairs,
            max_hops=request.max_hops,
            direction=request.direction,
            exclude=request.exclude,
            external=request.external,
        )

    def _called(self, name: str) -> None:
        self.calls.append(name)
        if name in self.faults:
            raise self.faults[name]
