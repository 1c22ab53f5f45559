"""The names by which papers are known, each brought to one normal form.

Every ``normalise_…`` function takes one name in any spelling of its scheme and returns the normal
form, or None where it is no such name. Normal forms are fixed points: normalising one again
changes nothing.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable
from functools import lru_cache
from urllib.parse import unquote_to_bytes

SCHEMES = ("doi", "openalex", "s2", "arxiv", "pmid")
"""The order in which schemes supply the id that survives a merge, or an id that is missing."""

# What people see as nothing: blanks of every script, zero-width signs, the byte order mark.
_NOTHING = "".join(chr(code) for code in range(0x3001) if chr(code).isspace()) + (
    "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"
)
_ASCII_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)

_PLAIN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.\-]*")
_DOI_PREFIX = re.compile(
    r"[(\[{<\"']*(?P<mark>https?://(?:[\w-]+\.)*doi\.org/|(?:dx\.)?doi\.org/|(?:doi|info:doi/)\s*:?\s*)?"
    r"(?:doi\s*:\s*)?",
    re.IGNORECASE,
)
_NORMAL_DOI = re.compile(r"10\.[0-9]{4,9}/[a-z0-9._;:/\-]*[a-z0-9]")  # most of them
_DOI = re.compile(r"10\.[0-9]{4,9}(?:\.[0-9]+)*/\S+")
_URL_QUERY = re.compile(r"[?#][A-Za-z_][\w-]*=.*")
_CLOSING = {")": "(", "]": "[", "}": "{", ">": "<"}
_TRAILING = ".,;:\"'“”’`"
_ARXIV = re.compile(
    r"(?P<mark>(?:https?://)?(?:[\w-]+\.)*arxiv\.org/(?:abs|pdf|html|format|ps|e-print)/|arxiv\s*:\s*|"
    r"(?:(?:https?://)?(?:dx\.)?doi\.org/|doi\s*:\s*)?10\.48550/arxiv\.)?"
    r"(?P<id>(?P<yymm>[0-9]{4})\.[0-9]{4,5}|(?P<archive>[a-z][a-z\-]*)(?:\.[a-z]{2})?/(?P<number>[0-9]{7}))"
    r"(?:v[1-9][0-9]*)?(?P<tail>\.pdf|\s*\[[\w.\-]+\])?(?:[?#].*|/)?",
    re.IGNORECASE | re.ASCII,
)
_OPENALEX = re.compile(
    r"(?:(?:https?://)?(?:[\w-]+\.)*openalex\.org/(?:works/)?|openalex:)?(W[0-9]+)/?(?:\?.*)?",
    re.IGNORECASE | re.ASCII,
)
_S2 = re.compile(
    r"(?:s2:|(?:https?://)?(?:www\.)?semanticscholar\.org/paper/(?:[^/]+/)?)?([0-9a-f]{40})/?",
    re.IGNORECASE,
)
_PMID = re.compile(
    r"(?:pmid\s*:?\s*|(?:https?://)?(?:www\.)?(?:pubmed\.ncbi\.nlm\.nih\.gov|ncbi\.nlm\.nih\.gov/pubmed)/)?"
    r"0*([1-9][0-9]{0,8})/?",
    re.IGNORECASE | re.ASCII,
)
_PMCID = re.compile(
    r"(?:(?:https?://)?(?:www\.)?(?:ncbi\.nlm\.nih\.gov/pmc|pmc\.ncbi\.nlm\.nih\.gov)/articles/)?"
    r"(?:PMC)?0*([1-9][0-9]{0,8})/?",
    re.IGNORECASE | re.ASCII,
)
_CORPUS = re.compile(r"corpusid\s*:\s*([0-9]{1,18})", re.IGNORECASE | re.ASCII)


def trim(text: str) -> str:
    """Return ``text`` without blanks, zero-width signs and byte order marks at its ends."""
    return text.strip(_NOTHING)


def normalise_doi(text: str) -> str | None:
    """Return a DOI without resolver, escapes and clinging marks, in lower-case ASCII letters.

    Letters outside ASCII keep their case: to the resolver ``Ä`` and ``ä`` are two letters.

    >>> normalise_doi("https://doi.org/10.5555/ABC.Def%2801%297.")
    '10.5555/abc.def(01)7'
    """
    bare = text[16:] if text.startswith("https://doi.org/") else text
    if _NORMAL_DOI.fullmatch(bare):
        return bare
    trimmed = trim(text)
    prefix = _DOI_PREFIX.match(trimmed)
    if prefix is None:
        return None
    rest = trimmed[prefix.end() :]
    if prefix["mark"] and "/" in prefix["mark"]:
        rest = _URL_QUERY.sub("", rest)
    found = _without_clinging_marks(_percent_decoded(rest))
    if not _DOI.fullmatch(found) or not found.isprintable():
        return None
    return found.lower() if found.isascii() else found.translate(_ASCII_LOWER)


def _percent_decoded(text: str) -> str:
    decoded = text
    while "%" in decoded:
        try:
            again = unquote_to_bytes(decoded).decode()
        except UnicodeError:
            break
        if again == decoded:
            break
        decoded = again
    return decoded


def _without_clinging_marks(text: str) -> str:
    trimmed = trim(text)
    while trimmed:
        last = trimmed[-1]
        opening = _CLOSING.get(last)
        unbalanced = opening is not None and trimmed.count(last) > trimmed.count(opening)
        if last not in _TRAILING and not unbalanced:
            break
        trimmed = trim(trimmed[:-1])
    return trimmed


def normalise_arxiv(text: str) -> str | None:
    """Return an arXiv id without version: ``2101.00001``, or ``math/0309136`` in the old scheme.

    >>> normalise_arxiv("https://arxiv.org/pdf/math.GT/0309136v2")
    'math/0309136'
    """
    match = _ARXIV.fullmatch(trim(text))
    if match is None:
        return None
    if match["archive"]:
        return f"{match['archive'].lower()}/{match['number']}" if _month(match["number"]) else None
    return match["id"] if _month(match["yymm"]) else None


def _month(digits: str) -> bool:
    return 1 <= int(digits[2:4]) <= 12


def normalise_openalex(text: str) -> str | None:
    """Return an OpenAlex work id in its short form, such as ``W2741809807``."""
    match = _OPENALEX.fullmatch(trim(text))
    return match[1].upper() if match else None


def normalise_s2(text: str) -> str | None:
    """Return a Semantic Scholar paper id: 40 hexadecimal digits in lower case."""
    match = _S2.fullmatch(trim(text))
    return match[1].lower() if match else None


def normalise_pmid(text: str) -> str | None:
    """Return a PubMed id: its digits, without zeros in front."""
    match = _PMID.fullmatch(trim(text))
    return match[1] if match else None


def normalise_pmcid(text: str) -> str | None:
    """Return a PubMed Central id such as ``PMC4643120``."""
    match = _PMCID.fullmatch(trim(text))
    return f"PMC{match[1]}" if match else None


NORMALISERS: dict[str, Callable[[str], str | None]] = {
    "doi": normalise_doi,
    "openalex": normalise_openalex,
    "s2": normalise_s2,
    "arxiv": normalise_arxiv,
    "pmid": normalise_pmid,
    "pmcid": normalise_pmcid,
}
"""The normal form of each scheme that has one."""


def parse_identifier(text: str) -> tuple[str, str] | None:
    """Return the scheme and normal form of whatever a person typed or pasted, or None.

    Understood are a DOI, an OpenAlex, arXiv or Semantic Scholar id, each bare or as an address,
    and ``pmid:…``, ``PMC…`` and ``CorpusId:…``, whose bare digits would say nothing.

    >>> parse_identifier("arXiv:2101.00001v3")
    ('arxiv', '2101.00001')
    """
    trimmed = trim(text)
    for scheme in ("openalex", "arxiv", "doi", "s2"):
        value = NORMALISERS[scheme](trimmed)
        if value is not None:
            return scheme, value
    for scheme in () if trimmed.isdecimal() else ("pmid", "pmcid"):
        value = NORMALISERS[scheme](trimmed)
        if value is not None:
            return scheme, value
    corpus = _CORPUS.fullmatch(trimmed)
    return ("corpusid", corpus[1]) if corpus else None


def canonical_id(text: str) -> str:
    """Return the id under which a record is kept, empty where nothing is left of it.

    Blanks and zero-width signs at the ends go. An OpenAlex address becomes ``W…``; a DOI, with a
    prefix or bare, and an arXiv id that says it is one become their normal forms. Everything else
    stays as it is, in its case.
    """
    if text[:1] == "W" and text[1:].isdecimal():
        return text
    if text.startswith("https://openalex.org/W") and text[22:].isdecimal():
        return text[21:]
    return text if _PLAIN_ID.fullmatch(text) else _canonical(text)


@lru_cache(maxsize=65_536)
def _canonical(text: str) -> str:
    trimmed = trim(text)
    if "/" in trimmed or ":" in trimmed:
        doi = normalise_doi(trimmed)
        if doi is not None:
            return doi
        if not _PLAIN_ID.fullmatch(trimmed):
            return _by_address(trimmed)
    return trimmed


def _by_address(trimmed: str) -> str:
    openalex = normalise_openalex(trimmed)
    if openalex is not None:
        return openalex
    arxiv = _ARXIV.fullmatch(trimmed)
    if arxiv is not None and arxiv["mark"]:
        return normalise_arxiv(trimmed) or trimmed
    return trimmed


def names_in(paper_id: str) -> tuple[tuple[str, str], ...]:
    """Return the schemes and normal forms under which a record's own id is known.

    A DOI that arXiv gave is two names: ``10.48550/arxiv.2101.00001`` is ``2101.00001`` as well.
    """
    if paper_id[:1] == "W" and paper_id[1:].isdecimal():
        return (("openalex", paper_id),)
    if not _may_be_name(paper_id):
        return ()
    found = parse_identifier(paper_id)
    if found is None or (found[0] == "openalex" and found[1] != paper_id):
        return ()
    doi = normalise_doi(paper_id) if found[0] == "arxiv" else None
    return (found,) if doi is None else (("doi", doi), found)


def _may_be_name(text: str) -> bool:
    """Return False where ``text`` is surely no name; most ids are dismissed by this."""
    marked = ":" in text or "/" in text or "." in text
    return marked or len(text) == 40 or text[:3] in {"PMC", "pmc"}
