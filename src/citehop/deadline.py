"""A time limit, turned once into a point on the monotonic clock."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Deadline:
    """A moment on a monotonic clock; what is left is passed down, never the first limit."""

    at: float
    clock: Callable[[], float] = time.monotonic

    @classmethod
    def after(cls, seconds: float | None, clock: Callable[[], float] = time.monotonic) -> Deadline:
        """Return the deadline that lies ``seconds`` from now (None: never)."""
        return cls(math.inf if seconds is None else clock() + seconds, clock)

    @property
    def remaining(self) -> float:
        """Seconds left, never negative; infinite where there is no limit."""
        return max(0.0, self.at - self.clock())

    @property
    def passed(self) -> bool:
        """Whether the moment has come."""
        return self.clock() >= self.at


def check_seconds(name: str, value: object, *, ceiling: float) -> float:
    """Return ``value`` as seconds, or raise with the field, the value and the range.

    Raises:
        TypeError: If the value is no real number.
        ValueError: If it is not finite, not above 0, or above ``ceiling``.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{name} must be a number of seconds, not {value!r}")
    if not 0 < value <= min(ceiling, sys.float_info.max):
        raise ValueError(f"{name} must be above 0 and at most {ceiling:g} seconds, not {value!r}")
    return float(value)
