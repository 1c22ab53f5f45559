"""What a store says of a load, of what it holds, and of what changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


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
