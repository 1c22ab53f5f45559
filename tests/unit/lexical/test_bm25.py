from __future__ import annotations

import itertools
import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citehop.lexical.bm25 import BM25Index
from citehop.lexical.tokenise import tokenise

_WORD = st.sampled_from(["ice", "lake", "river", "sea", "snow"])
_PAPER = st.lists(_WORD, max_size=8).map(" ".join)
_CORPUS = st.dictionaries(st.sampled_from("abcdefg"), _PAPER, min_size=1, max_size=6)


def _index(papers: dict[str, str], k1: float = 1.5, b: float = 0.75) -> BM25Index:
    index = BM25Index(k1, b)
    for doc_id, text in papers.items():
        index.add(doc_id, text)
    return index


def _by_formula(papers: dict[str, str], query: str, k1: float, b: float) -> dict[str, float]:
    """The formula as the specification prints it, with none of the index's code but its terms."""
    split = {doc_id: tokenise(text) for doc_id, text in papers.items()}
    average = sum(map(len, split.values())) / len(split)
    scores = dict.fromkeys(papers, 0.0)
    for term in tokenise(query):
        df = sum(term in terms for terms in split.values())
        idf = math.log((len(split) - df + 0.5) / (df + 0.5) + 1)
        for doc_id, terms in split.items():
            f = terms.count(term)
            if f:
                scores[doc_id] += idf * f * (k1 + 1) / (f + k1 * (1 - b + b * len(terms) / average))
    return scores


def test_scores_worked_out_by_hand() -> None:
    """Two papers of two and four tokens: every number of the formula in plain sight."""
    index = _index({"short": "ice lake", "long": "ice ice sea snow"})
    # N = 2, avgdl = 3; "ice" df 2, "sea" df 1.
    ice = math.log(0.5 / 2.5 + 1)
    sea = math.log(1.5 / 1.5 + 1)
    short = 1.5 * (0.25 + 0.75 * 2 / 3)
    long = 1.5 * (0.25 + 0.75 * 4 / 3)
    assert index.idf("ice") == pytest.approx(ice, rel=1e-12)
    assert index.idf("sea") == pytest.approx(0.6931471805599453, rel=1e-12)
    hits = index.search("sea ice")
    assert [doc_id for doc_id, _ in hits] == ["long", "short"]
    assert [score for _, score in hits] == pytest.approx(
        [ice * 2 * 2.5 / (2 + long) + sea * 2.5 / (1 + long), ice * 2.5 / (1 + short)], rel=1e-12
    )


@settings(deadline=None)
@given(
    _CORPUS,
    st.lists(_WORD, min_size=1, max_size=4).map(" ".join),
    st.sampled_from([0.0, 0.9, 1.5, 100.0]),
    st.sampled_from([0.0, 0.4, 0.75, 1.0]),
)
def test_scores_agree_with_the_formula(
    papers: dict[str, str], query: str, k1: float, b: float
) -> None:
    """Every paper's score is the formula's, to 1e-5, and only positive scores are hits."""
    wanted = {d: s for d, s in _by_formula(papers, query, k1, b).items() if s > 0}
    found = _index(papers, k1, b).search(query, None)
    assert dict(found) == pytest.approx(wanted, rel=1e-5)
    assert found == sorted(found, key=lambda hit: (-hit[1], hit[0]))


@settings(deadline=None)
@given(_CORPUS, _WORD)
def test_a_paper_with_the_word_scores_above_one_without(papers: dict[str, str], word: str) -> None:
    """However common a word is, it never counts against a paper."""
    found = dict(_index(papers).search(word))
    assert set(found) == {doc_id for doc_id, text in papers.items() if word in text.split()}
    assert all(score > 0 for score in found.values())


def test_a_repeated_query_word_counts_that_often() -> None:
    """Naming a word three times weighs it three times."""
    index = _index({"a": "ice lake", "b": "sea"})
    assert index.score("a", ["ice"] * 3) == pytest.approx(3 * index.score("a", ["ice"]), rel=1e-12)
    assert index.search("ice ice ice")[0][1] == index.score("a", ["ice", "ice", "ice"])


def test_the_order_of_the_querys_words_does_not_matter() -> None:
    """Not even in the last bit."""
    index = _index({str(n): "ice " * (n % 3) + "lake river " * n + "sea snow" for n in range(9)})
    words = ["ice", "lake", "river", "sea"]
    answers = [index.search(" ".join(order)) for order in itertools.permutations(words)]
    assert len(answers[0]) == 9
    assert all(answer == answers[0] for answer in answers)


def test_ties_go_by_id_whatever_the_order_of_adding() -> None:
    """Equal papers come in the order of their ids, also where the first k cut through them."""
    for order in itertools.permutations(["p10", "p2", "q1", "p1"]):
        index = _index(dict.fromkeys(order, "sea ice") | {"best": "ice ice"})
        assert [hit[0] for hit in index.search("ice", 4)] == ["best", "p1", "p10", "p2"]
        assert [hit[0] for hit in index.search("ice", 2)] == ["best", "p1"]


@settings(deadline=None)
@given(_CORPUS, st.lists(_WORD, max_size=4).map(" ".join), st.integers(1, 8))
def test_the_first_k_are_the_first_of_all(papers: dict[str, str], query: str, k: int) -> None:
    """A smaller top_k cuts the same list; one above the number of papers is fine."""
    index = _index(papers)
    assert index.search(query, k) == index.search(query, None)[:k]


@pytest.mark.parametrize("k", [0, -1])
def test_top_k_below_one_is_refused(k: int) -> None:
    """The message names the field and the value."""
    with pytest.raises(ValueError, match=f"top_k must be at least 1, or None for all, not {k}"):
        _index({"a": "ice"}).search("ice", k)


@pytest.mark.parametrize("k", [True, 2.0, "3"])
def test_top_k_must_be_an_int(k: object) -> None:
    """A bool, a float and a str are no counts."""
    with pytest.raises(TypeError, match="top_k must be an int from 1"):
        _index({"a": "ice"}).search("ice", k)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("k1", "b", "error", "words"),
    [
        (-0.1, 0.75, ValueError, "k1 must be from 0 to 1e"),
        (math.nan, 0.75, ValueError, "k1 must be"),
        (math.inf, 0.75, ValueError, "k1 must be"),
        (10**400, 0.75, ValueError, "k1 must be"),
        (1.5, 1.1, ValueError, "b must be from 0 to 1, not 1.1"),
        (1.5, -1, ValueError, "b must be"),
        ("1.5", 0.75, TypeError, "k1 must be a number, not '1.5'"),
        (1.5, True, TypeError, "b must be a number"),
    ],
)
def test_parameters_are_checked(k1: float, b: float, error: type[Exception], words: str) -> None:
    """A parameter out of range says its name, its range and its value."""
    with pytest.raises(error, match=words):
        BM25Index(k1, b)


def test_ids_and_texts_are_checked_before_anything_changes() -> None:
    """A refused paper leaves no trace."""
    index = _index({"a": "ice"})
    with pytest.raises(ValueError, match="doc_id must be text that is not empty"):
        index.add("", "ice")
    with pytest.raises(TypeError, match="doc_id must be a str"):
        index.add(7, "ice")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="text must be a str"):
        index.add("a", None)  # type: ignore[arg-type]
    assert len(index) == 1
    assert dict(index.search("ice")) == pytest.approx({"a": 0.28768}, rel=1e-4)


def test_membership_and_length() -> None:
    """They count what was added, before and after packing, and never other things."""
    index = _index({"a": "ice", "b": ""})
    assert (len(index), "a" in index, "b" in index, "c" in index, 7 in index) == (
        2, True, True, False, False,
    )  # fmt: skip
    index.finalise()
    assert (len(index), "a" in index, "b" in index, "c" in index, 7 in index) == (
        2, True, True, False, False,
    )  # fmt: skip


def test_one_sign_finds_the_pairs_that_begin_with_it() -> None:
    """A query of one sign reads as all pairs of the index that begin with it, and itself."""
    index = _index({"a": "水分 水分", "b": "水 river", "c": "土壤水文", "d": "雨水"})
    query = index.query("水")
    assert [(term.term, term.count, term.df) for term in query.terms] == [
        ("水", 1, 1), ("水分", 1, 1), ("水文", 1, 1),
    ]  # fmt: skip
    assert sorted(dict(index.search("水"))) == ["a", "b", "c"]
    assert index.score("a", ["水"]) == index.score("a", ["水分"])
    index.remove("c")
    assert [term.term for term in index.query("水 水").terms] == ["水", "水分"]
    assert index.query("雷").unknown == ("雷",)


def test_a_querys_scores_know_their_terms() -> None:
    """Known and unknown terms stand apart, and every paper has its score."""
    index = _index({"a": "ice lake ice", "b": "sea", "c": ""})
    scores = index.query("ice zzz ice sea yyy zzz")
    assert [(term.term, term.count, term.df) for term in scores.terms] == [
        ("ice", 2, 1), ("sea", 1, 1),
    ]  # fmt: skip
    assert scores.unknown == ("yyy", "zzz")
    assert scores.has_terms
    assert not index.query("?!").has_terms
    assert dict(scores.top(None)) == {"a": scores.score_of("a"), "b": scores.score_of("b")}
    assert (scores.score_of("c"), scores.score_of("nowhere")) == (0.0, 0.0)
    with pytest.raises(ValueError, match="read-only"):
        scores.values[0] = 1.0


@settings(deadline=None)
@given(_CORPUS, st.lists(_WORD, max_size=5).map(" ".join))
def test_an_explanation_adds_up_to_the_score_exactly(papers: dict[str, str], query: str) -> None:
    """The parts, added in their order, are the score that searching gives, for hits and others."""
    index = _index(papers)
    scores = index.query(query)
    for doc_id in papers:
        explained = index.explain(doc_id, query)
        total = 0.0
        for part in explained.terms:
            assert part.score == (part.query_count * part.idf) * part.tf_norm
            total += part.score
        assert total == explained.score == scores.score_of(doc_id)
        assert explained == scores.explain(doc_id)
        assert index.score(doc_id, tokenise(query)) == total


def test_an_explanation_names_every_number() -> None:
    """Term frequency, document frequency, weights and lengths as they enter the formula."""
    explained = _index({"a": "ice lake ice", "b": "sea"}).explain("a", "ice ice sea zzz")
    ice, sea = explained.terms
    assert (ice.term, ice.query_count, ice.tf, ice.df) == ("ice", 2, 2, 1)
    assert (sea.term, sea.tf, sea.df, sea.tf_norm, sea.score) == ("sea", 0, 1, 0.0, 0.0)
    assert ice.idf == pytest.approx(math.log(2), rel=1e-12)
    assert ice.tf_norm == pytest.approx(2 * 2.5 / (2 + 1.5 * (0.25 + 0.75 * 3 / 2)), rel=1e-12)
    assert (explained.dl, explained.avgdl, explained.n_docs, explained.unknown) == (
        3, 2.0, 2, ("zzz",),
    )  # fmt: skip


def test_a_paper_that_is_not_there_cannot_be_scored() -> None:
    """A wrong id is named rather than scored 0."""
    index = _index({"a": "ice"})
    with pytest.raises(KeyError, match="no paper 'b' in the index"):
        index.score("b", ["ice"])
    with pytest.raises(KeyError, match="no paper 'b' in the index"):
        index.explain("b", "ice")
    with pytest.raises(TypeError, match="terms must be a sequence of terms, not 'ice'"):
        index.score("a", "ice")


@settings(max_examples=50, deadline=None)
@given(_CORPUS, _WORD, st.sets(st.sampled_from("abcdefgh")), st.integers(1, 4))
def test_a_filter_acts_before_the_first_k(
    papers: dict[str, str], word: str, wanted: set[str], k: int
) -> None:
    """A mask, a set and a function give the first k of what may be returned, scores unchanged."""
    index = _index(papers)
    allowed = [hit for hit in index.search(word, None) if hit[0] in wanted][:k]
    mask = index.state().mask(wanted.__contains__)
    assert index.search(word, k, allowed=wanted) == allowed
    assert index.search(word, k, allowed=wanted.__contains__) == allowed
    assert index.search(word, k, allowed=mask) == allowed


def test_a_paper_that_is_allowed_but_holds_no_word_is_no_hit() -> None:
    """Being named by the filter does not make a hit."""
    index = _index({"a": "ice", "b": "ice lake", "c": "sea"})
    assert index.search("ice", allowed={"c"}) == []
    assert [hit[0] for hit in index.search("ice", allowed={"c", "b"})] == ["b"]


def test_a_mask_of_another_state_is_refused() -> None:
    """Its length tells, and so does its type."""
    index = _index({"a": "ice", "b": "ice"})
    with pytest.raises(ValueError, match="allowed must be a mask of 2 bool"):
        index.search("ice", allowed=np.ones(3, dtype=np.bool_))
    with pytest.raises(ValueError, match="allowed must be a mask of 2 bool"):
        index.search("ice", allowed=np.ones(2))
    with pytest.raises(TypeError, match="allowed must be a collection of ids, not the str 'a'"):
        index.search("ice", allowed="a")


def test_answers_do_not_depend_on_the_hash_seed() -> None:
    """Two processes with different hash seeds print the same bytes."""
    program = (
        "from citehop import BM25Index\n"
        "index = BM25Index()\n"
        "for n in range(40): index.add(f'p{n}', 'ice ' * (n % 3) + '水分 lake river')\n"
        "index.remove('p7')\n"
        "print(index.search('river 水 ice lake', 20), index.explain('p8', 'river 水 zz yy'))\n"
    )
    printed = [
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert printed[0] == printed[1]
    assert printed[0].startswith(b"[('p11', ")
