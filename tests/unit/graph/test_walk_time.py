"""The walk in memory against a clock that runs out at any look at it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from citehop.deadline import Deadline
from citehop.errors import StoreTimeout
from citehop.graph.networkx import NetworkXStore
from citehop.graph.store import Cut, Direction, ExpandRequest, Expansion
from citehop.paper import Filter
from citehop.testing import graph, paper

# Long past the deadline of 10, and past what putting together may take after it.
LATE = (0.0, 1_000.0)


@dataclass
class Clock:
    """Shows the first of two moments for so many looks, and the second from then on."""

    looks: int
    moments: tuple[float, float] = (0.0, 10.0)
    asked: int = field(default=0)

    def __call__(self) -> float:
        """Return the moment."""
        self.asked += 1
        return self.moments[self.asked > self.looks]


def _request(deadline: Deadline, **changed: object) -> ExpandRequest:
    whole = ExpandRequest(
        seeds=("a",),
        max_hops=3,
        direction="both",
        limit=500,
        per_seed_limit=500,
        deadline=deadline,
        filter=None,
        exclude=frozenset(),
        external=True,
    )
    return replace(whole, **changed)  # type: ignore[arg-type]


def _answers(
    store: NetworkXStore, *, moments: tuple[float, float] = (0.0, 10.0), **changed: object
) -> Iterator[Expansion | None]:
    """Yield the answer for a clock that runs out at each look in turn; None is a StoreTimeout."""
    for looks in range(1, 500):
        clock = Clock(looks, moments)
        try:
            yield store._expand(_request(Deadline(10, clock), **changed))
        except StoreTimeout:
            yield None
        if clock.asked <= looks:
            return
    raise AssertionError("the clock is looked at without end")


def _hops(answers: list[Expansion | None]) -> list[int]:
    return [0 if answer is None else answer.completed_hops for answer in answers]


def _net() -> NetworkXStore:
    store = NetworkXStore()
    store.load(graph("a: b c; b: d; c: d e; d: f; e: g; f: h; x: y b; y: z; z: h; g:; h:"))
    return store


@pytest.mark.parametrize("direction", ["both", "references"])
@pytest.mark.parametrize(("cap", "hops"), [(2, {0, 3}), (3, {0, 1, 3}), (500, {0, 1, 2, 3})])
def test_whole_hops_stand_whenever_time_runs_out(
    direction: Direction, cap: int, hops: set[int]
) -> None:
    """Wherever the walk's time ends, the answer is that of a walk of fewer hops, and says so."""
    store = _net()
    asked: dict[str, Any] = {"seeds": ("a", "x"), "direction": direction, "per_seed_limit": cap}

    answers = list(_answers(store, **asked))

    assert _hops(answers) == sorted(_hops(answers))
    assert set(_hops(answers)) == hops
    for answer in answers:
        if answer is None:
            continue
        whole = answer.completed_hops
        fewer = store._expand(_request(Deadline.after(None), max_hops=whole, **asked))
        assert (answer.neighbours, answer.reached) == (fewer.neighbours, fewer.reached)
        assert answer.seed_links == fewer.seed_links
        assert answer.timed_out == (whole < 3)


def test_what_is_left_out_is_told_of_the_whole_hops() -> None:
    """A walk whose time ends in its third hop returns two; its cut speaks of these."""
    store = NetworkXStore()
    store.load(graph("a: b; b: c; c: d; d:"))

    two = [found for found in _answers(store) if found and found.completed_hops == 2]

    assert [[n.id for n in found] for found in two] == [["b", "c"]] * len(two)
    assert [found.cut for found in two] == [{"a": Cut(0)}] * len(two)
    assert two


def test_a_hop_is_whole_for_all_seeds_or_not_at_all() -> None:
    """Where time ends between two seeds of a hop, none of them has walked it."""
    store = NetworkXStore()
    store.load(graph("a: b; b: c; c:; x: y; y: z; z:"))

    found = [
        {n.id for n in answer} for answer in _answers(store, seeds=("a", "x"), max_hops=2) if answer
    ]

    assert all(ids in ({"b", "y"}, {"b", "c", "y", "z"}) for ids in found)
    assert {"b", "y"} in found


def test_no_whole_hop_is_an_error() -> None:
    """Where not one hop is whole there is nothing to return."""
    with pytest.raises(StoreTimeout, match="timeout_seconds"):
        _net()._expand(_request(Deadline(10, Clock(1))))


def test_no_hop_needs_no_time() -> None:
    """A walk of no hop is whole even when its time is over."""
    found = _net()._expand(_request(Deadline(10, Clock(0)), max_hops=0))

    assert (found.neighbours, found.completed_hops, found.timed_out) == ((), 0, False)


def test_the_clock_is_read_inside_a_large_frontier() -> None:
    """A hop over thousands of papers can end before it is whole."""
    store = NetworkXStore()
    store.load([paper("a", [f"p{i}" for i in range(5_000)])])

    hops = _hops(list(_answers(store, max_hops=2)))

    assert hops.count(1) >= 5


def test_the_clock_is_read_while_a_filter_judges() -> None:
    """A filter over tens of thousands of papers can end a hop too."""
    names = [f"p{i}" for i in range(20_000)]
    store = NetworkXStore()
    store.load([paper("a", names), *map(paper, names)])

    judged = _hops(list(_answers(store, max_hops=1, filter=Filter(year_min=1))))
    unjudged = _hops(list(_answers(store, max_hops=1)))

    assert judged.count(0) == unjudged.count(0) + 4


def test_the_clock_is_read_before_each_seed_keeps_what_it_met() -> None:
    """Choosing what each seed keeps is part of its hop: twice a seed the clock is looked at."""
    names = [f"p{i:02}" for i in range(40)]
    store = NetworkXStore()
    store.load([paper("hub"), *(paper(name, ["hub"]) for name in names)])

    hops = _hops(list(_answers(store, seeds=tuple(names), max_hops=2, per_seed_limit=3)))

    assert hops.count(0) == 2 * len(names)
    assert hops.count(1) >= 2 * len(names)


def test_putting_together_may_end_a_little_late() -> None:
    """Hops that were walked in time are returned a little after it: nothing is thrown away."""
    late = _hops(list(_answers(_net(), moments=(0.0, 12.0))))
    far_too_late = _hops(list(_answers(_net(), moments=LATE)))

    assert late.count(3) == 5
    assert far_too_late.count(3) == 1


def test_a_hop_that_takes_long_to_put_together_is_left_out() -> None:
    """A quarter past the time, one hop fewer is put together, as if it were the last one."""
    store = _net()

    answers = list(_answers(store, moments=(0.0, 13.0), seeds=("a", "x")))

    fewer = store._expand(_request(Deadline.after(None), max_hops=2, seeds=("a", "x")))
    late = answers[-2]
    assert late is not None
    assert (late.completed_hops, late.timed_out) == (2, True)
    assert (late.neighbours, late.seed_links) == (fewer.neighbours, fewer.seed_links)
    assert late.cut == fewer.cut


def test_one_hop_has_the_whole_grace() -> None:
    """Where one hop is all there is to return, it may be as late as one hop fewer of two."""
    answers = list(_answers(_net(), moments=(0.0, 13.0), max_hops=1))

    assert _hops(answers)[-5:] == [1] * 5


def test_putting_together_has_an_end() -> None:
    """Half as much again past the time, nothing is returned any more."""
    answers = list(_answers(_net(), moments=LATE))

    assert _hops(answers) == [0] * (len(answers) - 1) + [3]
