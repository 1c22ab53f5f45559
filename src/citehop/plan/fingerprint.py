"""A name of a run that is the same wherever and whenever the same run is made."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import partial
from hashlib import sha256
from typing import Any

_MAX_DEPTH = 8


def run_id(plan: object, revision: str | int | None, query: str, filter: object) -> str:
    """Return 16 hexadecimal digits made from the plan's fields, revision, query and filter."""
    parts = [fingerprint(part) for part in (plan, revision, query, filter)]
    return sha256(json.dumps(parts).encode()).hexdigest()[:16]


def fingerprint(value: object, depth: int = 0) -> Any:
    """Return a value made of lists, text, numbers and None that stands for ``value``.

    Records count by class and fields, functions by qualified name, other objects by class alone:
    an address in memory must not change the name of a run.
    """
    if value is None or isinstance(value, (bool, int, float)):
        return repr(value)
    if isinstance(value, Enum):
        return [_name(type(value)), value.name]
    if isinstance(value, str):
        return ["str", str.__str__(value)]
    if depth >= _MAX_DEPTH:
        return _name(type(value))
    try:
        return _fingerprint_of_parts(value, depth + 1)
    except Exception:  # noqa: BLE001 - a foreign value must not cost the run its name
        return _name(type(value))


def _fingerprint_of_parts(value: object, depth: int) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        parts = [
            [field.name, fingerprint(getattr(value, field.name), depth)] for field in fields(value)
        ]
        return [_name(type(value)), parts]
    if isinstance(value, partial):
        inner = [fingerprint(part, depth) for part in (value.func, value.args, value.keywords)]
        return ["partial", *inner]
    if isinstance(value, Mapping):
        return [
            "mapping",
            sorted(
                ([fingerprint(k, depth), fingerprint(v, depth)] for k, v in value.items()), key=repr
            ),
        ]
    if isinstance(value, (set, frozenset)):
        return ["set", sorted((fingerprint(entry, depth) for entry in value), key=repr)]
    if isinstance(value, (list, tuple)):
        return ["sequence", [fingerprint(entry, depth) for entry in value]]
    return ["object", _name(value if hasattr(value, "__qualname__") else type(value))]


def _name(value: Callable[..., Any] | object) -> str:
    module = getattr(value, "__module__", None)
    name = getattr(value, "__qualname__", type(value).__qualname__)
    return f"{module}.{name}"
