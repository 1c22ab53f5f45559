"""The most cited of nearly the same papers, chosen for one seed after the other."""

from __future__ import annotations

import random
from collections.abc import Collection

from hypothesis import given, settings
from hypothesis import strategies as st

from citehop.graph.most_cited import MostCited
from citehop.graph.networkx import NetworkXStore
from citehop.testing import paper

IDS = [f"p{i:05}" for i in range(8_000)]


class Citations:
    """How often papers are cited, counting how many were asked about.

    Args:
        highest: The largest count; 0 makes all equal.
    """

    def __init__(self, highest: int) -> None:
        chance = random.Random(highest)
        self.counts = {name: chance.randint(0, highest) for name in IDS}
        self.asked = 0

    def __call__(self, nodes: Collection[str]) -> dict[str, int]:
        """Return the counts."""
        self.asked += len(nodes)
        return {node: self.counts[node] for node in nodes}

    def first(self, nodes: set[str], room: int) -> list[str]:
        """Return the plain answer."""
        return sorted(sorted(nodes, key=lambda node: (-self.counts[node], node))[:room])


@given(
    seed=st.integers(0, 10**6),
    highest=st.sampled_from([0, 2, 10**6]),
    sizes=st.lists(st.sampled_from([1, 1_900, 2_500, 5_000, 7_900]), min_size=2, max_size=6),
    room=st.sampled_from([1, 7, 500, 2_400, 6_000]),
)
@settings(max_examples=25, deadline=None)
def test_it_is_what_sorting_gives(seed: int, highest: int, sizes: list[int], room: int) -> None:
    """Whatever was asked before, the answer is the most cited, then the smallest ids."""
    chance = random.Random(seed)
    citations = Citations(highest)
    choose = MostCited(citations)
    for size in sizes:
        nodes = set(chance.sample(IDS, size))

        assert sorted(choose(nodes, room)) == citations.first(nodes, room)


def test_a_shared_hub_is_put_in_order_once() -> None:
    """A hundred sets that differ in two papers ask about little more than two of them."""
    citations = Citations(3)
    choose = MostCited(citations)
    for number in range(100):
        nodes = set(IDS[:5_000]) - {IDS[number]} | {IDS[6_000 + number]}

        assert sorted(choose(nodes, 10)) == citations.first(nodes, 10)

    assert citations.asked < 2 * 5_000 + 100 * 20


def test_two_hubs_in_turn_are_both_remembered() -> None:
    """Seeds of one hub between seeds of another do not make either forgotten."""
    citations = Citations(3)
    choose = MostCited(citations)
    for number in range(100):
        nodes = set(IDS[:3_000] if number % 2 else IDS[4_000:7_000])

        assert sorted(choose(nodes, 10)) == citations.first(nodes, 10)

    assert citations.asked < 4 * 3_000 + 100 * 20


def test_seeds_of_one_hub_keep_the_same() -> None:
    """Each of many seeds of a hub keeps the most cited others, as it does alone."""
    names = [f"c{i:04}" for i in range(3_000)]
    cites = {name: ["hub", names[i * i % 3_000]] for i, name in enumerate(names)}
    store = NetworkXStore()
    store.load([paper("hub"), *(paper(name, found) for name, found in cites.items())])
    seeds = names[5:2_905:100]

    together = store.expand(seeds, per_seed_limit=20, limit=2_000)

    for seed in seeds:
        alone = store.expand([seed], per_seed_limit=20 + len(seeds), limit=2_000)
        kept = [n.id for n in alone if n.id not in seeds][:20]
        assert sorted(n.id for n in together if seed in n.seeds) == sorted(kept)
