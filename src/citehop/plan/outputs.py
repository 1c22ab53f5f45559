"""What components hand back, checked: queries, scores, ranges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import islice
from numbers import Integral
from typing import Any

from citehop.plan.checks import real_score, type_name
from citehop.plan.faults import MalformedOutputError

MAX_ENTRIES = 100_000
"""Entries read from a component that should hand back a few."""

Ranges = tuple[tuple[int, int], ...]


def read_queries(output: Any) -> list[str]:
    """Return the queries that a transform made, each once, in order.

    Raises:
        MalformedOutputError: For a bare str, an entry that is no str, an empty one.
    """
    queries: dict[str, None] = {}
    for number, entry in enumerate(_entries("transform", output, MAX_ENTRIES)):
        if not isinstance(entry, str):
            _refuse(f"entry {number} of transform must be a str, not {type_name(entry)}")
        if not entry:
            raise MalformedOutputError(ValueError(f"entry {number} of transform must not be empty"))
        queries[entry] = None
    return list(queries)


def read_scores(output: Any, count: int) -> list[float]:
    """Return the reranker's scores: finite, one per hit.

    Raises:
        MalformedOutputError: For another number of scores, or one that is no finite real number.
    """
    entries = _exactly("rerank", "score", output, count)
    try:
        return [real_score(f"score {number} of rerank", s) for number, s in enumerate(entries)]
    except (TypeError, ValueError) as error:
        raise MalformedOutputError(error) from error


def read_ranges(output: Any, texts: Sequence[str]) -> list[Ranges]:
    """Return the ranges that a compressor keeps of each text; empty ranges are left out.

    Raises:
        MalformedOutputError: For another number of entries than texts, or for ranges that are no
            pairs of whole numbers, reversed, overlapping, out of order or outside the text.
    """
    entries = _exactly("compress", "entry", output, len(texts))
    return [
        _ranges(f"entry {number} of compress", entry, len(text))
        for number, (entry, text) in enumerate(zip(entries, texts, strict=True))
    ]


def _ranges(name: str, entry: Any, length: int) -> Ranges:
    kept: list[tuple[int, int]] = []
    last = 0
    for pair in _entries(name, entry, MAX_ENTRIES):
        start, end = _pair(name, pair)
        if not last <= start <= end <= length:
            message = (
                f"{name} must hold ranges in order, not overlapping, from 0 to {length},"
                f" not ({start}, {end}) after {last}"
            )
            raise MalformedOutputError(ValueError(message))
        last = end
        if start < end:
            kept.append((start, end))
    return tuple(kept)


def _pair(name: str, pair: Any) -> tuple[int, int]:
    values = _entries(f"each range of {name}", pair, 3)
    if len(values) != 2:
        raise MalformedOutputError(
            ValueError(f"each range of {name} must be a pair, not {len(values)} values")
        )
    for value in values:
        if isinstance(value, bool) or not isinstance(value, Integral):
            _refuse(f"each range of {name} must hold whole numbers, not {type_name(value)}")
    start, end = map(int, values)
    if max(abs(start), abs(end)).bit_length() > 63:
        raise MalformedOutputError(ValueError(f"a range of {name} lies far outside the text"))
    return start, end


def _exactly(name: str, what: str, output: Any, count: int) -> list[Any]:
    entries = _entries(name, output, count + 1)
    if len(entries) != count:
        found = f"over {count}" if len(entries) > count else str(len(entries))
        raise MalformedOutputError(
            ValueError(f"{name} must give one {what} per hit, {count}, not {found}")
        )
    return entries


def _entries(name: str, output: Any, most: int) -> list[Any]:
    # A set or mapping has no order of its own, so an answer made from one would not be the same
    # in every process; a str is a sequence of str, but never what was meant.
    listed = isinstance(output, (Iterable, Iterator)) or hasattr(type(output), "__getitem__")
    if not listed or isinstance(output, (str, bytes, bytearray, Mapping, Set)):
        _refuse(f"{name} must be a sequence, not {type_name(output)}")
    return list(islice(output, most))


def _refuse(message: str) -> None:
    raise MalformedOutputError(TypeError(message))
