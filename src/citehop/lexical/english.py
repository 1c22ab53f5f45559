"""English text into terms: words that mean one thing become one term."""

from __future__ import annotations

import re
import threading
import unicodedata
from functools import lru_cache
from typing import Final

import regex
import snowballstemmer

from citehop.lexical.stopwords import STOP_WORDS
from citehop.lexical.tokenise import fold, word_terms

_MOST_PARTS: Final = 6
"""Parts of a word with hyphens that are also joined into one term."""
_CACHED: Final = 1 << 17

_HYPHENS: Final = "-\u2010\u2013\u2212"
_SPLIT: Final = re.compile(f"[{_HYPHENS}]")
# Words with what ties them together. A name such as C++ or C# is one letter with its signs.
_ASCII_UNIT: Final = re.compile(
    r"(?:[a-z](?:\+\+(?![a-z])|#(?![a-z0-9]))|[a-z0-9]+)"
    r"(?:-(?:[a-z](?:\+\+(?![a-z])|#(?![a-z0-9]))|[a-z0-9]+))*"
)
_NAME: Final = r"[a-z](?:\+\+(?!\p{L})|\#(?![\p{L}\p{N}]))"
_PART: Final = rf"(?:{_NAME}|[\p{{L}}\p{{N}}][\p{{L}}\p{{M}}\p{{N}}]*)"
_UNIT: Final = regex.compile(rf"{_PART}(?:[{_HYPHENS}]{_PART})*", regex.V1)
# What an apostrophe ties to a word: a genitive, or what is left of a verb or of "not".
_TAIL: Final = re.compile(r"(?<=\w)['\u2019\u02bc](?:s|t|re|ve|ll|d|m)(?!\w)")

_ACCENTS: Final = regex.compile(r"(?<=[\p{Latin}\p{Greek}])\p{Mn}+", regex.V1)
# Letters that are no letter with an accent, but are typed as one or two plain letters.
_PLAIN_LETTERS: Final = str.maketrans(
    {
        "æ": "ae",
        "œ": "oe",
        "ø": "o",
        "đ": "d",
        "ð": "d",
        "þ": "th",
        "ł": "l",
        "ħ": "h",
        "ı": "i",
        "ß": "ss",
        "\u266f": "#",
    }
)
_GREEK: Final = dict(
    zip(
        "αβγδεζηθικλμνξοπρσςτυφχψω",
        "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho"
        " sigma sigma tau upsilon phi chi psi omega".split(),
        strict=True,
    )
)
# One or two Greek letters are symbols; more are a Greek word.
_SYMBOLS: Final = regex.compile(r"(?<![\p{Greek}\p{M}])[α-ω]{1,2}(?![\p{Greek}\p{M}])", regex.V1)
_MICRO: Final = re.compile(r"(?<![α-ω])μ(?=[a-z])")

_stemmer = snowballstemmer.stemmer("english")
_stemming = threading.Lock()  # The stemmer keeps the word that it works on.


def english(text: str) -> list[str]:
    """Return the terms of English ``text`` in order, with repeats.

    Words are told apart as :func:`citehop.tokenise` does; beside that

    - function words (:data:`STOP_WORDS`) are left out, and words become their stems (Snowball's
      English stemmer, "Porter2"): *citations* and *citation* meet;
    - accents on Latin and Greek letters are folded: *Schrödinger* is *schrodinger*;
    - words tied by hyphens give the whole, joined, and their parts: *co-citation* gives what
      *cocitation*, *co* and *citation* give; of more than six parts, the parts alone;
    - one or two Greek letters are their names, tied to what they touch: *β-catenin* is
      *beta-catenin*, *TNFα* is *TNF-alpha*; μ before a unit is *u*: *μm* is *um*;
    - *C++* and *C#* are terms (any one letter with these signs); *'s* is left out.

    Raises:
        TypeError: If ``text`` is no string.
    """
    if not isinstance(text, str):
        raise TypeError(f"text must be a str, not {text!r}")
    folded = text.lower() if text.isascii() else _folded(text)
    if "'" in folded or not folded.isascii():
        folded = _TAIL.sub("", folded)
    units = (_ASCII_UNIT if folded.isascii() else _UNIT).findall(folded)
    terms: list[str] = []
    for found in map(_unit_terms, units):
        terms += found
    return terms


def _folded(text: str) -> str:
    """Return text in lower case, without accents, its Greek symbols spelt out."""
    bare = _ACCENTS.sub("", unicodedata.normalize("NFD", fold(text)))
    plain = unicodedata.normalize("NFC", bare).translate(_PLAIN_LETTERS)
    return _SYMBOLS.sub(_spelt, _MICRO.sub("u", plain))


def _spelt(symbols: regex.Match[str]) -> str:
    names = "-".join(_GREEK[letter] for letter in symbols.group())
    before = symbols.string[symbols.start() - 1 : symbols.start()]
    after = symbols.string[symbols.end() : symbols.end() + 1]
    return f"{'-' * before.isalnum()}{names}{'-' * after.isalnum()}"


@lru_cache(maxsize=_CACHED)
def _unit_terms(unit: str) -> tuple[str, ...]:
    """Return the terms of words that hyphens tie together; most of a text's words are alike."""
    parts = _SPLIT.split(unit)
    if len(parts) == 1:
        return _stems(unit)
    joined = "".join(parts)
    # Of numbers, such as 2010-2020, the parts alone say something.
    whole = _stems(joined) if len(parts) <= _MOST_PARTS and not joined.isdigit() else ()
    return sum(map(_stems, parts), whole)


def _stems(word: str) -> tuple[str, ...]:
    if word in STOP_WORDS:
        return ()
    if not word.isascii():
        return tuple(word_terms(word))
    if not word.isalpha():
        return (word,)
    with _stemming:
        return (_stemmer.stemWord(word),)
