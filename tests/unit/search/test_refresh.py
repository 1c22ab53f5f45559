from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citehop import CitationRepository, Paper, RetrievalStatus, StoreError, StoreUnavailable
from citehop.search.repository import RefreshReport
from tests.unit.search.conftest import small_corpus
from tests.unit.search.dict_store import DictStore


def test_the_first_refresh_reads_everything(repository: CitationRepository) -> None:
    """Reading ahead is allowed, and says how much there was."""
    assert repository.refresh() == RefreshReport(revision="r8", upserted=8, rebuilt=True)
    assert repository.revision == "r8"


def test_nothing_changed_is_nothing_done(store: DictStore, repository: CitationRepository) -> None:
    """A second refresh fetches no paper."""
    repository.refresh()
    store.calls.clear()

    assert repository.refresh() == RefreshReport(revision="r8")
    assert store.calls == ["changes"]


def test_added_replaced_and_removed_papers_are_taken_in(
    store: DictStore, repository: CitationRepository
) -> None:
    """What is new is found, what changed by its new words alone, what is gone no more."""
    repository.refresh()
    store.load([Paper("late", "Pruning again", "", 2021, [], ["head"])])
    store.load([Paper("twin", "Convolution", "", 2000, [])])
    store.remove(["kernel"])

    assert repository.refresh() == RefreshReport(revision="r11", upserted=2, removed=1)
    assert [hit.doc_id for hit in repository.search("pruning attention convolution")][:3] == [
        "head",
        "late",
        "twin",
    ]
    assert repository.search("kernels").hits == []
    assert "papers" not in store.calls[1:]


def test_papers_around_a_change_show_it(store: DictStore, repository: CitationRepository) -> None:
    """An edge stands in both papers' records, also where only one of them was loaded."""
    repository.refresh()
    store.load([Paper("late", "Late", "", 2021, [], ["head"])])
    store.remove(["notice"])
    repository.refresh()

    assert repository.search("pruning")[0].doc.citations == ["late"]


def test_forgotten_changes_mean_a_rebuild(store: DictStore, repository: CitationRepository) -> None:
    """A store that does not know what changed is read anew."""
    repository.refresh()
    store.load([Paper("late", "Pruning again", "", 2021, [])])
    store.forgets = True

    assert repository.refresh() == RefreshReport(revision="r9", upserted=9, rebuilt=True)
    assert repository.search("pruning").legs[0].hits == 2


@pytest.mark.parametrize("method", ["changes", "get"])
def test_a_refresh_that_fails_leaves_the_old_state(
    store: DictStore, repository: CitationRepository, method: str
) -> None:
    """It raises, and searches go on with what was read before; the next refresh works."""
    repository.refresh()
    store.load([Paper("late", "Pruning again", "", 2021, [])])
    store.faults[method] = StoreUnavailable("nothing answers")

    with pytest.raises(StoreUnavailable):
        repository.refresh()
    assert repository.search("pruning")[0].doc_id == "head"
    assert repository.revision == "r8"
    store.faults.clear()
    repository.refresh()
    assert "late" in [hit.doc_id for hit in repository.search("pruning")]


def test_a_foreign_error_of_a_refresh_is_a_store_error(store: DictStore) -> None:
    """What no store should raise is wrapped, without its text."""
    repository = CitationRepository(store)
    store.faults["papers"] = RuntimeError("hunter2")

    with pytest.raises(StoreError) as caught:
        repository.refresh()
    assert "hunter2" not in str(caught.value)


def test_a_filter_follows_a_refresh(store: DictStore, repository: CitationRepository) -> None:
    """A filter that was used before sees the new papers, and not those that are gone."""
    allowed = {"year_min": 2010}
    repository.search("pruning", filter=allowed)
    store.load([Paper("late", "Pruning again", "", 2021, [])])
    store.remove(["head"])
    repository.refresh()

    assert [hit.doc_id for hit in repository.search("pruning", filter=allowed)] == ["late"]


_KEYS = "abcde"
_papers = st.builds(
    lambda key, words, year, references: Paper(key, " ".join(words), "", year, [], references),
    st.sampled_from(_KEYS),
    st.lists(st.sampled_from(["ice", "fire", "stone"]), max_size=3),
    st.none() | st.integers(2000, 2003),
    st.lists(st.sampled_from([*_KEYS, "x"]), max_size=3, unique=True),
)
_steps = st.lists(st.lists(_papers | st.sampled_from(_KEYS), max_size=4), min_size=1, max_size=4)


@settings(max_examples=60, deadline=None)
@given(_steps)
def test_following_changes_equals_reading_anew(steps: list[list[Paper | str]]) -> None:
    """After any loads and removals a refreshed repository answers as a new one does."""
    store = DictStore(small_corpus())
    followed = CitationRepository(store)
    for step in steps:
        followed.refresh()
        for change in step:
            if isinstance(change, Paper):
                store.load([change])
            else:
                store.remove([change])
    followed.refresh()

    for query in ("ice", "ice fire attention", "stone"):
        fresh = CitationRepository(store).search(query)
        again = followed.search(query)
        assert [hit.to_dict() for hit in again] == [hit.to_dict() for hit in fresh]
        assert [leg.details for leg in again.legs] == [leg.details for leg in fresh.legs]


class _Gate(DictStore):
    """Waits inside `papers` until it is let on."""

    def __init__(self) -> None:
        super().__init__(small_corpus())
        self.entered = threading.Event()
        self.go = threading.Event()

    def papers(self) -> Iterator[Paper]:
        """Wait, then answer or fail."""
        self.entered.set()
        assert self.go.wait(10)
        return super().papers()


def test_searches_wait_for_one_reading_and_share_it() -> None:
    """Eight searches at once read the store once."""
    store = _Gate()
    repository = CitationRepository(store)
    with ThreadPoolExecutor(8) as pool:
        answers = [pool.submit(repository.search, "attention") for _ in range(8)]
        assert store.entered.wait(10)
        store.go.set()
        statuses = {answer.result().status for answer in answers}

    assert statuses == {RetrievalStatus.SUCCESS}
    assert store.calls.count("papers") == 1


def test_searches_use_the_old_state_while_a_refresh_runs() -> None:
    """A refresh that hangs in the store keeps nobody from searching."""
    store = _Gate()
    store.go.set()
    repository = CitationRepository(store)
    repository.refresh()
    store.load([Paper("late", "Pruning again", "", 2021, [])])
    store.forgets = True
    store.go.clear()
    store.entered.clear()
    with ThreadPoolExecutor(1) as pool:
        refreshing = pool.submit(repository.refresh)
        assert store.entered.wait(10)
        during = repository.search("pruning")
        store.go.set()
        assert refreshing.result().revision == "r9"

    assert during.legs[0].diagnostics["revision"] == "r8"
    assert repository.search("pruning").legs[0].hits == 2


def test_each_answer_comes_from_one_state() -> None:
    """While papers come in pairs and searches run, no search sees half of a pair."""
    store = DictStore(small_corpus())
    repository = CitationRepository(store)
    repository.refresh()
    done = threading.Event()

    def search() -> set[int]:
        seen = set()
        while not done.is_set():
            seen.add(len(repository.search("zymurgy").hits))
        return seen

    with ThreadPoolExecutor(4) as pool:
        running = [pool.submit(search) for _ in range(3)]
        for number in range(4):
            pair = [Paper(f"z{number}{side}", "zymurgy", "", 2000, []) for side in "ab"]
            store.load(pair)
            repository.refresh()
        done.set()
        sizes = set().union(*(each.result() for each in running))

    assert sizes <= {0, 2, 4, 6, 8}
    assert len(repository.search("zymurgy").hits) == 8
