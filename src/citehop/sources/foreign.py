"""Downloads that are known and not read, each with the marks by which it is told.

Some look like own records (they have a title, or a DOI) and would lose their authors, years or
references unnoticed; others are no JSON. One mark alone never tells, as own records may have any
key beside theirs, and a record with the references or citations of an own one is one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from citehop.sources.glimpse import first_record
from citehop.sources.openalex import is_openalex
from citehop.sources.record import is_own
from citehop.sources.tables import header_of

_NEAR_START = 1 << 16
"""Signs among which the first entry of a bibliography stands, whatever comes before it."""

Record = Mapping[str, Any]

_OWN = ("references", "citations")
_CROSSREF = frozenset(
    """content-domain is-referenced-by-count published-online published-print reference-count
    references-count""".split()
)
_KAGGLE = frozenset({"versions", "submitter", "update_date"})
_CORPUS = frozenset({"inCitations", "paperAbstract", "s2Url", "s2PdfUrl"})
_S2ORC = frozenset({"inbound_citations", "has_outbound_citations", "has_pdf_parse"})


def foreign_json(head: str) -> str | None:
    """Return what a JSON file is by its first record, or None where that is none of these."""
    first = first_record(head)
    if is_openalex(first) or any(isinstance(first.get(key), list) for key in _OWN):
        return None
    inside = _first_of(first, "items")
    return next(
        (
            name
            for name, is_one in _JSON
            if is_one(first) or (inside and not is_own(first) and is_one(inside))
        ),
        None,
    )


def foreign_text(head: str) -> str | None:
    """Return what a file is that is no JSON and no table that is read, or None."""
    start = head[:_NEAR_START].lstrip()
    found = next((name for name, mark in _TEXT if mark.search(start)), None)
    if found is not None:
        return found
    columns = set(header_of(start.partition("\n")[0])[0])
    return next(
        (name for name, needed, some in _TABLES if needed <= columns and some & columns), None
    )


def _first_of(raw: Record, key: str) -> Record:
    """Return the first record of a list, or none."""
    value = raw.get(key)
    entries = value if isinstance(value, list) else []
    first = next((entry for entry in entries if entry is not None), None)
    return first if isinstance(first, dict) else {}


def _is_crossref_page(raw: Record) -> bool:
    return "message" in raw and str(raw.get("message-type")).startswith("work")


def _is_crossref_work(raw: Record) -> bool:
    return "DOI" in raw and "id" not in raw and len(_CROSSREF & raw.keys()) >= 2


def _is_csl(raw: Record) -> bool:
    if not isinstance(raw.get("issued"), dict) or "authors" in raw or "year" in raw:
        return False
    author = _first_of(raw, "author")
    return "family" in author or "literal" in author or "container-title" in raw


def _is_s2orc(raw: Record) -> bool:
    return isinstance(raw.get("outbound_citations"), list) and bool(_S2ORC & raw.keys())


def _is_corpus(raw: Record) -> bool:
    return isinstance(raw.get("outCitations"), list) and bool(_CORPUS & raw.keys())


def _is_s2_page(raw: Record) -> bool:
    if is_own(raw):
        return False
    first = _first_of(raw, "data") or _first_of(raw, "recommendedPapers")
    if not {"paperId", "citingPaper", "citedPaper"}.isdisjoint(first):
        return True
    return isinstance(raw.get("data"), list) and {"token", "total"} <= raw.keys()


def _is_kaggle(raw: Record) -> bool:
    return isinstance(raw.get("authors_parsed"), list) and bool(_KAGGLE & raw.keys())


_JSON: tuple[tuple[str, Callable[[Record], bool]], ...] = (
    ("a page of Crossref's API", _is_crossref_page),
    ("Crossref's JSON", _is_crossref_work),
    ("CSL-JSON, as Zotero exports it", _is_csl),
    ("S2ORC", _is_s2orc),
    ("the Open Research Corpus of Semantic Scholar", _is_corpus),
    ("a page of Semantic Scholar's API", _is_s2_page),
    ("arXiv's snapshot on Kaggle", _is_kaggle),
)

# Whatever such texts hold, files of JSON and tables that are read have been told before.
_TEXT: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "arXiv's Atom feed",
        re.compile(r"\A(?=<)(?=[^\0]{0,2000}<feed\b)(?=[^\0]{0,4000}arxiv\.org)"),
    ),
    ("OAI-PMH's XML, as arXiv gives it", re.compile(r"\A(?=<)(?=[^\0]{0,2000}<OAI-PMH\b)")),
    ("Web of Science's tagged export", re.compile(r"\A(?:FN .*\n)?(?:VR .*\n)?PT [A-Z]\s*\n[A-Z]")),
    ("PubMed's nbib", re.compile(r"^PMID- *\d", re.MULTILINE)),
    ("RIS", re.compile(r"^TY  ?- ", re.MULTILINE)),
    (
        "BibTeX",
        re.compile(
            # An entry has a key, or none, and a comma; the others stand wherever they like.
            r"^[^\S\n]*@[a-z]+\s*[{(][^{}()=,\"\n]*,|@(?:string|preamble|comment|article|book)\s*[{(]",
            re.MULTILINE | re.IGNORECASE,
        ),
    ),
)

_TABLES: tuple[tuple[str, frozenset[str], frozenset[str]], ...] = (
    ("Scopus's CSV", frozenset({"EID", "Title"}), frozenset({"Authors", "Author(s) ID", "Link"})),
    (
        "Web of Science's table",
        frozenset({"PT", "AU", "TI"}),
        frozenset({"SO", "UT", "PY", "DI", "CR"}),
    ),
    (
        "Web of Science's table",
        frozenset({"Authors", "Article Title"}),
        frozenset({"Publication Type", "Source Title", "UT (Unique WOS ID)"}),
    ),
)
"""What it is, the columns that it has, and others of which it has one at least."""
