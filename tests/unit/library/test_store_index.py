"""An index on disk of a store that lives elsewhere, and follows it."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citehop.errors import InputError, StoreError, StoreUnavailable
from citehop.graph.networkx import NetworkXStore
from citehop.graph.store import CitationStore
from citehop.library import change, journal
from citehop.library import store_index as module
from citehop.library.build import build_library
from citehop.library.lock import writing
from citehop.library.store import LibraryStore
from citehop.library.store_index import StoreIndex, build_index
from citehop.outcome import RetrievalStatus
from citehop.paper import Paper
from citehop.search.config import RetrievalConfig
from citehop.search.repository import CitationRepository, RefreshReport
from tests.unit.library.test_living_library import IDS, papers
from tests.unit.search.conftest import small_corpus
from tests.unit.search.dict_store import DictStore

LATE = Paper("late", "Pruning again", "", 2021, [], ["head"])


@pytest.fixture
def store() -> DictStore:
    """A store that holds the small corpus."""
    return DictStore(small_corpus())


@pytest.fixture
def folder(store: DictStore, tmp_path: Path) -> Path:
    """An index of it."""
    assert build_index(tmp_path / "index", store).created == 8
    store.calls.clear()
    return tmp_path / "index"


def _answers(repository: CitationRepository, *queries: str) -> str:
    """Return what searches find and say, diagnostics apart."""
    found = []
    for query in queries:
        for config in (RetrievalConfig(), RetrievalConfig.propagation()):
            response = repository.search(query, config=config)
            outcome = response.to_dict()
            for leg in outcome["legs"]:
                leg.pop("diagnostics")
                leg.pop("elapsed_seconds", None)
            found.append([outcome, [hit.to_dict() for hit in response.hits]])
    return json.dumps(found)


def _compare(store: CitationStore, repository: CitationRepository, *queries: str) -> None:
    assert _answers(repository, *queries) == _answers(CitationRepository(store), *queries)


def test_it_answers_as_the_store_does_without_reading_its_papers(
    store: DictStore, folder: Path
) -> None:
    """Only what changed is asked for; the answers are those of an index made in memory."""
    repository = CitationRepository(store, index=StoreIndex(folder))

    assert repository.search("pruning attention").status is RetrievalStatus.SUCCESS
    assert store.calls[0] == "changes"
    assert not {"papers", "get"} & set(store.calls)
    assert repository.revision == "r8"
    assert repository.search("pruning").legs[0].diagnostics == {"revision": "r8"}
    _compare(store, repository, "pruning attention", "kernels", "nothing")


def test_what_changed_is_taken_in_and_kept(store: DictStore, folder: Path) -> None:
    """Added, replaced and removed papers are fetched once, also for the next process."""
    store.load([LATE, Paper("twin", "Convolution", "", 2000, [])])
    store.remove(["kernel"])
    repository = CitationRepository(store, index=StoreIndex(folder))

    assert repository.refresh() == RefreshReport(revision="r11", upserted=2, removed=1)
    assert "papers" not in store.calls
    _compare(store, repository, "pruning attention convolution", "kernels")
    store.calls.clear()
    later = CitationRepository(store, index=StoreIndex(folder))
    assert later.refresh() == RefreshReport(revision="r11")
    assert store.calls == ["changes"]
    assert later.search("convolution")[0].doc_id == "twin"


def test_a_citation_that_is_gone_goes_from_both_records(store: DictStore, folder: Path) -> None:
    """The paper at the other end, itself unchanged, no longer says that it is cited."""
    store.load([Paper("twin", "Attention", "Looks at all words.", 2000, ["Bo"])])
    repository = CitationRepository(store, index=StoreIndex(folder))

    assert repository.search("blocks")[0].doc.citations == ["head"]
    _compare(store, repository, "blocks", "attention")


def test_an_open_repository_follows_on_request(store: DictStore, folder: Path) -> None:
    """Searches answer from one state until a refresh."""
    repository = CitationRepository(store, index=StoreIndex(folder))
    assert repository.search("again").hits == []
    store.load([LATE])

    assert repository.search("again").hits == []
    assert repository.refresh() == RefreshReport(revision="r9", upserted=1)
    assert repository.search("again")[0].doc_id == "late"


def test_what_another_process_took_in_is_seen(store: DictStore, folder: Path) -> None:
    """An index that was opened before goes on from what is in the folder now."""
    mine, other = StoreIndex(folder), StoreIndex(folder)
    store.load([LATE])
    other.follow(store)
    store.calls.clear()

    snapshot, report = mine.follow(store)

    assert (snapshot.revision, report) == ("r9", RefreshReport(revision="r9"))
    assert store.calls == ["changes"]


def test_changes_that_are_forgotten_mean_a_new_index(store: DictStore, folder: Path) -> None:
    """All papers are read then, with progress, and the folder holds the new index."""
    seen: list[int] = []
    store.load([LATE])
    store.forgets = True
    repository = CitationRepository(store, index=StoreIndex(folder, progress=seen.append))

    assert repository.refresh() == RefreshReport(revision="r9", upserted=9, rebuilt=True)
    assert seen == [0]
    assert StoreIndex(folder).revision == "r9"
    assert len(list(folder.glob("generation-*"))) == 1
    _compare(store, repository, "pruning again")


@pytest.mark.parametrize("method", ["changes", "get"])
def test_with_the_store_down_the_index_answers_as_it_stands(
    store: DictStore, folder: Path, method: str
) -> None:
    """At the first reading too: the lexical leg names its revision, the graph leg its failure."""
    store.load([LATE])
    store.faults = {name: StoreUnavailable("nothing answers") for name in (method, "expand")}
    repository = CitationRepository(store, index=StoreIndex(folder))

    response = repository.search("pruning again")

    assert [hit.doc_id for hit in response.hits] == ["head"]
    assert response.status is RetrievalStatus.DEGRADED
    assert response.legs[0].diagnostics == {"revision": "r8"}
    assert response.legs[1].error is not None
    assert response.legs[1].error.code == "STORE_UNAVAILABLE"
    with pytest.raises(StoreUnavailable):
        repository.refresh()
    store.faults.clear()
    assert repository.refresh() == RefreshReport(revision="r9", upserted=1)
    assert [hit.doc_id for hit in repository.search("pruning again")[:2]] == ["late", "head"]


def test_a_first_refresh_that_fails_leaves_the_index_searchable(
    store: DictStore, folder: Path
) -> None:
    """The store is not asked a second time by the search that comes after."""
    store.faults["changes"] = OSError("odd")
    repository = CitationRepository(store, index=StoreIndex(folder))

    with pytest.raises(StoreError, match="failed in a way that it should not"):
        repository.refresh()
    assert repository.search("pruning")[0].doc_id == "head"
    assert store.calls.count("changes") == 1


def test_an_index_of_another_store_is_refused(tmp_path: Path) -> None:
    """A store that was made anew is another one; nothing of the index is touched."""
    first, second = NetworkXStore(), NetworkXStore()
    for one in (first, second):
        one.load(small_corpus())
    build_index(tmp_path / "index", first)
    before = (tmp_path / "index" / "library.json").read_bytes()
    repository = CitationRepository(second, index=StoreIndex(tmp_path / "index"))

    with pytest.raises(InputError, match="is the index of the store") as caught:
        repository.refresh()
    assert caught.value.code == "INDEX_OF_ANOTHER_STORE"
    response = repository.search("pruning")
    assert response.status is RetrievalStatus.FAILED
    assert [record.code for record in response.error_records()] == ["INDEX_OF_ANOTHER_STORE"]
    assert (tmp_path / "index" / "library.json").read_bytes() == before


def test_what_is_no_index_of_a_store_is_refused(store: DictStore, tmp_path: Path) -> None:
    """A library of its own, another analysis, and stores that need or allow no index."""
    build_library(tmp_path / "plain", small_corpus())
    with pytest.raises(InputError, match="follows no store") as caught:
        StoreIndex(tmp_path / "plain")
    assert caught.value.code == "NO_INDEX"
    build_index(tmp_path / "index", store, analysis="english")
    index = StoreIndex(tmp_path / "index")
    with pytest.raises(ValueError, match="analysis='english' and not 'plain'"):
        CitationRepository(store, index=index)
    with LibraryStore(tmp_path / "plain") as library:
        with pytest.raises(TypeError, match="index of its own"):
            build_index(tmp_path / "other", library)
        with pytest.raises(ValueError, match="index of its own"):
            CitationRepository(library, index=index)
    with pytest.raises(TypeError, match="must be a StoreIndex or None"):
        CitationRepository(store, index=tmp_path)  # type: ignore[arg-type]
    store.forgets = True
    with pytest.raises(StoreError, match="does not tell what changes") as unfit:
        build_index(tmp_path / "other", store)
    assert unfit.value.code == "STORE_NOT_FOLLOWED"


def test_only_the_store_changes_its_index(folder: Path) -> None:
    """As a library it can be searched, but not be added to or taken from."""
    with LibraryStore(folder) as library:
        assert library.counts().papers == 8
        with pytest.raises(InputError, match="change the store") as caught:
            library.load([LATE])
        assert caught.value.code == "INDEX_FOLLOWS_STORE"
        with pytest.raises(InputError):
            library.remove(["head"])
    assert StoreIndex(folder).revision == "r8"


def test_a_folder_that_another_writes_is_used_as_it_is(store: DictStore, folder: Path) -> None:
    """What changed is taken in by this process alone, at once, and written when that is free."""
    repository = CitationRepository(store, index=StoreIndex(folder))
    with writing(folder):
        store.load([LATE])
        assert repository.refresh().revision == "r9"
        _compare(store, repository, "pruning again")
        assert StoreIndex(folder).revision == "r8"
    store.remove(["twin"])
    repository.refresh()

    assert StoreIndex(folder).revision == "r10"
    _compare(store, CitationRepository(store, index=StoreIndex(folder)), "pruning again attention")


def test_a_folder_that_cannot_be_written_is_used_as_it_is(store: DictStore, folder: Path) -> None:
    """Changes, and even a new index, are this process's own then, and followed on."""
    (folder / "lock").unlink()
    (folder / "lock").mkdir()  # Nothing can be opened for writing there, whoever one is.
    repository = CitationRepository(store, index=StoreIndex(folder))
    store.load([LATE])
    assert repository.refresh() == RefreshReport(revision="r9", upserted=1)
    store.forgets = True
    store.remove(["twin"])
    assert repository.refresh() == RefreshReport(revision="r10", upserted=8, rebuilt=True)
    _compare(store, repository, "pruning again attention")
    store.forgets = False
    store.load([Paper("last", "Pruning last", "", 2022, [])])

    assert repository.refresh() == RefreshReport(revision="r11", upserted=1)
    _compare(store, repository, "pruning last attention")
    assert StoreIndex(folder).revision == "r8"


@pytest.mark.parametrize("moment", ["append", "write_manifest"])
def test_killed_while_it_writes_it_follows_from_where_it_was(
    store: DictStore, folder: Path, moment: str
) -> None:
    """Before the commit the folder holds the old state, whatever stands behind it."""
    store.load([LATE])
    where: Any = journal if moment == "append" else change
    with (
        patch.object(where, moment, side_effect=KeyboardInterrupt),
        pytest.raises(KeyboardInterrupt),
    ):
        StoreIndex(folder).follow(store)

    assert StoreIndex(folder).revision == "r8"
    repository = CitationRepository(store, index=StoreIndex(folder))
    assert repository.refresh() == RefreshReport(revision="r9", upserted=1)
    _compare(store, repository, "pruning again")


def test_a_disk_that_is_full_is_no_reason_to_fail(store: DictStore, folder: Path) -> None:
    """The change is this process's own then; the next one takes it in again."""
    store.load([LATE])
    repository = CitationRepository(store, index=StoreIndex(folder))
    with patch.object(journal, "append", side_effect=OSError(28, "No space left on device")):
        assert repository.refresh().revision == "r9"

    _compare(store, repository, "pruning again")
    assert StoreIndex(folder).revision == "r8"


class _Moving(DictStore):
    """A store that is loaded into while its papers are read."""

    def papers(self) -> Iterator[Paper]:
        """Yield the papers of before, and load one."""
        held = super().papers()
        self.load([LATE])
        return held


def test_what_is_loaded_while_the_papers_are_read_is_not_left_out(tmp_path: Path) -> None:
    """The index takes it in as its first change."""
    store = _Moving(small_corpus())

    build_index(tmp_path / "index", store)

    assert StoreIndex(tmp_path / "index").revision == "r9"
    _compare(
        store, CitationRepository(store, index=StoreIndex(tmp_path / "index")), "pruning again"
    )


steps = st.lists(
    st.tuples(st.just("load"), st.lists(papers, min_size=1, max_size=3))
    | st.tuples(st.just("remove"), st.lists(st.sampled_from(IDS), min_size=1, max_size=2))
    | st.tuples(st.sampled_from(["follow", "reopen", "busy"]), st.just([])),
    max_size=10,
)


@settings(max_examples=100, deadline=None)
@given(first=st.lists(papers, max_size=6), changes=steps, least=st.sampled_from([0, 2, 500]))
def test_it_always_equals_an_index_made_anew(
    first: list[Paper], changes: list[tuple[str, Any]], least: int
) -> None:
    """After any changes, followed one by one or together, papers and answers are the store's."""
    store = NetworkXStore()
    store.load(first)
    with tempfile.TemporaryDirectory() as name, patch.object(change, "LEAST_CHANGES", least):
        folder = Path(name)
        build_index(folder, store)
        index = StoreIndex(folder)
        for kind, values in changes:
            if kind == "load":
                store.load(values)
            elif kind == "remove":
                store.remove(values)
            elif kind == "busy":
                with writing(folder):
                    index.follow(store)
            else:
                index = StoreIndex(folder) if kind == "reopen" else index
                index.follow(store)
        repository = CitationRepository(store, index=index)
        repository.refresh()

        snapshot = index.snapshot()
        assert list(snapshot.papers.values()) == list(store.papers())
        _compare(store, repository, "salt marshes tide", "題 β mud")
        inner = {key: snapshot.degree(key, external=False) for key in snapshot.papers}
        plain = CitationRepository(store)
        plain.refresh()
        assert inner == {
            key: plain._documents.snapshot().degree(key, external=False) for key in inner
        }


def test_a_store_is_read_with_progress(tmp_path: Path) -> None:
    """Building tells how many papers were read, now and then."""
    seen: list[int] = []
    store = NetworkXStore()
    store.load(small_corpus())
    with patch.object(module, "_REPORTED", 3):
        build_index(tmp_path, store, progress=seen.append)

    assert seen == [0, 3, 6]
