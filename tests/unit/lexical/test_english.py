"""English text: what means one thing becomes one term."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citehop.graph.networkx import NetworkXStore
from citehop.lexical.analysis import ENGLISH, PLAIN, Analyser, analyser
from citehop.lexical.bm25 import BM25Index
from citehop.lexical.english import english
from citehop.lexical.tokenise import tokenise
from citehop.outcome import LegKind
from citehop.paper import Paper
from citehop.search.repository import CitationRepository


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("", []),
        ("the of and", []),
        ("Citations of a citation", ["citat", "citat"]),
        ("state-of-the-art", ["stateoftheart", "state", "art"]),
        ("co\u2010citation, co\u2011citation", ["cocit", "co", "citat"] * 2),
        ("protein\u2013protein", ["proteinprotein", "protein", "protein"]),
        ("to-do", ["todo"]),
        ("2010-2020", ["2010", "2020"]),
        ("a-b-c-d-e-f-g", ["b", "c", "d", "e", "f", "g"]),
        ("β-catenin", ["betacatenin", "beta", "catenin"]),
        ("TNFα", ["tnfalpha", "tnf", "alpha"]),
        ("αβ T cells", ["alphabeta", "alpha", "beta", "t", "cell"]),
        ("5 μm, 5 \u00b5m", ["5", "um", "5", "um"]),
        ("Καλημέρα", ["καλημερα"]),
        ("C++, C# and C", ["c++", "c#", "c"]),
        ("C++11 in Objective-C++", ["c++", "11", "objectivec++", "object", "c++"]),
        ("A+ and 1+1", ["1", "1"]),
        ("Schrödinger's œuvre", ["schroding", "oeuvr"]),
        ("Łódź, Ærøskøbing", ["lodz", "aeroskob"]),
        ("don't, it\u2019s", []),
        ("vitamin C", ["vitamin", "c"]),
        ("साहित्य", ["साहित्य"]),
        ("題目検索", ["題目", "目検", "検索"]),
    ],
)
def test_terms(text: str, terms: list[str]) -> None:
    """Stems without function words; compounds whole and in parts; names of Greek letters."""
    assert english(text) == terms


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Schrödinger", "Schrodinger"),
        ("Schro\u0308dinger", "schrodinger"),
        ("β-catenin", "beta-catenin"),
        ("TGFβ", "TGF-beta"),
        ("Ω-3", "omega-3"),
        ("co-citations", "co\u2011citation"),
        ("naïve", "naive"),
        ("ﬁeld", "fields"),
        ("C♯", "C#"),
    ],
)
def test_spellings_meet(one: str, other: str) -> None:
    """Two spellings of one thing give the same terms."""
    assert english(one) == english(other) != []


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("cocitation", "co-citation"),
        ("catenin", "β-catenin"),
        ("beta catenin", "β-catenin"),
        ("TNF alpha", "TNFα"),
        ("art", "state-of-the-art"),
    ],
)
def test_a_part_finds_the_whole(query: str, text: str) -> None:
    """Every term of the query is one of the text's."""
    assert set(english(query)) <= set(english(text))


def test_only_text_has_terms() -> None:
    """What is no str is refused."""
    with pytest.raises(TypeError, match="text must be a str, not None"):
        english(None)  # type: ignore[arg-type]


@given(st.text())
def test_terms_are_clean(text: str) -> None:
    """Whatever the text: no empty term, no blank, no capital, the same again each time."""
    terms = english(text)

    assert all(term and not any(sign.isspace() for sign in term) for term in terms)
    assert english(text) == terms


def test_the_stemmers_agree() -> None:
    """The one in Python and the quick one in C give the same stems."""
    fast = pytest.importorskip("Stemmer").Stemmer("english")
    from snowballstemmer.english_stemmer import EnglishStemmer

    words = "skis dying sky apologist generously universities organisation happily agreed".split()

    assert [EnglishStemmer().stemWord(word) for word in words] == fast.stemWords(words)


def test_plain_stays_what_tokenise_gives() -> None:
    """The analysis by default is the public function itself."""
    assert PLAIN.terms is tokenise
    assert BM25Index().analyser is PLAIN


def test_analysers_have_names() -> None:
    """A name gives its analyser, an own one is passed through, anything else is refused."""
    own = Analyser("letters", 1, list)

    assert analyser("english") is ENGLISH
    assert analyser(own) is own
    with pytest.raises(ValueError, match="analysis must be one of plain, english, not 'french'"):
        BM25Index(analysis="french")
    with pytest.raises(TypeError, match="analysis must be a name or an Analyser, not None"):
        BM25Index(analysis=None)  # type: ignore[arg-type]


def test_fingerprints_tell_analysers_apart() -> None:
    """Name, version and what is made of words all show in the fingerprint."""
    prints = {
        one.fingerprint
        for one in (
            PLAIN,
            ENGLISH,
            Analyser("plain", 2, tokenise),
            Analyser("plain", 1, str.split),
            Analyser("english", 1, tokenise),
        )
    }

    assert len(prints) == 5
    assert PLAIN.fingerprint.startswith("plain/1/")


def test_index_and_query_are_analysed_alike() -> None:
    """A query finds what its words' stems find, and the explanation shows these terms."""
    index = BM25Index(analysis="english")
    index.add("a", "The citations of β-catenin")
    index.add("b", "Nothing of it")

    assert [key for key, _ in index.search("beta-catenin citation")] == ["a"]
    explained = index.explain("a", "the Citation of beta-catenin unseen")
    assert [part.term for part in explained.terms] == ["beta", "betacatenin", "catenin", "citat"]
    assert explained.unknown == ("unseen",)
    assert explained.score == index.score("a", english("the Citation of beta-catenin unseen"))


def test_a_repository_in_english() -> None:
    """Legs, hits and explanations speak of analysed terms; only stop words are no terms."""
    store = NetworkXStore()
    store.load(
        [
            Paper("a", "Salt marshes", "They accrete.", 2000, [], ["b"]),
            Paper("b", "Tides", "", 2001, []),
        ]
    )
    repository = CitationRepository(store, analysis="english")

    found = repository.search("the marsh, accreting")
    empty = repository.search("of the").leg(LegKind.LEXICAL)

    assert [hit.doc_id for hit in found] == ["a", "b"]
    explained = repository.explain("the marsh, accreting", "a").bm25
    assert explained is not None
    assert [part.term for part in explained.terms] == ["accret", "marsh"]
    assert empty is not None
    assert empty.reason == "NO_TERMS"
