"""One call for whichever store an address means."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal
from urllib.parse import urlsplit

from citehop.errors import StoreError
from citehop.graph.store import CitationStore
from citehop.paper import Paper

NEO4J_SCHEMES = ("neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc")


def open_store(
    url: str | None = None,
    *,
    fallback: Literal["networkx"] | None = None,
    papers: Iterable[Paper] | None = None,
    **options: Any,
) -> CitationStore:
    """Return the store that ``url`` names: in memory without one, else in Neo4j.

    The server is asked before this returns: one that cannot be reached, or refuses, is an error.
    Only where ``fallback`` asks for it is a store in memory returned in its place; it holds
    ``papers``, and its ``fallback_reason`` says why. In every other store that is None.

    Args:
        url: ``neo4j://``, ``bolt://``, either with ``+s`` or ``+ssc``; None: in memory.
        fallback: ``"networkx"``, or None.
        papers: What a store in memory is to hold.
        options: For :class:`citehop.Neo4jStore`.

    Raises:
        ValueError: For another kind of URL, or a fallback without papers.
        StoreError: If the server cannot be used and no fallback was asked for.
    """
    if fallback not in (None, "networkx"):
        raise ValueError(f"fallback must be 'networkx' or None, not {fallback!r}")
    if fallback and papers is None:
        raise ValueError("fallback='networkx' needs papers to load; pass papers=…")
    if url is None:
        if options:
            raise ValueError(f"without url there is no use for {', '.join(sorted(options))}")
        return _in_memory(papers, None)
    if urlsplit(url).scheme not in NEO4J_SCHEMES:
        raise ValueError(
            f"url must begin with one of {', '.join(NEO4J_SCHEMES)} and ://, or be None"
        )
    try:
        return _in_neo4j(url, options)
    except StoreError as error:
        if fallback is None:
            raise
        return _in_memory(papers, f"{error.code}: {error}")


def _in_memory(papers: Iterable[Paper] | None, reason: str | None) -> CitationStore:
    from citehop.graph.networkx import NetworkXStore  # noqa: PLC0415 - only where it is used

    store = NetworkXStore()
    store.load(papers or ())
    store.fallback_reason = reason
    return store


def _in_neo4j(url: str, options: dict[str, Any]) -> CitationStore:
    from citehop.graph.neo4j import Neo4jStore  # noqa: PLC0415 - only where it is used

    store = Neo4jStore(url, **options)
    try:
        store.verify()
    except BaseException:
        store.close()
        raise
    return store
