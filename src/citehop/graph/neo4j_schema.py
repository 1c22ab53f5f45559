"""Other names for the parts of a graph that somebody else made."""

from __future__ import annotations

from dataclasses import dataclass, fields

from citehop.graph.cypher import identifier


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphSchema:
    """How a graph that is there already names its papers and citations.

    Every node with the label is a paper; a relationship goes from the citing to the cited paper.
    Where no node has a property, the field of the paper stays empty. Nobody counts the changes of
    such a graph: its ``revision`` is never twice the same, and ``changes`` is None.

    Args:
        label: Label of the papers.
        relationship: Type of the citations.
        id: Property with the stable id, a text.
        title: Property with the title; so on for each field of a paper.

    Raises:
        ValueError: If a name is no identifier: a letter or ``_``, then up to 62 letters, digits
            or ``_``.
    """

    label: str = "Paper"
    relationship: str = "CITES"
    id: str = "id"
    title: str = "title"
    abstract: str = "abstract"
    year: str = "year"
    authors: str = "authors"
    venue: str = "venue"
    source: str = "source"
    sources: str = "sources"
    retracted: str = "retracted"
    doi: str = "doi"
    arxiv: str = "arxiv"
    openalex: str = "openalex"
    s2: str = "s2"
    pmid: str = "pmid"

    def __post_init__(self) -> None:
        for entry in fields(self):
            identifier(getattr(self, entry.name), field=entry.name)

    def mapped(self) -> tuple[tuple[str, str], ...]:
        """Return pairs of a name in the statements and the name here."""
        properties = [
            (entry.name, getattr(self, entry.name))
            for entry in fields(self)
            if entry.name not in ("label", "relationship")
        ]
        return (
            ("Work", self.label),
            ("Paper", self.label),
            ("CITES", self.relationship),
            *properties,
        )
