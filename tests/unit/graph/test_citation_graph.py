"""The small in-memory form."""

from __future__ import annotations

import pytest

from citehop import CitationGraph
from citehop.testing import corpus12, graph, paper


@pytest.fixture
def citations() -> CitationGraph:
    """The twelve papers."""
    small = CitationGraph()
    for one in corpus12():
        small.add_paper(one)
    return small


def test_seeds_stand_at_zero(citations: CitationGraph) -> None:
    """Without a hop there are the seeds alone."""
    assert citations.expand(["bm25", "idf"], max_hops=0) == {"bm25": 0, "idf": 0}


def test_one_hop_goes_both_ways(citations: CitationGraph) -> None:
    """One hop reaches what the seed cites and what cites it."""
    assert citations.expand(["bm25"], max_hops=1) == {"bm25": 0, "idf": 1, "lexgraph": 1, "vsm": 1}


def test_two_hops_are_the_default(citations: CitationGraph) -> None:
    """Unless told otherwise the walk takes two hops, each paper at its shortest distance."""
    assert citations.expand(["bm25"]) == {"bm25": 0, "idf": 1, "lexgraph": 1, "vsm": 1, "hits": 2}


def test_distance_is_from_the_nearest_seed(citations: CitationGraph) -> None:
    """With several seeds the nearest counts."""
    found = citations.expand(["bm25", "hits"], max_hops=1)

    assert found == {
        "bm25": 0, "hits": 0, "idf": 1, "lexgraph": 1, "pagerank": 1, "salsa": 1, "vsm": 1,
    }  # fmt: skip


def test_unknown_seeds_are_ignored(citations: CitationGraph) -> None:
    """Ids that were not added are no seeds, also where a paper names them."""
    assert citations.expand(["nobody", "index1955"]) == {}
    assert citations.expand([]) == {}


def test_named_works_are_walked_through(citations: CitationGraph) -> None:
    """Works that were not added join the papers that name them, and are not returned."""
    found = citations.expand(["coupling"])

    assert found["pagerank"] == 2
    assert "index1955" not in found


def test_a_paper_may_be_added_again() -> None:
    """A paper with a known id replaces the one before."""
    small = CitationGraph()
    for one in [*graph("a: b; b:; c:"), paper("a", ["c"])]:
        small.add_paper(one)

    assert small.expand(["a"]) == {"a": 0, "c": 1}


def test_hops_are_bounded(citations: CitationGraph) -> None:
    """Four hops are allowed, five and fewer than none are not."""
    assert citations.expand(["idf"], max_hops=4)["pagerank"] == 4
    for hops in (5, -1):
        with pytest.raises(ValueError, match="max_hops must be from 0 to 4"):
            citations.expand(["idf"], max_hops=hops)


def test_bare_strings_and_others_are_refused(citations: CitationGraph) -> None:
    """A string is no collection of seeds, and a mapping no paper."""
    with pytest.raises(TypeError):
        citations.expand("idf")
    with pytest.raises(TypeError, match="paper must be a Paper"):
        citations.add_paper({"id": "x"})  # type: ignore[arg-type]
