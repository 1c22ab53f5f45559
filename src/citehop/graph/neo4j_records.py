"""Papers as rows that are sent, and as properties that come back."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from citehop.errors import ErrorCategory, StoreError
from citehop.graph.neo4j_schema import GraphSchema
from citehop.identifiers import parse_identifier
from citehop.paper import Paper

SCHEMES = ("doi", "arxiv", "openalex", "s2", "pmid", "corpusid")
"""Schemes with a property and an index of their own; other names are kept as JSON text."""
MAX_ID_BYTES = 8_000
"""What the server's index takes as a key, rounded down."""
_MAX_NAME_CHARACTERS = 1_000
# In UTF-16, which the server sorts by, surrogates stand below U+E000; from here on orders differ.
_ODD = "\ud7ff"
_FIELDS = (
    "title", "abstract", "year", "authors", "venue", "source", "sources", "retracted",
)  # fmt: skip
EXTRAS = ("retraction_evidence", "notice", "external_ids", "citehop_alias", "citehop_digest")
STORED = (*_FIELDS, *SCHEMES, *EXTRAS)
"""Every property of a paper but its id and what the store stamps on it."""


@dataclass(frozen=True, slots=True)
class Row:
    """A paper ready to be sent.

    Args:
        key: Its id.
        properties: Every stored property, None where there is none.
        digest: Of the whole record, lists in their order.
        references: Ids cited, each once, in order, itself left out.
        citations: Ids that cite it, likewise.
        self_citations: Lists that named the paper itself.
        doubled: Repeats inside its lists.
        size: Bytes on the wire, roughly.
    """

    key: str
    properties: Mapping[str, Any]
    digest: str
    references: list[str]
    citations: list[str]
    self_citations: int
    doubled: int
    size: int


def row_of(paper: Paper) -> Row:
    """Return the row for a paper.

    Raises:
        StoreError: For an id longer than an index key may be.
    """
    record = paper.to_dict()
    text = json.dumps(record, ensure_ascii=False)
    digest = hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
    ahead, back = set(paper.references), set(paper.citations)
    repeats = len(paper.references) + len(paper.citations) - len(ahead) - len(back)
    own = (paper.id in ahead) + (paper.id in back)
    for key in (paper.id, *ahead, *back):
        if len(key) > MAX_ID_BYTES // 4 and len(key.encode()) > MAX_ID_BYTES:
            raise StoreError(
                f"an id may have {MAX_ID_BYTES} bytes in Neo4j, not {len(key.encode())}:"
                f" {key[:60]!r}…",
                code="ID_TOO_LONG",
                category=ErrorCategory.INPUT,
            )
    return Row(
        key=paper.id,
        properties=_properties(paper, digest),
        digest=digest,
        references=sorted(ahead - {paper.id}),
        citations=sorted(back - {paper.id}),
        self_citations=own,
        doubled=repeats,
        size=len(text),
    )


def _properties(paper: Paper, digest: str) -> dict[str, Any]:
    names = dict(paper.external_ids)
    own = parse_identifier(paper.id)
    return {
        "title": paper.title,
        "abstract": paper.abstract,
        "year": paper.year,
        "authors": list(paper.authors),
        "venue": paper.venue,
        "source": paper.source,
        "sources": list(paper.sources),
        "retracted": paper.retracted,
        **{
            scheme: names.pop(scheme)
            if len(names.get(scheme, " " * 2_000)) <= _MAX_NAME_CHARACTERS
            else None
            for scheme in SCHEMES
        },
        "retraction_evidence": paper.retraction_evidence or None,
        "notice": paper.notice or None,
        "external_ids": json.dumps(names, ensure_ascii=False, sort_keys=True) if names else None,
        "citehop_alias": ":".join(own) if own and own[1] != paper.id else None,
        "citehop_digest": digest,
    }


def paper_of(
    id: str,
    record: Mapping[str, Any],
    cites: Iterable[str],
    cited_by: Iterable[str],
    schema: GraphSchema,
) -> Paper:
    """Return the paper that properties describe; in somebody else's graph, as far as they fit."""
    value = {name: record.get(getattr(schema, name, name)) for name in STORED}
    year = value["year"]
    stated = value["external_ids"]
    names = json.loads(stated) if isinstance(stated, str) and stated.startswith("{") else {}
    names |= {scheme: str(value[scheme]) for scheme in SCHEMES if value[scheme] is not None}
    retracted = value["retracted"]
    return Paper(
        id=id,
        title=_text(value["title"]),
        abstract=_text(value["abstract"]),
        year=year if isinstance(year, int) and not isinstance(year, bool) else None,
        authors=_texts(value["authors"]),
        references=sorted(cites),
        citations=sorted(cited_by),
        source=_text(value["source"]),
        external_ids=names,
        venue=_text(value["venue"]),
        retracted=retracted if retracted in ("no", "suspected", "yes") else "no",
        sources=tuple(_texts(value["sources"])),
        retraction_evidence=_text(value["retraction_evidence"]),
        notice=value["notice"] is True,
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [entry for entry in value if isinstance(entry, str)] if isinstance(value, list) else []


def order_key(id: str) -> str | None:
    """Return a key that the server sorts as Python sorts the id; None where the id itself does."""
    if id.isascii() or max(id) < _ODD:
        return None
    return "".join(c if c < _ODD else f"{_ODD}{ord(c):06x}" for c in id)
