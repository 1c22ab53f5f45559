"""The arguments of a store's methods, checked, so that every store refuses alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from citehop.bounds import MAX_PAIRS, MAX_TIMEOUT_SECONDS, Direction
from citehop.deadline import Deadline, check_seconds
from citehop.paper import Filter, Paper, check_id


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpandRequest:
    """The checked arguments of :meth:`CitationStore.expand`."""

    seeds: tuple[str, ...]
    max_hops: int
    direction: Direction
    limit: int
    per_seed_limit: int
    deadline: Deadline
    filter: Filter | None
    exclude: frozenset[str]
    external: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PathsRequest:
    """The checked arguments of :meth:`CitationStore.paths`."""

    pairs: tuple[tuple[str, str], ...]
    max_hops: int
    direction: Direction
    deadline: Deadline
    exclude: frozenset[str]
    external: bool


def id_list(ids: Iterable[str]) -> list[str]:
    """Return the ids that :meth:`CitationStore.get` or ``remove`` was given, as they stand.

    Raises:
        TypeError: If ``ids`` is a bare string, or holds what is no string.
    """
    if isinstance(ids, str) or not isinstance(ids, Iterable):
        raise TypeError(f"ids must be a collection of ids, not {ids!r}")
    listed = list(ids)
    for entry in listed:
        if not isinstance(entry, str):
            raise TypeError(f"an entry of ids must be a str, not {entry!r}")
    return listed


def deadline(seconds: object) -> Deadline:
    """Return the deadline that ``timeout_seconds`` makes, or raise with its range."""
    return Deadline.after(check_seconds("timeout_seconds", seconds, ceiling=MAX_TIMEOUT_SECONDS))


def effective(value: Filter | None) -> Filter | None:
    """Return the filter, or None where it allows everything."""
    return None if value is None or value.allows_all else value


def unique_ids(name: str, ids: Iterable[str], most: int) -> tuple[str, ...]:
    """Return the ids, each once, in the order given, or raise with what is wrong."""
    if isinstance(ids, str) or not isinstance(ids, Iterable):
        raise TypeError(f"{name} must be a collection of ids, not {ids!r}")
    unique = tuple(dict.fromkeys(ids))
    for entry in unique:
        check_id(f"an entry of {name}", entry)
    if len(unique) > most:
        raise ValueError(f"{name} must hold at most {most} ids, not {len(unique)}")
    return unique


def unique_pairs(pairs: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Return the pairs, each once, in the order given, or raise with what is wrong."""
    unique = tuple(dict.fromkeys((seed, paper) for seed, paper in pairs))
    for pair in unique:
        for entry in pair:
            check_id("an entry of pairs", entry)
    if len(unique) > MAX_PAIRS:
        raise ValueError(f"pairs must hold at most {MAX_PAIRS} pairs, not {len(unique)}")
    return unique


def batches(papers: Iterable[Paper], rows: int) -> Iterator[Sequence[Paper]]:
    """Yield lists of at most ``rows`` papers, checking that each entry is one.

    Raises:
        TypeError: If an entry is no Paper; what came before it is yielded first.
    """
    batch: list[Paper] = []
    for number, paper in enumerate(papers, start=1):
        if not isinstance(paper, Paper):
            if batch:
                yield batch
            raise TypeError(f"entry {number} of papers must be a Paper, not {paper!r}")
        batch.append(paper)
        if len(batch) == rows:
            yield batch
            batch = []
    if batch:
        yield batch
