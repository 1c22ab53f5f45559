"""Queries and judgements in the forms of BEIR and TREC, and runs in TREC's."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from citehop.errors import InputError
from citehop.evaluation.measures import MAX_GRADE

_ID_KEYS = ("_id", "id", "query_id", "qid")
_TEXT_KEYS = ("text", "query")
_GRADE_NAMES = frozenset({"score", "relevance", "rel", "grade", "label"})
_EXCLUDE_KEYS = ("exclude", "citing")
_ODD = re.compile("[\0\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Queries:
    """Queries read from a file.

    Args:
        texts: The text of each query, by id, in the file's order.
        exclude: For some queries, ids that must not count as hits.
    """

    texts: Mapping[str, str]
    exclude: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.texts)


def read_queries(path: Path | str) -> Queries:
    """Read queries: JSON lines as BEIR has them, or lines of ``id<TAB>text``.

    A JSON line has ``_id`` and ``text``, and may name ids to leave out in ``exclude`` (or
    ``citing``).

    Raises:
        InputError: For a line that is neither, an empty or repeated id, or no query at all.
    """
    texts: dict[str, str] = {}
    exclude: dict[str, frozenset[str]] = {}
    for number, line in _lines(path):
        parse = _json_query if line.lstrip().startswith("{") else _tsv_query
        key, text, ids = parse(line, str(path), number)
        _check_id("a query id", key, path, number)
        if key in texts:
            raise _bad(path, number, f"repeats the query id {key!r}; expected each id once")
        texts[key] = text
        if ids:
            exclude[key] = ids
    if not texts:
        raise InputError(f"holds no query; expected {_QUERY_FORMS}", file=str(path))
    return Queries(texts, exclude)


def read_qrels(path: Path | str) -> dict[str, dict[str, int]]:
    """Read judgements: ``query-id corpus-id score`` (BEIR) or ``qid 0 docid grade`` (TREC).

    Columns stand between tabs or blanks; a first line whose last column is
    named ``score``, or alike, is a header.
    Of a pair that is judged more than once the highest grade stands.

    Raises:
        InputError: For a line that is neither, or no judgement at all.
    """
    qrels: dict[str, dict[str, int]] = {}
    first = True
    for number, line in _lines(path):
        cells = line.split("\t") if "\t" in line else line.split()
        header, first = first and cells[-1].strip().lower() in _GRADE_NAMES, False
        if header:
            continue
        key, judged, grade = _judgement([cell.strip() for cell in cells], path, number)
        grades = qrels.setdefault(key, {})
        grades[judged] = max(grade, grades.get(judged, grade))
    if not qrels:
        raise InputError(f"holds no judgement; expected {_QRELS_FORMS}", file=str(path))
    return qrels


def write_run(
    file: TextIO, run: Mapping[str, Sequence[tuple[str, float]]], tag: str = "citehop"
) -> None:
    """Write a run as TREC has it: ``qid Q0 docno rank score tag``, queries in order of id.

    trec_eval orders by score, in single precision, and not by rank: a score that would not be
    below the one before it is written as the next lower number, so that the order stands.

    Raises:
        ValueError: If an id or the tag holds blanks, which the form cannot tell apart; nothing is
            written then.
    """
    if not tag or len(tag.split()) != 1:
        raise ValueError(f"tag must be one word, not {tag!r}")
    for key, hits in run.items():
        check_run_id("query", key)
        for found, _ in hits:
            check_run_id("paper", found)
    for key in sorted(run):
        bar = np.float32(np.inf)
        for rank, (found, score) in enumerate(run[key], start=1):
            bar = min(np.float32(score), np.nextafter(bar, np.float32(-np.inf)))
            file.write(f"{key} Q0 {found} {rank} {bar!s} {tag}\n")


def save_run(path: Path, run: Mapping[str, Sequence[tuple[str, float]]], tag: str) -> None:
    """Write a run to a file: in whole, or not at all, and then what was there stays.

    Raises:
        ValueError: As ``write_run``.
        OSError: If the file cannot be written.
    """
    # A pipe or a device is not replaced, nor what this process has open as /dev/stdout.
    if Path("/dev") in path.absolute().parents or (path.exists() and not path.is_file()):
        with path.open("w", encoding="utf-8", newline="\n") as file:
            write_run(file, run, tag)
        return
    target = path.resolve()
    beside = target.with_name(f"{target.name}.{os.getpid()}.new")
    try:
        with beside.open("w", encoding="utf-8", newline="\n") as file:
            write_run(file, run, tag)
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)


def check_run_id(kind: str, id: str) -> None:
    """Raise unless a TREC run can hold the id of a ``kind`` such as "query".

    Raises:
        ValueError: If it holds blanks, or nothing.
    """
    if len(id.split()) != 1 or id != id.strip():
        raise ValueError(
            f"the {kind} id {id!r} holds a blank, or nothing, and a TREC run parts its columns by"
            " blanks; expected an id in one piece"
        )


def sample(ids: Sequence[str], count: int | None) -> list[str]:
    """Return ``count`` of the ids (None: all), always the same, in the order given.

    They are those whose SHA-256 is smallest, whatever else the file holds or how it is ordered.
    """
    if count is None or count >= len(ids):
        return list(ids)
    chosen = set(sorted(ids, key=lambda key: (_digest(f"sample:{key}"), key))[:count])
    return [key for key in ids if key in chosen]


def half_of(id: str) -> int:
    """Return in which half of a collection, 0 or 1, a query falls, by the SHA-256 of its id."""
    return _digest(id)[0] % 2


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


_QUERY_FORMS = 'JSON lines with "_id" and "text", or lines of an id, a tab and a text'
_QRELS_FORMS = "lines of query-id, corpus-id and score, or of qid, 0, docid and grade"


def _lines(path: Path | str) -> Iterator[tuple[int, str]]:
    try:
        with Path(path).open(encoding="utf-8-sig") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield number, line.rstrip("\r\n")
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", file=str(path)) from error
    except UnicodeDecodeError as error:
        raise InputError("is not UTF-8 text; expected UTF-8", file=str(path)) from error


def _json_query(line: str, path: str, number: int) -> tuple[str, str, frozenset[str]]:
    try:
        record = json.loads(line)
    except ValueError as error:
        raise _bad(path, number, f"is no JSON; expected {_QUERY_FORMS}") from error
    key = _first(record, _ID_KEYS)
    text = _first(record, _TEXT_KEYS)
    if isinstance(key, int) and not isinstance(key, bool):
        key = str(key)
    if not isinstance(key, str) or not key.strip() or not isinstance(text, str):
        raise _bad(path, number, f"has no id or no text; expected {_QUERY_FORMS}")
    ids = _first(record, _EXCLUDE_KEYS) or []
    if not isinstance(ids, list) or not all(isinstance(e, str) and e.strip() for e in ids):
        raise _bad(path, number, "has ids to leave out that are no list of ids")
    for entry in ids:
        _check_id("an id to leave out", entry, path, number)
    return key.strip(), text, frozenset(entry.strip() for entry in ids)


def _first(record: Any, keys: Sequence[str]) -> Any:
    return next((record[key] for key in keys if record.get(key) is not None), None)


def _tsv_query(line: str, path: str, number: int) -> tuple[str, str, frozenset[str]]:
    key, tab, text = line.partition("\t")
    if not tab or not key.strip():
        raise _bad(path, number, f"has no tab or no id; expected {_QUERY_FORMS}")
    return key.strip(), text.strip(), frozenset()


def _judgement(cells: Sequence[str], path: Path | str, number: int) -> tuple[str, str, int]:
    grade = _grade(cells[-1])
    if len(cells) not in (3, 4) or grade is None or not all(cells):
        raise _bad(path, number, f"is no judgement; expected {_QRELS_FORMS}")
    if abs(grade) > MAX_GRADE:
        raise _bad(path, number, f"has a grade that is not from -{MAX_GRADE} to {MAX_GRADE}")
    _check_id("a query id", cells[0], path, number)
    _check_id("a judged id", cells[-2], path, number)
    return cells[0], cells[-2], grade


def _grade(cell: str) -> int | None:
    try:
        return int(cell)
    except ValueError:
        return None


def _check_id(name: str, id: str, path: Path | str, number: int) -> None:
    # No paper has such an id, and no store can be asked for it.
    if _ODD.search(id):
        raise _bad(path, number, f"has {name} with a NUL or lone surrogate: {id!r}")


def _bad(path: Path | str, number: int, what: str) -> InputError:
    return InputError(what, file=str(path), line=number)
