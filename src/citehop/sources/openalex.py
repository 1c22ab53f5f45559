"""A work as OpenAlex describes it, from the API, a snapshot or an export."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from citehop.paper import Paper
from citehop.sources import values
from citehop.sources.report import Log
from citehop.sources.retraction import retraction

_KEYS = frozenset(
    {
        "publication_year",
        "referenced_works",
        "abstract_inverted_index",
        "authorships",
        "primary_location",
        "host_venue",
        "display_name",
    }
)


def is_openalex(raw: Mapping[str, Any]) -> bool:
    """Return whether ``raw`` has a key that only OpenAlex works have."""
    return not _KEYS.isdisjoint(raw)


def read_openalex(raw: Mapping[str, Any], log: Log) -> Paper | None:
    """Return the paper, or None where the work has no id and was refused."""
    names = raw.get("ids")
    if names is not None and not isinstance(names, dict):
        log.note("wrong_type", f"ids must be a mapping, not {values.shown(names)}; dropped")
    groups = ({"doi": raw.get("doi")}, names if isinstance(names, dict) else {})
    given = values.one_id(raw.get("id"), "id", log)
    external = values.external_names(given, groups, log)
    paper_id = given or external.get("openalex") or external.get("doi") or ""
    if not paper_id:
        log.reject(
            "no_id", "has no id; expected an OpenAlex id such as https://openalex.org/W2741809807"
        )
        return None
    title = values.text(raw.get("title"), "title", log) or values.text(
        raw.get("display_name"), "display_name", log
    )
    status = retraction(raw, title, log)
    return Paper(
        paper_id,
        title,
        _abstract(raw, log),
        values.year(raw.get("publication_year"), log),
        _authors(raw.get("authorships"), log),
        values.ids(raw.get("referenced_works"), "referenced_works", log),
        [],
        "openalex",
        external_ids=external,
        venue=_venue(raw, log),
        retracted=status.status,
        retraction_evidence=status.evidence,
        notice=status.notice,
    )


def _abstract(raw: Mapping[str, Any], log: Log) -> str:
    index = raw.get("abstract_inverted_index")
    if isinstance(index, str):
        index = _from_json_text(index, log)
    if isinstance(index, dict) and isinstance(index.get("InvertedIndex"), dict):
        index = index["InvertedIndex"]  # as the snapshots of 2022 have it, beside its length
    if index is None:
        return values.text(raw.get("abstract"), "abstract", log)
    if not isinstance(index, dict):
        log.note(
            "bad_abstract",
            f"abstract_inverted_index must be a mapping, not {values.shown(index)}; dropped",
        )
        return ""
    return values.text(words_in_order(index, log), "abstract", log)


def _from_json_text(text: str, log: Log) -> object:
    if not text.strip():
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        log.note("bad_abstract", "abstract_inverted_index is text, but not JSON; dropped")
        return None


def words_in_order(index: Mapping[str, object], log: Log) -> str:
    """Return the text of an inverted index, which maps each word to its positions.

    Positions that no word has leave no trace. Where two words have one position both stay, in the
    order of the index.
    """
    placed: list[tuple[int, str]] = []
    for word, positions in index.items():
        if isinstance(positions, list) and all(type(at) is int and at >= 0 for at in positions):
            placed.extend((at, word) for at in positions)
        else:
            log.note(
                "bad_abstract", f"positions of {values.shown(word)} must be whole numbers; dropped"
            )
    placed.sort(key=lambda pair: pair[0])
    return " ".join(word for _, word in placed)


def _authors(value: object, log: Log) -> list[str]:
    if value is None:
        return []
    if not isinstance(value, list):
        log.note("wrong_type", f"authorships must be a list, not {values.shown(value)}; dropped")
        return []
    return values.names([_author(entry) for entry in value], "authorships", log)


def _author(entry: object) -> object:
    if not isinstance(entry, dict):
        return None
    author = entry.get("author")
    name = author.get("display_name") if isinstance(author, dict) else None
    return name or entry.get("raw_author_name")


def _venue(raw: Mapping[str, Any], log: Log) -> str:
    location = raw.get("primary_location")
    source = location.get("source") if isinstance(location, dict) else None
    for place in (source, raw.get("host_venue")):
        name = place.get("display_name") if isinstance(place, dict) else None
        if name:
            return values.text(name, "venue", log)
    raw_name = location.get("raw_source_name") if isinstance(location, dict) else None
    return values.text(raw_name, "venue", log)
