"""One writer at a time, also across processes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

from citehop.errors import ErrorCategory, StoreError

try:
    import fcntl
except ImportError:  # pragma: no cover - a system without it has one writer by agreement alone
    fcntl = None  # type: ignore[assignment]

LOCK: Final = "lock"
WAIT_SECONDS: Final = 10.0
_PAUSE: Final = 0.05


@contextmanager
def writing(folder: Path, wait_seconds: float = WAIT_SECONDS) -> Iterator[None]:
    """Hold the right to change a library; the system takes it back from a process that dies.

    Raises:
        StoreError: ``LIBRARY_BUSY``, if another has held it all the while.
    """
    with (folder / LOCK).open("a") as file:
        _take(file, folder, time.monotonic() + wait_seconds)
        yield


def _take(file: IO[str], folder: Path, until: float) -> None:
    while fcntl is not None:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= until:
                raise StoreError(
                    f"{folder}: another process is changing this library; try again when it is"
                    " done",
                    code="LIBRARY_BUSY",
                    category=ErrorCategory.UNAVAILABLE,
                    retryable=True,
                ) from None
            time.sleep(_PAUSE)
        else:
            return
