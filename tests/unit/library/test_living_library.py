"""A library that is added to and taken from equals one that was built of what is left."""

from __future__ import annotations

import tempfile
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citehop.graph.networkx import NetworkXStore
from citehop.graph.store import CitationStore
from citehop.lexical.bm25 import BM25Index
from citehop.library import change
from citehop.library.build import build_library
from citehop.library.store import LibraryStore
from citehop.paper import Filter, Paper
from citehop.search.config import RetrievalConfig
from citehop.search.repository import CitationRepository

IDS = "a b c d e f 10.1/x é".split()
WORDS = "salt marsh tide β-catenin mud 題目 the accretion".split()
QUERY = "salt marshes 題 β accretion"

papers = st.builds(
    Paper,
    st.sampled_from(IDS),
    st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join),
    st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join),
    st.none() | st.integers(1990, 1999),
    st.lists(st.sampled_from(["K. Arden", "S. Robin"]), max_size=2),
    st.lists(st.sampled_from([*IDS, "out", "z"]), max_size=4),
    st.lists(st.sampled_from([*IDS, "out"]), max_size=2),
    st.sampled_from(["", "s2", "arxiv"]),
    venue=st.sampled_from(["", "Shore"]),
    retracted=st.sampled_from(["no", "yes"]),
    external_ids=st.sampled_from([{}, {"doi": "10.1/x"}, {"pmid": "7"}]),
)
steps = st.lists(
    st.tuples(st.just("load"), st.lists(papers, min_size=1, max_size=3))
    | st.tuples(st.just("remove"), st.lists(st.sampled_from(IDS), min_size=1, max_size=2))
    | st.tuples(st.just("reopen"), st.just([]))
    | st.tuples(st.just("read"), st.just([])),
    max_size=10,
)


def _check(first: list[Paper], changes: list[tuple[str, list[Paper]]], least: int) -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        patch.object(change, "LEAST_CHANGES", least),
    ):
        _follow(Path(folder), first, changes)


def _follow(folder: Path, first: list[Paper], changes: list[tuple[str, list[Paper]]]) -> None:
    build_library(folder, first, analysis="english")
    held = {paper.id: paper for paper in first}
    library = LibraryStore(folder)
    repository = CitationRepository(library, analysis="english")
    for kind, values in changes:
        if kind == "load":
            library.load(values)
            held |= {paper.id: paper for paper in values}
        elif kind == "remove":
            library.remove(values)  # type: ignore[arg-type]
            for key in values:
                held.pop(key, None)  # type: ignore[call-overload]
        elif kind == "reopen":
            library = LibraryStore(folder)
            repository = CitationRepository(library, analysis="english")
        else:
            repository.refresh()
    repository.refresh()
    _compare(library, repository, list(held.values()))


def _compare(library: LibraryStore, repository: CitationRepository, held: list[Paper]) -> None:
    fresh = NetworkXStore()
    fresh.load(held)
    assert library.counts() == fresh.counts()
    assert list(library.papers()) == list(fresh.papers())
    assert _evidence(library) == _evidence(fresh)
    index = BM25Index(analysis="english")
    for paper in held:
        index.add(paper.id, paper.text)
    assert library.snapshot().index.query(QUERY).top(None) == index.search(QUERY, None)
    other = CitationRepository(fresh, analysis="english")
    for limits in (
        None,
        Filter(year_min=1995),
        Filter(authors=frozenset(["K. Arden"]), retracted=frozenset(["no"])),
        Filter(sources=frozenset(["s2"]), venues=frozenset(["Shore"])),
        Filter(ids=frozenset(["a", "é", "nobody"])),
    ):
        for scoring in ("hops", "propagation"):
            config = RetrievalConfig(top_k_lexical=3, scoring=scoring)
            one = repository.search(QUERY, filter=limits, config=config)
            two = other.search(QUERY, filter=limits, config=config)
            assert [hit.to_dict() for hit in one] == [hit.to_dict() for hit in two]
            assert [leg.details for leg in one.legs] == [leg.details for leg in two.legs]


def _evidence(store: CitationStore) -> list[object]:
    ids = [*IDS, "out", "z"]
    return [
        store.get([*IDS, "doi:10.1/X", "pmid:7"]),
        store.expand(ids, max_hops=3),
        store.expand(ids[:3], direction="references", external=False, filter={"year_max": 1995}),
        store.paths([(one, other) for one in ids[:4] for other in ids[4:]]),
    ]


@settings(max_examples=25)
@given(st.lists(papers, max_size=5), steps, st.sampled_from([-1, 2, 500]))
def test_any_changes_equal_a_fresh_library(
    first: list[Paper], changes: list[tuple[str, list[Paper]]], least: int
) -> None:
    """Whatever was loaded, replaced, removed, reopened and written out: the same answers.

    Papers, evidence, chains, counts, scores bit for bit, filters, and whole searches with their
    outcomes are those of stores and indexes made anew from the records that are left.
    """
    _check(first, changes, least)


@pytest.mark.long
@pytest.mark.timeout(1800)
@settings(max_examples=1_000)
@given(st.lists(papers, max_size=5), steps, st.sampled_from([-1, 2, 500]))
def test_a_thousand_changes_equal_a_fresh_library(
    first: list[Paper], changes: list[tuple[str, list[Paper]]], least: int
) -> None:
    """The same for a thousand sequences."""
    _check(first, changes, least)


def test_a_repository_follows_another_process(tmp_path: Path) -> None:
    """What someone else added is found after a refresh, which says how much it was."""
    build_library(tmp_path, [Paper("a", "Salt marsh", "", 2000, [])])
    mine = CitationRepository(LibraryStore(tmp_path))
    before = [hit.doc_id for hit in mine.search("marsh")]

    LibraryStore(tmp_path).load([Paper("b", "Marsh", "", 2001, [])])

    assert [hit.doc_id for hit in mine.search("marsh")] == before == ["a"]
    report = mine.refresh()
    assert (report.upserted, report.removed, report.rebuilt) == (1, 0, False)
    assert {hit.doc_id for hit in mine.search("marsh")} == {"a", "b"}
    assert mine.refresh().upserted == 0


def test_an_open_library_outlives_its_replacement(tmp_path: Path) -> None:
    """Who has a library open goes on with it while it is built anew."""
    build_library(tmp_path, [Paper("a", "Salt marsh", "", 2000, [])])
    old = LibraryStore(tmp_path)

    build_library(tmp_path, [Paper("b", "Tide", "", 2001, [])])

    assert [paper.id for paper in old.papers()] == ["a"]
    assert [paper.id for paper in LibraryStore(tmp_path).papers()] == ["b"]
    assert len(list(tmp_path.glob("generation-*"))) == 1


def test_a_load_that_fails_keeps_what_came_before(tmp_path: Path) -> None:
    """An exception commits the papers before it; the next opening has them."""
    build_library(tmp_path, [])
    with pytest.raises(TypeError, match="entry 2 of papers"):
        LibraryStore(tmp_path).load([Paper("a", "", "", None, []), "b"])  # type: ignore[list-item]

    assert [paper.id for paper in LibraryStore(tmp_path).papers()] == ["a"]
