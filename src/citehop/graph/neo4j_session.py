"""Sessions of both kinds of driver, seen alike: our own, which does not block, and a given one."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, TypeVar

import neo4j

from citehop.deadline import Deadline

T = TypeVar("T")

# How a server says that it knows no such label or type; the second is of older versions.
_UNKNOWN = {"01N50", "01N51"}
_UNKNOWN_CODES = ("UnknownLabelWarning", "UnknownRelationshipTypeWarning")
_OPTIONAL = re.compile(r"(?:label `|name is: )External\b")
"""A graph in which nothing is external, or that somebody else made, has no such label."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What one statement gave: its rows as tuples, what it created and deleted, what is unknown."""

    rows: list[tuple[Any, ...]]
    nodes_created: int
    nodes_deleted: int
    edges_created: int
    edges_deleted: int
    agent: str
    unknown: bool


def _answer(rows: list[tuple[Any, ...]], summary: neo4j.ResultSummary) -> Answer:
    # The summary's own properties warn, each in some version of the driver.
    said = summary.metadata
    unknown = any(map(_is_unknown, (said.get("statuses") or said.get("notifications") or ())))
    counters = summary.counters
    return Answer(
        rows,
        counters.nodes_created,
        counters.nodes_deleted,
        counters.relationships_created,
        counters.relationships_deleted,
        str(summary.server.agent),
        unknown,
    )


def _is_unknown(said: Mapping[str, Any]) -> bool:
    """Return whether the server misses a label or type that it must have."""
    missing = said.get("gql_status") in _UNKNOWN or str(said.get("code", "")).endswith(
        _UNKNOWN_CODES
    )
    text = f"{said.get('status_description')} {said.get('description')}"
    return missing and not _OPTIONAL.search(text)


def server_seconds(deadline: Deadline) -> float:
    """Return the limit that a server is given for what must be done by ``deadline``."""
    # Never 0: to the server that is no limit at all.
    return max(0.001, min(deadline.remaining, 86_400.0))


def _limited(text: str, deadline: Deadline) -> neo4j.Query:
    # The text is a file of ours, rendered from checked tokens.
    return neo4j.Query(text, timeout=server_seconds(deadline))


class Session(Protocol):
    """One transaction on one session, whichever driver stands behind it."""

    async def begin(self, seconds: float) -> None:
        """Open the transaction; the server ends it after ``seconds``."""

    def read_singly(self, deadline: Deadline) -> None:
        """Instead of a transaction: each statement is one of its own, and saves two journeys."""

    async def run(self, text: str, parameters: Mapping[str, Any]) -> Answer:
        """Run a statement and take in all its rows."""

    async def commit(self) -> None:
        """Commit."""

    async def close(self) -> None:
        """Roll back what is open, and let go."""

    async def abandon(self) -> None:
        """Let go at once, without a word to the server."""


class AsyncSession:
    """A session of our own driver."""

    def __init__(self, session: neo4j.AsyncSession) -> None:
        self._session = session
        self._transaction: neo4j.AsyncTransaction | None = None
        self._deadline = Deadline.after(None)

    def read_singly(self, deadline: Deadline) -> None:
        """Run each statement by itself."""
        self._deadline = deadline

    async def begin(self, seconds: float) -> None:
        """Open the transaction."""
        self._transaction = await self._session.begin_transaction(timeout=seconds)

    async def run(self, text: str, parameters: Mapping[str, Any]) -> Answer:
        """Run a statement."""
        if self._transaction is None:
            result = await self._session.run(_limited(text, self._deadline), dict(parameters))
        else:
            result = await self._transaction.run(text, dict(parameters))
        rows = [tuple(record.values()) async for record in result]
        return _answer(rows, await result.consume())

    async def commit(self) -> None:
        """Commit."""
        if self._transaction is not None:
            await self._transaction.commit()

    async def close(self) -> None:
        """Roll back what is open, and let go; at once, where nobody waits for it any longer."""
        try:
            await self._session.close()
        except asyncio.CancelledError:
            await self.abandon()
            raise

    async def abandon(self) -> None:
        """Let go at once."""
        self._session.cancel()
        # After cancel() there is nobody to wait for.
        await self._session.close()


class BridgedSession:
    """A session of a driver that was given and blocks: its calls run in a few threads."""

    def __init__(self, session: neo4j.Session, threads: ThreadPoolExecutor) -> None:
        self._session = session
        self._threads = threads
        self._pending: Future[Any] | None = None
        self._transaction: neo4j.Transaction | None = None
        self._deadline = Deadline.after(None)

    def read_singly(self, deadline: Deadline) -> None:
        """Run each statement by itself."""
        self._deadline = deadline

    async def begin(self, seconds: float) -> None:
        """Open the transaction."""
        begin = partial(self._session.begin_transaction, timeout=seconds)
        self._transaction = await self._in_thread(begin)

    async def run(self, text: str, parameters: Mapping[str, Any]) -> Answer:
        """Run a statement."""
        return await self._in_thread(partial(self._run, text, dict(parameters)))

    def _run(self, text: str, parameters: dict[str, Any]) -> Answer:
        if self._transaction is None:
            result = self._session.run(_limited(text, self._deadline), parameters)
        else:
            result = self._transaction.run(text, parameters)
        rows = [tuple(record.values()) for record in result]
        return _answer(rows, result.consume())

    async def commit(self) -> None:
        """Commit."""
        if self._transaction is not None:
            await self._in_thread(self._transaction.commit)

    async def close(self) -> None:
        """Roll back what is open, and let go; the thread does it, whoever waits for it or not."""
        try:
            await self._in_thread(self._session.close)
        except asyncio.CancelledError:
            await self.abandon()
            raise

    async def abandon(self) -> None:
        """Let the session end in the thread that waits for it, once that gets an answer."""
        if self._pending is not None:
            self._pending.add_done_callback(self._end)

    def _end(self, pending: Future[Any]) -> None:
        if pending.cancelled():
            # It never ran, so this is no thread that may wait.
            with contextlib.suppress(RuntimeError):
                self._threads.submit(self._session.close)
            return
        with contextlib.suppress(Exception):
            self._session.close()

    async def _in_thread(self, call: Callable[[], T]) -> T:
        pending = self._threads.submit(call)
        self._pending = pending
        return await asyncio.wrap_future(pending)
