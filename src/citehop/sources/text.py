"""Markup and entities in titles and abstracts, brought to plain text for indexing."""

from __future__ import annotations

import html
import re

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
_UNSEEN = re.compile(r"<!--.*?-->|<\?.*?\?>|<!DOCTYPE[^>]*>|<!\[CDATA\[|\]\]>", re.DOTALL)
_CODE = re.compile(r"<(script|style)\b[^>]*>.*?</\1\s*>", re.DOTALL | re.IGNORECASE)
_ALTERNATIVES = re.compile(
    r"<((?:jats:)?alternatives)\b[^>]*>(.*?)</\1\s*>", re.DOTALL | re.IGNORECASE
)
_TEX = re.compile(r"<((?:jats:)?tex-math)\b[^>]*>.*?</\1\s*>", re.DOTALL | re.IGNORECASE)
_MATHS = re.compile(r"<(?:mml:|m:)?math\b", re.IGNORECASE)
_ANNOTATION = re.compile(r"<((?:mml:|m:)?annotation(?:-xml)?)\b[^>]*>.*?</\1\s*>", re.DOTALL)
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
        stripped = (
            html.unescape(_without_tags(stripped)) if "&" in text or "<" in text else stripped
        )
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


def _without_tags(text: str) -> str:
    if "<" not in text:
        return text
    seen = _CODE.sub(" ", _UNSEEN.sub("", text))
    return _TAG.sub(_replacement, _ANNOTATION.sub("", _ALTERNATIVES.sub(_one_formula, seen)))


def _one_formula(match: re.Match[str]) -> str:
    inside = match[2]
    return _TEX.sub("", inside) if _MATHS.search(inside) else inside


def _replacement(match: re.Match[str]) -> str:
    full = match[1].lower()
    name = full.rpartition(":")[2]
    if name in _BLOCK:
        return " "
    return "" if name in _INLINE or full.startswith(_PREFIXED) else match[0]
