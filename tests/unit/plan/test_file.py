"""Plans written as TOML files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from citehop import (
    CharBudgetCompressor,
    CitationReranker,
    FusionPolicy,
    InputError,
    QuerySentenceCompressor,
    RetrievalConfig,
    RetrievalExecutionPlan,
    StageBudget,
)
from citehop.plan.file import load_plan
from citehop.plan.queries import FixedQueries
from tests.unit.plan.fakes import FakeIndex

FULL = """
top_k = 5
rerank_depth = 20
max_queries = 3
keep_original = true
deadline_seconds = 2.5
on_error = "raise"

[retrieval]
max_hops = 1

[transform]
use = "queries"
queries = ["{query} survey"]

[fusion]
rank_constant = 10
weights = { q0 = 2 }

[rerank]
use = "citations"
weight = 0.5

[compress]
use = "sentences"
max_chars = 400

[budgets.retrieve]
max_calls = 2
"""


def _write(folder: Path, text: str) -> Path:
    path = folder / "plan.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_says_everything_that_ships(tmp_path: Path) -> None:
    """Each field and each component of ours can be named; retrieval stays a mapping."""
    plan = load_plan(_write(tmp_path, FULL))

    assert plan == RetrievalExecutionPlan(
        retrieval={"max_hops": 1},
        transform=FixedQueries(("{query} survey",)),
        max_queries=3,
        fusion=FusionPolicy(rank_constant=10, weights={"q0": 2}),
        rerank=CitationReranker(weight=0.5),
        rerank_depth=20,
        compress=QuerySentenceCompressor(400),
        top_k=5,
        budgets={"retrieve": StageBudget(max_calls=2)},
        deadline_seconds=2.5,
        on_error="raise",
    )
    assert replace(plan, retrieval=RetrievalConfig(**plan.retrieval)).retrieval.max_hops == 1


def test_an_empty_file_is_an_empty_plan(tmp_path: Path) -> None:
    """Also with a byte order mark."""
    assert load_plan(_write(tmp_path, "\ufeff")) == RetrievalExecutionPlan()


def test_characters_are_the_other_compressor(tmp_path: Path) -> None:
    """The name in ``use`` chooses."""
    plan = load_plan(_write(tmp_path, '[compress]\nuse = "characters"\nmax_chars = 9'))

    assert plan.compress == CharBudgetCompressor(9)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("top_k = 0", "top_k must be at least 1, not 0"),
        ("topk = 3", r"the file has unknown keys \['topk'\]; it may hold keep_original"),
        ("top_k = [", "is no TOML"),
        ("fusion = 3", r"fusion must be a table such as \[fusion\]"),
        ("[fusion]\nweight = 1", r"\[fusion\] has unknown keys \['weight'\]"),
        ("[fusion]\ntop_k = 0", "fusion must have a top_k of at least 1"),
        ("[rerank]\nuse = 'os.system'", "rerank.use must be \"citations\", not 'os.system'"),
        ("[rerank]\nweight = 1", 'rerank.use must be "citations", not None'),
        ("[rerank]\nuse = 'citations'\nweight = 2", r"\[rerank\] weight must be finite"),
        ("[compress]\nuse = 'characters'", r"\[compress\] max_chars is missing"),
        ("[compress]\nuse = 'x'", 'compress.use must be "characters" or "sentences"'),
        ("[transform]\nuse = 'queries'\nqueries = 'x'", "queries must be a list of texts"),
        ("[transform]\nuse = 'queries'\nqueries = ['']", "must not be empty"),
        ("[transform]\nuse = 'queries'\nqueries = [1]", "an entry of queries must be a str"),
        ("[budgets]\nretrieve = 3", r"budgets.retrieve must be a table"),
        ("[budgets.fuse]\nmax_calls = 3", "budgets may hold 'retrieve', once, not 'fuse'"),
        ("[budgets.retrieve]\ncalls = 3", r"\[budgets.retrieve\] has unknown keys \['calls'\]"),
    ],
)
def test_what_a_file_may_not_say_is_refused_clearly(tmp_path: Path, text: str, words: str) -> None:
    """The file, the table, the key, and what was expected."""
    with pytest.raises(InputError, match=words) as caught:
        load_plan(_write(tmp_path, text))

    assert str(caught.value).startswith(str(tmp_path / "plan.toml"))


def test_a_file_that_cannot_be_read_is_refused_clearly(tmp_path: Path) -> None:
    """Missing, a folder, or not UTF-8."""
    (tmp_path / "latin").write_bytes(b"# caf\xe9")
    with pytest.raises(InputError, match="cannot be read: No such file or directory"):
        load_plan(tmp_path / "none.toml")
    with pytest.raises(InputError, match="cannot be read: Is a directory"):
        load_plan(str(tmp_path))
    with pytest.raises(InputError, match="byte 5 is no UTF-8"):
        load_plan(tmp_path / "latin")


def test_a_query_with_braces_is_put_in_as_it_is() -> None:
    """``{query}`` is the only placeholder, and what is put in is not read again."""
    index = FakeIndex()
    plan = RetrievalExecutionPlan(transform=FixedQueries(("{query} {0} more",)))
    plan.run(index, "a{b}")

    assert index.queries == ["a{b}", "a{b} {0} more"]
