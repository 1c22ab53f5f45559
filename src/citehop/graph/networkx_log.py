"""What changed since when, in memory."""

from __future__ import annotations

import uuid
from collections import deque
from collections.abc import Container, Mapping

from citehop.graph.store import Changes

LOG_IDS = 50_000
"""Ids that the log remembers at most; past that the oldest entries go."""


class ChangeLog:
    """A bounded log of changes: one entry a batch, each leading to a revision of its own.

    Args:
        most: Ids that are remembered at most.
    """

    def __init__(self, most: int = LOG_IDS) -> None:
        self._log = uuid.uuid4().hex
        self._most = most
        self._number = 0
        self._entries: deque[Mapping[str, bool]] = deque()
        self._ids = 0

    @property
    def revision(self) -> str:
        """The name of the present state."""
        return f"{self._log}:{self._number}"

    def add(self, entry: Mapping[str, bool]) -> None:
        """Add every id that a batch touched, and whether it had a record before."""
        if not entry:
            return
        self._entries.append(entry)
        self._number += 1
        self._ids += len(entry)
        while self._ids > self._most:
            self._ids -= len(self._entries.popleft())

    def changes(self, since: str, records: Container[str]) -> Changes | None:
        """Return what changed since a revision, given the records that there are now."""
        later = self._later(since)
        if later is None:
            return None
        before: dict[str, bool] = {}
        for entry in later:
            before = {**entry, **before}
        return Changes(
            revision=self.revision,
            upserted=tuple(sorted(i for i in before if i in records)),
            removed=tuple(sorted(i for i, was in before.items() if was and i not in records)),
        )

    def _later(self, since: str) -> list[Mapping[str, bool]] | None:
        name, _, number = since.partition(":")
        if name != self._log or not (number.isascii() and number.isdigit()):
            return None
        steps = self._number - int(number)
        if not 0 <= steps <= len(self._entries):
            return None
        return list(self._entries)[len(self._entries) - steps :]
