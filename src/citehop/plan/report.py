"""A plan's result as JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping
from enum import Enum
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

from citehop.outcome import LegOutcome
from citehop.plan.checks import type_name

if TYPE_CHECKING:
    from citehop.plan.result import ExecutionResult, PlannedHit

_MAX_DEPTH = 16
_MAX_BITS = 64


def result_dict(result: ExecutionResult) -> dict[str, Any]:
    """Return the result as a mapping that any JSON writer takes, NaN refused or not."""
    body = {
        "query": result.query,
        "status": result.status,
        "hit_count": len(result.hits),
        "queries": {name: _query_dict(result, name) for name in result.queries},
        "stages": [stage.to_dict() for stage in result.stages],
        "hits": [_hit_dict(hit) for hit in result.hits],
        "diagnostics": _diagnostics(result),
    }
    clean: dict[str, Any] = to_json(body)
    return clean


def _query_dict(result: ExecutionResult, name: str) -> dict[str, Any]:
    failure = result.failures.get(name)
    return {
        "query": result.queries[name],
        "status": result.statuses.get(name),
        "error": failure.to_dict() if failure else None,
        "legs": [_leg_dict(leg) for leg in result.legs.get(name, [])],
    }


def _leg_dict(leg: LegOutcome) -> dict[str, Any]:
    # Field by field, as an index's own details may be of any type.
    return {
        "kind": leg.kind,
        "status": leg.status,
        "error": leg.error.to_dict() if leg.error else None,
        "reason": leg.reason,
        "hits": leg.hits,
        "truncated": leg.truncated,
        "details": leg.details,
    }


def _hit_dict(hit: PlannedHit) -> dict[str, Any]:
    return {
        "doc_id": hit.doc_id,
        "rank": hit.rank,
        "score": hit.score,
        "queries": hit.queries,
        "contributions": hit.contributions,
        "legs": hit.legs,
        "ranges": hit.ranges,
        "kept_text": hit.kept_text,
    }


def _diagnostics(result: ExecutionResult) -> dict[str, Any]:
    return {
        "run_id": result.run_id,
        "revision": result.revision,
        "seconds": result.seconds,
        "stages": {stage.kind.value: stage.seconds for stage in result.stages},
        "legs": {
            name: {
                leg.kind.value: {"elapsed_seconds": leg.elapsed_seconds, "facts": leg.diagnostics}
                for leg in legs
            }
            for name, legs in result.legs.items()
        },
    }


def to_json(value: Any, depth: int = 0) -> Any:
    """Return the value in JSON's own types.

    Numbers that are not finite become None, whole numbers beyond 64 bits and values of foreign
    types the name of their class (their text could hold anything), lone surrogates a question
    mark; nesting ends after 16 levels.
    """
    try:
        return _to_json(value, depth)
    except Exception:  # noqa: BLE001 - a foreign value must not cost the whole report
        return type_name(value)


def _to_json(value: Any, depth: int) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, Enum):
        return to_json(value.value, depth + 1) if depth < _MAX_DEPTH else type_name(value)
    if isinstance(value, str):
        return str.__str__(value).encode(errors="replace").decode()
    if isinstance(value, Integral):
        number = int(value)
        return number if number.bit_length() <= _MAX_BITS else type_name(value)
    if isinstance(value, Real):
        return float(value) if math.isfinite(value) else None
    if depth >= _MAX_DEPTH:
        return type_name(value)
    if isinstance(value, Mapping):
        return {_key(key): to_json(entry, depth + 1) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_json(entry, depth + 1) for entry in value]
    if isinstance(value, (set, frozenset)):
        return sorted((to_json(entry, depth + 1) for entry in value), key=repr)
    return type_name(value)


def _key(key: Any) -> str:
    clean = to_json(key, _MAX_DEPTH)
    return clean if isinstance(clean, str) else repr(clean)
