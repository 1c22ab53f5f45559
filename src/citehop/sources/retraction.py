"""Whether a paper was retracted, what that rests on, and whether it only tells of another one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from citehop.paper import RetractionStatus
from citehop.sources.report import Log
from citehop.sources.values import flag, label, shown

_MARKED_TITLE = re.compile(
    r"[\[(]?\s*(?:retracted|withdrawn)(?:\s+(?:article|paper|chapter))?\s*(?:[\])]|:)",
    re.IGNORECASE,
)
_NOTICE_TITLE = re.compile(
    r"(?:retraction(?:\s+notice|\s+note|\s+statement)?|notice\s+of\s+retraction|withdrawal\s+notice|"
    r"erratum|corrigendum|correction|publisher\s+correction|author\s+correction)"
    r"(?:\s+(?:to|for|of))?\s*:|"
    r"(?:retraction\s+notice|notice\s+of\s+retraction|withdrawal\s+notice)\b",
    re.IGNORECASE,
)
_NOTICE_TYPES = frozenset(
    {"retraction", "retraction-notice", "erratum", "corrigendum", "correction"}
)
_RETRACTING = frozenset({"retraction", "withdrawal", "removal"})
_STATUSES: Mapping[str, RetractionStatus] = {"no": "no", "suspected": "suspected", "yes": "yes"}
_KEYS = frozenset(
    {"is_retracted", "retracted", "notice", "retraction_evidence", "updated-by", "update-to"}
)


@dataclass(frozen=True, slots=True)
class Retraction:
    """What a record says of its own retraction.

    Args:
        status: ``"no"``, ``"suspected"`` (only the title says so) or ``"yes"``.
        evidence: What that rests on.
        notice: Whether the record is a notice about another paper.
    """

    status: RetractionStatus = "no"
    evidence: str = ""
    notice: bool = False


_NONE = Retraction()


def retraction(raw: Mapping[str, Any], title: str, log: Log) -> Retraction:
    """Return what ``raw`` says: in its own fields, by its type, in updates, or in its title."""
    kind = raw.get("type")
    notice = kind in _NOTICE_TYPES if isinstance(kind, str) else False
    by_title = title[:1] in "rRwWnNeEcCpPaA[(" and bool(title)
    notice = notice or (by_title and _NOTICE_TITLE.match(title) is not None)
    marked = by_title and _MARKED_TITLE.match(title) is not None
    if not marked and (_KEYS.isdisjoint(raw) or not any(map(raw.get, _KEYS))):
        return Retraction(notice=True) if notice else _NONE
    updates = _retracting(raw.get("update-to"), "update-to", log)
    said = notice or bool(updates) or flag(raw.get("notice"), "notice", log)
    status, evidence = _status(raw, log)
    if status == "no" and marked and not said:
        return Retraction("suspected", f"title begins with {title[:24]!r}", said)
    return Retraction(status, evidence, said)


def _status(raw: Mapping[str, Any], log: Log) -> tuple[RetractionStatus, str]:
    given = raw.get("retracted")
    evidence = label(raw.get("retraction_evidence"), "retraction_evidence", log)
    if isinstance(given, str) and given in _STATUSES:
        status = _STATUSES[given]
        if status == "yes":
            return "yes", evidence
    else:
        status = "no"
        if flag(given, "retracted", log):
            return "yes", evidence or "retracted: true"
    if flag(raw.get("is_retracted"), "is_retracted", log):
        return "yes", "is_retracted: true"
    notices = _retracting(raw.get("updated-by"), "updated-by", log)
    if notices:
        return "yes", f"updated-by {notices[0]}"
    return (status, evidence) if status != "no" else ("no", "")


def _retracting(value: object, field: str, log: Log) -> list[str]:
    if not value:
        return []
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        log.note("wrong_type", f"{field} must be a list of updates, not {shown(value)}; dropped")
        return []
    return [
        _update(entry)
        for entry in value
        if isinstance(entry.get("type"), str) and entry["type"] in _RETRACTING
    ]


def _update(entry: Mapping[str, Any]) -> str:
    said = [entry.get("type"), entry.get("source")]
    doi = entry.get("DOI")
    return " ".join(
        [
            shown(doi).strip("'") if isinstance(doi, str) else "an update",
            f"({', '.join(shown(s).strip(chr(39)) for s in said if isinstance(s, str))})",
        ]
    )
