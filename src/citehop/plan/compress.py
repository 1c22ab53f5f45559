"""Keeping the first words of the best hits within a number of characters."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from citehop.plan.checks import check_count
from citehop.plan.result import PlannedHit, text_of
from citehop.sentences import sentence_ranges

Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class CharBudgetCompressor:
    """Spends a number of characters down the ranking, on each text from its start.

    Whole sentences are kept while they fit. Where the budget ends within a text, the text is cut
    at its last sentence end that fits; where not even its first sentence does, at the last word
    end; after that cut nothing more is kept, so no hit gets text that a better one was refused.
    The pieces of a hit are joined by one blank, which counts: ``sum(len(hit.kept_text))`` is never
    above ``max_chars``.

    Args:
        max_chars: Characters kept of all hits together.
        max_chars_per_hit: Characters kept of one hit; None: no limit of its own. A text cut by this
            leaves the rest of the budget to the next hit.

    Raises:
        TypeError: For a field of the wrong type.
        ValueError: For a negative field.
    """

    max_chars: int
    max_chars_per_hit: int | None = None

    def __post_init__(self) -> None:
        check_char_limits(self, self.max_chars, self.max_chars_per_hit)

    def __call__(self, query: str, hits: Sequence[PlannedHit]) -> list[list[Range]]:  # noqa: ARG002
        """Return for each hit the ranges of its text to keep; the query plays no part."""
        left = self.max_chars
        kept: list[list[Range]] = []
        for hit in hits:
            text = text_of(hit)
            own = left if self.max_chars_per_hit is None else min(left, self.max_chars_per_hit)
            ranges, whole = _start_of(text, own)
            kept.append(ranges)
            cut_by_total = not whole and own == left
            left = 0 if cut_by_total else left - cost_of(ranges)
        return kept


def check_char_limits(record: object, max_chars: object, per_hit: object) -> None:
    """Put the checked limits back into a frozen record.

    Raises:
        TypeError, ValueError: If a limit is no int of at least 0.
    """
    object.__setattr__(record, "max_chars", check_count("max_chars", max_chars, 0))
    if per_hit is not None:
        checked = check_count("max_chars_per_hit", per_hit, 0)
        object.__setattr__(record, "max_chars_per_hit", checked)


def cost_of(ranges: Sequence[Range]) -> int:
    """Return the characters of the pieces with one blank between each two."""
    return sum(end - start for start, end in ranges) + max(0, len(ranges) - 1)


def _start_of(text: str, room: int) -> tuple[list[Range], bool]:
    """Return what fits of the text's start, and whether that is all of it."""
    kept: list[Range] = []
    left = room
    for start, end in sentence_ranges(text):
        blank = 1 if kept else 0
        if end - start + blank > left:
            # The first sentence is longer than the room here, so a place up to it is in the text.
            cut = start if kept else _word_end(text, start, start + left)
            return [*kept, (start, cut)] if cut > start else kept, False
        kept.append((start, end))
        left -= end - start + blank
    return kept, True


def _word_end(text: str, start: int, most: int) -> int:
    """Return the last place in ``start < place <= most`` where a word ends, or ``start``."""
    for place in range(most, start, -1):
        if not text[place - 1].isspace() and _ends_word(text, place):
            return place
    return start


def _ends_word(text: str, place: int) -> bool:
    following = text[place]
    if following.isspace():
        return True
    # Han, kana and Thai are written without blanks: any sign ends a word there, unless a mark
    # that belongs to it follows.
    return _unspaced(text[place - 1]) and not unicodedata.category(following).startswith("M")


def _unspaced(sign: str) -> bool:
    return (
        "\u3040" <= sign <= "\u30ff"
        or "\u3400" <= sign <= "\u9fff"
        or "\u0e00" <= sign <= "\u0e7f"
        or "\uf900" <= sign <= "\ufaff"
        or "\U00020000" <= sign <= "\U0003ffff"
    )
