"""The real papers of the demo are those of the export, unchanged but for what is said."""

from __future__ import annotations

import gzip
import importlib.util
import json
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from citehop.data import bibliometrics
from citehop.paper import Paper
from citehop.sources.read import read_papers

Record = dict[str, Any]


@pytest.fixture(scope="module")
def records() -> list[Record]:
    """The records, as they stand in the file."""
    with bibliometrics() as path, gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def converter(root_dir: Path) -> ModuleType:
    """The script that made the file; skipped where the tests run without the checkout."""
    path = root_dir / "tools" / "make_demo_data.py"
    if not path.is_file():
        pytest.skip(f"needs {path}, which is only in the checkout")
    spec = importlib.util.spec_from_file_location("make_demo_data", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_counts_are_those_that_are_published(records: list[Record]) -> None:
    """613 works, 187 abstracts, 3,528 citations inside and 24,970 in all, six of them to itself."""
    ids = {record["id"] for record in records}
    edges = [(record["id"], cited) for record in records for cited in record["references"]]

    assert len(ids) == len(records) == 613
    assert sum(bool(record["abstract"]) for record in records) == 187
    assert sum(not record["title"] for record in records) == 12
    assert len(set(edges)) == len(edges) == 24_970
    assert sum(cited in ids for _, cited in edges) == 3_528
    assert sum(citing == cited for citing, cited in edges) == 6


def test_every_record_is_a_paper(records: list[Record]) -> None:
    """All come from OpenAlex under their short id, in order, with a year, and none is retracted."""
    papers = [Paper(**record) for record in records]

    assert [paper.id for paper in papers] == sorted(paper.id for paper in papers)
    assert all(paper.id == paper.external_ids["openalex"] for paper in papers)
    assert {(paper.source, paper.retracted) for paper in papers} == {("openalex", "no")}
    assert min(paper.year or 0 for paper in papers) == 1926
    assert max(paper.year or 0 for paper in papers) == 2024
    schemes = Counter(scheme for paper in papers for scheme in paper.external_ids)
    assert schemes == {"openalex": 613, "doi": 594, "pmid": 178, "arxiv": 3}


def test_a_known_paper_is_there_whole(records: list[Record]) -> None:
    """One record holds what OpenAlex said of that paper."""
    record = next(record for record in records if record["id"] == "W2088209891")

    assert record == {
        "id": "W2088209891",
        "title": "Networks of Scientific Papers",
        "abstract": "",
        "year": 1965,
        "authors": ["Derek J. de Solla Price"],
        "references": [
            "W1546171873",
            "W1988477871",
            "W2028442912",
            "W2062652446",
            "W2085561993",
            "W2091278461",
        ],
        "source": "openalex",
        "external_ids": {
            "doi": "10.1126/science.149.3683.510",
            "openalex": "W2088209891",
            "pmid": "14325149",
        },
        "venue": "Science",
    }


def test_texts_are_plain_and_hold_no_address(records: list[Record]) -> None:
    """Neither markup, nor an entity, nor anyone's e-mail address is left."""
    texts = [record[name] for record in records for name in ("title", "abstract")]

    assert [text for text in texts if "</" in text or "&amp;" in text or "&lt;" in text] == []
    assert [text for text in texts if "@" in text] == []


def test_the_file_bears_no_time() -> None:
    """Made again at another hour it has the same bytes: the header's time is 0."""
    with bibliometrics() as path:
        assert path.read_bytes()[4:8] == b"\0\0\0\0"


def test_the_converter_keeps_what_is_used(converter: ModuleType) -> None:
    """E-mail goes, and names of schemes that nothing uses; a reference to itself stays."""
    paper = Paper(
        "W1",
        "On h and g",
        "Write to a.b-c@mail.example.org for it.",
        1999,
        ["Ada One"],
        ["W9", "W1"],
        source="openalex",
        external_ids={"doi": "10.1000/abc", "openalex": "W1", "mag": "7"},
    )

    assert json.loads(converter.line(converter.shipped(paper))) == {
        "id": "W1",
        "title": "On h and g",
        "abstract": "Write to [address removed] for it.",
        "year": 1999,
        "authors": ["Ada One"],
        "references": ["W1", "W9"],
        "source": "openalex",
        "external_ids": {"doi": "10.1000/abc", "openalex": "W1"},
    }


def test_the_converter_keeps_a_retraction(converter: ModuleType) -> None:
    """What a record says beyond the usual is not lost."""
    paper = Paper("W2", "", "", None, [], source="b", sources=("a", "b"), retracted="yes")

    assert json.loads(converter.line(converter.shipped(paper))) == {
        "id": "W2",
        "title": "",
        "abstract": "",
        "year": None,
        "authors": [],
        "references": [],
        "source": "b",
        "retracted": "yes",
        "sources": ["a", "b"],
    }


def test_the_file_reads_without_a_warning(records: list[Record]) -> None:
    """The product's own reader takes every line as it stands."""
    with bibliometrics() as path:
        stream = read_papers(path, strict=True)
        papers = list(stream)

    assert papers == [Paper(**record) for record in records]
    assert (stream.report.papers, stream.report.rejected) == (613, 0)


@pytest.mark.shared
def test_the_converter_makes_this_file_again(
    converter: ModuleType, shared_dir: Path, tmp_path: Path, records: list[Record]
) -> None:
    """From the export the script makes the records that ship."""
    export = shared_dir / "data" / "openalex" / "biblium" / "openalex_dataset.csv"

    converter.main(str(export), str(tmp_path / "again.jsonl.gz"))

    with gzip.open(tmp_path / "again.jsonl.gz", "rt", encoding="utf-8") as lines:
        assert [json.loads(line) for line in lines] == records
