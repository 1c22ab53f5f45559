"""Edge lists: who cites whom, one pair a line, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from citehop.errors import InputError
from citehop.identifiers import trim
from citehop.paper import Paper
from citehop.sources import values
from citehop.sources.files import NOT_A_FORMAT, TextFile
from citehop.sources.report import Log
from citehop.sources.tables import rows

# Column names, without case, blanks and marks between words.
CITING = frozenset(
    """citing citingid citingpaper citingpaperid citingdoi citingwork citer source sourceid
    sourcenode from fromid fromnode fromnodeid src paperid paper""".split()
)
CITED = frozenset(
    """cited citedid citedpaper citedpaperid citeddoi citedwork target targetid targetnode to toid
    tonode tonodeid dst dest destination ref refid reference referenceid referencedid
    referencedpaperid referencedwork paperreferenceid""".split()
)
DIRECTIONS = ("citing,cited", "cited,citing")
"""What a caller may state as the meaning of the first two columns."""


@dataclass(frozen=True, slots=True)
class Columns:
    """Where an edge's ends stand on a line.

    Args:
        citing: Index of the column of the paper that cites.
        cited: Index of the column of the paper that is cited.
        delimiter: What stands between columns; "" for any blanks.
        header: Whether the first line that is no comment names the columns.
    """

    citing: int
    cited: int
    delimiter: str
    header: bool


def columns_of(head: str, direction: str | None = None) -> Columns | None:
    """Return how an edge list is laid out, or None where it does not look like one.

    Args:
        head: The beginning of the file.
        direction: One of :data:`DIRECTIONS`, or None where the header must tell.

    Raises:
        InputError: If it is one, but which end cites is not told.
    """
    lines = [line.strip("\r") for line in head.split("\n", 200)[:200] if line.strip()]
    comments = [line.lstrip("# \t") for line in lines if line.startswith("#")]
    data = [line for line in lines if not line.startswith("#")]
    if not data:
        return None
    delimiter = "\t" if "\t" in data[0] else "," if "," in data[0] else ""
    first = _split(data[0], delimiter)
    named = _named(first)
    if direction is not None:
        ends = (0, 1) if direction == DIRECTIONS[0] else (1, 0)
        return Columns(*ends, delimiter, header=named is not None or _all_names(first))
    if named is not None:
        return Columns(*named, delimiter, header=True)
    for comment in comments:
        found = _named(_split(comment, "\t" if "\t" in comment else ""))
        if found is not None:
            return Columns(*found, delimiter, header=False)
    if all(_is_pair(_split(line, delimiter), delimiter) for line in data[:-1] or data):
        raise InputError(
            "looks like an edge list, but its first line does not say which column cites; name "
            "the columns citing and cited, or state the format as edges:citing,cited or "
            "edges:cited,citing",
            code=NOT_A_FORMAT,
        )
    return None


def _split(line: str, delimiter: str) -> list[str]:
    return line.split(delimiter) if delimiter else line.split()


def _is_pair(cells: Sequence[str], delimiter: str) -> bool:
    if len(cells) != 2 or any(len(cell.split()) != 1 for cell in cells):
        return False
    # Two words with a blank between are prose as well; two ids have digits.
    return bool(delimiter) or all(any(sign.isdigit() for sign in cell) for cell in cells)


def _named(cells: Sequence[str]) -> tuple[int, int] | None:
    keys = [_key(cell) for cell in cells]
    if keys.count("citing") == keys.count("cited") == 1:
        # Nothing is plainer than these two; a third column `source` then says where from.
        return keys.index("citing"), keys.index("cited")
    citing = [at for at, key in enumerate(keys) if key in CITING]
    cited = [at for at, key in enumerate(keys) if key in CITED]
    return (citing[0], cited[0]) if len(citing) == 1 and len(cited) == 1 else None


def _all_names(cells: Sequence[str]) -> bool:
    return len(cells) >= 2 and all(_key(cell) in CITING | CITED for cell in cells[:2])


def _key(cell: str) -> str:
    return re.sub(r"[^a-z]", "", trim(cell).strip("\"'").lower())


def read_edges(source: TextFile, log: Log, columns: Columns) -> Iterator[Paper]:
    """Yield each end of each edge as a paper, in order of first mention; held in memory.

    Repeated edges, edges from a paper to itself and blank ids are dropped and counted by line.

    Raises:
        InputError: If no line holds an edge.
    """
    cited_by: dict[str, dict[str, None]] = {}
    edges = short = 0
    for cells in _rows(source, log, columns):
        log.report.records += 1
        if len(cells) <= max(columns.citing, columns.cited):
            short += 1
            log.reject("wrong_columns", f"has {len(cells)} cells; expected a citing and a cited id")
            continue
        edges += 1
        _add(cited_by, cells[columns.citing], cells[columns.cited], log)
    log.line = None
    if not edges and short and source.failure is None:
        raise InputError(
            "holds no edge; expected a citing and a cited id on each line", file=log.file
        )
    for paper_id, references in cited_by.items():
        external = values.external_names(paper_id, (), log)
        yield Paper(
            paper_id, "", "", None, [], list(references), [], "edges", external_ids=external
        )


def _add(cited_by: dict[str, dict[str, None]], citing_cell: str, cited_cell: str, log: Log) -> None:
    citing = values.one_id(citing_cell, "the citing id", log)
    cited = values.one_id(cited_cell, "the cited id", log)
    if not citing or not cited:
        log.reject("blank_id", "has a blank id; expected two")
        return
    references = cited_by.setdefault(citing, {})
    if citing == cited:
        log.note("self_citation", f"{values.shown(citing)} cites itself; dropped")
        return
    cited_by.setdefault(cited, {})
    if cited in references:
        log.note(
            "doubled_edge", f"{values.shown(citing)} cites {values.shown(cited)} once more; dropped"
        )
        return
    references[cited] = None


def _rows(source: TextFile, log: Log, columns: Columns) -> Iterator[list[str]]:
    skip = columns.header
    for cells in rows(source, log, columns.delimiter) if columns.delimiter else _words(source, log):
        if cells[0].startswith("#"):
            continue
        if skip:
            skip = False
            continue
        yield cells


def _words(source: TextFile, log: Log) -> Iterator[list[str]]:
    for number, line in enumerate(source.lines(), start=1):
        log.line = number
        if cells := line.split():
            yield cells
