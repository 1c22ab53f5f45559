"""Keeping the sentences that are nearest to the query."""

from __future__ import annotations

import math
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import regex

from citehop.plan.compress import Range, check_char_limits
from citehop.plan.result import PlannedHit, text_of
from citehop.sentences import sentence_ranges

# A word is a run of letters, marks and digits; signs of scripts without blanks stand alone.
_WORD = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}]\p{M}*"
    r"|(?:(?![\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}])[\p{L}\p{M}\p{N}])+"
)


class _Sentence(NamedTuple):
    hit: int
    start: int
    end: int
    words: frozenset[str]


@dataclass(frozen=True, slots=True)
class QuerySentenceCompressor:
    """Keeps whole sentences, nearest to the query first, within a number of characters.

    The nearness of a sentence is the share of the query's words that it holds, each word weighed
    by ``ln(1 + n / df)`` over the ``n`` sentences of these hits, ``df`` of which hold it: a word in
    few sentences tells more. Equally near ones go by the hit's rank, then by place in the text. A
    sentence that does not fit is passed over for the next. Kept sentences stand in the text's
    order, joined by one blank, which counts. Words are compared in lower case (NFKC), unstemmed.

    Args:
        max_chars: Characters kept of all hits together.
        max_chars_per_hit: Characters kept of one hit; None: no limit of its own.
        only_matching: Whether a sentence without any word of the query is left out though it
            would fit. Off by default, as a hit of the citation graph may share no word with it.

    Raises:
        TypeError: For a field of the wrong type.
        ValueError: For a negative field.
    """

    max_chars: int
    max_chars_per_hit: int | None = None
    only_matching: bool = False

    def __post_init__(self) -> None:
        check_char_limits(self, self.max_chars, self.max_chars_per_hit)
        if not isinstance(self.only_matching, bool):
            raise TypeError(f"only_matching must be a bool, not {self.only_matching!r}")

    def __call__(self, query: str, hits: Sequence[PlannedHit]) -> list[list[Range]]:
        """Return for each hit the ranges of its text to keep."""
        sentences = _sentences(hits)
        nearness = _nearness(_words(query), sentences)
        # A stable sort: sentences stand by rank and place already.
        order = sorted(range(len(sentences)), key=lambda number: -nearness[number])
        kept: list[list[Range]] = [[] for _ in hits]
        own_left = [self.max_chars_per_hit] * len(hits)
        left = self.max_chars
        for number in order:
            if self.only_matching and not nearness[number]:
                break
            one = sentences[number]
            cost = one.end - one.start + (1 if kept[one.hit] else 0)
            own = own_left[one.hit]
            if cost > left or (own is not None and cost > own):
                continue
            kept[one.hit].append((one.start, one.end))
            left -= cost
            own_left[one.hit] = None if own is None else own - cost
        return [sorted(ranges) for ranges in kept]


def _sentences(hits: Sequence[PlannedHit]) -> list[_Sentence]:
    return [
        _Sentence(number, start, end, _words(text[start:end]))
        for number, text in enumerate(map(text_of, hits))
        for start, end in sentence_ranges(text)
    ]


def _nearness(wanted: frozenset[str], sentences: Sequence[_Sentence]) -> list[float]:
    shared = [wanted & sentence.words for sentence in sentences]
    found = Counter(word for words in shared for word in words)
    weights = {word: math.log1p(len(sentences) / found[word]) for word in found}
    total = math.fsum(weights.values())
    return [
        math.fsum(weights[word] for word in words) / total if words else 0.0 for words in shared
    ]


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(unicodedata.normalize("NFKC", text).lower()))
