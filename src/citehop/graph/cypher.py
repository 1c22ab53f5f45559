"""The statements in ``cypher/``: found, rendered, and shown ready to paste.

A statement is never put together from pieces. Values travel as parameters. What Cypher cannot take
as a parameter, the file names as a token with a working default, and :func:`render` replaces it by
a checked integer or identifier:

- ``/*hops*/2``: the bound of a variable-length pattern;
- ``/*left*/-[…]-/*right*/``: the direction of a pattern;
- the labels ``Work``, ``Paper``, ``External``, the type ``CITES``, and a paper's property names.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from citehop.graph.store import MAX_HOPS, Direction, check_direction, check_int

LABELS = ("Work", "Paper", "External", "CITES")
"""Labels and the relationship type, as the files have them."""
PROPERTIES = (
    "id", "title", "abstract", "year", "authors", "venue", "source", "sources", "retracted",
    "doi", "arxiv", "openalex", "s2", "pmid",
)  # fmt: skip
"""Property names of a paper, as the files have them."""

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,62}", re.ASCII)
_ARROWS: Mapping[str, tuple[str, str]] = {
    "both": ("-", "-"),
    "references": ("-", "->"),
    "citations": ("<-", "-"),
}
_TOKEN = re.compile(
    r"(?P<text>'[^']*'|`[^`]*`)"
    r"|/\*hops\*/(?P<hops>\d+)"
    r"|/\*left\*/(?P<left><?-)(?=\[)"
    r"|(?<=\])(?P<right>->?)/\*right\*/"
    rf"|(?<=:)(?P<label>{'|'.join(LABELS)})\b"
    rf"|(?<=[a-z]\.)(?P<property>{'|'.join(PROPERTIES)})\b"
    rf"|(?<=\{{)(?P<key>{'|'.join(PROPERTIES)})(?=:)"
)


def identifier(name: object, *, field: str = "name") -> str:
    """Return ``name`` quoted for Cypher.

    Raises:
        ValueError: If it is not one of ``[A-Za-z_][A-Za-z0-9_]{0,62}``.
    """
    if not isinstance(name, str) or not _IDENTIFIER.fullmatch(name):
        raise ValueError(
            f"{field} must be a letter or _ and then up to 62 letters, digits or _, not {name!r}"
        )
    return "`" + name.replace("`", "``") + "`"


def statement(name: str) -> str:
    """Return a file of ``cypher/`` such as ``"search/expand"``, without its header."""
    return _split(name)[1]


def header(name: str) -> str:
    """Return the comment that heads a file of ``cypher/``."""
    return _split(name)[0]


def names() -> tuple[str, ...]:
    """Return the names of all statements, in order."""
    found = (
        f"{folder.name}/{file.name.removesuffix('.cypher')}"
        for folder in _folder().iterdir()
        if folder.is_dir()
        for file in folder.iterdir()
        if file.name.endswith(".cypher")
    )
    return tuple(sorted(found))


@lru_cache(maxsize=512)
def render(
    name: str,
    *,
    hops: int | None = None,
    direction: Direction = "both",
    mapped: tuple[tuple[str, str], ...] = (),
) -> str:
    """Return the statement with its tokens replaced.

    Args:
        name: Such as ``"search/expand"``.
        hops: 1 to 4; None leaves the default of the file.
        direction: Which way the pattern goes.
        mapped: Other names for labels, the type and properties, as pairs.

    Raises:
        TypeError, ValueError: For a token's value that is no such integer or identifier.
    """
    check_direction(direction)
    left, right = _ARROWS[direction]
    bound = None if hops is None else str(check_int("hops", hops, 1, MAX_HOPS))
    quoted = {old: identifier(new, field=old) for old, new in mapped}

    def replaced(match: re.Match[str]) -> str:
        kind, found = match.lastgroup, match.group(match.lastgroup or 0)
        if kind == "hops":
            return bound or found
        if kind == "left":
            return left
        if kind == "right":
            return right
        return found if kind == "text" else quoted.get(found, found)

    return _TOKEN.sub(replaced, statement(name))


def pasteable(text: str, parameters: Mapping[str, Any]) -> str:
    """Return a statement with ``:param`` lines, ready for Neo4j Browser or cypher-shell.

    Values are written as literals for a person to paste; the product itself never does so.
    """
    lines = [f":param {name} => {_literal(value)};" for name, value in sorted(parameters.items())]
    return "\n".join([*lines, text.strip() + ";", ""])


def _literal(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{identifier(k)}: {_literal(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_literal, value)) + "]"
    # JSON's text and numbers are Cypher's too; \u escapes keep odd signs out of the terminal.
    return json.dumps(value)


@lru_cache(maxsize=256)
def _split(name: str) -> tuple[str, str]:
    if not re.fullmatch(r"[a-z]+/[a-z0-9_]+", name):
        raise ValueError(f"name must be folder/file such as search/expand, not {name!r}")
    folder, file = name.split("/")
    text = (_folder() / folder / f"{file}.cypher").read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    start = next(i for i, line in enumerate(lines) if not line.startswith("//"))
    return "".join(lines[:start]), "".join(lines[start:]).strip()


def _folder() -> Traversable:
    """The folder in the installed package, else the one in the checkout."""
    packaged = files("citehop") / "cypher"
    return packaged if packaged.is_dir() else Path(__file__).resolve().parents[3] / "cypher"
