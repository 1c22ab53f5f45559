from __future__ import annotations

import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citehop.lexical import bm25, segment
from citehop.lexical.bm25 import BM25Index

_WORDS = ["ice", "lake", "river", "sea", "水分", "水"]
_TEXT = st.lists(st.sampled_from(_WORDS), max_size=6).map(" ".join)
_ID = st.sampled_from([f"p{n}" for n in range(8)])
_STEP = st.one_of(
    st.tuples(st.just("add"), _ID, _TEXT),
    st.tuples(st.just("remove"), _ID, st.just("")),
    st.tuples(st.just("search"), _ID, _TEXT),
)
_QUERIES = ["ice", "sea lake", "水", "river ice ice 水分", "snow"]


@pytest.fixture(params=[1, 7, 1 << 22], ids=["pack-each", "pack-some", "pack-late"], autouse=True)
def _chunks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run each test with papers packed at once, now and then or late, and merged in pieces."""
    monkeypatch.setattr(bm25, "_CHUNK_TOKENS", request.param)
    monkeypatch.setattr(segment, "_BLOCK", 2)


@settings(max_examples=100, deadline=None)
@given(st.lists(_STEP, max_size=30))
def test_any_sequence_of_changes_equals_a_fresh_build(steps: list[tuple[str, str, str]]) -> None:
    """Scores, weights, lengths and membership are those of a fresh index, bit for bit."""
    living = BM25Index()
    papers: dict[str, str] = {}
    for step, doc_id, text in steps:
        if step == "add":
            living.add(doc_id, text)
            papers[doc_id] = text
        elif step == "remove":
            assert living.remove(doc_id) is (papers.pop(doc_id, None) is not None)
        else:
            living.search(text)
        assert len(living) == len(papers)
        assert (doc_id in living) is (doc_id in papers)
    fresh = BM25Index()
    for doc_id in sorted(papers):
        fresh.add(doc_id, papers[doc_id])
    for query in _QUERIES:
        assert living.search(query, None) == fresh.search(query, None)
        assert living.query(query).terms == fresh.query(query).terms
        for doc_id in papers:
            explained = living.explain(doc_id, query)
            assert explained == fresh.explain(doc_id, query) == living.query(query).explain(doc_id)
            assert explained.score == living.query(query).score_of(doc_id)
    assert living.state().n_tokens == fresh.state().n_tokens


def test_replacing_a_paper_forgets_its_old_words() -> None:
    """The old text is not found any more, and its words count nowhere."""
    index = BM25Index()
    index.add("a", "ice ice")
    index.add("b", "lake")
    index.finalise()
    index.add("a", "sea")
    assert index.search("ice") == []
    assert index.query("ice").unknown == ("ice",)
    assert [hit[0] for hit in index.search("sea")] == ["a"]
    assert (len(index), index.state().avgdl) == (2, 1.0)


def test_removing_everything_leaves_an_empty_index() -> None:
    """It answers nothing and takes new papers."""
    index = BM25Index()
    for n in range(20):
        index.add(f"p{n}", "ice")
    index.finalise()
    assert all(index.remove(f"p{n}") for n in range(20))
    assert (index.search("ice"), len(index), index.state().avgdl) == ([], 0, 0.0)
    index.add("p3", "ice")
    assert dict(index.search("ice")) == pytest.approx({"p3": 0.2876820724517809}, rel=1e-12)


def test_a_state_stays_as_it_was() -> None:
    """What is added, replaced and removed later shows in the next state alone."""
    index = BM25Index()
    index.add("a", "ice lake")
    index.add("b", "ice")
    before = index.state()
    answer = before.query("ice").top(None)
    index.remove("a")
    index.add("b", "sea")
    index.add("c", "ice 氷")
    assert [hit[0] for hit in index.search("ice")] == ["c"]
    assert before.query("ice").top(None) == answer
    assert [hit[0] for hit in answer] == ["b", "a"]
    assert ("c" in before, "a" in before, len(before)) == (False, True, 2)
    assert before.query("氷").unknown == ("氷",)


def test_segments_stay_few_while_papers_come_one_by_one() -> None:
    """Two hundred papers, each searched for at once, end in a handful of segments."""
    index = BM25Index()
    for n in range(200):
        index.add(f"p{n}", f"ice word{n}")
        assert [hit[0] for hit in index.search(f"word{n}")] == [f"p{n}"]
    assert 1 <= len(index._shelves) <= 6


def test_slots_of_removed_papers_are_cleared() -> None:
    """A long life of replacing does not grow the index."""
    index = BM25Index()
    for n in range(300):
        index.add(f"p{n % 10}", f"ice word{n}")
        index.finalise()
    assert len(index) == 10
    assert index.state().n_slots <= 30
    assert int(index.state().mask(lambda _: True).sum()) == 10


def test_a_segment_that_is_mostly_gone_is_packed_anew() -> None:
    """Removed papers give their slots back, and a mask leaves out those that still have one."""
    index = BM25Index()
    for n in range(20):
        index.add(f"p{n:02}", f"ice word{n}")
    index.finalise()
    index.remove("p00")
    assert int(index.state().mask(lambda _: True).sum()) == 19
    for n in range(1, 15):
        index.remove(f"p{n:02}")
    assert [hit[0] for hit in index.search("ice", None)] == ["p15", "p16", "p17", "p18", "p19"]
    assert index.state().n_slots == 5


def test_a_word_repeated_often_keeps_its_count_through_merging() -> None:
    """A count above what one byte holds survives beside small ones."""
    index = BM25Index()
    for n in range(8):
        index.add(f"p{n}", "ice " * (300 if n == 3 else 1))
        index.finalise()
    assert [index.explain(f"p{n}", "ice").terms[0].tf for n in range(8)] == [
        1, 1, 1, 300, 1, 1, 1, 1,
    ]  # fmt: skip


def test_searching_while_papers_come_and_go() -> None:
    """Every answer comes from one state: each state has all papers of a batch or none."""
    index = BM25Index()
    index.add("base", "ice")
    seen: list[str] = []
    done = threading.Event()

    def ask() -> None:
        while not done.is_set():
            scores = index.query("ice")
            hits = scores.top(None)
            if len(hits) != scores.terms[0].df or scores.terms[0].df != len(scores.state):
                seen.append(f"{len(hits)} hits, df {scores.terms[0].df}, N {len(scores.state)}")
            for doc_id, score in hits:
                if score != scores.explain(doc_id).score:
                    seen.append(f"{doc_id} explained by another state")

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    try:
        for n in range(60):
            index.add(f"p{n % 20}", f"ice {n}")
            if n % 3 == 0:
                index.remove(f"p{(n - 5) % 20}")
    finally:
        done.set()
        for thread in threads:
            thread.join()
    assert seen == []
    assert len(index.search("ice", None)) == len(index)
