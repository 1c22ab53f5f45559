from __future__ import annotations

import pytest

from citehop import CitationRepository, NetworkXStore, Paper
from citehop.lexical.analysis import ENGLISH
from citehop.search.reason import words_by_term


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Coreference resolutions", {"corefer": "coreference", "resolut": "resolutions"}),
        ("the role of", {"role": "role"}),
        ("in “C++”, (or C#)", {"c++": "c++", "c#": "c#"}),
        ("", {}),
    ],
)
def test_terms_are_led_back_to_the_words_of_the_query(query: str, expected: dict[str, str]) -> None:
    """A stem has the word that made it; function words made none."""
    words = words_by_term(query, ENGLISH)

    assert {term: words[term] for term in expected} == expected
    assert words.keys().isdisjoint({"the", "of", "in", "or"})


def test_an_english_reason_names_words_and_no_stems() -> None:
    """What was matched are forms of the query's words; read plainly it is the words themselves."""
    store = NetworkXStore()
    store.load([Paper("a", "Resolving coreferent mentions", "Coreference is resolved.", 2001, [])])

    english = CitationRepository(store, analysis="english").search("coreferences resolve")
    plain = CitationRepository(store).search("coreference resolve")

    assert english[0].reason == "found because its text has forms of “coreferences” and “resolve”"
    assert plain[0].reason == "found because its text has “coreference”"


def test_a_query_of_function_words_is_told_apart_from_one_that_misses() -> None:
    """`explain` does not say that a paper lacks a word where the query has none that counts."""
    store = NetworkXStore()
    store.load([Paper("a", "The role of the reader", "", 2001, [])])
    repository = CitationRepository(store, analysis="english")

    assert [entry.message for entry in repository.explain("of the", "a").left_out][:1] == [
        "the query has no word, only signs or function words"
    ]
    assert [entry.message for entry in repository.explain("tides", "a").left_out][:1] == [
        "it has no word of the query"
    ]
