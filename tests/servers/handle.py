"""What a test holds of a server, whichever way it was started."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import Protocol, Self


class ServerUnavailableError(Exception):
    """No server could be had this way; the message says what was tried and what mends it."""


class Server(Protocol):
    """A Neo4j server that answers queries."""

    @property
    def uri(self) -> str:
        """Where drivers connect, `bolt://…`."""

    @property
    def auth(self) -> tuple[str, str]:
        """User and password."""

    @property
    def version(self) -> str:
        """What the server said of itself when it first answered, such as `5.26.30`."""

    @property
    def described(self) -> str:
        """The way it was had, for the test report; never the password."""


class OwnServer(Server, Protocol):
    """A server that one test has for itself, to stop, kill and freeze as it likes."""

    @property
    def pid(self) -> int:
        """The server process, as this machine sees it."""

    def start(self) -> None:
        """Starts it on the data that it has, and returns when it answers a query."""

    def stop(self) -> int:
        """Stops it cleanly, keeps its data, and returns the exit code."""

    def kill(self) -> None:
        """Kills it as `kill -9` does, and keeps its data."""

    def freeze(self) -> None:
        """Halts it as SIGSTOP does: connections stay open and nothing answers."""

    def thaw(self) -> None:
        """Lets a frozen server go on."""

    def restart(self, settings: Mapping[str, str] | None = None) -> None:
        """Stops it if it runs and starts it again; `settings` are added to those it had."""

    def close(self) -> None:
        """Stops it if it runs and removes its data."""

    def __enter__(self) -> Self:
        """Starts it."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Closes it."""
