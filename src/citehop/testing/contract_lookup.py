"""Reading papers back, counting them, and following what changed."""

from __future__ import annotations

import pytest

from citehop.graph.store import Changes, CitationStore, Counts
from citehop.testing.corpus import corpus12, paper
from citehop.testing.fixtures import StoreFixtures

# Ids that trip up quoting, escaping, normalising or sorting.
ODD_IDS = (
    "' OR 1=1 //",
    '"}) DETACH DELETE n //',
    "`a`) MATCH (n) DETACH DELETE n //",
    "\\u0060",
    "$id {id} %s",
    "a\tb\nc",
    "10.1000/A(b)<c>;d",
    "文献・一",
    "साहित्य",
    "e\u0301",
    "\u00e9",
    "\u200bzero width",
    "\ue000",
    "\uffe5",
    "\U0001f600",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "null",
    "0",
    "-1",
    "x" * 2000,
)


class LookupContract(StoreFixtures):
    """``get``, ``papers``, ``counts``, ``revision`` and ``changes``."""

    def test_get_in_the_order_asked(self, corpus: CitationStore) -> None:
        """Papers come in the order asked, repeats too, None where there is none."""
        found = corpus.get(["vsm", "nobody", "idf", "vsm", "index1955"])

        assert [p and p.id for p in found] == ["vsm", None, "idf", "vsm", None]

    def test_get_returns_the_edges(self, corpus: CitationStore) -> None:
        """References and citations are the graph's edges, outside works too, by id."""
        pagerank, hits = corpus.get(["pagerank", "hits"])

        assert pagerank is not None
        assert hits is not None
        assert pagerank.references == ["hits", "index1955"]
        assert pagerank.citations == ["citerank", "hits", "salsa"]
        assert hits.citations == ["lexgraph", "pagerank", "salsa"]

    def test_get_returns_every_field(self, store: CitationStore) -> None:
        """A record comes back field by field as it was loaded."""
        record = paper(
            "full",
            ["b"],
            ["a"],
            title="Ein Titel — 题目",
            abstract="One.\n\nTwo \U0001f600.",
            year=-5,
            authors=["B. First", "A. Second", "B. First"],
            source="s2",
            sources=("s2", "arxiv"),
            venue="Venue",
            retracted="suspected",
            retraction_evidence="its title",
            notice=True,
            external_ids={"doi": "10.5555/full", "pmid": "12", "mag": "7"},
        )
        store.load([record])

        found = store.get(["full"])

        assert found == [record]
        assert found[0] is not None
        assert found[0].to_dict() == record.to_dict()

    def test_get_by_alias(self, store: CitationStore) -> None:
        """A DOI in any spelling, an arXiv or a PubMed id names a paper."""
        ids = {"doi": "10.5555/abc", "arxiv": "2101.00001", "pmid": "123", "openalex": "W77"}
        store.load([paper("a", external_ids=ids)])

        for alias in (
            "10.5555/abc",
            "https://doi.org/10.5555/ABC",
            "doi:10.5555/Abc",
            "arXiv:2101.00001v3",
            "pmid:123",
            "https://openalex.org/W77",
        ):
            assert [p and p.id for p in store.get([alias])] == ["a"], alias

    def test_an_id_is_its_own_alias(self, store: CitationStore) -> None:
        """A paper whose id is a DOI or an OpenAlex id is found by its other spellings."""
        store.load([paper("W5"), paper("10.5555/xyz")])

        found = store.get(["https://openalex.org/W5", "https://doi.org/10.5555/XYZ"])

        assert [p and p.id for p in found] == ["W5", "10.5555/xyz"]

    def test_exact_id_wins_over_an_alias(self, store: CitationStore) -> None:
        """A paper with the very id is returned, not one that has it as an alias."""
        store.load([paper("a", external_ids={"doi": "10.5555/z"}), paper("10.5555/z")])

        found = store.get(["10.5555/z", "https://doi.org/10.5555/z"])

        assert [p and p.id for p in found] == ["10.5555/z", "10.5555/z"]

    def test_smallest_id_of_a_shared_alias(self, store: CitationStore) -> None:
        """Of several papers with one alias the smallest id answers; a removed one no longer."""
        store.load(paper(name, external_ids={"doi": "10.5555/s"}) for name in ("c", "b", "d"))
        assert [p and p.id for p in store.get(["10.5555/s"])] == ["b"]

        store.remove(["b"])
        assert [p and p.id for p in store.get(["10.5555/s"])] == ["c"]

        store.load([paper("c"), paper("d")])
        assert store.get(["10.5555/s"]) == [None]

    def test_get_of_what_is_no_id(self, corpus: CitationStore) -> None:
        """Text that can be no id finds nothing; a bare string or a number is refused."""
        assert corpus.get(["", " idf ", "10."]) == [None, None, None]
        assert corpus.get([]) == []
        with pytest.raises(TypeError, match="ids must be a collection of ids"):
            corpus.get("idf")
        with pytest.raises(TypeError, match="an entry of ids must be a str"):
            corpus.get([1])  # type: ignore[list-item]

    def test_papers_in_order_of_id(self, corpus: CitationStore) -> None:
        """Every paper comes once, by id, as ``get`` returns it."""
        listed = list(corpus.papers())

        assert [p.id for p in listed] == sorted(p.id for p in corpus12())
        assert listed == corpus.get([p.id for p in listed])

    def test_papers_is_one_state(self, store: CitationStore) -> None:
        """What changes while papers are listed does not show; the listing goes on."""
        names = [f"p{i:05}" for i in range(5_000)]
        store.load(paper(name, ["hub"]) for name in names)

        listing = store.papers()
        first = next(listing)
        store.remove(names[100:])
        store.load([paper("p00050", title="New"), paper("zzz")])
        rest = list(listing)

        assert [first.id, *(p.id for p in rest)] == names
        assert rest[49] == paper("p00050", ["hub"])
        assert rest[-1].references == ["hub"]

    def test_odd_ids(self, store: CitationStore) -> None:
        """Ids come back as they went in, sorted by code point, harm nothing, and can be walked."""
        store.load([paper("seed", ODD_IDS), *(paper(i, title=i) for i in ODD_IDS)])

        assert [p.id for p in store.papers()] == sorted([*ODD_IDS, "seed"])
        assert [p and p.title for p in store.get(ODD_IDS)] == list(ODD_IDS)
        assert [n.id for n in store.expand(["seed"])] == sorted(ODD_IDS)
        assert store.expand(ODD_IDS).seeds == ODD_IDS
        assert len(store.paths([("seed", i) for i in ODD_IDS])) == len(ODD_IDS)
        assert store.remove(ODD_IDS) == len(ODD_IDS)

    def test_counts(self, corpus: CitationStore) -> None:
        """Papers, outside works, edges inside and all, and the years."""
        assert corpus.counts() == Counts(
            papers=12, external=1, citations=14, citations_all=16, year_min=1963, year_max=2010
        )

    def test_counts_without_years(self, store: CitationStore) -> None:
        """Without a known year there is no oldest and no newest."""
        store.load([paper("a", ["x"])])

        assert store.counts() == Counts(papers=1, external=1, citations_all=1)

    def test_revision_stays_while_nothing_changes(self, corpus: CitationStore) -> None:
        """Reading, and loading what is there, leave the revision as it is."""
        before = corpus.revision
        corpus.expand(["idf"])
        corpus.load(corpus12())
        corpus.remove(["nobody"])

        assert corpus.revision == before
        assert corpus.changes(before) == Changes(revision=before)

    def test_changes(self, corpus: CitationStore) -> None:
        """Since a revision: the papers added or replaced, and those that are gone, each by id."""
        before = corpus.revision
        corpus.load([paper("zebra", ["idf"]), paper("apple")])
        corpus.load([paper("idf", title="New")])
        corpus.remove(["vsm", "apple", "bm25"])
        corpus.load([paper("bm25", title="Back")])

        changes = corpus.changes(before)

        assert changes is not None
        assert changes.revision == corpus.revision != before
        assert changes.upserted == ("bm25", "idf", "zebra")
        assert [i for i in changes.removed if i != "apple"] == ["vsm"]

    def test_changes_since_each_revision(self, store: CitationStore) -> None:
        """Each state has its own revision, from which the later changes follow."""
        revisions = [store.revision]
        for name in ("b", "a", "c"):
            store.load([paper(name)])
            revisions.append(store.revision)

        assert len(set(revisions)) == 4
        found = [store.changes(revision) for revision in revisions]
        assert [c and c.upserted for c in found] == [("a", "b", "c"), ("a", "c"), ("c",), ()]

    def test_changes_of_an_unknown_revision(self, corpus: CitationStore) -> None:
        """A revision that this store never had gives None: rebuild."""
        assert corpus.changes("not a revision") is None
        assert corpus.changes("") is None
