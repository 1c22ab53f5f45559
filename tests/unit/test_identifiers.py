from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citehop.identifiers import (
    canonical_id,
    names_in,
    normalise_arxiv,
    normalise_doi,
    normalise_openalex,
    normalise_pmcid,
    normalise_pmid,
    normalise_s2,
    parse_identifier,
)

HASH = "0123456789abcdef0123456789abcdef01234567"


@pytest.mark.parametrize(
    ("spelled", "normal"),
    [
        ("10.5555/ABC.Def(01)7", "10.5555/abc.def(01)7"),
        ("https://doi.org/10.5555/abc.def(01)7", "10.5555/abc.def(01)7"),
        ("http://dx.doi.org/10.5555/ABC.DEF(01)7 ", "10.5555/abc.def(01)7"),
        ("doi:10.5555/abc.def%2801%297", "10.5555/abc.def(01)7"),
        ("DOI: 10.5555/abc.def(01)7", "10.5555/abc.def(01)7"),
        ("info:doi/10.5555/abc.def(01)7", "10.5555/abc.def(01)7"),
        ("doi.org/10.5555/abc.def(01)7?utm_source=mail", "10.5555/abc.def(01)7"),
        ("10.5555/abc.def(01)7.", "10.5555/abc.def(01)7"),
        ("(10.5555/abc.def(01)7)", "10.5555/abc.def(01)7"),
        ("<https://doi.org/10.5555/abc.def(01)7>;", "10.5555/abc.def(01)7"),
        ("\ufeff10.5555/abc.def(01)7\u200b", "10.5555/abc.def(01)7"),
        ("10.5555/ärger.1", "10.5555/ärger.1"),
        ("10.5555/ÄRGER.1", "10.5555/Ärger.1"),
        ("10.5555/x<11::AID-q1>3.0.CO;2-1", "10.5555/x<11::aid-q1>3.0.co;2-1"),
        ("10.1000.10/Sub.Prefix", "10.1000.10/sub.prefix"),
    ],
)
def test_doi_has_one_normal_form(spelled: str, normal: str) -> None:
    """A DOI loses resolver, escapes and clinging marks; only ASCII letters become lower case."""
    assert normalise_doi(spelled) == normal


@pytest.mark.parametrize(
    "text",
    ["", "n/a", "10.5555", "10.5555/", "10.5555/.", "10.5555/a b", "11.5555/a", "10.55/a\0b"],
)
def test_what_is_no_doi_is_refused(text: str) -> None:
    """Placeholders, half DOIs and DOIs with blanks or control signs are no DOI."""
    assert normalise_doi(text) is None


@pytest.mark.parametrize(
    ("spelled", "normal"),
    [
        ("2101.00001v10", "2101.00001"),
        ("0704.0001", "0704.0001"),
        ("arXiv:2101.00001 [cs.CL]", "2101.00001"),
        ("https://arxiv.org/abs/2101.00001v2", "2101.00001"),
        ("http://export.arxiv.org/pdf/2101.00001v2.pdf", "2101.00001"),
        ("10.48550/arXiv.2101.00001", "2101.00001"),
        ("https://doi.org/10.48550/arxiv.2101.00001", "2101.00001"),
        ("hep-th/9901001v3", "hep-th/9901001"),
        ("math.GT/0309136", "math/0309136"),
        ("https://arxiv.org/abs/math.GT/0309136v1", "math/0309136"),
    ],
)
def test_arxiv_id_has_one_normal_form(spelled: str, normal: str) -> None:
    """An arXiv id loses its version and its subject class; the archive of an old one stays."""
    assert normalise_arxiv(spelled) == normal


@pytest.mark.parametrize(
    "text", ["0112019", "0704.1", "2101.00001v0", "2113.00001", "hep-th/9913001", "x/12"]
)
def test_what_is_no_arxiv_id_is_refused(text: str) -> None:
    """Numbers without archive, version 0 and a thirteenth month are no arXiv id."""
    assert normalise_arxiv(text) is None


def test_other_schemes_have_normal_forms() -> None:
    """OpenAlex, Semantic Scholar, PubMed and PubMed Central ids are read bare and as addresses."""
    assert normalise_openalex("https://openalex.org/w2741809807") == "W2741809807"
    assert normalise_openalex("https://api.openalex.org/works/W12") == "W12"
    assert normalise_openalex("A2741809807") is None
    assert normalise_s2(HASH.upper()) == HASH
    assert normalise_s2(f"https://www.semanticscholar.org/paper/Some-Title/{HASH}") == HASH
    assert normalise_s2(HASH[:-1]) is None
    assert normalise_pmid("https://pubmed.ncbi.nlm.nih.gov/17884971/") == "17884971"
    assert normalise_pmid("0017884971") == "17884971"
    assert normalise_pmcid("https://www.ncbi.nlm.nih.gov/pmc/articles/4643120") == "PMC4643120"


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("w2741809807", ("openalex", "W2741809807")),
        ("https://openalex.org/W2741809807", ("openalex", "W2741809807")),
        ("(10.5555/ABC)", ("doi", "10.5555/abc")),
        ("arXiv:2101.00001v3", ("arxiv", "2101.00001")),
        ("2101.00001", ("arxiv", "2101.00001")),
        ("10.48550/arXiv.2101.00001", ("arxiv", "2101.00001")),
        (HASH, ("s2", HASH)),
        ("PMID: 17884971", ("pmid", "17884971")),
        ("PMC4643120", ("pmcid", "PMC4643120")),
        ("CorpusId:3", ("corpusid", "3")),
        ("17884971", None),
        ("p001", None),
        ("", None),
    ],
)
def test_parse_identifier_names_the_scheme(typed: str, found: tuple[str, str] | None) -> None:
    """What a person types is recognised by its form; bare digits say nothing."""
    assert parse_identifier(typed) == found


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (" c1 ", "c1"),
        ("c1\u200b", "c1"),
        ("\ufeffc1", "c1"),
        ("C1", "C1"),
        ("w12", "w12"),
        ("https://openalex.org/W12", "W12"),
        ("https://doi.org/10.5555/ABC", "10.5555/abc"),
        ("10.5555/ABC.", "10.5555/abc"),
        ("arXiv:2101.00001v2", "2101.00001"),
        ("https://arxiv.org/abs/2101.00001v2", "2101.00001"),
        ("2101.00001v2", "2101.00001v2"),
        ("math.GT/0309136", "math.GT/0309136"),
        ("a/b:c", "a/b:c"),
        ("\u200b ", ""),
    ],
)
def test_canonical_id_changes_only_what_says_what_it_is(given: str, kept: str) -> None:
    """OpenAlex addresses, DOIs and explicit arXiv ids are normalised; other ids keep their case."""
    assert canonical_id(given) == kept


def test_a_record_id_may_be_a_name() -> None:
    """A DOI given by arXiv is two names; an id without a form of its own is none."""
    assert names_in("W12") == (("openalex", "W12"),)
    assert names_in("10.48550/arxiv.2101.00001") == (
        ("doi", "10.48550/arxiv.2101.00001"),
        ("arxiv", "2101.00001"),
    )
    assert names_in("p001") == ()
    assert names_in("w123456789") == ()


PIECES = st.lists(
    st.sampled_from(
        ["10.5555/", "https://doi.org/", "doi:", "arXiv:", "2101.00001", "v2", "W12", " "]
    )
    | st.text(max_size=4)
).map("".join)


@given(PIECES)
def test_canonical_and_normal_forms_are_fixed_points(text: str) -> None:
    """Normalising a second time changes nothing, so that ids may be normalised anywhere."""
    kept = canonical_id(text)
    assert canonical_id(kept) == kept
    for normalise in (normalise_doi, normalise_arxiv, normalise_openalex, normalise_s2):
        normal = normalise(text)
        assert normal is None or normalise(normal) == normal


@given(PIECES)
def test_canonical_ids_can_be_ids_of_papers(text: str) -> None:
    """A canonical id has no blanks at its ends."""
    assert canonical_id(text) == canonical_id(text).strip()
