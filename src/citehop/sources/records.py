"""From the values of a JSON file to papers: pages are opened, what is no record is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from citehop.errors import InputError
from citehop.paper import Paper
from citehop.sources.files import NOT_A_FORMAT, TextFile
from citehop.sources.jsontext import Entry, entries
from citehop.sources.openalex import is_openalex, read_openalex
from citehop.sources.record import is_own, read_own
from citehop.sources.report import Log
from citehop.sources.values import shown

Convert = Callable[[Mapping[str, Any], Log], Paper | None]


def read_any(raw: Mapping[str, Any], log: Log) -> Paper | None:
    """Return the paper, read by whichever form the record has."""
    return read_openalex(raw, log) if is_openalex(raw) else read_own(raw, log)


def is_record(raw: object) -> bool:
    """Return whether a JSON value may be a record of a known form."""
    return isinstance(raw, dict) and (is_own(raw) or is_openalex(raw))


def read_json(source: TextFile, log: Log, convert: Convert) -> Iterator[Paper]:
    """Yield the papers of a JSON file.

    Raises:
        InputError: If the file is cut off or damaged, is an error that a provider sent, or holds
            no record at all.
    """
    met = _Met()
    for entry in entries(source):
        log.line = entry.line
        for raw in _records(entry, log, met):
            log.report.records += 1
            paper = convert(raw, log)
            if paper is not None:
                yield paper
    log.line = None
    if met.others and not met.records and not met.pages and source.failure is None:
        raise no_record(source.name)


def no_record(name: str) -> InputError:
    """Return the error for a JSON file without any record."""
    return InputError(
        "holds no record; expected JSON objects with an id, such as "
        '{"id": "p1", "title": "…", "references": ["p2"]}, or OpenAlex works',
        file=name,
        code=NOT_A_FORMAT,
    )


class _Met:
    """What a file held so far."""

    def __init__(self) -> None:
        self.records = 0
        self.pages = 0
        self.others = 0


def _records(entry: Entry, log: Log, met: _Met) -> Iterator[Mapping[str, Any]]:
    value = entry.value
    if entry.error:
        yield from _refuse("not_json", entry.error, log, met)
    elif entry.page_rest:
        met.pages += 1
        check_page(value, log)
    elif isinstance(value, dict):
        if not entry.inside_page and "id" not in value and isinstance(value.get("results"), list):
            met.pages += 1
            check_page({key: value[key] for key in value if key != "results"}, log)
            for result in value["results"]:
                yield from _records(Entry(entry.line, result, inside_page=True), log, met)
        elif not is_record(value):
            check_page(value, log)
            yield from _refuse(
                "no_record",
                f"is no record: it has none of the keys of one ({_keys(value)})",
                log,
                met,
            )
        else:
            met.records += 1
            yield value
    elif value is None:
        # How Semantic Scholar answers for an id that it does not know.
        met.records += 1
        log.report.records += 1
        log.reject("null_record", "is null instead of a record: the provider knows no such paper")
    else:
        yield from _refuse("no_record", f"is no record but {shown(value)}", log, met)


def _refuse(kind: str, reason: str, log: Log, met: _Met) -> Iterator[Mapping[str, Any]]:
    met.others += 1
    log.report.records += 1
    log.reject(kind, reason)
    return iter(())


def _keys(value: Mapping[str, Any]) -> str:
    return (
        "it is empty" if not value else "it has " + ", ".join(shown(key) for key in list(value)[:4])
    )


def check_page(rest: Mapping[str, Any], log: Log) -> None:
    """Raise InputError if what stands beside a page's results says that it is something else."""
    error = rest.get("error")
    if error:
        said = shown(error) if isinstance(error, str) else "no words"
        raise InputError(
            f"is an error that a provider sent instead of papers ({said}); fetch it again",
            file=log.file,
            line=log.line,
            code="PROVIDER_ERROR",
        )
    if rest.get("group_by"):
        raise InputError(
            "is an OpenAlex group_by page: it counts works and names none; fetch the works",
            file=log.file,
            line=log.line,
            code=NOT_A_FORMAT,
        )
