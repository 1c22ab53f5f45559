"""Paperscape's yearly files of arXiv papers: one entry a line, seven fields between semicolons.

``arxiv-id;categories;references found;references in all;references;authors;title``. Categories,
references and authors stand between commas; the title, last, may hold semicolons of its own. Lines
that begin with ``#`` are comments, first and last in the files as they are given out.
"""

from __future__ import annotations

from collections.abc import Iterator

from citehop.identifiers import normalise_arxiv, trim
from citehop.paper import Paper
from citehop.sources import values
from citehop.sources.files import TextFile
from citehop.sources.report import Log

_FIELDS = 7
_LOOKED_AT = 40
_CENTURY_TURNS = 91  # arXiv began in 1991: its two-digit years below that are of this century


def is_paperscape(head: str) -> bool:
    """Return whether one of the first lines is an entry."""
    lines = (line for line in head.split("\n", _LOOKED_AT)[:_LOOKED_AT] if line[:1] != "#")
    return any(_is_entry(line.split(";", _FIELDS - 1)) for line in lines)


def _is_entry(cells: list[str]) -> bool:
    return (
        len(cells) == _FIELDS
        and all(map(_is_count, cells[2:4]))
        and normalise_arxiv(cells[0]) is not None
    )


def _is_count(cell: str) -> bool:
    count = cell.strip()
    return count.isascii() and count.isdecimal()


def read_paperscape(source: TextFile, log: Log) -> Iterator[Paper]:
    """Yield the papers of a file; the year is that of the arXiv id."""
    for number, line in enumerate(source.lines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        log.line = number
        log.report.records += 1
        cells = line.split(";", _FIELDS - 1)
        if len(cells) < _FIELDS:
            log.reject(
                "wrong_columns",
                f"has {len(cells)} fields; expected {_FIELDS} between semicolons",
            )
            continue
        if not all(map(_is_count, cells[2:4])):
            log.reject(
                "wrong_columns",
                f"says {values.shown(cells[2])} and {values.shown(cells[3])} where it should count"
                " references",
            )
            continue
        paper = _paper(cells, log)
        if paper is not None:
            yield paper


def _paper(cells: list[str], log: Log) -> Paper | None:
    given, _, found, _, references, authors, title = cells
    paper_id = values.one_id(given, "the arXiv id", log)
    if not paper_id:
        log.reject("no_id", "has no id; expected an arXiv id before the first semicolon")
        return None
    cited = values.ids(_listed(references), "references", log)
    if found.strip() != str(len(cited)):
        log.note(
            "wrong_count",
            f"says that {values.shown(found)} references were found and lists {len(cited)}; "
            "those listed are kept",
        )
    return Paper(
        paper_id,
        values.text(title, "title", log),
        "",
        values.year(_year(paper_id), log),
        values.names(_listed(authors), "authors", log),
        cited,
        [],
        "paperscape",
        external_ids=values.external_names(paper_id, (), log),
    )


def _listed(cell: str) -> list[str]:
    return [part for part in map(trim, cell.split(",")) if part]


def _year(paper_id: str) -> int | None:
    """Return the year that an arXiv id tells: 1992 for ``hep-th/9201001``, 2007 for ``0704.0001``.

    None where it is no such id.
    """
    arxiv = normalise_arxiv(paper_id)
    if arxiv is None:
        return None
    year = int(arxiv.rpartition("/")[2][:2])
    return (1900 if year >= _CENTURY_TURNS else 2000) + year
