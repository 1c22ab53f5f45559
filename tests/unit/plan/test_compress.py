"""The compress stage, and the two compressors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citehop import (
    CharBudgetCompressor,
    PlannedHit,
    QuerySentenceCompressor,
    RetrievalExecutionPlan,
    StageStatus,
)
from tests.unit.plan.fakes import Doc, FakeHit, FakeIndex, hits

TEXT = "One two three. Four five. Six."  # sentences at 0-14, 15-25, 26-30


def _run(compress: Any, found: Any, **fields: Any) -> Any:
    return RetrievalExecutionPlan(compress=compress, **fields).run(FakeIndex(default=found), "q")


def _kept(compress: Any, *texts: str, query: str = "q") -> list[str]:
    planned = [PlannedHit(Doc(str(n), text), str(n), 1.0, n) for n, text in enumerate(texts)]
    found = compress(query, planned)
    return [
        " ".join(text[a:b] for a, b in ranges) for text, ranges in zip(texts, found, strict=True)
    ]


def test_ranges_of_the_text_are_kept_joined_by_one_blank() -> None:
    """Each hit has what was kept, as ranges and as text; an empty entry keeps nothing."""
    result = _run(lambda _, __: [[(0, 3), (15, 25)], []], hits("a", "b", text=TEXT))

    assert (result[0].ranges, result[0].kept_text) == (((0, 3), (15, 25)), "One Four five.")
    assert (result[1].ranges, result[1].kept_text) == ((), "")
    assert result.stage("compress").status is StageStatus.SUCCESS


def test_without_compress_nothing_is_said_of_the_text() -> None:
    """SKIPPED: ranges and kept_text are None."""
    result = _run(None, hits("a", text=TEXT))

    assert result.stage("compress").status is StageStatus.SKIPPED
    assert (result[0].ranges, result[0].kept_text) == (None, None)


def test_no_hits_is_nothing_to_compress() -> None:
    """SKIPPED, and the component is not called."""
    assert _run(lambda _, __: 1 / 0, []).stage("compress").status is StageStatus.SKIPPED


def test_compress_sees_what_is_returned_and_the_query() -> None:
    """Hits beyond top_k cost nothing."""
    seen: list[tuple[str, int]] = []

    def compress(query: str, found: Any) -> list[Any]:
        seen.append((query, len(found)))
        return [[] for _ in found]

    _run(compress, hits("a", "b", "c"), top_k=2)

    assert seen == [("q", 2)]


@pytest.mark.parametrize(
    ("entry", "error"),
    [
        ([(5, 3)], ValueError),
        ([(0, 5), (4, 8)], ValueError),
        ([(4, 8), (0, 3)], ValueError),
        ([(-1, 3)], ValueError),
        ([(0, 31)], ValueError),
        ([(0, 10**400)], ValueError),
        ([(0, 3, 5)], ValueError),
        ([(0,)], ValueError),
        ([(False, 3)], TypeError),
        ([(0, 3.0)], TypeError),
        ([(0, None)], TypeError),
        (["ab"], TypeError),
        ([None], TypeError),
        ((0, 3), TypeError),
        ("One", TypeError),
        (None, TypeError),
        ({(0, 3)}, TypeError),
    ],
)
def test_ranges_that_are_none_fail_the_stage(entry: Any, error: type[Exception]) -> None:
    """Reversed, overlapping, out of order, outside, or no pairs of whole numbers: FAILED."""
    result = _run(lambda _, __: [entry], hits("a", text=TEXT))

    assert result.stage("compress").status is StageStatus.FAILED
    assert result.stage("compress").error.code == "COMPRESS_INVALID"
    assert (result[0].ranges, result[0].kept_text) == (None, None)
    with pytest.raises(error):
        _run(lambda _, __: [entry], hits("a", text=TEXT), on_error="raise")


@pytest.mark.parametrize("output", [None, [], [[], []], "a", {"a": []}])
def test_another_number_of_entries_than_hits_fails_the_stage(output: Any) -> None:
    """One entry per hit, no more and no fewer."""
    result = _run(lambda _, __: output, hits("a", text=TEXT))

    assert result.stage("compress").status is StageStatus.FAILED


def test_whole_numbers_of_numpy_touching_and_empty_ranges_are_fine() -> None:
    """Touching ranges do not overlap; an empty one keeps nothing, and is left out."""
    entry = np.array([[0, 3], [3, 3], [3, 7]])
    result = _run(lambda _, __: [entry], hits("a", text=TEXT))

    assert result[0].ranges == ((0, 3), (3, 7))
    assert [type(end) for pair in result[0].ranges for end in pair] == [int] * 4


@pytest.mark.parametrize("doc", [None, Doc("a", None), Doc("a", 5)])
def test_a_hit_without_text_can_keep_nothing(doc: Any) -> None:
    """Its text counts as empty: a range in it lies outside, an empty entry is fine."""
    hit = FakeHit(Doc("a"), 1.0) if doc is None else FakeHit(doc, 1.0)

    assert _run(lambda _, __: [[(0, 1)]], [hit]).stage("compress").status is StageStatus.FAILED
    assert _run(CharBudgetCompressor(9), [hit])[0].kept_text == ""


def test_a_compressor_that_raises_leaves_the_hits_as_they_were() -> None:
    """FAILED with the exception's class."""
    result = _run(lambda _, __: 1 / 0, hits("a", text=TEXT))

    assert result.stage("compress").error.message == "compress raised ZeroDivisionError"
    assert [hit.doc_id for hit in result] == ["a"]
    with pytest.raises(ZeroDivisionError):
        _run(lambda _, __: 1 / 0, hits("a", text=TEXT), on_error="raise")


@pytest.mark.parametrize(
    ("most", "kept"),
    [
        (0, ["", ""]),
        (2, ["", ""]),
        (3, ["One", ""]),
        (6, ["One", ""]),
        (13, ["One two", ""]),
        (14, ["One two three.", ""]),
        (24, ["One two three.", ""]),
        (25, ["One two three. Four five.", ""]),
        (30, [TEXT, ""]),
        (33, [TEXT, "One"]),
        (60, [TEXT, TEXT]),
        (999, [TEXT, TEXT]),
    ],
)
def test_characters_are_spent_down_the_ranking(most: int, kept: list[str]) -> None:
    """A text is cut at its last sentence end that fits, else at a word end."""
    assert _kept(CharBudgetCompressor(most), TEXT, TEXT) == kept


def test_after_a_cut_no_lower_hit_gets_text() -> None:
    """What a better hit was refused is not given to the next."""
    assert _kept(CharBudgetCompressor(20), TEXT, "Ab.") == ["One two three.", ""]


def test_a_limit_for_each_hit_leaves_the_rest_to_the_next() -> None:
    """It spreads the budget over the ranking."""
    assert _kept(CharBudgetCompressor(30, 14), TEXT, TEXT, TEXT) == [
        "One two three.",
        "One two three.",
        "",
    ]


def test_text_without_blanks_is_cut_between_signs() -> None:
    """Han and kana have no blanks to cut at; a sign keeps its marks."""
    assert _kept(CharBudgetCompressor(3), "深層学習の手法") == ["深層学"]
    assert _kept(CharBudgetCompressor(1), "か\u3099く") == [""]
    assert _kept(CharBudgetCompressor(3), "साहित्य खोज") == [""]
    assert _kept(CharBudgetCompressor(2), "。a") == ["。"]


def test_the_nearest_sentences_are_kept_in_the_text_s_order() -> None:
    """Nearest to the query first while they fit; the text's order in what is returned."""
    text = "Trees are green. Sparse attention prunes heads. We like tea. Attention is a layer."
    kept = _kept(QuerySentenceCompressor(60), text, query="sparse attention")

    assert kept == ["Sparse attention prunes heads. Attention is a layer."]


def test_a_rare_word_of_the_query_tells_more_than_a_common_one() -> None:
    """Words are weighed by how few sentences hold them."""
    text = "Graph one. Graph two. Graph three. Hubs four."

    assert _kept(QuerySentenceCompressor(10), text, query="graph hubs") == ["Hubs four."]


def test_equally_near_sentences_go_by_rank_then_place() -> None:
    """A hit without a word of the query still keeps its first sentences if they fit."""
    texts = ("Aa bb. Cc dd.", "Ee ff. Gg hh.")

    assert _kept(QuerySentenceCompressor(20), *texts, query="zz") == ["Aa bb. Cc dd.", "Ee ff."]
    assert _kept(QuerySentenceCompressor(99, only_matching=True), *texts, query="ff") == [
        "",
        "Ee ff.",
    ]
    assert _kept(QuerySentenceCompressor(99, 6), *texts, query="dd") == ["Cc dd.", "Ee ff."]


@pytest.mark.parametrize(
    ("query", "kept"), [("注意", "稀疏注意力。"), ("साहित्य", "साहित्य खोज।"), ("ÖL", "Kein Öl.")]
)
def test_words_of_any_script_are_compared(query: str, kept: str) -> None:
    """Signs of scripts without blanks count alone; case does not count."""
    text = "Nothing. 我们喝茶。稀疏注意力。 साहित्य खोज। Kein Öl."
    matching = QuerySentenceCompressor(99, only_matching=True)

    assert _kept(matching, text, query=query) == [kept]


@pytest.mark.parametrize("component", [CharBudgetCompressor, QuerySentenceCompressor])
@pytest.mark.parametrize(
    ("arguments", "error"), [((-1,), ValueError), ((True,), TypeError), ((5, 1.5), TypeError)]
)
def test_bad_limits_are_refused(component: Any, arguments: Any, error: type[Exception]) -> None:
    """Limits are whole numbers of at least 0."""
    with pytest.raises(error, match="max_chars"):
        component(*arguments)


_TEXTS = st.lists(st.text("ab .。か\u3099\n", max_size=40), max_size=5)


@given(_TEXTS, st.integers(0, 60), st.none() | st.integers(0, 20), st.booleans())
def test_no_limit_is_ever_passed(
    texts: list[str], most: int, per_hit: int | None, nearest: bool
) -> None:
    """Whatever the texts, what is kept fits both limits and is in order inside its text."""
    kind: Any = QuerySentenceCompressor if nearest else CharBudgetCompressor
    result = _run(
        kind(most, per_hit), [FakeHit(Doc(f"d{n}", text)) for n, text in enumerate(texts)]
    )

    assert not result.error_records()
    assert sum(len(hit.kept_text) for hit in result) <= most
    assert all(per_hit is None or len(hit.kept_text) <= per_hit for hit in result)
