"""Single values of a record: each becomes what every store can keep, or is dropped with a word."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from citehop.identifiers import NORMALISERS, canonical_id, names_in, trim
from citehop.sources.report import Log
from citehop.sources.text import is_plain, plain_text, storable

EARLIEST_YEAR = 1500
_INT64 = 2**63
_PLAIN_IDS = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.\-]*(?:\n[A-Za-z0-9][A-Za-z0-9_.\-]*)*")
_OPENALEX_IDS = re.compile(r"https://openalex\.org/W[0-9]+(?:\nhttps://openalex\.org/W[0-9]+)*")
# How providers call the schemes; what is not here keeps its own name.
_SCHEMES = {
    "pubmed": "pmid",
    "pubmedcentral": "pmcid",
    "s2id": "s2",
    "paperid": "s2",
    "arxivid": "arxiv",
}
_ID_KEYS = ("id", "paperId", "doi", "DOI")


def shown(value: object) -> str:
    """Return a few characters of ``value`` for a message, without control signs."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # an int too long for text; a list too deep
        return f"a {type(value).__name__}"
    return storable(text if len(text) <= 60 else text[:57] + "...")


def text(value: object, field: str, log: Log) -> str:
    """Return plain text; a list of one text, as Crossref writes titles, is that text."""
    if type(value) is str:
        if is_plain(value):
            return value
        return plain_text(_stored(value, field, log))
    if value is None or value == []:
        return ""
    if isinstance(value, list) and isinstance(value[0], str):
        if len(value) > 1:
            log.note("extra_values", f"{field} holds {len(value)} values; only the first is kept")
        return text(value[0], field, log)
    log.note("wrong_type", f"{field} must be text, not {shown(value)}; dropped")
    return ""


def label(value: object, field: str, log: Log) -> str:
    """Return text that is no prose, such as a source's name; only what no store keeps goes."""
    if value is None:
        return ""
    if not isinstance(value, str):
        log.note("wrong_type", f"{field} must be text, not {shown(value)}; dropped")
        return ""
    return trim(_stored(value, field, log))


def _stored(value: str, field: str, log: Log) -> str:
    mended = storable(value)
    if mended != value:
        log.note(
            "bad_characters",
            f"{field} holds NUL, half a surrogate pair or a control sign; replaced",
        )
    return mended


def year(value: object, log: Log) -> int | None:
    """Return a year from :data:`EARLIEST_YEAR` to the next one, or None."""
    if type(value) is int:
        return _year_in_range(value, log)
    if value is None or value == "":
        return None
    whole = _whole_number(value)
    if whole is None:
        log.note("bad_year", f"year must be a whole number, not {shown(value)}; dropped")
        return None
    log.note(
        "year_not_int", f"year must be a whole number, not {shown(value)}; read as {shown(whole)}"
    )
    return _year_in_range(whole, log)


def _year_in_range(value: int, log: Log) -> int | None:
    if EARLIEST_YEAR <= value <= log.latest_year:
        return value
    log.note(
        "bad_year",
        f"year must be from {EARLIEST_YEAR} to {log.latest_year}, not {shown(value)}; dropped",
    )
    return None


def _whole_number(value: object) -> int | None:
    if isinstance(value, str):
        digits = trim(value)
        whole = digits.removesuffix(".0")
        return int(whole) if whole.isascii() and whole.isdecimal() and len(whole) <= 6 else None
    if isinstance(value, float) and math.isfinite(value) and value.is_integer():
        return int(value)
    return None


def one_id(value: object, field: str, log: Log) -> str:
    """Return an id in its canonical form, or "" where there is none."""
    if type(value) is str:
        return canonical_id(value if value.isprintable() else _stored_id(value, field, log))
    if value is None:
        return ""
    if type(value) is int and -_INT64 <= value < _INT64:
        log.note("id_not_text", f"{field} must be text, not {value}; read as text")
        return str(value)
    log.note("wrong_type", f"{field} must be text, not {shown(value)}; dropped")
    return ""


def _stored_id(value: str, field: str, log: Log) -> str:
    # Invisible signs at the ends are not worth a word; NUL and half a surrogate pair are.
    trimmed = trim(value)
    return trimmed if trimmed.isprintable() else trim(_stored(trimmed, field, log))


def ids(value: object, field: str, log: Log) -> list[str]:
    """Return a list of ids; entries may be text, or records that hold one.

    Repeats and self-citations stay: the store drops and counts them.
    """
    if value is None:
        return []
    if not isinstance(value, list):
        log.note("wrong_type", f"{field} must be a list of ids, not {shown(value)}; dropped")
        return []
    if (quick := _ids_at_once(value)) is not None:
        return quick
    kept: list[str] = []
    for entry in value:
        found = one_id(
            _id_within(entry) if isinstance(entry, dict) else entry, f"an entry of {field}", log
        )
        if found:
            kept.append(found)
        elif not _was_reported(entry):
            log.note("blank_reference", f"an entry of {field} has no id; dropped")
    return kept


def _ids_at_once(entries: list[Any]) -> list[str] | None:
    """Return the ids where all are plain or all are OpenAlex addresses, else None.

    The lists of references are most of a record, and nearly always like that.
    """
    try:
        joined = "\n".join(entries)
    except TypeError:
        return None
    if _PLAIN_IDS.fullmatch(joined):
        same = entries
    elif _OPENALEX_IDS.fullmatch(joined):
        same = joined.replace("https://openalex.org/", "").split("\n")
    else:
        return None
    # An entry with a line end inside would have passed for two.
    return list(same) if joined.count("\n") == len(entries) - 1 else None


def _id_within(entry: Mapping[str, Any]) -> object:
    return next((entry[key] for key in _ID_KEYS if entry.get(key)), None)


def _was_reported(entry: object) -> bool:
    inner = _id_within(entry) if isinstance(entry, dict) else entry
    return inner is not None and not isinstance(inner, str)


def names(value: object, field: str, log: Log) -> list[str]:
    """Return names in order; entries may be text, or records with a ``name``."""
    if value is None:
        return []
    if not isinstance(value, list):
        log.note("wrong_type", f"{field} must be a list of names, not {shown(value)}; dropped")
        return []
    kept: list[str] = []
    for entry in value:
        inner = entry.get("name") if isinstance(entry, dict) else entry
        name = text(inner, f"an entry of {field}", log) if isinstance(inner, str) else ""
        if name:
            kept.append(name)
        else:
            log.note("blank_name", f"an entry of {field} has no name: {shown(entry)}; dropped")
    return kept


def flag(value: object, field: str, log: Log) -> bool:
    """Return a truth value; what is neither true nor false counts as false, with a word."""
    if isinstance(value, bool):
        return value
    if value is not None:
        log.note("wrong_type", f"{field} must be true or false, not {shown(value)}; dropped")
    return False


def external_names(
    paper_id: str, groups: tuple[Mapping[str, Any], ...], log: Log
) -> dict[str, str]:
    """Return the names of a paper by scheme, each in its normal form.

    Args:
        paper_id: Its id, which may be such a name itself.
        groups: Mappings of scheme to value as the record has them; the first that names a scheme
            decides.
        log: Hears of values that are no name of their scheme.
    """
    found: dict[str, str] = dict(names_in(paper_id)) if paper_id else {}
    for group in groups:
        for key, value in group.items():
            if value is not None and value != "":
                _add_name(found, key, value, log)
    if found.get("doi", "").startswith("10.48550/arxiv.") and "arxiv" not in found:
        arxiv = NORMALISERS["arxiv"](found["doi"])
        if arxiv is not None:
            found["arxiv"] = arxiv
    return found


def _add_name(found: dict[str, str], key: str, value: object, log: Log) -> None:
    scheme = _scheme(key)
    spelled = str(value) if type(value) is int and abs(value) < _INT64 else value
    if not isinstance(spelled, str) or not scheme:
        log.note(
            "wrong_type", f"{shown(key)} must be a name of the paper, not {shown(value)}; dropped"
        )
        return
    if not trim(spelled):
        return
    normalise = NORMALISERS.get(scheme)
    name = normalise(spelled) if normalise else trim(_stored(spelled, scheme, log))
    if name:
        found.setdefault(scheme, name)
    else:
        log.note("bad_" + scheme, f"{shown(spelled)} is no {scheme}; dropped")


def _scheme(key: str) -> str:
    lowered = trim(storable(key)).lower()
    return _SCHEMES.get(lowered, lowered)
