from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import pytest

from citehop.graph.neo4j_session import AsyncSession, BridgedSession


class _SlowToClose:
    """A driver's session whose server does not answer to its last word, as no real one does."""

    def __init__(self) -> None:
        self.killed = False
        self.closed = False

    def cancel(self) -> None:
        self.killed = True

    async def close(self) -> None:
        if not self.killed:
            await asyncio.Event().wait()
        self.closed = True


def test_a_session_that_is_being_closed_is_let_go_when_nobody_waits() -> None:
    """Cancelled while it closes, it is killed and closed, so that its connection is given back."""
    slow = _SlowToClose()

    async def cancelled_while_closing() -> None:
        closing = asyncio.create_task(AsyncSession(cast("Any", slow)).close())
        await asyncio.sleep(0)
        closing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await closing

    asyncio.run(cancelled_while_closing())

    assert (slow.killed, slow.closed) == (True, True)


class _Blocking:
    def __init__(self) -> None:
        self.closed = threading.Event()

    def close(self) -> None:
        self.closed.set()


def test_a_given_session_is_closed_though_the_threads_were_busy() -> None:
    """Cancelled before a thread was free to close it, it is closed once one is."""
    busy = threading.Event()
    given = _Blocking()

    async def cancelled_while_queued(threads: ThreadPoolExecutor) -> None:
        threads.submit(busy.wait)
        closing = asyncio.create_task(BridgedSession(cast("Any", given), threads).close())
        await asyncio.sleep(0)
        closing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await closing

    with ThreadPoolExecutor(1) as threads:
        asyncio.run(cancelled_while_queued(threads))
        assert not given.closed.is_set()
        busy.set()
        assert given.closed.wait(timeout=30)
