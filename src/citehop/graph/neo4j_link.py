"""The way to a server: driver, credentials, sessions, transactions and their retries."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import random
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar

import neo4j

from citehop.deadline import Deadline
from citehop.graph.cypher import render
from citehop.graph.neo4j_errors import (
    AUTH_FAILED,
    CONFLICT,
    DATABASE_DOWN,
    MISCONFIGURED,
    NOT_NEO4J,
    SCHEMA_MISSING,
    TIMEOUT,
    UNAVAILABLE,
    check_version,
    is_foreign,
    translated,
)
from citehop.graph.neo4j_schema import GraphSchema
from citehop.graph.store import Direction

T = TypeVar("T")
Access = Literal["READ", "WRITE"]
Shown = Callable[[str, Mapping[str, Any]], None]
"""Called with the text and the parameters of each statement that is sent."""

BRIDGE_THREADS = 4
"""Threads for a driver that blocks: at most so many hang on a server that is frozen."""
_PAUSE_SECONDS = 0.05
_UNAVAILABLE_RETRIES = 2
# Far above what a call may take: the guard ends it long before, and these only tidy up.
_CONNECT_SECONDS = 20.0
_UNKNOWN = {"01N50", "01N51"}
_UNKNOWN_CODES = ("UnknownLabelWarning", "UnknownRelationshipTypeWarning")

_log = logging.getLogger(__name__)


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
    unknown = any(s.get("gql_status") in _UNKNOWN for s in said.get("statuses") or ()) or any(
        str(n.get("code", "")).endswith(_UNKNOWN_CODES) for n in said.get("notifications") or ()
    )
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


def _server_seconds(deadline: Deadline) -> float:
    # Never 0: to the server that is no limit at all.
    return max(0.001, min(deadline.remaining, 86_400.0))


def _limited(text: str, deadline: Deadline) -> neo4j.Query:
    # The text is a file of ours, rendered from checked tokens.
    return neo4j.Query(text, timeout=_server_seconds(deadline))


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
        """Roll back what is open, and let go."""
        await self._session.close()

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
        """Roll back what is open, and let go."""
        await self._in_thread(self._session.close)

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


class Transaction:
    """What a unit of work gets: statements by name."""

    def __init__(self, session: Session, link: Link) -> None:
        self._session = session
        self._link = link
        self.ran = 0

    async def run(
        self,
        name: str,
        *,
        hops: int | None = None,
        direction: Direction = "both",
        **parameters: Any,
    ) -> Answer:
        """Run a file of ``cypher/`` and return what it gave."""
        text = render(name, hops=hops, direction=direction, mapped=self._link.mapped)
        if self._link.shown is not None and not name.endswith(("/state", "/answers")):
            self._link.shown(text, parameters)
        answer = await self._session.run(text, parameters)
        self.ran += 1
        if answer.unknown and name.startswith("search/"):
            raise SCHEMA_MISSING.error(self._link.where)
        return answer


Work = Callable[[Transaction], Awaitable[T]]


class Link:
    """Makes transactions on one database, and tries again where that may help.

    Args:
        uri: Where the server is; no credentials in it.
        auth: User and password.
        database: Its name; None: the user's home database.
        driver: One to use instead; it stays the caller's to close.
        schema: Other names; None: our own.
        shown: Called with each statement sent.
    """

    def __init__(
        self,
        uri: str,
        auth: tuple[str, str] | None,
        *,
        database: str | None = None,
        driver: neo4j.Driver | None = None,
        schema: GraphSchema | None = None,
        shown: Shown | None = None,
    ) -> None:
        self.where = f"Neo4j at {uri}" if driver is None else "Neo4j through the given driver"
        self.database = database
        self.mapped = schema.mapped() if schema else ()
        self.shown = shown
        self._uri, self._auth = uri, auth
        self._given = driver
        self._threads = (
            ThreadPoolExecutor(BRIDGE_THREADS, "citehop-neo4j-driver") if driver else None
        )
        self._driver: neo4j.AsyncDriver | None = None
        self._bookmarks: Any = None
        self._pid = 0
        self._checked = False

    async def attempt(
        self,
        work: Work[T],
        access: Access,
        deadline: Deadline,
        *,
        before_commit: Callable[[], Awaitable[None]] | None = None,
    ) -> T:
        """Run ``work`` in a transaction, again where the first failed for a passing reason.

        Raises:
            StoreError: Ours for whatever the driver raised.
        """
        pause, lost = _PAUSE_SECONDS, 0
        while True:
            progress = _Progress()
            try:
                return await self._once(work, access, deadline, before_commit, progress)
            except Exception as error:
                if not is_foreign(error):
                    raise
                ours = translated(error, self.where)
                lost += ours.code in (UNAVAILABLE.code, DATABASE_DOWN.code)
                again = ours.code == CONFLICT.code or (
                    ours.code in (UNAVAILABLE.code, DATABASE_DOWN.code)
                    and lost <= _UNAVAILABLE_RETRIES
                    and (access == "READ" or not progress.ran)
                )
                if not again or deadline.remaining <= pause:
                    if ours is error:
                        raise
                    raise ours from error
                _log.debug("trying again after %s", ours.code)
            await asyncio.sleep(pause * (0.75 + random.random() / 2))  # noqa: S311 - jitter
            pause = min(2 * pause, 2.0)

    async def _once(
        self,
        work: Work[T],
        access: Access,
        deadline: Deadline,
        before_commit: Callable[[], Awaitable[None]] | None,
        progress: _Progress,
    ) -> T:
        if deadline.passed:
            raise TIMEOUT.error(self.where)
        session = self._session(access)
        try:
            if access == "READ":
                session.read_singly(deadline)
            else:
                await session.begin(_server_seconds(deadline))
            transaction = Transaction(session, self)
            if not self._checked:
                self._check((await transaction.run("search/answers")).agent)
            progress.watch(transaction)
            value = await work(transaction)
            if before_commit is not None:
                await before_commit()
            await session.commit()
        except asyncio.CancelledError:
            await session.abandon()
            raise
        except BaseException:
            await session.close()
            raise
        await session.close()
        return value

    def _check(self, agent: str) -> None:
        if not agent.startswith("Neo4j/") or "compatible" in agent:
            raise NOT_NEO4J.error(self.where, agent[:40])
        check_version(agent, self.where)
        self._checked = True

    def _session(self, access: Access) -> Session:
        config: dict[str, Any] = {
            "database": self.database,
            "default_access_mode": access,
            "fetch_size": 2_000,
        }
        if self._given is not None and self._threads is not None:
            return BridgedSession(self._given.session(**config), self._threads)
        if self._driver is None or self._pid != os.getpid():
            self._pid = os.getpid()
            try:
                self._driver = self._connect()
            except ValueError as error:
                raise MISCONFIGURED.error(self.where) from error
            # Reads see what this store wrote before, on a cluster too.
            self._bookmarks = neo4j.AsyncGraphDatabase.bookmark_manager()
        return AsyncSession(self._driver.session(bookmark_manager=self._bookmarks, **config))

    def _connect(self) -> neo4j.AsyncDriver:
        from citehop import __version__  # noqa: PLC0415 - the package imports us lazily

        return neo4j.AsyncGraphDatabase.driver(
            self._uri,
            auth=self._auth,
            user_agent=f"citehop/{__version__}",
            connection_timeout=_CONNECT_SECONDS,
            connection_acquisition_timeout=_CONNECT_SECONDS,
            max_connection_lifetime=3_600,
            keep_alive=True,
            telemetry_disabled=True,
            # Only in somebody else's graph can a name be unknown; the driver logs what it is told.
            notifications_min_severity="WARNING" if self.mapped else "OFF",
            warn_notification_severity="OFF",
        )

    async def answers(self) -> None:
        """Ask for a sign of life; any answer is one."""
        session = self._session("READ")
        try:
            await session.begin(_CONNECT_SECONDS)
            await session.run(render("search/answers"), {})
        except asyncio.CancelledError:
            await session.abandon()
            raise
        except BaseException:
            await session.close()
            raise
        await session.close()

    async def close(self) -> None:
        """Close the driver, if it is ours."""
        if self._driver is not None and self._pid == os.getpid():
            await self._driver.close()
        if self._threads is not None:
            self._threads.shutdown(wait=False)


class _Progress:
    """Whether an attempt got anywhere."""

    def __init__(self) -> None:
        self._transaction: Transaction | None = None

    def watch(self, transaction: Transaction) -> None:
        self._transaction = transaction

    @property
    def ran(self) -> bool:
        return self._transaction is not None and self._transaction.ran > 0


def credentials(
    auth: tuple[str, str] | None, file: str | Path | None, environment: Mapping[str, str]
) -> tuple[str, str] | None:
    """Return user and password: as given, else from a file, else from the environment.

    The file holds ``user`` and ``password`` on two lines, or ``user/password`` on one. The
    environment's names are ``NEO4J_USERNAME`` (default ``neo4j``) and ``NEO4J_PASSWORD``.

    Raises:
        StoreError: If the file cannot be read or holds something else.
    """
    if auth is not None:
        user, password = auth
        return user, password
    if file is not None:
        return _from_file(Path(file))
    found = environment.get("NEO4J_PASSWORD")
    return (environment.get("NEO4J_USERNAME", "neo4j"), found) if found is not None else None


def _from_file(path: Path) -> tuple[str, str]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeError) as error:
        raise AUTH_FAILED.error(f"{path}: the credentials file cannot be read") from error
    parts = lines[0].split("/", 1) if len(lines) == 1 else lines[:2]
    if len(parts) != 2 or not all(parts):
        raise AUTH_FAILED.error(f"{path}: expected user and password on two lines")
    return parts[0], parts[1]
