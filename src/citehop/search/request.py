"""One search as it was asked for, with every argument checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from citehop.deadline import check_seconds
from citehop.graph.store import MAX_LIMIT, MAX_TIMEOUT_SECONDS
from citehop.paper import Filter, check_id
from citehop.search.config import RetrievalConfig


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    """The checked arguments of a search.

    Args:
        query: Plain text; no sign in it has a meaning.
        config: How it is run.
        filter: What may be found, or None for everything.
        exclude: Ids that are neither hit, seed nor bridge.
        dense: Whether a query embedding was given.
        timeout_seconds: Time for the whole search.
        among: The only ids that may be lexical hits, or None; the walk is not bound by it.
    """

    query: str
    config: RetrievalConfig
    filter: Filter | None = None
    exclude: frozenset[str] = frozenset()
    dense: bool = False
    timeout_seconds: float
    among: frozenset[str] | None = None

    @classmethod
    def of(
        cls,
        query: str,
        config: RetrievalConfig | Mapping[str, Any],
        *,
        query_embedding: object | None = None,
        filter: Filter | Mapping[str, Any] | None = None,
        exclude_ids: Iterable[str] = (),
        timeout_seconds: float | None = None,
        among: frozenset[str] | None = None,
    ) -> SearchRequest:
        """Check the arguments of a search.

        Raises:
            TypeError: For an argument of the wrong type.
            ValueError: For one out of its range, or a filter with an unknown key.
        """
        if not isinstance(query, str):
            raise TypeError(f"query must be a str, not {query!r}")
        how = checked_config(config)
        seconds = how.timeout_seconds if timeout_seconds is None else timeout_seconds
        return cls(
            query=query,
            config=how,
            filter=_effective(Filter.of(filter)),
            exclude=_ids(exclude_ids),
            dense=query_embedding is not None,
            timeout_seconds=check_seconds("timeout_seconds", seconds, ceiling=MAX_TIMEOUT_SECONDS),
            among=among,
        )


def checked_config(config: object) -> RetrievalConfig:
    """Return ``config``; a mapping, as a plan read from a file has, is turned into one.

    Raises:
        TypeError: If it is neither.
        ValueError: If the mapping has an unknown key, or a value out of range.
    """
    if isinstance(config, RetrievalConfig):
        return config
    if not isinstance(config, Mapping):
        raise TypeError(f"config must be a RetrievalConfig, a mapping or None, not {config!r}")
    unknown = sorted(map(str, set(config) - set(RetrievalConfig.__dataclass_fields__)))
    if unknown:
        known = ", ".join(RetrievalConfig.__dataclass_fields__)
        raise ValueError(f"config has unknown keys {unknown}; it may hold {known}")
    return RetrievalConfig(**config)


def _effective(value: Filter | None) -> Filter | None:
    return None if value is None or value.allows_all else value


def _ids(ids: Iterable[str]) -> frozenset[str]:
    if isinstance(ids, str) or not isinstance(ids, Iterable):
        raise TypeError(f"exclude_ids must be a collection of ids, not {ids!r}")
    unique = frozenset(ids)
    for entry in unique:
        check_id("an entry of exclude_ids", entry)
    if len(unique) > MAX_LIMIT:
        raise ValueError(f"exclude_ids must hold at most {MAX_LIMIT} ids, not {len(unique)}")
    return unique
