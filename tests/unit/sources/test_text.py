from __future__ import annotations

import pytest

from citehop.sources.text import plain_text, storable


@pytest.mark.parametrize(
    ("marked", "plain"),
    [
        (
            "A <scp>CFD</scp> study of CO<sub>2</sub> &amp;amp; release",
            "A CFD study of CO2 & release",
        ),
        (
            "Rates with <i>p</i> &lt; 0.05 and x<y in one title",
            "Rates with p < 0.05 and x<y in one title",
        ),
        ("a<b and c>d", "a<b and c>d"),
        ("&lt;i&gt;In vivo&lt;/i&gt; work", "In vivo work"),
        (
            "<jats:title>Abstract</jats:title><jats:p>One.</jats:p><jats:p>Two.</jats:p>",
            "Abstract One. Two.",
        ),
        (
            "<mml:math><mml:msub><mml:mi>Mn</mml:mi><mml:mn>3</mml:mn></mml:msub></mml:math>Ge",
            "Mn3Ge",
        ),
        ('<span class="a b">Plain</span><br/>line', "Plain line"),
        ("<script>alert(1)</script>Plain", "Plain"),
        ("<!-- hidden -->Seen <custom>tag</custom>", "Seen <custom>tag</custom>"),
        ("10.1002/x<11::aid-q1>3.0.co;2-1", "10.1002/x<11::aid-q1>3.0.co;2-1"),
        ("  two\n\n blanks\u00a0 ", "two blanks"),
        ("line\u2028separator", "line\u2028separator"),
        ("R&D at AT&T", "R&D at AT&T"),
        ("", ""),
    ],
)
def test_markup_and_entities_become_plain_text(marked: str, plain: str) -> None:
    """Known tags go, words stay whole, entities are decoded, what only looks like a tag stays."""
    assert plain_text(marked) == plain


def test_of_a_formula_given_twice_one_stays() -> None:
    """Where TeX and MathML stand as alternatives the MathML's signs are kept; TeX alone stays."""
    tex = r"<tex-math>$\eta$</tex-math>"
    assert (
        plain_text(f"<alternatives>{tex}<mml:math><mml:mi>η</mml:mi></mml:math></alternatives>")
        == "η"
    )
    assert plain_text(f"<alternatives>{tex}</alternatives>") == r"$\eta$"


def test_what_no_store_keeps_is_replaced() -> None:
    """NUL and half a surrogate pair become U+FFFD, other control signs a blank."""
    assert storable("a\0b\ud83dc\x1bd😀") == "a\ufffdb\ufffdc d😀"


@pytest.mark.parametrize(
    "opening",
    [
        "<script>",
        "<style>",
        "<!--",
        "<?",
        "<!DOCTYPE ",
        "<alternatives>",
        "<annotation>",
        "<script ",
        "<a b=c ",
    ],
)
def test_openings_without_an_end_are_read_once(opening: str) -> None:
    """Fifty thousand openings of which none ends take no longer than plain text."""
    assert plain_text(f"first {opening * 50_000}last").startswith("first ")


def test_pairs_of_tags_end_at_their_first_end() -> None:
    """What stands after a pair stays, also before another pair, an opening or a lone end."""
    assert plain_text("a<script>x</script>b<style>y</style>c<script>d</style>e") == (
        "a b c<script>d</style>e"
    )
    assert plain_text("<!--a-->b<!--c--><?d?>e<!--f") == "be<!--f"


def test_a_number_too_long_for_a_sign_is_the_sign_for_none() -> None:
    """A character reference of thousands of digits is U+FFFD, like any that names no sign."""
    assert plain_text(f"x &#{'9' * 5000}; y &#99999999; z") == "x \ufffd y \ufffd z"
