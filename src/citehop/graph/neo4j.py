"""The store in Neo4j: the same answers as in memory, from the database."""

from __future__ import annotations

import heapq
import os
import pickle
import tempfile
import uuid
from collections.abc import Callable, Coroutine, Iterable, Iterator
from pathlib import Path
from typing import IO, Any, ClassVar, TypeVar

import neo4j

from citehop.deadline import Deadline, check_seconds
from citehop.errors import StoreError, StoreTimeout
from citehop.graph import neo4j_walk as walking
from citehop.graph.neo4j_address import DEFAULT_URI, checked_uri, credentials
from citehop.graph.neo4j_errors import CLOSED, READ_ONLY
from citehop.graph.neo4j_guard import Guard
from citehop.graph.neo4j_link import Link, Shown, Transaction
from citehop.graph.neo4j_lookup import Lookup
from citehop.graph.neo4j_reads import Reader, State, may_sort_oddly
from citehop.graph.neo4j_schema import GraphSchema
from citehop.graph.neo4j_write import Writer
from citehop.graph.store import (
    DEFAULT_TIMEOUT_SECONDS,
    MAX_TIMEOUT_SECONDS,
    Changes,
    CitationPath,
    CitationStore,
    Counts,
    ExpandRequest,
    Expansion,
    LoadReport,
    PathsRequest,
    Progress,
    id_list,
)
from citehop.paper import Paper

T = TypeVar("T")

DEFAULT_LOAD_SECONDS = 120.0
_PAGE_ROWS = 2_000


class Neo4jStore(CitationStore):
    """A citation store in a Neo4j database, 5.26 or newer.

    Nothing is connected until the first use. A database is made ready by :meth:`initialise`, which
    :meth:`load` does by itself. Calls keep their time, also when the server is frozen.

    Args:
        uri: ``neo4j://``, ``bolt://``, with ``+s`` or ``+ssc`` for TLS; None: ``NEO4J_URI``.
        auth: User and password; None: from ``auth_file``, else ``NEO4J_USERNAME`` and
            ``NEO4J_PASSWORD``.
        auth_file: File with user and password on two lines, or ``user/password``.
        database: Name of the database; None: ``NEO4J_DATABASE``, else the user's own.
        driver: A driver to use instead of ``uri`` and ``auth``; closing it stays the caller's.
        schema: Other names of a graph that is there already; it is then read, not written.
        read_only: Whether writing is refused; None: exactly where a schema is given.
        timeout_seconds: For each of ``get``, ``counts``, ``revision`` and ``changes``.
        load_timeout_seconds: For each batch that is written, and for reading all ``papers``.
        on_statement: Called with the text and the parameters of every statement sent.

    Raises:
        ValueError: For a URI of another kind, or one that holds credentials.
    """

    backend: ClassVar[str] = "neo4j"

    def __init__(
        self,
        uri: str | None = None,
        auth: tuple[str, str] | None = None,
        *,
        auth_file: str | Path | None = None,
        database: str | None = None,
        driver: neo4j.Driver | None = None,
        schema: GraphSchema | None = None,
        read_only: bool | None = None,
        timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS,
        load_timeout_seconds: float = DEFAULT_LOAD_SECONDS,
        on_statement: Shown | None = None,
    ) -> None:
        self._seconds = _seconds("timeout_seconds", timeout_seconds)
        self._load_seconds = _seconds("load_timeout_seconds", load_timeout_seconds)
        self._uri = checked_uri(uri or os.environ.get("NEO4J_URI") or DEFAULT_URI)
        self._schema = schema
        self._read_only = schema is not None if read_only is None else read_only
        self._link = Link(
            self._uri,
            None if driver is not None else credentials(auth, auth_file, os.environ),
            database=database or os.environ.get("NEO4J_DATABASE") or None,
            driver=driver,
            schema=schema,
            shown=on_statement,
        )
        self._guard = Guard(self._link.where, self._link.answers)
        self._reader = Reader(self._link, own_schema=schema is None, may_write=not self._read_only)
        self._writer = Writer(self._link, self._run, self._load_seconds)
        self._lookup = Lookup(schema or GraphSchema())

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._uri!r}, database={self._link.database!r})"

    def verify(self) -> None:
        """Connect, and check that a Neo4j server of a version that will do answers.

        Raises:
            StoreError: Saying what is wrong.
        """
        self._run(lambda deadline: self._link.attempt(_answers, "READ", deadline), self._seconds)

    def initialise(self) -> None:
        """Make the schema, and wait until it can be used. May be run twice.

        Raises:
            StoreError: ``DUPLICATE_IDS`` where nodes share an id, naming some of them.
        """
        self._check_writable()
        self._writer.initialise()

    def merge_twins(self) -> int:
        """Merge nodes that share an id, which :meth:`initialise` complains of; return how many."""
        self._check_writable()
        return self._writer.merge_twins()

    def load(self, papers: Iterable[Paper], *, progress: Progress | None = None) -> LoadReport:
        """Take in records; see the contract. One transaction a batch."""
        self._check_writable()
        return self._writer.load(papers, progress)

    def remove(self, ids: Iterable[str]) -> int:
        """Remove records; see the contract."""
        wanted = sorted(set(id_list(ids)))
        self._check_writable()
        return self._writer.remove(wanted)

    def get(self, ids: Iterable[str]) -> list[Paper | None]:
        """Return papers by id or alias; see the contract."""
        wanted = id_list(ids)
        self._check_open()
        return self._read(lambda tx, _: self._lookup.get(tx, wanted), self._seconds)

    def papers(self) -> Iterator[Paper]:
        """Yield every paper; see the contract. They wait in a temporary file, in one state."""
        self._check_open()
        return self._papers()

    def counts(self) -> Counts:
        """Return what the store holds."""
        return self._read(lambda tx, _: self._lookup.counts(tx), self._seconds)

    @property
    def revision(self) -> str:
        """An opaque name of the present state."""
        return self._read(self._revision, self._seconds)

    def changes(self, since: str) -> Changes | None:
        """Return what changed since a revision; see the contract."""
        return self._read(lambda tx, state: self._lookup.changes(tx, state, since), self._seconds)

    def close(self) -> None:
        """Close the driver, unless it was given."""
        self._guard.close(self._link.close)

    def _expand(self, request: ExpandRequest) -> Expansion:
        walk = walking.Walk(request)
        try:
            self._read(walk.run, request.deadline.remaining)
        except StoreError as error:
            if not (walk.hops and request.deadline.passed):
                if isinstance(error, StoreTimeout) and walk.started:
                    walk.result()
                raise
        return walk.result()

    def _paths(self, request: PathsRequest) -> dict[tuple[str, str], CitationPath]:
        return self._read(lambda tx, _: walking.paths(tx, request), request.deadline.remaining)

    async def _revision(self, _: Transaction, state: State | None) -> str:
        # Nobody counts the changes of somebody else's graph, so no two states are called equal.
        return state.name if state else uuid.uuid4().hex

    def _papers(self) -> Iterator[Paper]:
        with tempfile.TemporaryFile() as spool:
            odd = self._read(lambda tx, state: self._spool(tx, state, spool), self._load_seconds)
            spool.seek(0)
            yield from heapq.merge(_unspooled(spool), odd, key=lambda paper: paper.id)

    async def _spool(
        self, transaction: Transaction, state: State | None, spool: IO[bytes]
    ) -> list[Paper]:
        """Write papers whose order the server knows; return the others, sorted."""
        spool.seek(0)
        spool.truncate()
        after = ""
        while page := await self._lookup.page(transaction, after, _PAGE_ROWS):
            pickle.dump(page, spool)
            after = page[-1].id
        return await self._lookup.odd(transaction) if may_sort_oddly(state) else []

    def _read(
        self,
        work: Callable[[Transaction, State | None], Coroutine[Any, Any, T]],
        seconds: float,
    ) -> T:
        return self._run(lambda deadline: self._reader.read(work, deadline), seconds)

    def _run(self, work: Callable[[Deadline], Coroutine[Any, Any, T]], seconds: float) -> T:
        deadline = Deadline.after(seconds)
        return self._guard.call(lambda: work(deadline), seconds)

    def _check_open(self) -> None:
        if self._guard.closed:
            raise CLOSED.error(self._link.where)

    def _check_writable(self) -> None:
        self._check_open()
        if self._read_only:
            raise READ_ONLY.error(self._link.where, "the store was opened for reading")


async def _answers(transaction: Transaction) -> None:
    await transaction.run("search/answers")


def _unspooled(spool: IO[bytes]) -> Iterator[Paper]:
    while True:
        try:
            page = pickle.load(spool)  # noqa: S301 - our own temporary file
        except EOFError:
            return
        yield from page


def _seconds(name: str, value: float) -> float:
    return check_seconds(name, value, ceiling=MAX_TIMEOUT_SECONDS)
