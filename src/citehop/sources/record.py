"""A record in the product's own form, one JSON object; what Semantic Scholar replies is near it.

Keys: ``id`` (or ``paperId``; missing, the first of doi, openalex, s2, arxiv, pmid stands in),
``title``, ``abstract``, ``year``, ``authors``, ``references``, ``citations``, ``source``,
``sources``, ``venue``, names of the paper (``doi``, ``arxiv``, ``openalex``, ``s2``, ``pmid``, or
inside ``ids``, ``external_ids``, ``externalIds``), and what :mod:`citehop.sources.retraction`
reads. Other keys are left alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from citehop.identifiers import SCHEMES, normalise_s2
from citehop.paper import Paper
from citehop.sources import values
from citehop.sources.report import Log
from citehop.sources.retraction import retraction

_NAME_KEYS = ("doi", "DOI", "arxiv", "openalex", "s2", "pmid")
_NAME_GROUPS = ("ids", "external_ids", "externalIds")
KEYS = frozenset({"id", "paperId", "title", *_NAME_KEYS, *_NAME_GROUPS})
"""A JSON object with at least one of these may be a record."""


def is_own(raw: Mapping[str, Any]) -> bool:
    """Return whether ``raw`` may be a record in the product's own form."""
    return not KEYS.isdisjoint(raw)


def read_own(raw: Mapping[str, Any], log: Log) -> Paper | None:
    """Return the paper, or None where the record has no id and was refused."""
    given = raw.get("id")
    paper_id = values.one_id(given if given is not None else raw.get("paperId"), "id", log)
    external = values.external_names(paper_id, _name_groups(raw, log), log)
    paper_id = paper_id or next((external[scheme] for scheme in SCHEMES if scheme in external), "")
    if not paper_id:
        log.reject("no_id", "has no id; expected text that is not empty under the key id")
        return None
    title = values.text(raw.get("title"), "title", log)
    status = retraction(raw, title, log)
    return Paper(
        paper_id,
        title,
        values.text(raw.get("abstract"), "abstract", log),
        values.year(raw.get("year"), log),
        values.names(raw.get("authors"), "authors", log),
        values.ids(raw.get("references"), "references", log),
        values.ids(raw.get("citations"), "citations", log),
        values.label(raw.get("source"), "source", log) or ("s2" if _from_s2(raw) else ""),
        external_ids=external,
        venue=values.text(raw.get("venue"), "venue", log),
        retracted=status.status,
        sources=_sources(raw.get("sources"), log),
        retraction_evidence=status.evidence,
        notice=status.notice,
    )


def _name_groups(raw: Mapping[str, Any], log: Log) -> tuple[Mapping[str, Any], ...]:
    groups: list[Mapping[str, Any]] = []
    single = {key: raw[key] for key in _NAME_KEYS if key in raw}
    if single:
        groups.append(single)
    for key in _NAME_GROUPS:
        group = raw.get(key)
        if isinstance(group, dict):
            groups.append(group)
        elif group is not None:
            log.note(
                "wrong_type", f"{key} must map schemes to names, not {values.shown(group)}; dropped"
            )
    paper_id = raw.get("paperId")
    if isinstance(paper_id, str) and normalise_s2(paper_id):
        groups.append({"s2": paper_id})
    return tuple(groups)


def _from_s2(raw: Mapping[str, Any]) -> bool:
    return "paperId" in raw and "id" not in raw


def _sources(value: object, log: Log) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list):
        log.note(
            "wrong_type", f"sources must be a list of text, not {values.shown(value)}; dropped"
        )
        return ()
    kept = (values.label(entry, "an entry of sources", log) for entry in value)
    return tuple(dict.fromkeys(name for name in kept if name))
