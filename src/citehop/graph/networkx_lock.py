"""Many readers or one writer."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class ReadWriteLock:
    """Lets any number of readers in together, or one writer alone.

    Fair to both: a waiting writer goes before readers that come later, and readers that wait while
    it writes go before the next writer. Not reentrant.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._reading = 0
        self._writing = False
        self._waiting_readers = 0
        self._waiting_writers = 0
        # Readers that waited when the last writer left, and so go before the next one.
        self._owed = 0

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Hold the lock together with other readers."""
        with self._changed:
            self._waiting_readers += 1
            try:
                while self._writing or (self._waiting_writers and not self._owed):
                    self._changed.wait()
                self._reading += 1
            finally:
                self._waiting_readers -= 1
                self._owed = min(max(0, self._owed - 1), self._waiting_readers)
        try:
            yield
        finally:
            with self._changed:
                self._reading -= 1
                self._changed.notify_all()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the lock alone."""
        with self._changed:
            self._waiting_writers += 1
            try:
                while self._writing or self._reading or self._owed:
                    self._changed.wait()
                self._writing = True
            finally:
                self._waiting_writers -= 1
                self._changed.notify_all()
        try:
            yield
        finally:
            with self._changed:
                self._writing = False
                self._owed = self._waiting_readers
                self._changed.notify_all()
