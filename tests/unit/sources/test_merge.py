from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citehop import Paper, merge, read_papers
from tests.unit.sources.writing import json_lines

RECORDS = (
    {
        "source": "openalex",
        "doi": "https://doi.org/10.5555/M.1",
        "title": "HEAT FLOW",
        "year": 2019,
        "authors": ["E. K."],
        "abstract": None,
        "references": ["10.5555/m.2"],
    },
    {
        "source": "crossref",
        "doi": "10.5555/m.1",
        "title": "Heat flow",
        "year": 2020,
        "authors": ["Eve Kay", "Lin Moe"],
        "abstract": "Measured.",
        "references": ["10.5555/m.2", "10.5555/m.3"],
    },
    {
        "source": "bibtex",
        "arxiv": "1901.00001",
        "title": "Heat Flow",
        "authors": [],
        "abstract": "",
    },
    {"source": "s2", "doi": "10.5555/m.1", "arxiv": "1901.00001v2", "title": None, "year": 2019},
)


def test_fields_come_from_the_best_source_in_any_order(tmp_path: Path) -> None:
    """Missing never replaces present, lists are united, and no order of the files matters."""
    files = [json_lines(tmp_path / f"{n}.jsonl", record) for n, record in enumerate(RECORDS)]
    outcomes = [merge(read_papers(*order)) for order in permutations(files)]
    (paper,) = outcomes[0]
    assert (paper.id, paper.title, paper.year, paper.abstract) == (
        "10.5555/m.1",
        "Heat flow",
        2020,
        "Measured.",
    )
    assert paper.authors == ["Eve Kay", "Lin Moe"]
    assert paper.references == ["10.5555/m.2", "10.5555/m.3"]
    assert paper.external_ids == {"arxiv": "1901.00001", "doi": "10.5555/m.1"}
    assert (paper.source, paper.sources) == ("crossref", ("crossref", "openalex", "s2", "bibtex"))
    assert dict(outcomes[0].report.disagreements) == {"authors": 1, "title": 1, "year": 1}
    assert outcomes[0].report.examples[1].others == ("HEAT FLOW", "Heat Flow")
    for outcome in outcomes[1:]:
        assert list(outcome) == list(outcomes[0])
        assert outcome.report == outcomes[0].report


@pytest.mark.shared
def test_case_4_in_every_order(shared_dir: Path) -> None:
    """The three files of the case give one paper, whatever their order."""
    files = [shared_dir / "cases" / "04-merge-conflict" / f"source_{name}.jsonl" for name in "abc"]
    outcomes = [list(merge(read_papers(*order))) for order in permutations(files)]
    assert outcomes[0][0].title == "Heat flow in layered rock"
    assert outcomes[0][0].authors == ["Eve Kay", "Lin Moe"]
    assert all(outcome == outcomes[0] for outcome in outcomes)


def _paper(paper_id: str, title: str = "", source: str = "", **fields: object) -> Paper:
    return Paper(paper_id, title, "", None, [], source=source, **fields)  # type: ignore[arg-type]


def test_names_bind_in_chains() -> None:
    """A shares a DOI with B, B an arXiv id with C: one paper, under the first scheme's id."""
    merged = merge(
        [
            _paper("a", external_ids={"doi": "10.5555/x"}),
            _paper("W7", external_ids={"doi": "10.5555/x", "arxiv": "2101.00001"}),
            _paper("2101.00001"),
        ]
    )
    assert [paper.id for paper in merged] == ["W7"]
    assert dict(merged.report.aliases) == {"a": "W7", "2101.00001": "W7"}


def test_a_preprint_and_its_article_are_one_paper() -> None:
    """Different DOIs do not keep apart what one arXiv id joins; the disagreement is listed."""
    merged = merge(
        [
            _paper(
                "10.5555/article",
                "In print",
                "crossref",
                external_ids={"doi": "10.5555/article", "arxiv": "2101.00001"},
            ),
            _paper(
                "10.48550/arxiv.2101.00001", "As preprint", "arxiv", references=["10.5555/article"]
            ),
            _paper("c", references=["10.48550/arxiv.2101.00001", "arXiv:2101.00001v3"]),
        ]
    )
    assert [paper.id for paper in merged] == ["10.48550/arxiv.2101.00001", "c"]
    assert merged[0].title == "In print"
    assert merged[1].references == ["10.48550/arxiv.2101.00001"] * 2


def test_a_shared_journal_binds_nothing() -> None:
    """An ISSN names what papers appeared in, so it joins none."""
    pair = [_paper(name, external_ids={"issn": "1234-5678"}) for name in "ab"]
    assert [paper.id for paper in merge(pair)] == ["a", "b"]


def test_references_by_any_name_lead_to_the_paper() -> None:
    """A DOI, an arXiv id or a PubMed id of a loaded paper is replaced by the paper's id."""
    target = _paper("W1", external_ids={"doi": "10.5555/x", "arxiv": "2101.00001", "pmid": "77"})
    citing = _paper(
        "W2", references=["10.5555/x", "2101.00001", "pmid:77", "W9"], citations=["10.5555/x"]
    )
    merged = merge([target, citing])
    assert merged[1].references == ["W1", "W1", "W1", "W9"]
    assert merged[1].citations == ["W1"]
    assert merged.report.redirected == 4
    assert merged[0] is target


def test_an_id_is_an_id_before_it_is_a_name() -> None:
    """What is the id of one record is never led to another that has it as a foreign name."""
    merged = merge(
        [_paper("x", external_ids={"other": "y"}), _paper("y"), _paper("z", references=["y"])]
    )
    assert merged[2].references == ["y"]


def test_the_gravest_retraction_stays() -> None:
    """A retraction that only a lesser source knows is not lost."""
    merged = merge(
        [
            _paper("W1", "A", "crossref"),
            _paper("W1", "A", "s2", retracted="yes", retraction_evidence="is_retracted: true"),
        ]
    )
    assert (merged[0].retracted, merged[0].retraction_evidence) == ("yes", "is_retracted: true")


def test_what_is_no_paper_is_refused() -> None:
    """The entry that is no paper is named by its number."""
    with pytest.raises(TypeError, match="entry 2"):
        merge([_paper("a"), "b"])  # type: ignore[list-item]


IDS = st.sampled_from(["a", "b", "W1", "W2", "10.5555/x", "2101.00001"])
NAMES = st.fixed_dictionaries(
    {},
    optional={
        "doi": st.sampled_from(["10.5555/x", "10.5555/y"]),
        "arxiv": st.sampled_from(["2101.00001", "2101.00002"]),
        "pmid": st.sampled_from(["1", "2"]),
    },
)
TEXT = st.sampled_from(["", "Aa", "aA", "aaa"])
PAPERS = st.builds(
    Paper,
    IDS,
    TEXT,
    TEXT,
    st.sampled_from([None, 2000, 2001]),
    st.lists(TEXT, max_size=2),
    st.lists(IDS, max_size=3),
    st.lists(IDS, max_size=2),
    st.sampled_from(["", "crossref", "s2", "mine", "edges"]),
    external_ids=NAMES,
    venue=TEXT,
    retracted=st.sampled_from(["no", "suspected", "yes"]),
)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(PAPERS, max_size=6).flatmap(
        lambda papers: st.tuples(st.just(papers), st.permutations(papers))
    )
)
def test_no_order_of_records_matters(orders: tuple[list[Paper], list[Paper]]) -> None:
    """Any order of the same records gives the same papers and the same report."""
    first, second = (merge(order) for order in orders)
    assert list(first) == list(second)
    assert first.report == second.report


@settings(max_examples=100, deadline=None)
@given(st.lists(PAPERS, max_size=6))
def test_a_merge_leaves_no_shared_ids(papers: list[Paper]) -> None:
    """Every id is there once, in order, and merging again joins nothing more."""
    merged = merge(papers)
    ids = [paper.id for paper in merged]
    assert ids == sorted(set(ids))
    assert {paper.id for paper in papers} == set(ids) | set(merged.report.aliases)
    assert [paper.id for paper in merge(merged)] == ids
