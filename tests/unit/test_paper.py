"""The paper record and the filter."""

from __future__ import annotations

from typing import Any

import pytest

from citehop import Filter, Paper


def _paper(**changes: Any) -> Paper:
    values: dict[str, Any] = {
        "id": "p1",
        "title": "Salt marshes",
        "abstract": "They grow. They drown. They move. They stay.",
        "year": 2001,
        "authors": ["Ada Obi"],
    }
    return Paper(**{**values, **changes})


def test_fields_are_positional_in_the_fixed_order() -> None:
    """The eight fields come in the order that other programs rely on."""
    paper = Paper("p1", "T", "A", 2001, ["X"], ["r"], ["c"], "arxiv")

    assert paper.references == ["r"]
    assert paper.citations == ["c"]
    assert paper.source == "arxiv"
    assert paper.sources == ("arxiv",)
    assert paper.doc_id == "p1"


@pytest.mark.parametrize(
    ("title", "abstract", "text"),
    [("T", "A", "T\n\nA"), ("T", "", "T"), ("", "A", "A"), ("", "", "")],
)
def test_text_has_no_blank_lines_where_a_part_is_empty(
    title: str, abstract: str, text: str
) -> None:
    """Title and abstract are joined by a blank line only where both are there."""
    assert _paper(title=title, abstract=abstract).text == text


def test_lead_is_the_first_sentences() -> None:
    """`lead` gives the first n sentences, all where there are fewer, none for an empty abstract."""
    paper = _paper()

    assert paper.lead() == "They grow. They drown. They move."
    assert paper.lead(1) == "They grow."
    assert paper.lead(9) == paper.abstract
    assert paper.lead(0) == ""
    assert _paper(abstract="").lead() == ""
    with pytest.raises(ValueError, match="n must be at least 0, not -1"):
        paper.lead(-1)


@pytest.mark.parametrize(
    ("field", "value", "error"),
    [
        ("id", "", ValueError),
        ("id", " p1", ValueError),
        ("id", None, TypeError),
        ("id", 7, TypeError),
        ("title", None, TypeError),
        ("title", "a\0b", ValueError),
        ("abstract", "\ud83d", ValueError),
        ("year", "2001", TypeError),
        ("year", True, TypeError),
        ("year", 2**63, ValueError),
        ("year", float("nan"), TypeError),
        ("authors", "Ada", TypeError),
        ("authors", [None], TypeError),
        ("references", ("a",), TypeError),
        ("citations", [["a"]], TypeError),
        ("references", ["a", ""], ValueError),
        ("citations", [" a"], ValueError),
        ("retracted", "maybe", ValueError),
        ("external_ids", {"doi": 1}, TypeError),
        ("sources", (1,), TypeError),
    ],
)
def test_what_no_store_can_keep_is_refused(
    field: str, value: object, error: type[Exception]
) -> None:
    """A value of the wrong type or out of range raises, and the message names the field."""
    with pytest.raises(error, match=field):
        _paper(**{field: value})


def test_a_paper_round_trips_through_its_mapping() -> None:
    """`to_dict` holds every field, so that the record can be made again from it."""
    paper = _paper(external_ids={"doi": "10.1/x"}, venue="J", retracted="yes", source="s2")

    made = Paper(**{**paper.to_dict(), "sources": tuple(paper.to_dict()["sources"])})

    assert made == paper
    assert hash(made) == hash(paper)


@pytest.mark.parametrize(
    ("limits", "passes"),
    [
        ({}, True),
        ({"year_min": 2001, "year_max": 2001}, True),
        ({"year_min": 2002}, False),
        ({"year_max": 2000}, False),
        ({"sources": ["s2"]}, True),
        ({"sources": ["arxiv"]}, False),
        ({"venues": {"J"}}, True),
        ({"venues": {"j"}}, False),
        ({"authors": ["Ada Obi", "B"]}, True),
        ({"authors": []}, False),
        ({"retracted": ["no"]}, True),
        ({"retracted": ["yes", "suspected"]}, False),
        ({"ids": ["p1"]}, True),
        ({"ids": ["p2"]}, False),
        ({"year_min": 2000, "venues": ["K"]}, False),
    ],
)
def test_a_filter_allows_what_every_field_allows(limits: dict[str, Any], passes: bool) -> None:
    """All fields must allow the paper; text is compared exactly."""
    wanted = Filter.of(limits)

    assert wanted is not None
    assert wanted.matches(_paper(venue="J", source="s2")) is passes


def test_an_undated_paper_passes_no_year_limit() -> None:
    """Either year limit keeps an undated paper out; other filters do not."""
    undated = _paper(year=None)

    assert not Filter(year_min=1500).matches(undated)
    assert not Filter(year_max=3000).matches(undated)
    assert Filter(ids=frozenset({"p1"})).matches(undated)


@pytest.mark.parametrize(
    ("limits", "error", "message"),
    [
        ({"year": 2000}, ValueError, r"unknown keys \['year'\]"),
        ({"year_min": 2, "year_max": 1}, ValueError, "year_min must not be above year_max"),
        ({"authors": "Ada"}, TypeError, "authors must be a collection"),
        ({"retracted": ["never"]}, ValueError, "never"),
        ({"year_min": "2000"}, TypeError, "year must be an int"),
    ],
)
def test_a_wrong_filter_is_refused(
    limits: dict[str, Any], error: type[Exception], message: str
) -> None:
    """Unknown keys, wrong types and contradictions are refused by name."""
    with pytest.raises(error, match=message):
        Filter.of(limits)
