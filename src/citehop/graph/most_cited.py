"""The most cited of many papers, asked again and again for nearly the same ones."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection
from itertools import islice

# Below this many papers a remembered order saves nothing.
_MANY = 2_000
# Papers looked at to tell whether two sets are nearly the same.
_SAMPLE = 100
# Sets that are remembered: seeds that share no hub must not fill the memory.
_REMEMBERED = 8


class Ranked:
    """Papers in order, most cited first, then by id; put in order when first asked.

    Args:
        nodes: The papers.
        cited_by: How many edges point at each of some papers.
    """

    def __init__(
        self, nodes: set[str], cited_by: Callable[[Collection[str]], dict[str, int]]
    ) -> None:
        self.nodes = nodes
        self._cited_by = cited_by
        self._order: list[str] | None = None

    def resembles(self, others: set[str]) -> bool:
        """Return whether most of ``others`` seem to be here, and are no small part of it."""
        if not len(self.nodes) <= 2 * len(others):
            return False
        return len(self.nodes.intersection(islice(others, _SAMPLE))) >= _SAMPLE * 3 // 4

    def first(self, count: int, wanted: set[str]) -> list[str]:
        """Return the first of these that are ``wanted``."""
        if self._order is None:
            cited = self._cited_by(self.nodes)
            self._order = sorted(self.nodes)
            self._order.sort(key=cited.__getitem__, reverse=True)
        return list(islice(filter(wanted.__contains__, self._order), count))


class MostCited:
    """Chooses the most cited papers, then the smallest ids, for one seed after the other.

    Seeds that reach the same hub reach nearly the same papers: these are put in order once, and
    each seed then only adds its own.

    Args:
        cited_by: How many edges point at each of some papers.
    """

    def __init__(self, cited_by: Callable[[Collection[str]], dict[str, int]]) -> None:
        self._cited_by = cited_by
        self._seen: list[Ranked] = []

    def __call__(self, nodes: set[str], room: int) -> Collection[str]:
        """Return the ``room`` first of ``nodes``, in no order; all where there are no more."""
        if len(nodes) <= room:
            return nodes
        if len(nodes) < _MANY or 2 * room > len(nodes):
            return self._choose(nodes, room)
        for ranked in self._seen:
            if ranked.resembles(nodes):
                shared = ranked.first(room, nodes)
                return self._choose([*shared, *(nodes - ranked.nodes)], room)
        if len(self._seen) < _REMEMBERED:
            self._seen.append(Ranked(nodes, self._cited_by))
        return self._choose(nodes, room)

    def _choose(self, nodes: Collection[str], room: int) -> Collection[str]:
        if len(nodes) <= room:
            return nodes
        cited = self._cited_by(nodes)
        least = sorted(cited.values())[-room]
        sure = [node for node, count in cited.items() if count > least]
        ties = [node for node, count in cited.items() if count == least]
        return sure + _smallest(ties, room - len(sure))


def _smallest(ids: list[str], count: int) -> list[str]:
    # A heap is the faster way to a small part; it gives the same.
    return heapq.nsmallest(count, ids) if 8 * count < len(ids) else sorted(ids)[:count]
