"""How the tests here write files and read them back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from citehop import InputError, Paper, ReadReport, read_papers


def json_lines(path: Path, *records: object) -> Path:
    """Write one JSON value on each line."""
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def read_all(*paths: Path, **options: Any) -> tuple[list[Paper], ReadReport]:
    """Return all papers and the report."""
    stream = read_papers(*paths, **options)
    return list(stream), stream.report


def read_until_error(path: Path, **options: Any) -> tuple[list[Paper], InputError]:
    """Return the papers that came before the error, and the error, which must come."""
    stream = read_papers(path, **options)
    papers: list[Paper] = []
    try:
        papers.extend(stream)
    except InputError as error:
        return papers, error
    raise AssertionError(f"no InputError; {len(papers)} papers were read")
