"""Markup and entities in titles and abstracts, brought to plain text for indexing."""

from __future__ import annotations

import html
import re
from collections.abc import Callable

_ATTRIBUTES = r"""(?:\s+[\w:.-]+\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'<>=]+))*\s*"""
# Tags whose ends separate words; all other known tags stand inside words.
_BLOCK = frozenset(
    """abstract article blockquote body br caption dd disp-formula div dl dt figure footer h1 h2 h3
    h4 h5 h6 head header hr html label li list list-item main ol p pre sec section table tbody td
    th thead title tr ul""".split()
)
_INLINE = frozenset(
    """a abbr acronym alternatives b bdi bdo big bold cite code del dfn em ext-link font formula i
    img inf inline-formula inline-graphic ins italic kbd mark math monospace named-content overline
    q roman s samp sans-serif sc scp small span strike strong styled-content sub sup tex-math tt u
    underline var xref
    annotation mfenced mfrac mi mmultiscripts mn mo mover mpadded mphantom mroot mrow ms mspace
    msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover semantics""".split()
)
_PREFIXED = ("jats:", "mml:", "m:", "xhtml:", "html:")
_TAG = re.compile(rf"</?([A-Za-z][\w:.-]*){_ATTRIBUTES}/?>")
_UNSEEN = re.compile(r"(<!--|<\?)")
_MARKS = re.compile(r"<!DOCTYPE[^<>]*>|<!\[CDATA\[|\]\]>")
_CODE = re.compile(r"<(script|style)\b[^<>]*>", re.IGNORECASE)
_ALTERNATIVES = re.compile(r"<((?:jats:)?alternatives)\b[^<>]*>", re.IGNORECASE)
_TEX = re.compile(r"<((?:jats:)?tex-math)\b[^<>]*>", re.IGNORECASE)
_MATHS = re.compile(r"<(?:mml:|m:)?math\b", re.IGNORECASE)
_ANNOTATION = re.compile(r"<((?:mml:|m:)?annotation(?:-xml)?)\b[^<>]*>")
_ENDS = {"<!--": "-->", "<?": r"\?>"}
# Python refuses to make a number of more digits than this; no sign has such a number.
_ENDLESS_NUMBER = re.compile(r"&#[0-9]{4000,};?")
_BLANKS = re.compile(r"[ \t\n\r\f\v\xa0]+")
_CONTROL = re.compile(r"[\x01-\x08\x0e-\x1f\x7f]")
_REPLACED = re.compile(r"[\x00\ud800-\udfff]")


def plain_text(text: str) -> str:
    """Return ``text`` without markup, entities and repeated blanks.

    Known tags go: those of blocks leave a blank, those inside a line leave nothing, so that
    ``CO<sub>2</sub>`` is one word. Entities are decoded once or twice. What only looks like a
    tag (``x<y``, ``p < 0.05``) stays. Scripts and styles go with what they hold. Of a formula
    given twice the MathML is kept.
    """
    if is_plain(text):
        return text
    stripped = text
    for _ in range(2):
        stripped = _decoded(_without_tags(stripped)) if "&" in text or "<" in text else stripped
    return _BLANKS.sub(" ", _without_tags(stripped)).strip()


def is_plain(text: str) -> bool:
    """Return whether ``text`` surely needs no change; cheap, and true of most titles."""
    return (
        text.isprintable()
        and "<" not in text
        and "&" not in text
        and "  " not in text
        and text[:1] != " "
        and text[-1:] != " "
    )


def storable(text: str) -> str:
    """Return ``text`` with U+FFFD for what no store keeps, and a blank for other control signs."""
    return text if text.isprintable() else _CONTROL.sub(" ", _REPLACED.sub("\ufffd", text))


def _decoded(text: str) -> str:
    return html.unescape(_ENDLESS_NUMBER.sub("\ufffd", text))


def _without_tags(text: str) -> str:
    if "<" not in text:
        return text
    seen = _MARKS.sub("", _replaced(text, _UNSEEN, _nothing))
    code = _replaced(seen, _CODE, lambda _: " ")
    formulas = _replaced(code, _ALTERNATIVES, _one_formula)
    return _TAG.sub(_replacement, _replaced(formulas, _ANNOTATION, _nothing))


def _replaced(text: str, opening: re.Pattern[str], change: Callable[[str], str]) -> str:
    """Return ``text`` with ``change`` of what stands inside in place of each pair of tags.

    Looks for each end once, and no more where there is none: a pattern for the whole pair would
    read a text of many openings without an end as often as it has openings.
    """
    pieces: list[str] = []
    endless: set[str] = set()
    at = 0
    for start in opening.finditer(text):
        name = start[1].lower()
        if start.start() < at or name in endless:
            continue
        closing = _ENDS.get(name) or rf"</{re.escape(name)}\s*>"
        end = re.compile(closing, re.IGNORECASE).search(text, start.end())
        if end is None:
            endless.add(name)
            continue
        pieces += text[at : start.start()], change(text[start.end() : end.start()])
        at = end.end()
    return "".join([*pieces, text[at:]])


def _nothing(_: str) -> str:
    return ""


def _one_formula(inside: str) -> str:
    return _replaced(inside, _TEX, _nothing) if _MATHS.search(inside) else inside


def _replacement(match: re.Match[str]) -> str:
    full = match[1].lower()
    name = full.rpartition(":")[2]
    if name in _BLOCK:
        return " "
    return "" if name in _INLINE or full.startswith(_PREFIXED) else match[0]
