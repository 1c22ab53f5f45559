"""``scoring="propagation"``: evidence flows from the seeds along citations.

A seed sends out its *belief* to the power of 5/2, to a twentieth by each hop past the first. A
paper takes in what all seeds that reach it send. What flows is divided by the root of the degree at
either end, 3 added to both: what many good hits cite comes first, a hub gains little, and a single
citation says less than its being the only one would make it.

It flows twice. First from seeds to seeds, where a belief is the seed's BM25 part; then from the
seeds to all, where it is that part and 2/5 of what the first round gave: hits that cite each other
are believed more. The strongest belief is 1 in each.

The strongest paper of a round has the *trust* in the walk as its score, the others their share of
it: ``trust = links^1.5 / (links^1.5 + 5^1.5)``, where ``links`` is how many papers a seed reaches
on average, each seed counting by its BM25 part, and a hop past the first a twentieth. Where
citations are few a single one would otherwise outweigh the words; so the graph is heard as much as
there is of it around the good hits.

The constants were chosen on one half of a collection's queries; ``docs/evaluation.md`` reports the
other half.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain

from citehop.graph.store import Neighbour

SEED_POWER = 2.5
"""Power of a seed's belief: how much more a better hit is believed."""
AGREEMENT = 0.4
"""Weight of what the other seeds say for a seed, beside its BM25 part."""
DEGREE_POWER = 0.5
"""Power of the degrees, at both ends, that what flows is divided by."""
DEGREE_PRIOR = 3
"""Citations added to every degree."""
HOP_DECAY = 0.05
"""What is left of the evidence with each hop past the first."""
HALF_TRUST = 5.0
"""Links of a seed at which the graph is heard at half its weight."""
TRUST_POWER = 1.5
"""Power of the links: how steeply the graph is heard less where there is less of it."""


@dataclass(frozen=True, slots=True)
class Flow:
    """What one seed adds to the graph score of one paper.

    Args:
        seed: Where it comes from.
        distance: Hops from there.
        value: Its share; the shares of a paper add up to its graph score.
    """

    seed: str
    distance: int
    value: float


@dataclass(frozen=True, slots=True)
class Walked:
    """What propagation needs to know of a search.

    Args:
        bm25: BM25 score of each paper of the merged set; finite, not negative.
        neighbours: What the walk returned.
        seed_links: For each seed, the other seeds that its walk met, with their distance.
        degrees: Citation edges at each seed, in and out; one that is missing counts as 1.
    """

    bm25: Mapping[str, float]
    neighbours: tuple[Neighbour, ...] = ()
    seed_links: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    degrees: Mapping[str, int] = field(default_factory=dict)


def seeds_reaching(
    seed_links: Mapping[str, Mapping[str, int]],
) -> dict[str, dict[str, int]]:
    """Return for each seed the other seeds whose walks met it, with their distance from there."""
    reaching: dict[str, dict[str, int]] = {seed: {} for seed in seed_links}
    for seed, met in seed_links.items():
        for other, distance in met.items():
            reaching.setdefault(other, {})[seed] = distance
    return reaching


class Propagation:
    """What flows where in one search."""

    def __init__(self, walked: Walked) -> None:
        met_by = seeds_reaching(walked.seed_links)
        self._reach: dict[str, tuple[Mapping[str, int], int]] = {
            near.id: (near.seeds, near.degree) for near in walked.neighbours
        }
        for seed, seeds in met_by.items():
            self._reach[seed] = (seeds, walked.degrees.get(seed, 1))
        words = _shares_of_top({seed: walked.bm25.get(seed, 0.0) for seed in met_by})
        self._trust = _trust([seeds for seeds, _ in self._reach.values()], words)
        agreed = self._round(_Sent(words, walked.degrees), met_by)
        belief = {seed: words[seed] + AGREEMENT * math.fsum(agreed[seed]) for seed in met_by}
        self._shares = self._round(_Sent(_shares_of_top(belief), walked.degrees), self._reach)

    def scores(self) -> dict[str, float]:
        """Return what each paper gains: from 0 to the trust in the walk, which is below 1."""
        return {key: math.fsum(shares) for key, shares in self._shares.items()}

    def flows(self, key: str) -> tuple[Flow, ...]:
        """Return what the paper gains from each seed that reaches it, in the seeds' order."""
        if key not in self._reach:
            return ()
        met = self._reach[key][0].items()
        return tuple(
            Flow(seed, distance, share)
            for (seed, distance), share in zip(met, self._shares[key], strict=True)
        )

    def _round(self, sent: _Sent, into: Iterable[str]) -> dict[str, list[float]]:
        taken = {key: self._taken(key, sent) for key in into}
        top = max(map(math.fsum, taken.values()), default=0.0)
        # Divided before it is multiplied: what is taken is at most the top, however small.
        return {
            key: [value / top * self._trust if value else 0.0 for value in values]
            for key, values in taken.items()
        }

    def _taken(self, key: str, sent: _Sent) -> list[float]:
        seeds, degree = self._reach[key]
        thinned = _thinned(degree)
        return [sent[met] * thinned for met in seeds.items()]


class _Sent(dict[tuple[str, int], float]):
    """What each seed sends each distance far, reckoned when it is first asked for."""

    def __init__(self, belief: Mapping[str, float], degrees: Mapping[str, int]) -> None:
        self._belief = belief
        self._degrees = degrees

    def __missing__(self, met: tuple[str, int]) -> float:
        seed, distance = met
        sent = self._belief.get(seed, 0.0) ** SEED_POWER
        self[met] = sent * _thinned(self._degrees.get(seed, 1)) * _decay(distance)
        return self[met]


def _shares_of_top(values: Mapping[str, float]) -> dict[str, float]:
    top = max(values.values(), default=0.0)
    return {key: value / top if top else 0.0 for key, value in values.items()}


def _trust(reach: Iterable[Mapping[str, int]], words: Mapping[str, float]) -> float:
    # Where the good hits have no citations, a bad one's long list must not count as theirs.
    counted = Counter(chain.from_iterable(seeds.items() for seeds in reach))
    links = math.fsum(
        count * words.get(seed, 0.0) * _decay(distance)
        for (seed, distance), count in counted.items()
    )
    seeds = math.fsum(words.values())
    each = (links / seeds) ** TRUST_POWER if seeds else 0.0
    return float(each / (each + HALF_TRUST**TRUST_POWER))


def _thinned(degree: int) -> float:
    return float((max(1, degree) + DEGREE_PRIOR) ** -DEGREE_POWER)


def _decay(distance: int) -> float:
    return float(HOP_DECAY ** (distance - 1))
