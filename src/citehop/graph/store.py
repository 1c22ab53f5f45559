"""The contract of a citation store. Read this first; both stores keep it, a shared suite proves it.

A store holds papers and one directed edge set: ``citing -> cited``. An edge is there exactly while
the citing paper's record names it in ``references``, or the cited paper's record names it in
``citations``. What a store holds is thus a function of its current records alone: loading in
another order, in pieces, twice, or replacing and removing records ends in the same state as one
fresh load of what is left.

An id that is only named inside ``references`` or ``citations`` is an *external* node: walked
through, never returned, never counted as a paper. It becomes a paper when its record is loaded,
and a removed paper that others still name becomes external.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from types import TracebackType
from typing import Any, ClassVar, Self

from citehop.bounds import (
    DEFAULT_HOPS,
    DEFAULT_LIMIT,
    DEFAULT_PER_SEED_LIMIT,
    DEFAULT_TIMEOUT_SECONDS,
    DIRECTIONS,
    MAX_HOPS,
    MAX_LIMIT,
    MAX_PAIRS,
    MAX_SEEDS,
    MAX_TIMEOUT_SECONDS,
    Direction,
    check_direction,
    check_int,
)
from citehop.graph.evidence import (
    CitationPath,
    Cut,
    Expansion,
    Neighbour,
    Step,
    rank_neighbours,
)
from citehop.graph.reports import (
    Changes,
    Counts,
    LoadReport,
    Progress,
)
from citehop.graph.requests import (
    ExpandRequest,
    PathsRequest,
    batches,
    deadline,
    effective,
    id_list,
    unique_ids,
    unique_pairs,
)
from citehop.paper import Filter, Paper

__all__ = [
    "DEFAULT_HOPS",
    "DEFAULT_LIMIT",
    "DEFAULT_PER_SEED_LIMIT",
    "DEFAULT_TIMEOUT_SECONDS",
    "DIRECTIONS",
    "MAX_HOPS",
    "MAX_LIMIT",
    "MAX_PAIRS",
    "MAX_SEEDS",
    "MAX_TIMEOUT_SECONDS",
    "Changes",
    "CitationPath",
    "CitationStore",
    "Counts",
    "Cut",
    "Direction",
    "ExpandRequest",
    "Expansion",
    "LoadReport",
    "Neighbour",
    "PathsRequest",
    "Progress",
    "Step",
    "batches",
    "check_direction",
    "check_int",
    "id_list",
    "rank_neighbours",
]


class CitationStore(ABC):
    """A graph of papers and citations.

    The public methods here check their arguments, so that every store refuses alike; a store fills
    in the abstract ones. Safe to use from many threads. A context manager: leaving closes it.
    """

    backend: ClassVar[str]
    """Name of the backend, such as ``"networkx"``; part of every graph leg's diagnostics."""

    fallback_reason: str | None = None
    """Why this store stands in for the one that was asked for; None where it does not."""

    @abstractmethod
    def load(self, papers: Iterable[Paper], *, progress: Progress | None = None) -> LoadReport:
        """Take in records, streamed: add, or replace the one with the same id.

        Idempotent, and safe to interrupt at any moment: running it again to its end gives the
        same graph as an undisturbed run.

        Raises:
            TypeError: If an entry is no :class:`Paper`. What came before it is kept.
            StoreError: If the store cannot take them.
        """

    @abstractmethod
    def remove(self, ids: Iterable[str]) -> int:
        """Remove the records with these ids (no aliases) and return how many were there.

        Raises:
            TypeError: If ``ids`` is a bare string, or holds what is no string.
        """

    @abstractmethod
    def get(self, ids: Iterable[str]) -> list[Paper | None]:
        """Return the papers with these ids, in the order asked; None where there is none.

        Aliases are accepted: a DOI in any spelling, an arXiv, OpenAlex, Semantic Scholar or PubMed
        id. An exact id wins over an alias; where several papers share an alias the smallest id
        wins. ``references`` and ``citations`` of what is returned are the graph's edges at the
        paper, externals too, each in order of id. Text that can be no id finds nothing.

        Raises:
            TypeError: If ``ids`` is a bare string, or holds what is no string.
        """

    @abstractmethod
    def papers(self) -> Iterator[Paper]:
        """Yield every paper in order of id, as :meth:`get` returns them; one state throughout."""

    @abstractmethod
    def counts(self) -> Counts:
        """Return what the store holds."""

    @property
    @abstractmethod
    def revision(self) -> str:
        """A name of the present state; two equal revisions mean equal papers and edges.

        What stands before its last colon, if it has one, names the store: the same as long as it
        is this store whose changes are counted. The rest is opaque.
        """

    @abstractmethod
    def changes(self, since: str) -> Changes | None:
        """Return what changed since a revision, or None where that is not known: rebuild then."""

    @abstractmethod
    def close(self) -> None:
        """Let go of what the store holds. Closing twice is allowed; using it afterwards is not."""

    @abstractmethod
    def _expand(self, request: ExpandRequest) -> Expansion: ...

    @abstractmethod
    def _paths(self, request: PathsRequest) -> dict[tuple[str, str], CitationPath]: ...

    def expand(
        self,
        seeds: Iterable[str],
        *,
        max_hops: int = DEFAULT_HOPS,
        direction: Direction = "both",
        limit: int = DEFAULT_LIMIT,
        per_seed_limit: int = DEFAULT_PER_SEED_LIMIT,
        timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS,
        filter: Filter | Mapping[str, Any] | None = None,
        exclude: Iterable[str] = (),
        external: bool = True,
    ) -> Expansion:
        """Walk from each seed and return the papers reached, with the evidence for each.

        From each seed the walk is breadth first over citations, one hop at a time, each node at
        its shortest distance. Of the papers reached (never seeds, never externals, never excluded
        ids; those that pass ``filter``) a seed keeps the first ``per_seed_limit`` by distance,
        then more cited first, then id. A seed that holds ``per_seed_limit`` or more after a hop
        walks no further: what it keeps could not change; its :class:`Cut` is a lower bound if
        hops were left. All evidence and the order speak of what is kept.

        Args:
            seeds: Ids to start from, no aliases; unknown ones are ignored, repeats count once. A
                seed may be an external work (an unknown one where ``external`` is False).
            max_hops: 0 to 4.
            direction: ``"references"`` goes from citing to cited, ``"citations"`` the other way,
                ``"both"`` either way.
            limit: Neighbours returned at most.
            per_seed_limit: Neighbours kept for each seed at most.
            timeout_seconds: When it has passed, the hops that are whole are returned with
                ``timed_out``; if not even one is whole, StoreTimeout is raised.
            filter: Narrows what is returned, not what is walked through.
            exclude: Ids that are neither seed, bridge nor hit.
            external: False leaves external works out: not walked through, not counted in degrees.

        Raises:
            TypeError, ValueError: For an argument of the wrong type or out of its range.
            StoreError: If the store cannot answer.
        """
        check_direction(direction)
        request = ExpandRequest(
            seeds=unique_ids("seeds", seeds, MAX_SEEDS),
            max_hops=check_int("max_hops", max_hops, 0, MAX_HOPS),
            direction=direction,
            limit=check_int("limit", limit, 1, MAX_LIMIT),
            per_seed_limit=check_int("per_seed_limit", per_seed_limit, 1, MAX_LIMIT),
            deadline=deadline(timeout_seconds),
            filter=effective(Filter.of(filter)),
            exclude=frozenset(unique_ids("exclude", exclude, MAX_LIMIT)),
            external=external,
        )
        return self._expand(request)

    def paths(
        self,
        pairs: Iterable[tuple[str, str]],
        *,
        max_hops: int = DEFAULT_HOPS,
        direction: Direction = "both",
        timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS,
        exclude: Iterable[str] = (),
        external: bool = True,
    ) -> dict[tuple[str, str], CitationPath]:
        """Return one shortest chain for each ``(seed, id)`` pair that has one, in their order.

        Of several shortest chains it is the one with the smallest sequence of ids. The walk is
        that of :meth:`expand`, so the arguments mean the same; other seeds may be bridges. A
        pair of one id twice, or with an unknown or excluded id, has no chain; either end may be
        an external work unless ``external`` is False.

        Raises:
            TypeError, ValueError: For an argument of the wrong type or out of its range.
            StoreTimeout: If time ran out.
            StoreError: If the store cannot answer.
        """
        check_direction(direction)
        request = PathsRequest(
            pairs=unique_pairs(pairs),
            max_hops=check_int("max_hops", max_hops, 0, MAX_HOPS),
            direction=direction,
            deadline=deadline(timeout_seconds),
            exclude=frozenset(unique_ids("exclude", exclude, MAX_LIMIT)),
            external=external,
        )
        return self._paths(request)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
