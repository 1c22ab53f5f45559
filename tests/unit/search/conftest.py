"""The corpus that the search tests share."""

from __future__ import annotations

import pytest

from citehop import CitationRepository, Paper
from tests.unit.search.dict_store import DictStore


def small_corpus() -> list[Paper]:
    """Return eight papers, the oldest of 2000, the newest of 2020.

    An arrow goes from citing to cited::

        head ──► block ──► routing      twin ──► block
         └─────► (x) ◄──── kernel       notice ──► head      island

    Only ``head``, ``twin`` and ``notice`` have the word "attention", only ``head`` has "pruning".
    """
    return [
        Paper("head", "Attention pruning", "We prune heads.", 2010, ["Ada"], ["block", "x"]),
        Paper("twin", "Attention", "Looks at all words.", 2000, ["Bo"], ["block"]),
        Paper("block", "Block selection", "Blocks are kept.", 2015, ["Cy"], ["routing"]),
        Paper("routing", "Routing tables", "Routes are learnt.", 2020, ["Di"], source="s2"),
        Paper("kernel", "Kernel tricks", "Kernels are cheap.", 2005, ["Ed"], ["x"]),
        Paper(
            "notice",
            "Retraction notice: Attention",
            "It is withdrawn at the wish of its authors.",
            None,
            [],
            ["head"],
            notice=True,
        ),
        Paper(
            "island",
            "Withdrawn island",
            "",
            2012,
            [],
            external_ids={"doi": "10.5555/island"},
            retracted="yes",
            retraction_evidence="the record says so",
        ),
        Paper("blank", "", "", 2003, []),
    ]


@pytest.fixture
def store() -> DictStore:
    """A store that holds the small corpus."""
    return DictStore(small_corpus())


@pytest.fixture
def repository(store: DictStore) -> CitationRepository:
    """A repository over it."""
    return CitationRepository(store)
