"""Chains of citations from a seed to a paper."""

from __future__ import annotations

from typing import Any

import pytest

from citehop.errors import StoreTimeout
from citehop.graph.store import CitationPath, CitationStore
from citehop.testing.corpus import graph, paper
from citehop.testing.fixtures import StoreFixtures


class PathsContract(StoreFixtures):
    """One shortest chain a pair, the smallest sequence of ids, each step with its direction."""

    def test_one_and_two_hops(self, corpus: CitationStore) -> None:
        """A chain names its nodes from seed to paper and how each stands to the next."""
        found = corpus.paths([("bm25", "idf"), ("idf", "bm25"), ("bm25", "hits")])

        assert found == {
            ("bm25", "idf"): CitationPath(("bm25", "idf"), ("cites",)),
            ("idf", "bm25"): CitationPath(("idf", "bm25"), ("cited_by",)),
            ("bm25", "hits"): CitationPath(("bm25", "lexgraph", "hits"), ("cited_by", "cites")),
        }
        assert len(found["bm25", "hits"]) == 2

    def test_three_and_four_hops(self, corpus: CitationStore) -> None:
        """Longer chains are found up to the hops asked for and not beyond."""
        pairs = [("idf", "hits"), ("idf", "salsa"), ("idf", "citerank")]

        found = corpus.paths(pairs, max_hops=4)

        assert found == {
            ("idf", "hits"): CitationPath(
                ("idf", "bm25", "lexgraph", "hits"), ("cited_by", "cited_by", "cites")
            ),
            ("idf", "salsa"): CitationPath(
                ("idf", "bm25", "lexgraph", "hits", "salsa"),
                ("cited_by", "cited_by", "cites", "cited_by"),
            ),
        }
        assert list(corpus.paths(pairs, max_hops=3)) == [("idf", "hits")]
        assert corpus.paths(pairs, max_hops=2) == {}
        assert corpus.paths([("idf", "vsm")], max_hops=0) == {}

    def test_smallest_sequence(self, store: CitationStore) -> None:
        """Of several shortest chains the one with the smallest sequence of ids is given."""
        store.load(graph("s: c b; b: y; c: x; x: t; y: t; t:"))

        found = store.paths([("s", "t"), ("t", "s")], max_hops=3)

        assert found["s", "t"].nodes == ("s", "b", "y", "t")
        assert found["t", "s"].nodes == ("t", "x", "c", "s")

    def test_smallest_sequence_of_four_hops(self, store: CitationStore) -> None:
        """An early small id that leads nowhere is not taken; the first that leads there is."""
        store.load(graph("s: a b c; a: dead; b: m n; c: l; m: q; n: p; l: p; p: t; q: t; t:"))

        found = store.paths([("s", "t")], max_hops=4)

        assert found["s", "t"].nodes == ("s", "b", "m", "q", "t")

    def test_smallest_sequence_is_by_code_point(self, store: CitationStore) -> None:
        """An emoji is a larger id than a sign of the private use area."""
        store.load([paper("s", ["\U0001f600", "\uffe5"]), paper("t", ["\U0001f600", "\uffe5"])])

        assert store.paths([("s", "t")])["s", "t"].nodes == ("s", "\uffe5", "t")

    def test_papers_that_cite_each_other(self, corpus: CitationStore) -> None:
        """Where both are true a step says cites, unless the direction allows only the other."""
        pair = ("hits", "pagerank")

        assert corpus.paths([pair])[pair].steps == ("cites",)
        assert corpus.paths([pair], direction="references")[pair].steps == ("cites",)
        assert corpus.paths([pair], direction="citations")[pair].steps == ("cited_by",)

    def test_chains_follow_the_direction(self, corpus: CitationStore) -> None:
        """One way only, a chain follows that way."""
        pairs = [("lexgraph", "idf"), ("idf", "lexgraph")]

        ahead = corpus.paths(pairs, direction="references")
        back = corpus.paths(pairs, direction="citations")

        assert ahead == {pairs[0]: CitationPath(("lexgraph", "bm25", "idf"), ("cites", "cites"))}
        assert back == {
            pairs[1]: CitationPath(("idf", "bm25", "lexgraph"), ("cited_by", "cited_by"))
        }

    def test_through_a_work_outside(self, corpus: CitationStore) -> None:
        """A chain through outside works names them."""
        pair = ("coupling", "pagerank")

        assert corpus.paths([pair])[pair] == CitationPath(
            ("coupling", "index1955", "pagerank"), ("cites", "cited_by"), ("index1955",)
        )
        inside = corpus.paths([pair], external=False, max_hops=3)[pair]
        assert inside.nodes == ("coupling", "cocitation", "citerank", "pagerank")
        assert inside.external == ()

    def test_work_outside_at_an_end(self, corpus: CitationStore) -> None:
        """An outside work may be an end of a chain; left out, it is unknown."""
        pairs = [("coupling", "index1955"), ("index1955", "coupling")]

        found = corpus.paths(pairs)

        assert found[pairs[0]] == CitationPath(pairs[0], ("cites",), ("index1955",))
        assert found[pairs[1]] == CitationPath(pairs[1], ("cited_by",), ("index1955",))
        assert corpus.paths(pairs, external=False) == {}

    def test_excluded_ids(self, corpus: CitationStore) -> None:
        """An excluded id is neither end nor bridge."""
        pairs = [("coupling", "pagerank"), ("maps", "citerank")]

        found = corpus.paths(pairs, exclude=["index1955", "citerank"], max_hops=4)

        assert found == {}

    def test_no_chain(self, corpus: CitationStore) -> None:
        """A pair of one id twice, of an unknown id, or not connected has none."""
        pairs = [("idf", "idf"), ("idf", "nobody"), ("nobody", "idf"), ("idf", "lonely")]

        assert corpus.paths(pairs, max_hops=4) == {}
        assert corpus.paths([]) == {}

    def test_pairs_in_the_order_asked(self, corpus: CitationStore) -> None:
        """Chains come in the order of the pairs, repeats once."""
        pairs = [("vsm", "bm25"), ("idf", "vsm"), ("vsm", "bm25"), ("bm25", "idf")]

        assert list(corpus.paths(pairs)) == [("vsm", "bm25"), ("idf", "vsm"), ("bm25", "idf")]

    def test_around_a_hub(self, store: CitationStore) -> None:
        """Chains of 300 pairs through one hub are found in one call."""
        names = [f"p{i:04}" for i in range(2000)]
        store.load([paper("hub"), *(paper(name, ["hub"]) for name in names)])
        pairs = [("p0000", name) for name in names[1:301]]

        found = store.paths(pairs)

        assert list(found) == pairs
        assert found[pairs[-1]] == CitationPath(("p0000", "hub", "p0300"), ("cites", "cited_by"))

    @pytest.mark.parametrize(
        ("arguments", "error"),
        [
            ({"max_hops": 5}, ValueError),
            ({"max_hops": None}, TypeError),
            ({"direction": ""}, ValueError),
            ({"timeout_seconds": -1}, ValueError),
            ({"exclude": "a"}, TypeError),
            ({"pairs": [("a", "")]}, ValueError),
            ({"pairs": [("a", 1)]}, TypeError),
        ],
    )
    def test_refused_arguments_of_paths(
        self, store: CitationStore, arguments: dict[str, Any], error: type[Exception]
    ) -> None:
        """Bad arguments are refused with the argument's name."""
        with pytest.raises(error, match=next(iter(arguments))):
            store.paths(**{"pairs": [("a", "b")], **arguments})

    def test_no_time_for_chains(self, store: CitationStore) -> None:
        """Without time there are no chains but an error."""
        names = [f"p{i:04}" for i in range(2000)]
        store.load([paper("hub"), *(paper(name, ["hub"]) for name in names)])

        with pytest.raises(StoreTimeout):
            store.paths([(names[0], name) for name in names[1:]], timeout_seconds=1e-9)
