"""What the tests of failures stand on: a corpus, a store of two halves, servers that are none."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import ClassVar

from citehop.graph.networkx import NetworkXStore
from citehop.graph.store import (
    Changes,
    CitationPath,
    CitationStore,
    Counts,
    ExpandRequest,
    Expansion,
    LoadReport,
    PathsRequest,
    Progress,
)
from citehop.paper import Paper


def corpus(papers: int = 300) -> list[Paper]:
    """Return papers of which each cites its next seven; the first ten are about sparsity."""
    return [
        Paper(
            f"p{i:05}",
            "Attention sparsity" if i < 10 else "Another matter",
            "",
            2000,
            [],
            [f"p{(i + k) % papers:05}" for k in range(1, 8)],
        )
        for i in range(papers)
    ]


def star(papers: int) -> list[Paper]:
    """Return papers that all cite the first of the corpus."""
    return [Paper(f"s{i:05}", "Around a hub", "", None, [], ["p00000"]) for i in range(papers)]


class Halves(CitationStore):
    """Papers come from one store and walks from another, so that only the graph leg can fail."""

    backend: ClassVar[str] = "neo4j"

    def __init__(self, walker: CitationStore, papers: Iterable[Paper]) -> None:
        self._walker = walker
        self._reader = NetworkXStore()
        self._reader.load(papers)

    def load(self, papers: Iterable[Paper], *, progress: Progress | None = None) -> LoadReport:
        """Load nothing."""
        raise NotImplementedError

    def remove(self, ids: Iterable[str]) -> int:
        """Remove nothing."""
        raise NotImplementedError

    def get(self, ids: Iterable[str]) -> list[Paper | None]:
        """Read from memory."""
        return self._reader.get(ids)

    def papers(self) -> Iterator[Paper]:
        """Read from memory."""
        return self._reader.papers()

    def counts(self) -> Counts:
        """Read from memory."""
        return self._reader.counts()

    @property
    def revision(self) -> str:
        """Read from memory."""
        return self._reader.revision

    def changes(self, since: str) -> Changes | None:
        """Read from memory."""
        return self._reader.changes(since)

    def close(self) -> None:
        """Close both."""
        self._walker.close()
        self._reader.close()

    def _expand(self, request: ExpandRequest) -> Expansion:
        return self._walker._expand(request)

    def _paths(self, request: PathsRequest) -> dict[tuple[str, str], CitationPath]:
        return self._walker._paths(request)


@contextmanager
def answering(reply: bytes, *, again: bytes = b"") -> Iterator[int]:
    """Listen on a port and answer whatever comes with bytes; yield the port."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=_serve, args=(listener, reply, again), daemon=True)
        thread.start()
        yield listener.getsockname()[1]
        listener.shutdown(socket.SHUT_RDWR)
    thread.join(5)


def _serve(listener: socket.socket, reply: bytes, again: bytes) -> None:
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        with connection:
            try:
                _converse(connection, reply, again)
            except OSError:
                continue


def _converse(connection: socket.socket, reply: bytes, again: bytes) -> None:
    connection.recv(65_536)
    connection.sendall(reply)
    while heard := connection.recv(65_536):
        # One answer for each message; short ones are one chunk each.
        rest = heard
        while rest:
            connection.sendall(again if rest[3] == HELLO else SUCCESS)
            rest = rest[int.from_bytes(rest[:2], "big") + 4 :]


HTTP = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"
BOLT_5_4 = bytes((0, 0, 4, 5))


HELLO = 0x01


def message(fields: dict[str, str | None]) -> bytes:
    """Return the Bolt message SUCCESS with short texts, or empty lists, in it."""
    body = bytes((0xB1, 0x70, 0xA0 | len(fields)))
    for name, value in fields.items():
        body += bytes((0x80 | len(name),)) + name.encode()
        body += bytes((0x90,)) if value is None else bytes((0xD0, len(value))) + value.encode()
    return len(body).to_bytes(2, "big") + body + bytes(2)


SUCCESS = message({"fields": None})


def hello(agent: str) -> bytes:
    """Return the message in which a server says what it is."""
    return message({"server": agent, "connection_id": "1"})
