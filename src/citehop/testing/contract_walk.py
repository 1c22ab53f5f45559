"""What a walk reaches, and the evidence for it."""

from __future__ import annotations

from typing import Any

import pytest

from citehop.graph.store import CitationStore, Cut, Expansion, Neighbour
from citehop.testing.corpus import graph, paper
from citehop.testing.fixtures import StoreFixtures


def distances(expansion: Expansion) -> dict[str, int]:
    """Return the neighbours' distances, in the expansion's order."""
    return {neighbour.id: neighbour.distance for neighbour in expansion}


def ids(expansion: Expansion) -> list[str]:
    """Return the neighbours' ids, in the expansion's order."""
    return [neighbour.id for neighbour in expansion]


class WalkContract(StoreFixtures):
    """Distances, seeds, links between seeds, degrees, order, filters, what is left out."""

    def test_walk_from_one_seed(self, corpus: CitationStore) -> None:
        """Each paper within two hops comes with distance, seeds, degree and citations, in order."""
        found = corpus.expand(["bm25"])

        assert found.neighbours == (
            Neighbour("idf", 1, {"bm25": 1}, degree=2, cited_by=2),
            Neighbour("vsm", 1, {"bm25": 1}, degree=2, cited_by=1),
            Neighbour("lexgraph", 1, {"bm25": 1}, degree=2, cited_by=0),
            Neighbour("hits", 2, {"bm25": 2}, degree=4, cited_by=3),
        )
        assert found.seeds == ("bm25",)
        assert found.seed_links == {"bm25": {}}
        assert found.cut == {"bm25": Cut(0)}
        assert (found.reached, found.completed_hops) == (4, 2)
        assert (found.timed_out, found.truncated) == (False, False)

    @pytest.mark.parametrize(
        ("hops", "reached"),
        [
            (0, {}),
            (1, {"vsm": 1, "bm25": 1}),
            (2, {"vsm": 1, "bm25": 1, "lexgraph": 2}),
            (3, {"vsm": 1, "bm25": 1, "lexgraph": 2, "hits": 3}),
            (4, {"vsm": 1, "bm25": 1, "lexgraph": 2, "hits": 3, "pagerank": 4, "salsa": 4}),
        ],
    )
    def test_hops(self, corpus: CitationStore, hops: int, reached: dict[str, int]) -> None:
        """A walk takes as many hops as asked, from none to four."""
        found = corpus.expand(["idf"], max_hops=hops)

        assert distances(found) == reached
        assert found.completed_hops == hops

    @pytest.mark.parametrize(
        ("direction", "reached"),
        [
            ("references", {"pagerank": 1}),
            ("citations", {"pagerank": 1, "salsa": 1, "lexgraph": 1, "citerank": 2}),
            ("both", {"pagerank": 1, "salsa": 1, "lexgraph": 1, "bm25": 2, "citerank": 2}),
        ],
    )
    def test_direction(
        self, corpus: CitationStore, direction: Any, reached: dict[str, int]
    ) -> None:
        """References lead to what is cited, citations to what cites, both either way."""
        found = corpus.expand(["hits"], direction=direction, external=False)

        assert distances(found) == reached

    def test_evidence_of_several_seeds(self, corpus: CitationStore) -> None:
        """A paper says for each seed that reaches it how far that is, in the seeds' order."""
        found = {n.id: n for n in corpus.expand(["coupling", "salsa"])}

        assert list(found["citerank"].seeds.items()) == [("coupling", 2), ("salsa", 2)]
        assert list(found["pagerank"].seeds.items()) == [("coupling", 2), ("salsa", 1)]
        assert found["pagerank"].distance == 1
        assert found["maps"].seeds == {"coupling": 1}

    def test_seeds_are_no_neighbours(self, corpus: CitationStore) -> None:
        """What seeds are to each other stands in the links, not among the neighbours."""
        found = corpus.expand(["hits", "pagerank", "bm25"])

        assert {"hits", "pagerank", "bm25"}.isdisjoint(ids(found))
        assert found.seed_links == {
            "hits": {"pagerank": 1, "bm25": 2},
            "pagerank": {"hits": 1},
            "bm25": {"hits": 2},
        }

    def test_links_keep_the_seeds_order(self, store: CitationStore) -> None:
        """The links of a seed stand in the order in which the seeds were given."""
        store.load(graph("a: b c d; b:; c:; d:"))

        links = store.expand(["c", "a", "d", "b"], max_hops=1).seed_links

        assert list(links) == ["c", "a", "d", "b"]
        assert list(links["a"]) == ["c", "d", "b"]

    def test_links_follow_the_direction(self, store: CitationStore) -> None:
        """One way only, a seed may meet another that does not meet it."""
        store.load(graph("a: b; b:"))

        found = store.expand(["a", "b"], direction="references")

        assert found.seed_links == {"a": {"b": 1}, "b": {}}

    def test_unknown_and_repeated_seeds(self, corpus: CitationStore) -> None:
        """Unknown seeds are ignored and repeats count once."""
        found = corpus.expand(["nobody", "maps", "nobody", "maps", "vsm"])

        assert found.seeds == ("maps", "vsm")
        assert set(found.cut) == {"maps", "vsm"}

    def test_no_known_seed(self, corpus: CitationStore) -> None:
        """Without a known seed nothing is found, and the hops count as walked."""
        assert corpus.expand(["nobody"]) == Expansion(completed_hops=2)
        assert corpus.expand([]) == Expansion(completed_hops=2)

    def test_isolated_seed(self, corpus: CitationStore) -> None:
        """A paper without citations reaches nothing and is still a known seed."""
        found = corpus.expand(["lonely"])

        assert (ids(found), found.seeds, found.reached) == ([], ("lonely",), 0)

    def test_order(self, store: CitationStore) -> None:
        """Order: distance, then more seeds, then more cited, then id."""
        store.load(graph("s: b a c d; t: d; b:; a:; c: e; d: f; e:; f:; x: c"))

        assert ids(store.expand(["s", "t"])) == ["d", "c", "a", "b", "f", "e", "x"]

    def test_order_of_ids_is_by_code_point(self, store: CitationStore) -> None:
        """Ties go by code point: an emoji stands after a sign of the private use area."""
        odd = ["Z", "a", "ä", "\uffe5", "\U0001f600", "\ue000", "aa", "A"]
        store.load([paper("seed", odd), *map(paper, odd)])

        found = store.expand(["seed"], per_seed_limit=7)

        assert ids(found) == ["A", "Z", "a", "aa", "ä", "\ue000", "\uffe5"]

    def test_cycle(self, store: CitationStore) -> None:
        """In a cycle each paper stands at its shortest distance and the seed never comes back."""
        store.load(graph("a: b; b: c; c: d; d: e; e: a"))

        assert distances(store.expand(["a"], max_hops=4)) == {"b": 1, "e": 1, "c": 2, "d": 2}

    def test_two_papers_that_cite_each_other(self, store: CitationStore) -> None:
        """They are one hop apart, and the pair counts two in their degrees."""
        store.load(graph("a: b; b: a"))

        assert store.expand(["a"]).neighbours == (Neighbour("b", 1, {"a": 1}, 2, 1),)

    def test_parallel_statements_make_one_edge(self, store: CitationStore) -> None:
        """A citation stated by both records, or twice in one, is one edge."""
        store.load([paper("a", ["b", "b"]), paper("b", citations=["a", "a"])])

        assert store.expand(["a"]).neighbours == (Neighbour("b", 1, {"a": 1}, 1, 1),)

    def test_self_citation_is_no_edge(self, store: CitationStore) -> None:
        """A paper that cites itself gains neither degree nor citation by that."""
        store.load([paper("a", ["a", "b"], ["a"]), paper("b", ["b"])])

        assert store.expand(["b"]).neighbours == (Neighbour("a", 1, {"b": 1}, 1, 0),)

    def test_external_work_is_a_bridge_and_no_hit(self, corpus: CitationStore) -> None:
        """Papers that cite one outside work are two hops apart; the work is not returned."""
        found = distances(corpus.expand(["coupling"]))

        assert found == {"cocitation": 1, "maps": 1, "pagerank": 2, "citerank": 2}

    def test_without_external_works(self, corpus: CitationStore) -> None:
        """Left out, they are neither walked through nor counted in degrees."""
        found = corpus.expand(["coupling"], external=False)
        around_hits = corpus.expand(["hits"], max_hops=1, external=False)

        assert distances(found) == {"cocitation": 1, "maps": 1, "citerank": 2}
        assert {n.id: n.degree for n in around_hits}["pagerank"] == 4

    def test_degrees_count_edges_to_external_works(self, corpus: CitationStore) -> None:
        """With them in, the edge to an outside work counts."""
        around_hits = corpus.expand(["hits"], max_hops=1)

        assert {n.id: (n.degree, n.cited_by) for n in around_hits}["pagerank"] == (5, 3)

    def test_external_citing_work_counts(self, store: CitationStore) -> None:
        """A work outside that cites a paper counts among its citations, unless left out."""
        store.load([paper("a", ["b"]), paper("b", citations=["x"])])

        assert store.expand(["a"]).neighbours[0] == Neighbour("b", 1, {"a": 1}, 2, 2)
        inside = store.expand(["a"], external=False)
        assert inside.neighbours[0] == Neighbour("b", 1, {"a": 1}, 1, 1)

    def test_external_work_as_seed(self, corpus: CitationStore) -> None:
        """An outside work may be a seed; left out, it is unknown."""
        found = corpus.expand(["index1955"], max_hops=1)

        assert found.seeds == ("index1955",)
        assert distances(found) == {"pagerank": 1, "coupling": 1}
        assert corpus.expand(["index1955"], external=False).seeds == ()

    def test_external_seed_among_the_links(self, corpus: CitationStore) -> None:
        """A seed that is an outside work stands in the links of the seeds that meet it."""
        found = corpus.expand(["coupling", "index1955"], max_hops=1)

        assert found.seed_links == {"coupling": {"index1955": 1}, "index1955": {"coupling": 1}}

    def test_excluded_ids_are_no_bridge(self, corpus: CitationStore) -> None:
        """An excluded paper, or outside work, is not walked through and not returned."""
        found = corpus.expand(["coupling"], exclude=["cocitation", "index1955"])

        assert distances(found) == {"maps": 1}

    def test_excluded_ids_are_no_seeds(self, corpus: CitationStore) -> None:
        """An excluded seed is not known to the walk; ids that nobody knows may be excluded."""
        found = corpus.expand(["bm25", "hits"], exclude=["hits", "nobody"])

        assert found.seeds == ("bm25",)
        assert ids(found) == ["idf", "vsm", "lexgraph"]

    def test_excluded_ids_count_in_degrees(self, store: CitationStore) -> None:
        """Degrees are the graph's: excluding a neighbour does not lessen them."""
        store.load(graph("a: b; c: b; b:"))

        assert store.expand(["a"], exclude=["c"]).neighbours == (Neighbour("b", 1, {"a": 1}, 2, 2),)

    @pytest.mark.parametrize(
        ("filter", "found"),
        [
            ({"year_min": 1998}, ["hits", "citerank", "pagerank", "maps"]),
            ({"year_max": 1998}, ["idf", "vsm", "cocitation", "pagerank"]),
            ({"year_min": 1973, "year_max": 1975}, ["vsm", "cocitation"]),
            ({"sources": ["s2", "arxiv"]}, ["idf", "vsm", "lexgraph"]),
            ({"venues": ["Journal of Links"]}, ["hits", "citerank"]),
            ({"venues": [""]}, ["maps", "lexgraph"]),
            ({"authors": ["K. Arden", "M. Kess"]}, ["idf"]),
            ({"retracted": ["yes"]}, ["citerank"]),
            ({"ids": ["hits", "idf", "coupling", "nobody"]}, ["idf", "hits"]),
            ({"ids": []}, []),
            ({"year_min": 1970, "venues": ["Documents"]}, ["idf", "cocitation"]),
        ],
    )
    def test_filter(self, corpus: CitationStore, filter: Any, found: list[str]) -> None:
        """Only papers that pass are returned, whatever the walk went through; undated ones fail."""
        returned = corpus.expand(["bm25", "coupling"], filter=filter)

        assert sorted(ids(returned)) == sorted(found)
        assert returned.reached == len(found)
        assert returned.seeds == ("bm25", "coupling")

    def test_filter_does_not_narrow_the_walk(self, corpus: CitationStore) -> None:
        """A paper is found through papers that do not pass."""
        assert distances(corpus.expand(["bm25"], filter={"ids": ["hits"]})) == {"hits": 2}

    def test_many_seeds(self, store: CitationStore) -> None:
        """A hub reached by many seeds names them all."""
        names = [f"s{i:03}" for i in range(200)]
        store.load([paper("hub"), *(paper(name, ["hub"]) for name in names)])

        found = store.expand(names)

        assert found.neighbours == (Neighbour("hub", 1, dict.fromkeys(names, 1), 200, 200),)
        assert found.seed_links["s000"] == dict.fromkeys(names[1:], 2)
