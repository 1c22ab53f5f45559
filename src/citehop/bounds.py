"""Every limit of a walk or a search, with its default and its ceiling."""

from __future__ import annotations

from typing import Literal, get_args

Direction = Literal["both", "references", "citations"]
DIRECTIONS: tuple[str, ...] = get_args(Direction)

MAX_HOPS = 4
"""The most hops a walk may take; the lesson's ceiling is two, more is for exploring."""
DEFAULT_HOPS = 2
DEFAULT_LIMIT = 500
DEFAULT_PER_SEED_LIMIT = 500
MAX_LIMIT = 100_000
"""Ceiling of ``limit`` and of ``per_seed_limit``."""
MAX_SEEDS = 1_000
"""Ceiling of the number of different seeds."""
MAX_PAIRS = 100_000
"""Ceiling of the number of different pairs that ``paths`` takes."""
DEFAULT_TIMEOUT_SECONDS = 5.0
MAX_TIMEOUT_SECONDS = 3_600.0


def check_int(name: str, value: object, low: int, high: int) -> int:
    """Return ``value``, or raise with the field, the value and the range.

    Raises:
        TypeError: If it is no int.
        ValueError: If it is out of range.
    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} must be an int from {low} to {high}, not {value!r}")
    if not low <= value <= high:
        raise ValueError(f"{name} must be from {low} to {high}, not {value}")
    return value


def check_direction(direction: object) -> None:
    """Raise ValueError unless ``direction`` is one of :data:`DIRECTIONS`."""
    if direction not in DIRECTIONS:
        raise ValueError(f"direction must be one of {', '.join(DIRECTIONS)}, not {direction!r}")
