"""How far the walk from one seed has come, in memory."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from citehop.graph.store import Cut


@dataclass(slots=True)
class SeedWalk:
    """How far the walk from one seed has come.

    Args:
        seed: Where it starts.
        cap: Papers that it keeps at most.
        layers: All nodes at 0, 1, … hops.
        kept: What it keeps at 1, 2, … hops: nearest first, then most cited, then by id.
        fit: How many at 1, 2, … hops may be returned.
    """

    seed: str
    cap: int
    layers: list[set[str]] = field(default_factory=list)
    kept: list[Collection[str]] = field(default_factory=list)
    fit: list[int] = field(default_factory=list)

    @property
    def room(self) -> int:
        """How many more it may keep; negative where it left some out."""
        return self.cap - sum(self.fit)

    @property
    def under_way(self) -> bool:
        """Whether another hop could change what it keeps."""
        return self.room > 0 and bool(self.layers[-1])

    def take(self, layer: set[str], kept: Collection[str], fit: int) -> None:
        """Add one whole hop."""
        self.layers.append(layer)
        self.kept.append(kept)
        self.fit.append(fit)

    def forget_beyond(self, hops: int) -> None:
        """Be as it was after so many hops."""
        del self.layers[hops + 1 :], self.kept[hops:], self.fit[hops:]

    def links(self, seeds: Iterable[str]) -> dict[str, int]:
        """Return the distances of the other seeds that it met."""
        met = list(enumerate(self.layers))[1:]
        return {seed: hop for seed in seeds for hop, layer in met if seed in layer}

    def cut(self, max_hops: int) -> Cut:
        """Return what it left out of a walk of so many hops."""
        return Cut(max(0, -self.room), exact=self.room > 0 or len(self.fit) == max_hops)
