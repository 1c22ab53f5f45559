"""Tables with a header line: records of the product's own form, and OpenAlex's export."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from citehop.errors import InputError
from citehop.identifiers import trim
from citehop.paper import Paper
from citehop.sources.files import TextFile
from citehop.sources.openalex import read_openalex
from citehop.sources.record import read_own
from citehop.sources.report import Log

_MAX_FIELD = 1 << 30  # Python's own limit, 128 KiB, is below one list of affiliations
_LISTS = ("authors", "references", "citations", "sources")
_NOTHING = frozenset({"", "nan", "NaN", "None"})
_FLAGS = {"true": True, "false": False}
_OPENALEX_NAMES = ("doi", "openalex", "mag", "pmid", "pmcid")

Row = Mapping[str, str]


def header_of(line: str) -> tuple[list[str], str]:
    """Return the columns that a header line names, and what stands between them."""
    delimiter = next((sign for sign in "\t,;" if sign in line), ",")
    try:
        cells = next(csv.reader([line.rstrip("\r")], delimiter=delimiter), [])
    except csv.Error:
        return [], delimiter  # no header of a table
    return [trim(cell) for cell in cells], delimiter


def is_own_table(columns: Sequence[str]) -> bool:
    """Return whether these are the columns of a table of records."""
    return bool({"id", "doi"} & set(columns)) and bool({"title", "abstract"} & set(columns))


def is_openalex_table(columns: Sequence[str]) -> bool:
    """Return whether these are the columns of OpenAlex's export."""
    return "id" in columns and bool(
        {"referenced_works", "authorships.author.display_name", "publication_year"} & set(columns)
    )


def read_own_table(source: TextFile, log: Log) -> Iterator[Paper]:
    """Yield the papers of a table whose columns are named like the keys of own records.

    Several authors or ids in a cell stand between ``|``, or between semicolons with a blank.
    """
    return _read(source, log, lambda row: read_own(own_record(row), log))


def read_openalex_table(source: TextFile, log: Log) -> Iterator[Paper]:
    """Yield the papers of OpenAlex's export: dotted columns, lists between ``|``."""
    return _read(source, log, lambda row: read_openalex(openalex_record(row), log))


def rows(source: TextFile, log: Log, delimiter: str) -> Iterator[list[str]]:
    """Yield the cells of each row, setting the log's line to where it begins.

    Raises:
        InputError: If a quoted cell is never closed.
    """
    csv.field_size_limit(max(csv.field_size_limit(), _MAX_FIELD))
    # Line ends are put back so that they survive inside quotes.
    reader = csv.reader((f"{line}\n" for line in source.lines()), delimiter=delimiter, strict=True)
    while True:
        log.line = reader.line_num + 1
        try:
            cells = next(reader, None)
        except csv.Error as error:
            if source.failure is not None:
                return
            raise InputError(
                f"is cut off or no table: {error}; expected cells as CSV quotes them",
                file=log.file,
                line=log.line,
            ) from error
        if cells is None:
            return
        if any(cells):
            yield cells


def _read(source: TextFile, log: Log, convert: Callable[[Row], Paper | None]) -> Iterator[Paper]:
    columns: list[str] = []
    delimiter = header_of(source.head.lstrip().partition("\n")[0])[1]
    for cells in rows(source, log, delimiter):
        if not columns:
            columns = [trim(cell) for cell in cells]
            continue
        log.report.records += 1
        if len(cells) != len(columns):
            log.reject(
                "wrong_columns",
                f"has {len(cells)} cells; expected {len(columns)}, as in the header",
            )
            continue
        paper = convert(dict(zip(columns, cells, strict=True)))
        if paper is not None:
            yield paper


def own_record(row: Row) -> dict[str, Any]:
    """Return a row of the product's own table as the JSON record that it stands for."""
    record: dict[str, Any] = {key: cell for key, cell in row.items() if cell}
    for key in _LISTS:
        if key in record:
            record[key] = _cells(row[key])
    if "year" in record:
        record["year"] = _number(row["year"])
    for key in ("is_retracted", "notice"):
        if key in record:
            record[key] = _FLAGS.get(row[key].lower(), row[key])
    # A mapping cannot stand in a cell; external names have columns of their own.
    return {key: value for key, value in record.items() if key not in {"ids", "external_ids"}}


def openalex_record(row: Row) -> dict[str, Any]:
    """Return a row of OpenAlex's export as the work that it stands for."""
    authors = _cells(row.get("authorships.author.display_name", ""))
    return {
        "id": row.get("id"),  # a stated format may be the wrong one
        "doi": row.get("doi"),
        "ids": {name: row.get(f"ids.{name}") for name in _OPENALEX_NAMES},
        "title": row.get("title"),
        "display_name": row.get("display_name"),
        "abstract": row.get("abstract"),
        "abstract_inverted_index": row.get("abstract_inverted_index"),
        "publication_year": _number(row.get("publication_year", "")),
        "type": row.get("type"),
        "is_retracted": _FLAGS.get(row.get("is_retracted", "").lower()),
        "authorships": [{"raw_author_name": name} for name in authors],
        "primary_location": {
            "source": {"display_name": row.get("primary_location.source.display_name")}
        },
        "referenced_works": _cells(row.get("referenced_works", "")),
    }


def _cells(cell: str) -> list[str]:
    parts = cell.split("|") if "|" in cell else re.split(r";\s+", cell)
    return [part for part in (trim(part) for part in parts) if part not in _NOTHING]


def _number(cell: str) -> object:
    text = trim(cell)
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 9 else text or None
