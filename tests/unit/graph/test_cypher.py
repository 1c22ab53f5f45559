from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from citehop.graph import cypher
from citehop.graph.neo4j_schema import GraphSchema


def test_every_file_has_a_header_and_one_statement(root_dir: Path) -> None:
    """Each file begins with its comment, and holds no second statement."""
    files = sorted((root_dir / "cypher").glob("*/*.cypher"))

    assert len(files) == len(cypher.names()) > 40
    for name in cypher.names():
        for word in ("Purpose", "Parameters", "Returns", "Caller"):
            assert re.search(rf"^// {word}: .", cypher.header(name), re.M), (name, word)
        assert ";" not in cypher.statement(name)


def test_defaults_stand_where_nothing_is_said() -> None:
    """Rendered without wishes, a pattern has two hops and no direction."""
    assert "(s)-[:CITES*1..2]-(n:Work)" in cypher.render("search/expand")


@pytest.mark.parametrize(
    ("direction", "pattern"),
    [
        ("both", "(s)-[:CITES*1..4]-(n:Work)"),
        ("references", "(s)-[:CITES*1..4]->(n:Work)"),
        ("citations", "(s)<-[:CITES*1..4]-(n:Work)"),
    ],
)
def test_hops_and_direction(direction: Any, pattern: str) -> None:
    """The bound and the arrow are written into the pattern, and no token is left."""
    text = cypher.render("search/expand", hops=4, direction=direction)

    assert pattern in text
    assert "/*" not in text


@pytest.mark.parametrize("hops", [0, 5, -1])
def test_hops_out_of_range(hops: int) -> None:
    """A bound is 1 to 4."""
    with pytest.raises(ValueError, match="hops must be from 1 to 4"):
        cypher.render("search/expand", hops=hops)


@pytest.mark.parametrize("hops", ["2]-() DETACH DELETE n //", 2.0, True])
def test_hops_of_another_type(hops: Any) -> None:
    """A bound is an int and nothing else."""
    with pytest.raises(TypeError, match="hops must be an int"):
        cypher.render("search/expand", hops=hops)


def test_direction_is_one_of_three() -> None:
    """Nothing else gets into the pattern."""
    with pytest.raises(ValueError, match="direction must be one of"):
        cypher.render("search/expand", direction="->")


def test_other_names() -> None:
    """A schema's names replace labels, type and properties; parameters and texts keep theirs."""
    schema = GraphSchema(label="Article", relationship="QUOTES", id="key", year="published")

    text = cypher.render("search/expand_filtered", mapped=schema.mapped())

    assert "MATCH (k:`Article` {`key`: seed})" in text
    assert "[:`QUOTES*1..2" not in text
    assert "[:`QUOTES`*1..2]" in text
    assert "n.`published` >= $year_min" in text
    assert "$ids IS NULL OR n.`key` IN $ids" in text
    assert "coalesce(n.`retracted`, 'no')" in text


@pytest.mark.parametrize(
    "name",
    [
        "Paper`) DETACH DELETE n //",
        "CITES`]->() DELETE r //",
        "A\tB",
        "",
        "ÄÖ",
        "a b",
        "1abc",
        "Paper\\u0060) //",
        "Paper\n",
        "a" * 64,
        None,
        7,
    ],
)
def test_names_that_are_no_identifiers(name: Any) -> None:
    """A name that could end the pattern it stands in is refused when the schema is made."""
    with pytest.raises(ValueError, match="label must be a letter or _"):
        GraphSchema(label=name)
    with pytest.raises(ValueError, match="title must be a letter or _"):
        GraphSchema(title=name)


def test_shared_labels(shared_dir: Path) -> None:
    """Of the labels that were collected as traps only the plain one passes."""
    labels = json.loads((shared_dir / "cases/32-injection/labels.json").read_text("utf-8"))

    passed = [label for label in labels if _passes(label)]

    assert passed == ["Paper"]


def _passes(label: str) -> bool:
    try:
        cypher.identifier(label)
    except ValueError:
        return False
    return True


def test_longest_name() -> None:
    """63 letters are a name."""
    assert cypher.identifier("a" * 63) == "`" + "a" * 63 + "`"


@pytest.mark.parametrize("name", ["../search/expand", "search/../../x", "expand", "search/Expand"])
def test_statements_are_named_by_folder_and_file(name: str) -> None:
    """No other path is read."""
    with pytest.raises(ValueError, match="name must be folder/file"):
        cypher.statement(name)


def test_pasteable() -> None:
    """Parameters become lines of their own, odd signs escaped, for a person to paste."""
    text = cypher.pasteable("RETURN $ids", {"ids": ["a'\"\n", "é"], "room": 5, "filter": None})

    assert text == (
        ":param filter => null;\n"
        ':param ids => ["a\'\\"\\n", "\\u00e9"];\n'
        ":param room => 5;\n"
        "RETURN $ids;\n"
    )
