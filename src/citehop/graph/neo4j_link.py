"""The way to a server: its driver, transactions, and trying again."""

from __future__ import annotations

import asyncio
import logging
import os
import random
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal, TypeVar

import neo4j

from citehop.deadline import Deadline
from citehop.graph.cypher import render
from citehop.graph.neo4j_errors import (
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
from citehop.graph.neo4j_session import (
    Answer,
    AsyncSession,
    BridgedSession,
    Session,
    server_seconds,
)
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

_log = logging.getLogger(__name__)


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
                await session.begin(server_seconds(deadline))
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
