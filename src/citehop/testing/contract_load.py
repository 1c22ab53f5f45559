"""What loading and removing leave behind, and what they report."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from citehop.errors import StoreError
from citehop.graph.store import CitationStore, Counts, LoadReport
from citehop.paper import Paper
from citehop.testing.corpus import corpus12, graph, paper
from citehop.testing.fixtures import StoreFixtures


def edges(store: CitationStore) -> set[tuple[str, str]]:
    """Return the edges at the store's papers, read back through ``papers``."""
    listed = list(store.papers())
    ahead = {(one.id, cited) for one in listed for cited in one.references}
    return ahead | {(citing, one.id) for one in listed for citing in one.citations}


class LoadContract(StoreFixtures):
    """Loading is idempotent, replaces by id, counts what it did; removing undoes it."""

    def test_report_of_a_first_load(self, store: CitationStore) -> None:
        """Everything is new; edges and outside works are counted once."""
        assert store.load(corpus12()) == LoadReport(created=12, edges=16, externals=1)

    def test_report_of_a_second_load(self, corpus: CitationStore) -> None:
        """Loading the same again changes nothing, and says so."""
        before = corpus.counts()

        assert corpus.load(corpus12()) == LoadReport(unchanged=12)
        assert corpus.counts() == before

    def test_report_of_nothing(self, store: CitationStore) -> None:
        """An empty load is allowed."""
        assert store.load([]) == LoadReport()
        assert store.counts() == Counts()

    def test_report_of_dangling_references(self, store: CitationStore) -> None:
        """Doubled and self references are dropped and counted; an unknown id is an outside work."""
        survey = paper("W10", ["W11", "W404", "W11", "W10"], title="Survey of nets")

        report = store.load([survey, paper("W11"), paper("W12")])

        assert report == LoadReport(
            created=3, edges=2, externals=1, dropped_self=1, dropped_doubled=1
        )
        assert store.get(["W404"]) == [None]
        assert store.counts().papers == 3

    def test_each_list_is_counted_for_itself(self, store: CitationStore) -> None:
        """A self-citation in both lists counts two; twice in one list, it is also a repeat."""
        report = store.load([paper("a", ["a", "a", "b"], ["a", "b", "b", "b"])])

        assert report == LoadReport(
            created=1, edges=2, externals=1, dropped_self=2, dropped_doubled=3
        )

    def test_dropped_are_counted_again(self, store: CitationStore) -> None:
        """An unchanged record's dropped citations are counted like a new one's."""
        records = [paper("a", ["a", "b", "b"])]
        store.load(records)

        assert store.load(records) == LoadReport(unchanged=1, dropped_self=1, dropped_doubled=1)

    def test_external_becomes_a_paper(self, store: CitationStore) -> None:
        """When its record is loaded, an outside work is a paper with the edges that it had."""
        store.load([paper("a", ["b"])])

        assert store.load([paper("b", title="B")]) == LoadReport(created=1, externals=-1)
        assert store.get(["b"]) == [paper("b", citations=["a"], title="B")]
        assert store.counts() == Counts(papers=2, citations=1, citations_all=1)

    def test_replacing_a_record(self, store: CitationStore) -> None:
        """Edges that only the old record stated go, those that others state stay."""
        store.load([paper("a", ["b", "c", "x"]), paper("b", citations=["a"]), paper("c")])

        report = store.load([paper("a", ["d"], title="New")])

        assert report == LoadReport(updated=1, edges=-1, externals=0)
        assert edges(store) == {("a", "b"), ("a", "d")}
        assert store.get(["a"]) == [paper("a", ["b", "d"], title="New")]
        assert store.counts().external == 1

    def test_replacing_the_citations_of_a_record(self, store: CitationStore) -> None:
        """What the cited side stated goes with it; what the citing side states stays."""
        store.load([paper("b", citations=["a", "x"]), paper("a", ["b"])])

        assert store.load([paper("b")]) == LoadReport(updated=1, edges=-1, externals=-1)
        assert edges(store) == {("a", "b")}

    @pytest.mark.parametrize(
        "change",
        [
            {"title": "Other"},
            {"abstract": "Other."},
            {"year": 1995},
            {"year": None},
            {"authors": ["K. Arden", "S. Robin"]},
            {"source": "arxiv"},
            {"external_ids": {"doi": "10.5555/bm25"}},
            {"venue": ""},
            {"retracted": "suspected"},
            {"sources": ("s2", "arxiv")},
            {"retraction_evidence": "said so"},
            {"notice": True},
            {"references": ["idf"]},
            {"references": ["vsm", "idf"]},
            {"citations": []},
        ],
    )
    def test_any_field_makes_an_update(
        self, corpus: CitationStore, change: dict[str, object]
    ) -> None:
        """A record that differs in any field, the order of its lists too, replaces the old one."""
        before = corpus.revision
        changed = replace(corpus12()[2], **change)  # type: ignore[arg-type]

        report = corpus.load([changed])

        assert (report.created, report.updated, report.unchanged) == (0, 1, 0)
        assert corpus.revision != before
        assert corpus.load([changed]).unchanged == 1
        found = corpus.get(["bm25"])[0]
        assert found is not None
        assert found.to_dict() | {"references": [], "citations": []} == (
            changed.to_dict() | {"references": [], "citations": []}
        )

    def test_same_id_twice_in_one_load(self, store: CitationStore) -> None:
        """Records are taken in one after another: the last one of an id holds."""
        report = store.load([paper("a", ["b"]), paper("a", ["c"]), paper("a", ["c"])])

        assert report == LoadReport(created=1, updated=1, unchanged=1, edges=1, externals=1)
        assert edges(store) == {("a", "c")}

    def test_ids_that_differ_in_case_are_two(self, store: CitationStore) -> None:
        """An id is compared as it stands, case and all."""
        store.load([paper("c1", title="One"), paper("c1", title="Again"), paper("C1")])

        assert [p.id for p in store.papers()] == ["C1", "c1"]
        assert store.get(["c1"]) == [paper("c1", title="Again")]

    def test_order_and_pieces_do_not_matter(self, store: CitationStore) -> None:
        """Loading in another order, one at a time, ends in the same papers."""
        store.load(corpus12())
        whole = list(store.papers())
        self.reset(store)

        for record in reversed(corpus12()):
            store.load([record])

        assert list(store.papers()) == whole

    def test_load_is_streamed(self, store: CitationStore) -> None:
        """Progress comes while records are still being read, with the report so far."""
        seen: list[int] = []
        read = 0

        def records() -> Iterator[Paper]:
            nonlocal read
            for read in range(1, 12_001):
                yield paper(f"p{read:05}")

        first: list[int] = []

        def progress(report: LoadReport) -> None:
            seen.append(report.papers)
            first.append(read)

        report = store.load(records(), progress=progress)

        assert report.created == 12_000
        assert first[0] < 12_000
        assert seen == sorted(seen)
        assert seen[-1] == 12_000

    def test_what_came_before_a_bad_entry_is_kept(self, store: CitationStore) -> None:
        """An entry that is no paper is refused with its number; those before it are there."""
        with pytest.raises(TypeError, match="entry 3 of papers must be a Paper"):
            store.load([paper("a", ["b"]), paper("b"), {"id": "c"}])  # type: ignore[list-item]

        assert [p.id for p in store.papers()] == ["a", "b"]
        assert edges(store) == {("a", "b")}

    def test_an_interrupted_load_runs_again(self, store: CitationStore) -> None:
        """Stopped half-way and run again to its end, a load ends as if undisturbed."""

        def broken() -> Iterator[Paper]:
            yield from corpus12()[:5]
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            store.load(broken())
        store.load(corpus12())

        assert store.counts() == Counts(
            papers=12, external=1, citations=14, citations_all=16, year_min=1963, year_max=2010
        )

    def test_removing(self, corpus: CitationStore) -> None:
        """A removed paper that others name becomes an outside work; its own statements go."""
        assert corpus.remove(["pagerank", "nobody", "pagerank"]) == 1

        assert corpus.get(["pagerank"]) == [None]
        assert corpus.counts() == Counts(
            papers=11, external=2, citations=10, citations_all=14, year_min=1963, year_max=2010
        )
        assert "pagerank" not in {n.id for n in corpus.expand(["hits"])}
        assert "salsa" in {n.id for n in corpus.expand(["citerank"])}

    def test_removing_the_last_statement(self, store: CitationStore) -> None:
        """An outside work that nobody names any more is gone."""
        store.load([paper("a", ["x"]), paper("b", ["x"])])
        store.remove(["a"])
        assert store.counts().external == 1
        store.remove(["b"])

        assert store.counts() == Counts()
        assert store.expand(["x"]).seeds == ()

    def test_removing_takes_no_alias(self, corpus: CitationStore) -> None:
        """Only an exact id removes."""
        assert corpus.remove(["10.5555/coupling"]) == 0
        assert corpus.counts().papers == 12

    def test_removed_and_loaded_again(self, corpus: CitationStore) -> None:
        """What is loaded again has all its edges."""
        whole = list(corpus.papers())
        corpus.remove(["hits", "coupling", "bm25"])

        assert corpus.load(corpus12()).created == 3
        assert list(corpus.papers()) == whole

    def test_remove_refuses_a_bare_id(self, corpus: CitationStore) -> None:
        """A string is no collection of ids."""
        with pytest.raises(TypeError, match="ids must be a collection of ids"):
            corpus.remove("idf")

    def test_the_store_keeps_its_own_lists(self, store: CitationStore) -> None:
        """Changing a record's lists after the load changes nothing; loading it again does."""
        record = paper("a", ["b"], authors=["A"])
        store.load([record])
        record.references.append("c")
        record.authors.append("B")

        assert store.get(["a"]) == [paper("a", ["b"], authors=["A"])]
        assert store.load([record]).updated == 1
        assert store.get(["a"]) == [paper("a", ["b", "c"], authors=["A", "B"])]

    def test_closing(self) -> None:
        """Closing twice is allowed; using a closed store is an error with its own code."""
        store = self.make_store()
        store.close()
        store.close()

        for use in (
            lambda: store.load(graph("a: b")),
            lambda: store.remove(["a"]),
            lambda: store.get(["a"]),
            lambda: list(store.papers()),
            store.counts,
            lambda: store.revision,
            lambda: store.changes("x"),
            lambda: store.expand(["a"]),
            lambda: store.paths([("a", "b")]),
        ):
            with pytest.raises(StoreError) as caught:
                use()
            assert caught.value.code == "STORE_CLOSED"
            assert caught.value.record.category == "capability"

    def test_context_manager(self) -> None:
        """Leaving the block closes the store."""
        with self.make_store() as store:
            store.counts()

        with pytest.raises(StoreError) as caught:
            store.counts()
        assert caught.value.code == "STORE_CLOSED"
