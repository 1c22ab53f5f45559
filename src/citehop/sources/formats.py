"""Every kind of file that can be read, one line for each, and how one is recognised."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from citehop.errors import InputError
from citehop.paper import Paper
from citehop.sources.edges import DIRECTIONS, columns_of, read_edges
from citehop.sources.files import NOT_A_FORMAT, TextFile, is_no_text
from citehop.sources.foreign import foreign_json, foreign_text
from citehop.sources.jsontext import NotJson, decode
from citehop.sources.openalex import read_openalex
from citehop.sources.paperscape import is_paperscape, read_paperscape
from citehop.sources.record import read_own
from citehop.sources.records import is_record, read_any, read_json
from citehop.sources.report import Log
from citehop.sources.tables import (
    header_of,
    is_openalex_table,
    is_own_table,
    read_openalex_table,
    read_own_table,
)

Reader = Callable[[TextFile, Log], Iterator[Paper]]


@dataclass(frozen=True, slots=True)
class Format:
    """A kind of file.

    Args:
        name: What a caller states to override the recognition.
        about: What it is, for a person.
        read: Yields the papers of an opened file.
    """

    name: str
    about: str
    read: Reader


def _json(source: TextFile, log: Log) -> Iterator[Paper]:
    return read_json(source, log, read_own)


def _openalex(source: TextFile, log: Log) -> Iterator[Paper]:
    return read_json(source, log, read_openalex)


def _mixed(source: TextFile, log: Log) -> Iterator[Paper]:
    return read_json(source, log, read_any)


def _edges(source: TextFile, log: Log, direction: str | None = None) -> Iterator[Paper]:
    columns = columns_of(source.head, direction)
    if columns is None:
        raise InputError("is no edge list; expected two ids on each line")
    return read_edges(source, log, columns)


FORMATS = {
    entry.name: entry
    for entry in (
        Format("json", "own records: JSON lines, a list, or objects one after another", _json),
        Format("openalex", "OpenAlex works: JSON lines, API pages, a list or one work", _openalex),
        Format(
            "csv", "own records as a table with a header that names id and title", read_own_table
        ),
        Format(
            "openalex-csv",
            "OpenAlex works as the CSV export with dotted columns",
            read_openalex_table,
        ),
        Format(
            "paperscape",
            "Paperscape's arXiv papers: seven fields between semicolons",
            read_paperscape,
        ),
        Format("edges", "an edge list whose header names both ends", _edges),
        *(
            Format(
                f"edges:{direction}",
                f"an edge list; its columns are {direction}",
                partial(_edges, direction=direction),
            )
            for direction in DIRECTIONS
        ),
    )
}
"""All formats by name. A new one is a module with a reader, and one line here."""

_ANY_JSON = Format("any-json", "JSON records, each read by its own form", _mixed)


def format_named(name: str | None) -> Format | None:
    """Return the format of that name; None stays None.

    Raises:
        InputError: If there is no such format.
    """
    if name is None:
        return None
    found = FORMATS.get(name)
    if found is None:
        raise InputError(f"there is no format {name!r}; expected one of {', '.join(FORMATS)}")
    return found


def recognise(source: TextFile) -> Format:
    """Return the format of an opened file, told by what it holds, never by its name.

    Raises:
        InputError: If it is none; the code is :data:`~citehop.sources.files.NOT_A_FORMAT`.
    """
    head = source.head.lstrip()
    try:
        found = _json_or_none(head) or _table_or_none(source.head)
    except InputError as error:
        raise InputError(error.reason, file=source.name, code=error.code) from error
    if found is not None:
        return found
    raise InputError(_what_it_is_not(head), file=source.name, code=NOT_A_FORMAT)


def _json_or_none(head: str) -> Format | None:
    if head[:1] in {"{", "["}:
        return _json_of(head)
    # A damaged first line does not make the rest something else.
    for line in head.split("\n", 20)[1:20]:
        if line.startswith("{") and _is_record_line(line):
            return _json_of(line)
    return None


def _json_of(head: str) -> Format:
    foreign = foreign_json(head)
    if foreign is not None:
        raise InputError(_is_foreign(foreign), code=NOT_A_FORMAT)
    return _ANY_JSON


def _is_foreign(name: str) -> str:
    return (
        f"looks like {name}, which is not read; turn it into own records "
        "(docs/formats.md says how they look)"
    )


def _is_record_line(line: str) -> bool:
    try:
        return is_record(decode(line)[0])
    except NotJson:
        return False


def _table_or_none(head: str) -> Format | None:
    if is_no_text(head):
        return None
    if is_paperscape(head):
        return FORMATS["paperscape"]
    columns, _ = header_of(head.lstrip().partition("\n")[0])
    if is_openalex_table(columns):
        return FORMATS["openalex-csv"]
    if is_own_table(columns):
        return FORMATS["csv"]
    return FORMATS["edges"] if columns_of(head) is not None else None


def _what_it_is_not(head: str) -> str:
    expected = (
        "; expected JSON records, OpenAlex works, a table with the columns id and title, "
        "Paperscape's entries or an edge list"
    )
    if head.startswith("http_interactions:"):
        return f"is a recording of web requests (a test cassette), not a download{expected}"
    if re.match(r"%YAML|---\s", head):
        return f"is YAML, which is not read{expected}"
    if is_no_text(head):
        return f"is no text{expected}"
    foreign = foreign_text(head)
    if foreign is not None:
        return _is_foreign(foreign)
    if head[:1] == "<":
        return f"is markup such as a web page or XML{expected}"
    return f"is not in a format that is read{expected}"
