"""Bounds: what they keep, what they say of the rest, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from citehop.errors import StoreTimeout
from citehop.graph.store import MAX_LIMIT, MAX_SEEDS, CitationStore, Cut
from citehop.testing.contract_walk import distances, ids
from citehop.testing.corpus import graph, paper
from citehop.testing.fixtures import StoreFixtures

# One seed; four papers at one hop, cited 3, 2, 1 and 1 times; three more at two hops.
STAR = "s: a b c d; a:; b:; c:; d:; x: a b; y: a; z: d"


class CutContract(StoreFixtures):
    """Caps in the contract's order, cuts exact or a lower bound, arguments refused."""

    def test_cap_keeps_the_most_cited(self, store: CitationStore) -> None:
        """Of one distance a seed keeps the most cited papers, then the smallest ids."""
        store.load(graph(STAR))

        assert ids(store.expand(["s"], max_hops=1, per_seed_limit=3)) == ["a", "b", "d"]
        assert ids(store.expand(["s"], max_hops=1, per_seed_limit=1)) == ["a"]

    def test_cap_keeps_the_nearest(self, store: CitationStore) -> None:
        """A nearer paper is kept before a more cited one that is farther."""
        store.load(graph("s: near; near: far; far:; x: far; y: far"))

        assert ids(store.expand(["s"], per_seed_limit=1)) == ["near"]

    def test_exact_cut(self, store: CitationStore) -> None:
        """Where the last hop fills the cap, what was left out is counted exactly."""
        store.load(graph(STAR))

        found = store.expand(["s"], per_seed_limit=5)

        assert ids(found) == ["a", "b", "d", "c", "x"]
        assert found.cut == {"s": Cut(2, exact=True)}
        assert (found.reached, found.truncated) == (5, True)

    def test_lower_bound(self, store: CitationStore) -> None:
        """A seed whose cap is full walks no further and says that more may have been left out."""
        store.load(graph(STAR))

        found = store.expand(["s"], per_seed_limit=3)

        assert ids(found) == ["a", "b", "d"]
        assert found.cut == {"s": Cut(1, exact=False)}
        assert (found.completed_hops, found.timed_out) == (2, False)

    def test_full_to_the_brim(self, store: CitationStore) -> None:
        """A cap that is just full before the last hop stops the walk too."""
        store.load(graph(STAR))

        found = store.expand(["s"], per_seed_limit=4)

        assert found.cut == {"s": Cut(0, exact=False)}
        assert found.truncated

    def test_full_at_the_last_hop_is_exact(self, store: CitationStore) -> None:
        """A cap that is just full after the last hop left nothing out."""
        store.load(graph(STAR))

        found = store.expand(["s"], per_seed_limit=7)

        assert found.cut == {"s": Cut(0, exact=True)}
        assert (len(found), found.truncated) == (7, False)

    def test_limit(self, store: CitationStore) -> None:
        """The limit keeps the first in order, and counts what was reached."""
        store.load(graph(STAR))

        found = store.expand(["s"], limit=2)

        assert ids(found) == ["a", "b"]
        assert (found.reached, found.truncated) == (7, True)
        assert found.cut == {"s": Cut(0)}

    def test_evidence_speaks_of_what_is_kept(self, store: CitationStore) -> None:
        """A seed that did not keep a paper is no evidence for it."""
        store.load(graph("s: a b; t: b c; a:; b:; c:; x: a; y: a; z: c; w: c"))

        found = store.expand(["s", "t"], max_hops=1, per_seed_limit=1)

        assert {n.id: dict(n.seeds) for n in found} == {"a": {"s": 1}, "c": {"t": 1}}
        assert found.cut == {"s": Cut(1), "t": Cut(1)}

    def test_distance_is_of_the_nearest_seed_that_kept_it(self, store: CitationStore) -> None:
        """A nearer seed that cut the paper does not count."""
        store.load(graph("near: p q; q:; p: mid; mid: far; far:; x: q; y: q; w: q"))

        found = store.expand(["near", "far"], per_seed_limit=1, max_hops=2)
        two = store.expand(["near", "far"], per_seed_limit=2, max_hops=2)

        assert distances(found) == {"q": 1, "mid": 1}
        assert {n.id: dict(n.seeds) for n in two}["p"] == {"near": 1, "far": 2}

    def test_seeds_fill_no_cap(self, store: CitationStore) -> None:
        """Other seeds take no place in a seed's cap and are no cut."""
        store.load(graph("s: t a; t: b; a:; b:; x: t; y: t"))

        found = store.expand(["s", "t"], max_hops=1, per_seed_limit=1)

        assert ids(found) == ["a", "b"]
        assert found.seed_links == {"s": {"t": 1}, "t": {"s": 1}}
        assert found.cut == {"s": Cut(0), "t": Cut(2)}

    def test_filter_comes_before_the_cap(self, store: CitationStore) -> None:
        """What does not pass fills no cap, and is not counted as cut."""
        store.load(graph(STAR))

        found = store.expand(["s"], per_seed_limit=2, filter={"ids": ["c", "d", "x"]})

        assert ids(found) == ["d", "c"]
        assert found.cut == {"s": Cut(0, exact=False)}

    def test_excluded_ids_fill_no_cap(self, store: CitationStore) -> None:
        """An excluded paper is neither kept nor cut."""
        store.load(graph(STAR))

        found = store.expand(["s"], max_hops=1, per_seed_limit=2, exclude=["a"])

        assert ids(found) == ["b", "d"]
        assert found.cut == {"s": Cut(1)}

    def test_stopped_seed_links_what_it_walked(self, store: CitationStore) -> None:
        """A seed that stopped early links only the seeds within the hops that it walked."""
        store.load(graph("s: a b; a: t; b:; t:"))

        found = store.expand(["s", "t"], per_seed_limit=2)

        assert found.seed_links == {"s": {}, "t": {"s": 2}}
        assert found.cut == {"s": Cut(0, exact=False), "t": Cut(0)}

    def test_hub_is_held_by_the_caps(self, store: CitationStore) -> None:
        """Around a hub of 3,000 the caps hold, in the order of ids among equals."""
        names = [f"p{i:04}" for i in range(3000)]
        store.load([paper("hub"), *(paper(name, ["hub"]) for name in names)])

        found = store.expand(["p1500", "hub"], limit=10, per_seed_limit=100)

        assert ids(found) == [f"p{i:04}" for i in range(10)]
        assert found.cut == {"p1500": Cut(2899), "hub": Cut(2899, exact=False)}
        assert found.reached == 100
        assert found.seed_links == {"p1500": {"hub": 1}, "hub": {"p1500": 1}}

    def test_dense_graph(self, store: CitationStore) -> None:
        """Four hops in fifty papers that all cite each other are one hop."""
        names = [f"d{i:02}" for i in range(50)]
        store.load([paper(name, [other for other in names if other != name]) for name in names])

        found = store.expand(["d01"], max_hops=4)

        assert distances(found) == dict.fromkeys([n for n in names if n != "d01"], 1)
        assert {(n.degree, n.cited_by) for n in found} == {(98, 49)}

    @pytest.mark.parametrize(
        "arguments",
        [
            {"max_hops": 5},
            {"max_hops": 10},
            {"max_hops": -1},
            {"direction": "sideways"},
            {"limit": 0},
            {"limit": MAX_LIMIT + 1},
            {"per_seed_limit": 0},
            {"per_seed_limit": MAX_LIMIT + 1},
            {"timeout_seconds": 0},
            {"timeout_seconds": float("nan")},
            {"filter": {"colour": "red"}},
            {"exclude": [""]},
        ],
    )
    def test_refused_values(self, store: CitationStore, arguments: dict[str, Any]) -> None:
        """A value out of range is refused with the argument's name."""
        with pytest.raises(ValueError, match=next(iter(arguments))):
            store.expand(["a"], **arguments)

    @pytest.mark.parametrize(
        "arguments",
        [
            {"seeds": "a"},
            {"seeds": [1]},
            {"max_hops": 1.0},
            {"max_hops": True},
            {"limit": None},
            {"per_seed_limit": "5"},
            {"timeout_seconds": None},
            {"filter": 5},
            {"exclude": "a"},
        ],
    )
    def test_refused_types(self, store: CitationStore, arguments: dict[str, Any]) -> None:
        """A value of the wrong type is refused with the argument's name."""
        with pytest.raises(TypeError, match=next(iter(arguments))):
            store.expand(**{"seeds": ["a"], **arguments})

    def test_too_many_seeds(self, store: CitationStore) -> None:
        """More different seeds than the ceiling are refused; repeats do not count."""
        assert store.expand(["a"] * (MAX_SEEDS + 1)).seeds == ()
        with pytest.raises(ValueError, match="seeds must hold at most"):
            store.expand([f"s{i}" for i in range(MAX_SEEDS + 1)])

    def test_no_time(self, store: CitationStore) -> None:
        """With no time to speak of, a walk that has far to go says that it ran out."""
        names = [f"p{i:04}" for i in range(2000)]
        store.load([paper("hub"), *(paper(name, ["hub"]) for name in names)])

        with pytest.raises(StoreTimeout) as caught:
            store.expand(names[:1000], timeout_seconds=1e-9)

        assert caught.value.code == "STORE_TIMEOUT"
        assert caught.value.record.retryable
