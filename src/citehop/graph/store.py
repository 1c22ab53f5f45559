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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, ClassVar, Literal, Self, get_args

from citehop.deadline import Deadline, check_seconds
from citehop.paper import Filter, Paper, check_id

Direction = Literal["both", "references", "citations"]
DIRECTIONS: tuple[str, ...] = get_args(Direction)

MAX_HOPS = 4
"""The most hops a walk may take; the lesson's ceiling is two, more is for exploring."""
DEFAULT_HOPS = 2
DEFAULT_LIMIT = 500
DEFAULT_PER_SEED_LIMIT = 500
MAX_LIMIT = 100_000
"""Ceiling of ``limit`` and of ``per_seed_limit``."""
MAX_SEEDS = 1_000
"""Ceiling of the number of different seeds."""
MAX_PAIRS = 100_000
"""Ceiling of the number of different pairs that ``paths`` takes."""
DEFAULT_TIMEOUT_SECONDS = 5.0
MAX_TIMEOUT_SECONDS = 3_600.0

Step = Literal["cites", "cited_by"]


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A paper that at least one seed reaches.

    Args:
        id: The paper.
        distance: Hops from the nearest seed that kept it, from 1.
        seeds: Each seed that kept it, with its distance from there, in the seeds' order.
        degree: Citation edges at the paper, in and out; a pair that cite each other counts two.
        cited_by: How many of them point at it: how often it is cited.
    """

    id: str
    distance: int
    seeds: Mapping[str, int]
    degree: int
    cited_by: int


@dataclass(frozen=True, slots=True)
class Cut:
    """How much a seed's cap left out.

    Args:
        left_out: Papers that passed the filter and were reached, but not kept for this seed.
        exact: False where the walk from this seed stopped early because its cap was full: then
            ``left_out`` is a lower bound.
    """

    left_out: int
    exact: bool = True


@dataclass(frozen=True, slots=True)
class Expansion:
    """The evidence of one walk. Iterating gives its neighbours, in order.

    Order: distance, then more seeds first, then more cited first, then id.

    Args:
        neighbours: At most ``limit`` papers.
        seeds: The seeds that the store knows, in the order given, each once.
        seed_links: For each such seed, the other seeds that its own walk met, with their distance,
            in the seeds' order; a seed stopped early at its cap speaks only of what it walked.
        cut: For each such seed, what its cap left out.
        reached: Different papers kept by at least one seed, before ``limit``.
        completed_hops: Hops that are whole. Below the hops asked for only where time ran out.
        timed_out: Whether time ran out; what is here is then whole up to ``completed_hops``.
    """

    neighbours: tuple[Neighbour, ...] = ()
    seeds: tuple[str, ...] = ()
    seed_links: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    cut: Mapping[str, Cut] = field(default_factory=dict)
    reached: int = 0
    completed_hops: int = 0
    timed_out: bool = False

    def __iter__(self) -> Iterator[Neighbour]:
        return iter(self.neighbours)

    def __len__(self) -> int:
        return len(self.neighbours)

    @property
    def truncated(self) -> bool:
        """Whether a cap left something out, or may have."""
        return self.reached > len(self.neighbours) or any(
            cut.left_out or not cut.exact for cut in self.cut.values()
        )


@dataclass(frozen=True, slots=True)
class CitationPath:
    """A shortest chain of citations from a seed to a paper.

    Args:
        nodes: Ids from the seed to the paper.
        steps: One fewer: how each node stands to the next, ``"cites"`` or ``"cited_by"``. Where
            both are true it says ``"cites"``, unless the walk's direction allows only the other.
        external: Those of the nodes that are works outside the corpus.
    """

    nodes: tuple[str, ...]
    steps: tuple[Step, ...]
    external: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.steps)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadReport:
    """What a load did.

    Args:
        created: Papers that were not there before (externals that became papers count here).
        updated: Papers whose record differed and was replaced.
        unchanged: Papers whose record was there already.
        edges: How many more citation edges the store holds than before the load; negative where
            replaced records named more.
        externals: How many more external works it holds than before; negative where more of them
            became papers.
        dropped_self: Citations of a paper by itself, left out: at most one for each of the lists
            ``references`` and ``citations`` of a record, as further ones are repeats.
        dropped_doubled: Repeats inside one of these lists, left out.

    Records are taken in one after another, so of one id twice in a load the first may be created
    and the second updated. What was dropped is counted for every record, unchanged ones too. A
    record differs if any field does, the order of its lists included.
    """

    created: int = 0
    updated: int = 0
    unchanged: int = 0
    edges: int = 0
    externals: int = 0
    dropped_self: int = 0
    dropped_doubled: int = 0

    @property
    def papers(self) -> int:
        """Records taken in."""
        return self.created + self.updated + self.unchanged

    def __add__(self, other: LoadReport) -> LoadReport:
        return LoadReport(
            **{name: getattr(self, name) + getattr(other, name) for name in self.__slots__}
        )


Progress = Callable[[LoadReport], None]
"""Called after each batch of a load with the report so far."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """What a store holds.

    Args:
        papers: Papers.
        external: External works.
        citations: Edges between two papers.
        citations_all: All edges.
        year_min: Oldest known year of a paper, or None.
        year_max: Newest known year of a paper, or None.
    """

    papers: int = 0
    external: int = 0
    citations: int = 0
    citations_all: int = 0
    year_min: int | None = None
    year_max: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What differs between an earlier revision and ``revision``; ids in order, each in one list.

    Args:
        revision: The revision that these changes lead to.
        upserted: Papers whose records were added or replaced.
        removed: Papers that are gone.
    """

    revision: str
    upserted: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpandRequest:
    """The checked arguments of :meth:`CitationStore.expand`."""

    seeds: tuple[str, ...]
    max_hops: int
    direction: Direction
    limit: int
    per_seed_limit: int
    deadline: Deadline
    filter: Filter | None
    exclude: frozenset[str]
    external: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PathsRequest:
    """The checked arguments of :meth:`CitationStore.paths`."""

    pairs: tuple[tuple[str, str], ...]
    max_hops: int
    direction: Direction
    deadline: Deadline
    exclude: frozenset[str]
    external: bool


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
        """An opaque name of the present state; two equal revisions mean equal papers and edges."""

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
            seeds=_unique_ids("seeds", seeds, MAX_SEEDS),
            max_hops=check_int("max_hops", max_hops, 0, MAX_HOPS),
            direction=direction,
            limit=check_int("limit", limit, 1, MAX_LIMIT),
            per_seed_limit=check_int("per_seed_limit", per_seed_limit, 1, MAX_LIMIT),
            deadline=_deadline(timeout_seconds),
            filter=_effective(Filter.of(filter)),
            exclude=frozenset(_unique_ids("exclude", exclude, MAX_LIMIT)),
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
            pairs=_unique_pairs(pairs),
            max_hops=check_int("max_hops", max_hops, 0, MAX_HOPS),
            direction=direction,
            deadline=_deadline(timeout_seconds),
            exclude=frozenset(_unique_ids("exclude", exclude, MAX_LIMIT)),
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


def rank_neighbours(neighbours: Iterable[Neighbour]) -> list[Neighbour]:
    """Return neighbours in the contract's order."""
    return sorted(neighbours, key=lambda n: (n.distance, -len(n.seeds), -n.cited_by, n.id))


def check_int(name: str, value: object, low: int, high: int) -> int:
    """Return ``value``, or raise with the field, the value and the range.

    Raises:
        TypeError: If it is no int.
        ValueError: If it is out of range.
    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} must be an int from {low} to {high}, not {value!r}")
    if not low <= value <= high:
        raise ValueError(f"{name} must be from {low} to {high}, not {value}")
    return value


def check_direction(direction: object) -> None:
    """Raise ValueError unless ``direction`` is one of :data:`DIRECTIONS`."""
    if direction not in DIRECTIONS:
        raise ValueError(f"direction must be one of {', '.join(DIRECTIONS)}, not {direction!r}")


def id_list(ids: Iterable[str]) -> list[str]:
    """Return the ids that :meth:`CitationStore.get` or ``remove`` was given, as they stand.

    Raises:
        TypeError: If ``ids`` is a bare string, or holds what is no string.
    """
    if isinstance(ids, str) or not isinstance(ids, Iterable):
        raise TypeError(f"ids must be a collection of ids, not {ids!r}")
    listed = list(ids)
    for entry in listed:
        if not isinstance(entry, str):
            raise TypeError(f"an entry of ids must be a str, not {entry!r}")
    return listed


def _deadline(seconds: object) -> Deadline:
    return Deadline.after(check_seconds("timeout_seconds", seconds, ceiling=MAX_TIMEOUT_SECONDS))


def _effective(value: Filter | None) -> Filter | None:
    return None if value is None or value.allows_all else value


def _unique_ids(name: str, ids: Iterable[str], most: int) -> tuple[str, ...]:
    if isinstance(ids, str) or not isinstance(ids, Iterable):
        raise TypeError(f"{name} must be a collection of ids, not {ids!r}")
    unique = tuple(dict.fromkeys(ids))
    for entry in unique:
        check_id(f"an entry of {name}", entry)
    if len(unique) > most:
        raise ValueError(f"{name} must hold at most {most} ids, not {len(unique)}")
    return unique


def _unique_pairs(pairs: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    unique = tuple(dict.fromkeys((seed, paper) for seed, paper in pairs))
    for pair in unique:
        for entry in pair:
            check_id("an entry of pairs", entry)
    if len(unique) > MAX_PAIRS:
        raise ValueError(f"pairs must hold at most {MAX_PAIRS} pairs, not {len(unique)}")
    return unique


def batches(papers: Iterable[Paper], rows: int) -> Iterator[Sequence[Paper]]:
    """Yield lists of at most ``rows`` papers, checking that each entry is one.

    Raises:
        TypeError: If an entry is no Paper; what came before it is yielded first.
    """
    batch: list[Paper] = []
    for number, paper in enumerate(papers, start=1):
        if not isinstance(paper, Paper):
            if batch:
                yield batch
            raise TypeError(f"entry {number} of papers must be a Paper, not {paper!r}")
        batch.append(paper)
        if len(batch) == rows:
            yield batch
            batch = []
    if batch:
        yield batch
