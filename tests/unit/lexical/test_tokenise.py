from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from citehop.lexical.tokenise import first_sign, one_sign, tokenise

_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("", []),
        ("Graph-Based RAG, 2nd ed.", ["graph", "based", "rag", "2nd", "ed"]),
        ("tab\tline\nunit\x1fend", ["tab", "line", "unit", "end"]),
        ("foo_bar don't", ["foo", "bar", "don", "t"]),
        ("NULL and nan", ["null", "and", "nan"]),
        ("?! — … “”", []),
    ],
)
def test_ascii_words_are_runs_of_letters_and_digits(text: str, terms: list[str]) -> None:
    """Whatever is neither letter nor digit separates, the underscore and apostrophe too."""
    assert tokenise(text) == terms


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Schrödinger", ["schrödinger"]),
        ("Schro\u0308dinger", ["schrödinger"]),
        ("साहित्य प्राप्त करना", ["साहित्य", "प्राप्त", "करना"]),
        ("Straße ΟΔΟΣ Ёлка", ["straße", "οδος", "ёлка"]),
        ("ﬁeld ＡＢＣ１２ x² Ⅳ", ["field", "abc12", "x2", "iv"]),
        ("٢٠٢٠ ቁጥር፻", ["٢٠٢٠", "ቁጥር፻"]),
        ("İstanbul", ["i\u0307stanbul"]),
        ("Schr ¨odinger ´ \u0301", ["schr", "odinger"]),
    ],
)
def test_words_of_any_script_stay_whole(text: str, terms: list[str]) -> None:
    """Marks belong to their word, compatibility forms are resolved, a stray accent is no term."""
    assert tokenise(text) == terms


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("土壤水分", ["土壤", "壤水", "水分"]),
        ("水", ["水"]),
        ("国際標準化に", ["国際", "際標", "標準", "準化", "化に"]),
        ("時々 コード", ["時々", "コー", "ード"]),
        ("ﾃﾞｰﾀ", ["デー", "ータ"]),
        ("二〇一〇年", ["二〇", "〇一", "一〇", "〇年"]),
        ("한국어 문헌", ["한국", "국어", "문헌"]),
        (unicodedata.normalize("NFD", "한국어"), ["한국", "국어"]),
        ("วิเคราะห์ดิน", ["วิเ", "เค", "คร", "รา", "าะ", "ะห์", "ห์ดิ", "ดิน"]),
        ("葛\U000e0100城", ["葛城"]),
    ],
)
def test_scripts_without_blanks_become_pairs_of_signs(text: str, terms: list[str]) -> None:
    """A run of Han, kana, Hangul or Thai is cut into overlapping pairs, marks with their letter."""
    assert tokenise(text) == terms


def test_a_run_of_mixed_scripts_is_split_where_the_kind_of_script_changes() -> None:
    """Latin words and numbers beside Han stay whole."""
    assert tokenise("BM25与深度学习2024年Net") == [
        "bm25", "与深", "深度", "度学", "学习", "2024", "年", "net",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("a\u200bb\ufeffc", ["a", "b", "c"]),
        ("\u200b \ufeff", []),
        ("co\u00adoperation", ["cooperation"]),
        ("می\u200cخواهم", ["میخواهم"]),
        ("क्\u200dष क्ष", ["क्ष", "क्ष"]),
        ("\u200eabc\u200f", ["abc"]),
        ("e\u00ad\u0301", ["é"]),
    ],
)
def test_shapeless_signs_are_left_out_but_zero_width_space_and_bom_separate(
    text: str, terms: list[str]
) -> None:
    """Joiners and soft hyphens do not change a word; a zero-width space or BOM ends it."""
    assert tokenise(text) == terms


@settings(deadline=None)
@given(_TEXT)
@example("\u1e9eΣ\u0345")
@example("\u3164가\uffa0")
@example("e\u00ad\u0301")
def test_composed_and_decomposed_text_give_the_same_terms(text: str) -> None:
    """Equivalent spellings are the same text."""
    terms = tokenise(text)
    assert tokenise(unicodedata.normalize("NFC", text)) == terms
    assert tokenise(unicodedata.normalize("NFD", text)) == terms


@settings(deadline=None)
@given(_TEXT)
@example("İ ß Å ς")
def test_terms_are_their_own_terms(text: str) -> None:
    """Tokenising is done once and for all: each term of blank-separated scripts gives itself."""
    whole = [term for term in tokenise(text) if first_sign(term) is None]
    assert tokenise(" ".join(whole)) == whole


@settings(deadline=None)
@given(_TEXT)
def test_pairs_are_their_own_pairs(text: str) -> None:
    """A pair of signs, asked for alone, is found as that pair."""
    for term in tokenise(text):
        assert tokenise(term) == [term]


def test_a_text_must_be_a_str() -> None:
    """Bytes are refused with the reason."""
    with pytest.raises(TypeError, match="text must be a str, not b'x'"):
        tokenise(b"x")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("term", "single", "first"),
    [
        ("水", True, None),
        ("水分", False, "水"),
        ("ดิ", True, None),
        ("ดิน", False, "ดิ"),
        ("é", False, None),
        ("a", False, None),
        ("", False, None),
    ],
)
def test_single_signs_and_pairs_are_told_apart(term: str, single: bool, first: str | None) -> None:
    """Only signs of scripts without blanks count, each with its marks."""
    assert one_sign(term) is single
    assert first_sign(term) == first
