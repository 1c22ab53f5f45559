"""Text into the terms that are indexed and searched."""

from __future__ import annotations

import unicodedata
from itertools import pairwise
from typing import Final

import regex

# One table turns ASCII text into lower case with blanks for all that is neither letter nor digit.
_ASCII: Final = bytes(
    ord(chr(code).lower()) if code < 128 and chr(code).isalnum() else 32 for code in range(256)
)

# Signs without a shape of their own: soft hyphen, joiners, direction marks, variation selectors,
# Hangul fillers. The zero-width space and the byte order mark are no part of it: they are blanks.
_INVISIBLE: Final = regex.compile(r"[\p{Default_Ignorable_Code_Point}--[\u200b\ufeff]]+", regex.V1)

# A mark needs a letter or digit before it, so that a stray accent is no term.
WORD: Final = regex.compile(r"[\p{L}\p{N}][\p{L}\p{M}\p{N}]*", regex.V1)

# Script *extensions*, because the prolonged sound mark ー belongs to both kana and to no script.
_UNSPACED: Final = (
    r"[[\p{L}\p{N}]&&[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Thai}]]"
)
_SIGN: Final = regex.compile(rf"{_UNSPACED}\p{{M}}*", regex.V1)
_ANY_UNSPACED: Final = regex.compile(_UNSPACED, regex.V1)
_PIECE: Final = regex.compile(
    rf"(?:{_UNSPACED}\p{{M}}*)+|[[\p{{L}}\p{{N}}\p{{M}}]--{_UNSPACED}]+", regex.V1
)


def tokenise(text: str) -> list[str]:
    """Return the terms of ``text`` in order, with repeats.

    The text is brought to NFKC and lower case. A term is a run of letters, combining marks and
    digits of any script (all of Unicode's numbers, so that 〇 and Roman numerals count) that does
    not begin with a mark. Signs without a shape (soft hyphen, zero-width joiner and non-joiner,
    variation selectors) are left out, so that a word matches however it was set; the zero-width
    space and the byte order mark separate.

    A stretch of Han, kana, Hangul and Thai has no blanks between words: it becomes overlapping
    pairs of signs, also across these scripts; a stretch of one sign stays itself. A sign is a
    letter with the marks on it, so that a Thai vowel sign never stands alone.

    Raises:
        TypeError: If ``text`` is no string.
    """
    if not isinstance(text, str):
        raise TypeError(f"text must be a str, not {text!r}")
    if text.isascii():
        return _ascii_words(text)
    folded = fold(text)
    if folded.isascii():
        return _ascii_words(folded)
    terms: list[str] = []
    for word in WORD.findall(folded):
        if word.isascii():
            terms.append(word)
        else:
            terms += word_terms(word)
    return terms


def one_sign(term: str) -> bool:
    """Return whether ``term`` is a single sign of a script written without blanks."""
    return not term.isascii() and _SIGN.fullmatch(term) is not None


def first_sign(term: str) -> str | None:
    """Return the sign that a pair of signs begins with; None where ``term`` is no such pair."""
    if term.isascii():
        return None
    found = _SIGN.match(term)
    return None if found is None or found.end() == len(term) else found.group()


def _ascii_words(text: str) -> list[str]:
    return text.encode("ascii").translate(_ASCII).decode("ascii").split()


def fold(text: str) -> str:
    """Return ``text`` in NFKC and lower case, without signs that have no shape."""
    # Lower case can undo a composition, and so can the loss of a sign between letter and mark:
    # hence twice.
    composed = unicodedata.normalize("NFKC", text)
    visible = _INVISIBLE.sub("", composed)
    return unicodedata.normalize("NFKC", visible.lower())


def word_terms(word: str) -> list[str]:
    """Return the terms of one run of letters, marks and digits: itself, or its pairs of signs."""
    if _ANY_UNSPACED.search(word) is None:
        return [word]
    terms: list[str] = []
    for piece in _PIECE.findall(word):
        signs = _SIGN.findall(piece) if _ANY_UNSPACED.match(piece) else [piece]
        terms += [piece] if len(signs) == 1 else [a + b for a, b in pairwise(signs)]
    return terms
