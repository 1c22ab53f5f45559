"""The citation graph in memory, over networkx."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar

import networkx as nx

from citehop.deadline import Deadline
from citehop.errors import StoreClosed
from citehop.graph.chains import paths
from citehop.graph.networkx_contents import Contents, Tally
from citehop.graph.networkx_edges import StatedEdges
from citehop.graph.networkx_lock import ReadWriteLock
from citehop.graph.networkx_log import ChangeLog
from citehop.graph.store import (
    DEFAULT_HOPS,
    MAX_HOPS,
    Changes,
    CitationPath,
    CitationStore,
    Counts,
    ExpandRequest,
    Expansion,
    LoadReport,
    PathsRequest,
    Progress,
    batches,
    check_int,
    id_list,
)
from citehop.graph.walk import expand
from citehop.paper import Paper

BATCH = 256
"""Papers that a load takes in at once: a search waits for no more than these."""
_LISTED = 500


def _empty() -> Contents:
    graph: Any = nx.DiGraph()
    # The rows themselves and not the public views over them: a walk unites thousands of rows,
    # and a view makes each edge a Python call.
    return Contents(StatedEdges(graph._node, graph._succ, graph._pred))  # noqa: SLF001


class CitationGraph:
    """Who cites whom, in its smallest form. For one thread; see :class:`NetworkXStore` for more."""

    def __init__(self) -> None:
        self._contents = _empty()

    def add_paper(self, paper: Paper) -> None:
        """Add a paper with its citations, or replace the one with the same id.

        Raises:
            TypeError: If it is no :class:`Paper`.
        """
        if not isinstance(paper, Paper):
            raise TypeError(f"paper must be a Paper, not {paper!r}")
        self._contents.put(paper, Tally())

    def expand(self, seeds: Iterable[str], max_hops: int = DEFAULT_HOPS) -> dict[str, int]:
        """Return the papers within ``max_hops`` citations, either way, with their distance.

        Breadth first; the seeds stand first, at 0, the rest by distance and id. Only papers that
        were added are seeds and are returned; works that are only named are walked through.

        Raises:
            TypeError, ValueError: If ``max_hops`` is no int from 0 to 4.
        """
        hops = check_int("max_hops", max_hops, 0, MAX_HOPS)
        distances = {seed: 0 for seed in id_list(seeds) if seed in self._contents.records}
        view = self._contents.view("both", frozenset(), use_external=True)
        layers = [set(distances)]
        for hop in range(1, hops + 1):
            layers.append(view.hop(layers[-1], layers, Deadline.after(None)))
            distances.update(dict.fromkeys(sorted(layers[-1] - view.external), hop))
        return distances


class NetworkXStore(CitationStore):
    """A citation store in memory. Threads read together; a load lets them in after each batch."""

    backend: ClassVar[str] = "networkx"

    def __init__(self) -> None:
        self._contents = _empty()
        self._lock = ReadWriteLock()
        self._log = ChangeLog()
        self._listings: weakref.WeakSet[_Listing] = weakref.WeakSet()
        self._closed = False
        # Set while a change is under way; still set afterwards, it was interrupted.
        self._half_done = False

    def load(self, papers: Iterable[Paper], *, progress: Progress | None = None) -> LoadReport:
        """See :meth:`CitationStore.load`."""
        self._check_open()
        report = LoadReport()
        for batch in batches(papers, BATCH):
            report += self._load(batch)
            if progress is not None:
                progress(report)
        return report

    def _load(self, batch: Sequence[Paper]) -> LoadReport:
        with self._changing() as touched:
            contents, tally = self._contents, Tally()
            edges, externals = contents.edges.count, len(contents.edges.external)
            for paper in batch:
                known = paper.id in contents.records
                if contents.put(paper, tally):
                    touched.setdefault(paper.id, known)
            return contents.report(tally, edges, externals)

    def remove(self, ids: Iterable[str]) -> int:
        """See :meth:`CitationStore.remove`."""
        wanted = id_list(ids)
        with self._changing() as touched:
            for name in wanted:
                if name in self._contents.records:
                    self._contents.drop(name)
                    touched[name] = True
            return len(touched)

    def get(self, ids: Iterable[str]) -> list[Paper | None]:
        """See :meth:`CitationStore.get`."""
        wanted = id_list(ids)
        with self._reading() as contents:
            found = map(contents.records.find, wanted)
            return [None if name is None else contents.read(name) for name in found]

    def papers(self) -> Iterator[Paper]:
        """See :meth:`CitationStore.papers`."""
        with self._reading() as contents:
            listing = _Listing(self, sorted(contents.records))
            self._listings.add(listing)
        return listing

    def counts(self) -> Counts:
        """See :meth:`CitationStore.counts`."""
        with self._reading() as contents:
            return contents.counts()

    @property
    def revision(self) -> str:
        """See :attr:`CitationStore.revision`."""
        with self._reading():
            return self._log.revision

    def changes(self, since: str) -> Changes | None:
        """See :meth:`CitationStore.changes`."""
        with self._reading() as contents:
            return self._log.changes(since, contents.records)

    def close(self) -> None:
        """See :meth:`CitationStore.close`."""
        with self._lock.writing():
            self._closed = True
            self._contents = _empty()

    def _expand(self, request: ExpandRequest) -> Expansion:
        with self._reading() as contents:
            view = contents.view(request.direction, request.exclude, request.external)
            return expand(view, contents.records, request)

    def _paths(self, request: PathsRequest) -> dict[tuple[str, str], CitationPath]:
        with self._reading() as contents:
            view = contents.view(request.direction, request.exclude, request.external)
            return paths(view, request)

    @contextmanager
    def _reading(self) -> Iterator[Contents]:
        while True:
            with self._lock.reading():
                self._check_open()
                if not self._half_done:
                    yield self._contents
                    return
            with self._lock.writing():
                self._mend()

    @contextmanager
    def _changing(self) -> Iterator[dict[str, bool]]:
        """Yield where to note each id that is touched, and whether it had a record before."""
        with self._lock.writing():
            self._check_open()
            self._mend()
            for listing in list(self._listings):
                listing.read_the_rest(self._contents)
            touched: dict[str, bool] = {}
            self._half_done = True
            yield touched
            self._log.add(touched)
            self._half_done = False

    def _mend(self) -> None:
        if self._half_done:
            self._contents.mend()
            # What the interrupted change touched is not known: whoever followed must rebuild.
            self._log = ChangeLog()
            self._half_done = False

    def _check_open(self) -> None:
        if self._closed:
            raise StoreClosed("this store is closed; open another")


class _Listing(Iterator[Paper]):
    """Papers read a few at a time; the rest at once when the store is about to change."""

    def __init__(self, store: NetworkXStore, ids: list[str]) -> None:
        self._store = store
        # Last first, so that taking one from the end is cheap.
        self._ids = ids[::-1]
        self._read: list[Paper] = []

    def __next__(self) -> Paper:
        if not self._read:
            with self._store._reading() as contents:  # noqa: SLF001 - a part of the store
                self._read_on(contents, _LISTED)
        if not self._read:
            raise StopIteration
        return self._read.pop()

    def read_the_rest(self, contents: Contents) -> None:
        """Read what is left while it is as it was."""
        self._read_on(contents, len(self._ids))

    def _read_on(self, contents: Contents, count: int) -> None:
        ids = self._ids[-count:] if count else []
        self._read = [contents.read(name) for name in ids] + self._read
        del self._ids[len(self._ids) - len(ids) :]
