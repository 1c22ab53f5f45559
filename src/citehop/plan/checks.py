"""Checks of a plan's fields, and of the numbers that components hand back."""

from __future__ import annotations

import math
from decimal import Decimal
from numbers import Integral, Real


def check_count(name: str, value: object, low: int) -> int:
    """Return ``value`` as an int, or raise with the field, the value and the range.

    Raises:
        TypeError: If it is no integer (a bool is none).
        ValueError: If it is below ``low``.
    """
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"{name} must be an int of at least {low}, not {shown(value)}")
    if value < low:
        raise ValueError(f"{name} must be at least {low}, not {shown(value)}")
    return int(value)


def check_amount(name: str, value: object, *, ceiling: float = math.inf) -> float:
    """Return ``value``, a finite number from 0 to ``ceiling``, or raise with field, value, range.

    Raises:
        TypeError: If it is no real number (a bool is none).
        ValueError: If it is not finite, negative, or above ``ceiling``.
    """
    limit = "" if ceiling == math.inf else f" and at most {ceiling:g}"
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} must be a number of at least 0{limit}, not {shown(value)}")
    number = _float(value)
    if not math.isfinite(number) or not 0 <= number <= ceiling:
        raise ValueError(f"{name} must be finite, at least 0{limit}, not {shown(value)}")
    return int(value) if isinstance(value, Integral) else number


def real_score(name: str, value: object) -> float:
    """Return a component's score as a float.

    Real numbers of any library count (Python's, fractions, decimals, numpy scalars); bools, None,
    complex numbers, text and arrays do not.

    Raises:
        TypeError: If it is no real number.
        ValueError: If it is not finite, or too large for a float.
    """
    if isinstance(value, float):
        number = float(value)
    elif isinstance(value, bool) or not isinstance(value, (Real, Decimal)):
        raise TypeError(f"{name} must be a real number, not {type_name(value)}")
    else:
        number = _float(value)
    if not math.isfinite(number):
        raise ValueError(f"{name} must be finite")
    return number


def shown(value: object) -> str:
    """Return the value for a message about the caller's own argument, never too long."""
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001 - a value whose repr fails must not hide what is wrong with it
        return type_name(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def type_name(value: object) -> str:
    """Return the name of the value's class, or ``object`` where it is no plain identifier."""
    name = type(value).__name__
    return name if name.isidentifier() and name.isascii() and len(name) <= 80 else "object"


def _float(value: Real | Decimal) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf
