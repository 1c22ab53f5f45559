"""Calls that come back in time, whatever the server does.

A driver waits up to two minutes for a server that is frozen. So every call runs on an event loop
in a thread of its own and is abandoned there when its time is over; no thread waits longer than
its caller allowed. After a call that got no answer the server is asked whether it is there at all;
while it says nothing, calls fail at once, and one probe waits for it to come back.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import os
import threading
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

from citehop.graph.neo4j_errors import CLOSED, STALLED, TIMEOUT

T = TypeVar("T")

ANSWER_SECONDS = 0.5
"""How long a server may take to say that it is there."""
GRACE_SECONDS = 0.2
"""How long a call waits for a server that did not answer so far."""
_SLACK_SECONDS = 0.25
_PROBE_SECONDS = 30.0


class Guard:
    """Runs coroutines for threads, with a limit for each.

    Args:
        where: How messages name the server; no credentials.
        ask: Asks the server for a sign of life, in the shortest way; it may take for ever.
    """

    def __init__(self, where: str, ask: Callable[[], Awaitable[None]]) -> None:
        self._where = where
        self._ask = ask
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._pid = os.getpid()
        self._closed = False
        self._stalled = False
        self._answered: asyncio.Event | None = None
        self._probe: asyncio.Task[None] | None = None

    @property
    def closed(self) -> bool:
        """Whether no call is taken any more."""
        return self._closed

    def call(self, work: Callable[[], Coroutine[Any, Any, T]], seconds: float) -> T:
        """Run ``work`` and return its result, within about ``seconds``.

        Raises:
            StoreTimeout: If it took longer and the server is there.
            StoreUnavailable: ``STORE_STALLED`` if the server does not answer at all.
            StoreError: ``STORE_CLOSED`` after :meth:`close`.
        """
        loop = self._running_loop()
        future = asyncio.run_coroutine_threadsafe(self._watched(work, seconds), loop)
        try:
            return future.result(seconds + ANSWER_SECONDS + _SLACK_SECONDS)
        except concurrent.futures.TimeoutError:
            future.cancel()
            raise STALLED.error(self._where) from None
        except concurrent.futures.CancelledError:
            raise CLOSED.error(self._where) from None
        except BaseException:
            future.cancel()
            raise

    def close(self, work: Callable[[], Coroutine[Any, Any, None]], seconds: float = 1.0) -> None:
        """Run a last piece of work and end the loop. Closing twice is allowed."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            loop, thread = self._loop, self._thread
        if loop is None or thread is None or self._pid != os.getpid():
            return
        future = asyncio.run_coroutine_threadsafe(self._last(work), loop)
        with contextlib.suppress(Exception):
            future.result(seconds)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(seconds)
        if not thread.is_alive():
            loop.close()

    async def _last(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.wait({asyncio.ensure_future(work()), *others}, timeout=0.8)

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._closed:
                raise CLOSED.error(self._where)
            # A forked child has the object, but neither its thread nor its connections.
            if self._loop is None or self._pid != os.getpid():
                self._pid = os.getpid()
                self._stalled = False
                self._answered = self._probe = None
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(
                    target=self._loop.run_forever, name="citehop-neo4j", daemon=True
                )
                self._thread.start()
            return self._loop

    async def _watched(self, work: Callable[[], Coroutine[Any, Any, T]], seconds: float) -> T:
        if self._stalled:
            await self._wait_for_answer(min(GRACE_SECONDS, seconds))
        task = asyncio.ensure_future(work())
        try:
            # Not wait_for: it waits for the cancelled task, which may not end on a frozen server.
            done, _ = await asyncio.wait({task}, timeout=seconds)
        except asyncio.CancelledError:
            task.cancel()
            raise
        if done:
            return task.result()
        task.cancel()
        task.add_done_callback(_forget)
        if await self._is_there():
            raise TIMEOUT.error(self._where, f"after {seconds:.1f} s")
        self._mark_stalled()
        raise STALLED.error(self._where, f"after {seconds:.1f} s")

    async def _wait_for_answer(self, seconds: float) -> None:
        event = self._answered
        if event is not None and not event.is_set():
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(event.wait(), seconds)
        if self._stalled:
            raise STALLED.error(self._where)

    async def _is_there(self) -> bool:
        ask = asyncio.ensure_future(_quietly(self._ask))
        done, _ = await asyncio.wait({ask}, timeout=ANSWER_SECONDS)
        if not done:
            ask.cancel()
            ask.add_done_callback(_forget)
        return bool(done)

    def _mark_stalled(self) -> None:
        if not self._stalled:
            self._stalled = True
            self._answered = asyncio.Event()
            self._probe = asyncio.ensure_future(self._wait_till_back())

    async def _wait_till_back(self) -> None:
        """Wait for any answer, be it that nobody listens there any more."""
        done: set[asyncio.Task[None]] = set()
        while not done:
            ask = asyncio.ensure_future(_quietly(self._ask))
            done, _ = await asyncio.wait({ask}, timeout=_PROBE_SECONDS)
            if not done:
                ask.cancel()
                ask.add_done_callback(_forget)
        self._stalled = False
        if self._answered is not None:
            self._answered.set()


async def _quietly(ask: Callable[[], Awaitable[None]]) -> None:
    # Any answer will do, an error too: the server is there.
    with contextlib.suppress(Exception):
        await ask()


def _forget(task: asyncio.Task[Any]) -> None:
    """Take note of an abandoned task's end, so that asyncio does not complain about it."""
    if not task.cancelled():
        task.exception()
