"""Time as one run of a plan sees it."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from citehop.plan.checks import real_score


class Stopwatch:
    """Seconds since a run began; they never fall, also where the clock goes backwards.

    Args:
        clock: Gives seconds; None is ``time.perf_counter``. What it raises passes through: a
            broken clock is a programming error, as no bound could be kept by it.
        limit: Seconds after which the deadline has passed; None: never.

    Raises:
        TypeError: If the clock gives no real number.
        ValueError: If it gives one that is not finite.
    """

    __slots__ = ("_clock", "_elapsed", "_start", "limit")

    def __init__(self, clock: Callable[[], float] | None, limit: float | None) -> None:
        self._clock = time.perf_counter if clock is None else clock
        self.limit = math.inf if limit is None else limit
        self._start = self._read()
        self._elapsed = 0.0

    def elapsed(self) -> float:
        """Read the clock."""
        self._elapsed = max(self._elapsed, self._read() - self._start)
        return self._elapsed

    def passed(self, elapsed: float) -> bool:
        """Whether the deadline had passed at that reading."""
        return elapsed >= self.limit

    def _read(self) -> float:
        return real_score("what clock() returns", self._clock())
