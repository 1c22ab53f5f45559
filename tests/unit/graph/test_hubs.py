"""Large and dense neighbourhoods are held by the limits."""

from __future__ import annotations

import random

import pytest

from citehop.graph.networkx import NetworkXStore
from citehop.testing import paper

SIZE = 5_000


@pytest.fixture(scope="module")
def star() -> NetworkXStore:
    """A hub cited by 5,000 papers, each also citing 20 others by chance."""
    chance = random.Random(7)
    store = NetworkXStore()
    store.load(
        paper(f"p{i}", ["hub", *(f"p{chance.randrange(SIZE)}" for _ in range(20))])
        for i in range(SIZE)
    )
    store.load([paper("hub")])
    return store


def test_two_hops_through_a_hub(star: NetworkXStore) -> None:
    """Two hops reach every paper; the limits keep 500 and the cut says how many were left out."""
    found = star.expand(["p0"])

    first = star.expand(["p0"], max_hops=1, limit=1000)
    assert len(found) == 500
    assert found.truncated
    assert found.cut["p0"].exact
    assert found.cut["p0"].left_out + 500 == SIZE
    assert [n.id for n in found][: len(first)] == [n.id for n in first]
    assert found.neighbours[0].id == "hub"
    assert found.neighbours[0].cited_by == SIZE


def test_the_hub_itself_stops_at_one_hop(star: NetworkXStore) -> None:
    """A hub as seed fills its cap at the first hop, with the most cited papers."""
    found = star.expand(["hub"], max_hops=4)

    assert {n.distance for n in found} == {1}
    assert not found.cut["hub"].exact
    assert found.cut["hub"].left_out == SIZE - 500
    cited = [n.cited_by for n in found]
    assert cited == sorted(cited, reverse=True)


def test_more_hops_are_refused(star: NetworkXStore) -> None:
    """Ten hops are refused before anything is walked."""
    with pytest.raises(ValueError, match="max_hops must be from 0 to 4, not 10"):
        star.expand(["p0"], max_hops=10)


def test_the_walk_agrees_without_caps(star: NetworkXStore) -> None:
    """With limits above its size the whole star is returned, nothing cut."""
    found = star.expand(["p0"], limit=20_000, per_seed_limit=20_000)

    assert (len(found), found.truncated) == (SIZE, False)
