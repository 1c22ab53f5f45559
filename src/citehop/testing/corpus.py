"""A corpus small enough to draw, and papers made in one line."""

from __future__ import annotations

import json
from collections.abc import Iterable
from importlib.resources import files
from typing import Any

from citehop.paper import Paper


def corpus12() -> list[Paper]:
    """Return the twelve papers of ``corpus12.jsonl``.

    An arrow goes from citing to cited::

        idf ◄── vsm ◄┐
         ▲           │
         └───────── bm25 ◄── lexgraph ──► hits ◄──── salsa
                                           ▲ │         │
                                           │ ▼         │
        (index1955) ◄──────────────────── pagerank ◄───┘
             ▲                             ▲
             │                          citerank         lonely
             │                             ▼
          coupling ◄──────────────── cocitation
             ▲                             ▲
             └──────────── maps ───────────┘

    ``index1955`` is only named: a work outside the corpus. ``hits`` and ``pagerank`` cite each
    other. ``lexgraph → hits`` stands in the record of ``hits`` alone; ``lexgraph → bm25`` stands in
    both. ``lonely`` has no citation at all. 14 edges between papers, 16 in all.
    """
    lines = files(__package__).joinpath("corpus12.jsonl").read_text(encoding="utf-8").splitlines()
    return [Paper(**json.loads(line)) for line in lines]


def paper(
    id: str, references: Iterable[str] = (), citations: Iterable[str] = (), **fields: Any
) -> Paper:
    """Return a paper of which only the id and the citations matter; ``fields`` sets others."""
    facts: dict[str, Any] = {"title": "", "abstract": "", "year": None, "authors": [], **fields}
    return Paper(id=id, references=list(references), citations=list(citations), **facts)


def graph(text: str) -> list[Paper]:
    """Return one paper for each line ``citing: cited cited …``; other ids are external.

    >>> [(p.id, p.references) for p in graph("a: b x; b:")]
    [('a', ['b', 'x']), ('b', [])]
    """
    lines = [line for line in text.replace(";", "\n").splitlines() if line.strip()]
    pairs = [line.split(":") for line in lines]
    return [paper(citing.strip(), cited.split()) for citing, cited in pairs]
