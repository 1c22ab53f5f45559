"""Sentences of abstracts."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citehop.sentences import sentence_ranges


def _sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_ranges(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("  \n ", []),
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        (
            "We follow Smith et al. (2001). It holds.",
            ["We follow Smith et al. (2001).", "It holds."],
        ),
        ("See Fig. 3 and e.g. Table 2. Done.", ["See Fig. 3 and e.g. Table 2.", "Done."]),
        ("By J. Doe. It costs 3.5 euros.", ["By J. Doe.", "It costs 3.5 euros."]),
        ("He said “no.” Then left.", ["He said “no.”", "Then left."]),
        ("No stop at the end", ["No stop at the end"]),
        ("土壤水分。河流泥沙。", ["土壤水分。", "河流泥沙。"]),
        ("यह पहला है। यह दूसरा है।", ["यह पहला है।", "यह दूसरा है।"]),
        ("A heading\n\nThen text. More.", ["A heading", "Then text.", "More."]),
        ("Wrapped\nline. Next", ["Wrapped\nline.", "Next"]),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text: str, expected: list[str]) -> None:
    """Abbreviations, initials and decimals end no sentence; CJK stops and blank lines do."""
    assert _sentences(text) == expected


@given(st.text(alphabet="aB .!?。\n\t(et al)1", max_size=60))
def test_ranges_cover_every_character_that_is_not_blank(text: str) -> None:
    """Ranges are ordered, do not overlap, and lose nothing but blanks."""
    ranges = sentence_ranges(text)

    assert all(a < b for a, b in ranges)
    assert all(left[1] <= right[0] for left, right in pairwise(ranges))
    assert "".join("".join(_sentences(text)).split()) == "".join(text.split())
