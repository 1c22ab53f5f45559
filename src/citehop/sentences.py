"""Where one sentence of an abstract ends and the next begins."""

from __future__ import annotations

import re

# A full stop after one of these ends no sentence.
_ABBREVIATIONS = frozenset(
    "al approx ca cf dr e.g eq eqs etc fig figs i.e no nos p pp prof ref refs resp sec st tab"
    " vol vs".split()
)
# Latin stops need a blank behind them; CJK and Devanagari ones do not.
_END = re.compile(r"""[.!?…]+["'”’)\]]*(?=\s)|[。！？]+[」』”’)]*|[।॥]""")
_LAST_WORD = re.compile(r"([^\W\d_](?:[\w.]*\w)?)$")


def sentence_ranges(text: str) -> list[tuple[int, int]]:
    """Return ``(start, end)`` character ranges of the sentences of ``text``, in order.

    Ranges do not overlap, hold no blanks at their ends, and together hold every character that
    is not blank. A blank line ends a sentence too.

    >>> sentence_ranges("We cite Smith et al. here. It works.")
    [(0, 26), (27, 36)]
    """
    ranges: list[tuple[int, int]] = []
    for block in re.finditer(r"\S(?:.|\n(?!\s*\n))*", text):
        start = block.start()
        for mark in _END.finditer(text, block.start(), block.end()):
            if _ends_sentence(text, start, mark):
                _append(ranges, text, start, mark.end())
                start = mark.end()
        _append(ranges, text, start, block.end())
    return ranges


def _ends_sentence(text: str, start: int, mark: re.Match[str]) -> bool:
    if mark.group() != ".":
        return True
    following = text[mark.end() : mark.end() + 80].lstrip()
    if following and following[0].islower():
        return False
    word = _LAST_WORD.search(text[max(start, mark.start() - 20) : mark.start()])
    if word is None:
        return True
    name = word.group(1)
    return name.lower() not in _ABBREVIATIONS and not (len(name) == 1 and name.isupper())


def _append(ranges: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    piece = text[start:end]
    left = start + len(piece) - len(piece.lstrip())
    right = end - (len(piece) - len(piece.rstrip()))
    if left < right:
        ranges.append((left, right))
