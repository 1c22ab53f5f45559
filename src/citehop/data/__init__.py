"""The papers that ship with the package; ``README.md`` beside this says where they are from."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from importlib.resources import as_file, files
from pathlib import Path


def bibliometrics() -> AbstractContextManager[Path]:
    """Give, for the length of a ``with``, the file of 613 real papers on bibliometrics.

    It holds JSON lines, compressed with gzip, in the product's own form.

    >>> with bibliometrics() as path:
    ...     path.name
    'bibliometrics.jsonl.gz'
    """
    return as_file(files(__name__) / "bibliometrics.jsonl.gz")


def corpus_lines() -> Iterator[str]:
    """Yield the 100 hand-written papers, each as one line of JSON, in order of id."""
    with (files(__name__) / "corpus.jsonl").open(encoding="utf-8") as lines:
        yield from lines
