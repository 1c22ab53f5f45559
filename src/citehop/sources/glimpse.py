"""The first record of a JSON file, as far as the head of the file shows it."""

from __future__ import annotations

from typing import Any

from citehop.sources.jsontext import NotJson, decode

_BLANK = " \t\n\r"
_DEEPEST = 3
"""So deep stands the first record of any page; what is deeper must be whole."""


def first_record(head: str) -> dict[str, Any]:
    """Return the first object of a file of JSON lines, of a list, or of objects in a row.

    Nulls before it in a list are passed over. Of an object longer than the head it is what the
    head shows; of anything else it is empty.

    Args:
        head: The beginning of the file.
    """
    at = _past_blank(head, 0)
    if head.startswith("[", at):
        at = _past_nulls(head, _past_blank(head, at + 1))
    return _begun_object(head, at) if head.startswith("{", at) else {}


def _begun(text: str, at: int, depth: int) -> Any:
    """Return a value that may be cut off: an object's whole keys, a list's first entry."""
    if depth < _DEEPEST and text.startswith("{", at):
        return _begun_object(text, at, depth + 1)
    if depth < _DEEPEST and text.startswith("[", at):
        return [_begun(text, _past_nulls(text, _past_blank(text, at + 1)), depth + 1)]
    return None


def _begun_object(text: str, start: int, depth: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = {}
    at = start
    while not found or text.startswith(",", at):
        at = _past_blank(text, at + 1)
        if not text.startswith('"', at):
            break
        try:
            key, end = decode(text, at)
            at = _past_blank(text, _past_blank(text, end) + 1)
            found[key] = None
            found[key], end = decode(text, at)
        except NotJson:
            if text.startswith(("{", "["), at):
                found[key] = _begun(text, at, depth)
            break
        at = _past_blank(text, end)
    return found


def _past_nulls(text: str, start: int) -> int:
    at = start
    while text.startswith("null", at):
        at = _past_blank(text, at + 4)
        at = _past_blank(text, at + 1) if text.startswith(",", at) else at
    return at


def _past_blank(text: str, start: int) -> int:
    at = start
    while at < len(text) and text[at] in _BLANK:
        at += 1
    return at
