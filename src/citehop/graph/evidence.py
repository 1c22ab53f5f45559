"""What a walk gives back: neighbours, what was cut, and chains of citations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

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


def rank_neighbours(neighbours: Iterable[Neighbour]) -> list[Neighbour]:
    """Return neighbours in the contract's order."""
    return sorted(neighbours, key=lambda n: (n.distance, -len(n.seeds), -n.cited_by, n.id))
