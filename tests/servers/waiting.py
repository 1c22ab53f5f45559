"""Waits until a server answers a real query; no log line and no open port counts."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from neo4j import AsyncGraphDatabase
from neo4j.exceptions import AuthError, DriverError, Neo4jError

from tests.servers.handle import ServerUnavailableError

DEFAULT_WAIT_SECONDS = 120.0
FIRST_PAUSE_SECONDS = 0.1
LONGEST_PAUSE_SECONDS = 2.0
PAUSE_GROWTH = 1.5
ATTEMPT_SECONDS = 10.0

COMPONENTS = "CALL dbms.components() YIELD name, versions RETURN name, versions[0] AS version"


def wait_until_answers(
    uri: str,
    auth: tuple[str, str] | None,
    *,
    seconds: float = DEFAULT_WAIT_SECONDS,
    why_ended: Callable[[], str | None] = lambda: None,
) -> str:
    """Asks the server for its version until it answers.

    Args:
        uri: Where to connect.
        auth: User and password, or None where the server asks for none.
        seconds: The one limit on the whole wait.
        why_ended: Says why the server can no longer come up, or None while it still can.

    Returns:
        The server's version.

    Raises:
        ServerUnavailableError: It did not answer in time, ended, or refused the password; the
            message has the number of attempts and what the last one ran into.
    """
    started = time.monotonic()
    pause, attempts, last = FIRST_PAUSE_SECONDS, 0, "nothing was tried"
    while (left := started + seconds - time.monotonic()) > 0:
        attempts += 1
        try:
            return ask_version(uri, auth, seconds=min(left, ATTEMPT_SECONDS))
        except AuthError as error:
            # A right password does not become right by waiting, and wrong ones are rationed.
            raise ServerUnavailableError(
                f"{uri} answers but refuses the credentials: {error}"
            ) from error
        except (DriverError, Neo4jError, OSError, TimeoutError, ValueError) as error:
            last = f"{type(error).__name__}: {error}".rstrip(": ")
        if (ended := why_ended()) is not None:
            raise ServerUnavailableError(f"the server at {uri} ended before it answered: {ended}")
        time.sleep(max(0.0, min(pause, started + seconds - time.monotonic())))
        pause = min(pause * PAUSE_GROWTH, LONGEST_PAUSE_SECONDS)
    raise ServerUnavailableError(
        f"{uri} answered no query within {seconds:g} s ({attempts} attempts); "
        f"the last one: {last}. --neo4j-wait=SECONDS waits longer"
    )


def ask_version(uri: str, auth: tuple[str, str] | None, *, seconds: float) -> str:
    """Runs one query and returns the server's version; never takes longer than `seconds`."""
    return asyncio.run(_within(uri, auth, seconds))


async def _within(uri: str, auth: tuple[str, str] | None, seconds: float) -> str:
    # The synchronous driver cannot be held to a limit against a server that accepts and is
    # silent; a cancelled asynchronous call can.
    async with asyncio.timeout(seconds):
        async with AsyncGraphDatabase.driver(
            uri,
            auth=auth,
            connection_timeout=seconds,
            connection_acquisition_timeout=seconds,
            max_transaction_retry_time=0,
        ) as driver:
            records, _, _ = await driver.execute_query(COMPONENTS)
    return next(str(row["version"]) for row in records if row["name"] == "Neo4j Kernel")
