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
from urllib.parse import urlsplit

import neo4j

from citehop.deadline import Deadline, check_seconds
from citehop.errors import StoreError, StoreTimeout
from citehop.graph import neo4j_load as loading
from citehop.graph import neo4j_walk as walking
from citehop.graph.cypher import PROPERTIES
from citehop.graph.neo4j_errors import CLOSED, DUPLICATE_IDS, READ_ONLY
from citehop.graph.neo4j_guard import Guard
from citehop.graph.neo4j_link import Link, Shown, Transaction, credentials
from citehop.graph.neo4j_load import NoSchemaError, Outcome
from citehop.graph.neo4j_lookup import Lookup
from citehop.graph.neo4j_reads import Reader, State, recover
from citehop.graph.neo4j_records import EXTRAS, SCHEMES, Row, order_key
from citehop.graph.neo4j_schema import GraphSchema
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

SCHEMES_OF_URIS = ("neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc")
DEFAULT_URI = "neo4j://localhost:7687"
DEFAULT_LOAD_SECONDS = 120.0
_REMOVE_IDS = 1_000
_PAGE_ROWS = 2_000
_SCHEMA = (
    "work_id", "meta_name", "removed_id", "paper_doi", "paper_arxiv", "paper_openalex", "paper_s2",
    "paper_pmid", "paper_corpusid", "paper_alias", "paper_year", "paper_changed",
)  # fmt: skip


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
        self._uri = _checked_uri(uri or os.environ.get("NEO4J_URI") or DEFAULT_URI)
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
        self._write_alone(_adopt)
        for name in _SCHEMA:
            try:
                self._write_alone(_running(f"schema/{name}"))
            except StoreError as error:
                if error.code != DUPLICATE_IDS.code:
                    raise
                raise self._twins() from error
        self._write_alone(_running("schema/await"))
        names = [*PROPERTIES, *SCHEMES, *EXTRAS, "citehop_order", "stated_by"]
        self._write_alone(_running("schema/tokens", properties=names))
        self._write_alone(_running("schema/meta", store=uuid.uuid4().hex))
        self._write_alone(recover)

    def merge_twins(self) -> int:
        """Merge nodes that share an id, which :meth:`initialise` complains of; return how many."""
        self._check_writable()

        async def merge(transaction: Transaction) -> int:
            return int((await transaction.run("schema/merge_twins")).rows[0][0])

        return self._write_alone(merge)

    def load(self, papers: Iterable[Paper], *, progress: Progress | None = None) -> LoadReport:
        """Take in records; see the contract. One transaction a batch."""
        self._check_writable()
        report = LoadReport()
        for rows in loading.rows_in_batches(papers):
            report += self._write_rows(rows)
            if progress is not None:
                progress(report)
        return report

    def remove(self, ids: Iterable[str]) -> int:
        """Remove records; see the contract."""
        wanted = sorted(set(id_list(ids)))
        self._check_writable()
        removed = 0
        for start in range(0, len(wanted), _REMOVE_IDS):
            part = wanted[start : start + _REMOVE_IDS]
            removed += self._remove_part(part)
        return removed

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
            self._read(lambda tx, _: walk.run(tx), request.deadline.remaining)
        except StoreError as error:
            if not (walk.hops and request.deadline.passed):
                if isinstance(error, StoreTimeout) and walk.started:
                    walk.result()
                raise
        return walk.result()

    def _paths(self, request: PathsRequest) -> dict[tuple[str, str], CitationPath]:
        return self._read(lambda tx, _: walking.paths(tx, request), request.deadline.remaining)

    async def _revision(self, transaction: Transaction, state: State | None) -> str:
        return state.name if state else await self._lookup.foreign_revision(transaction)

    def _papers(self) -> Iterator[Paper]:
        with tempfile.TemporaryFile() as spool:
            odd = self._read(lambda tx, _: self._spool(tx, spool), self._load_seconds)
            spool.seek(0)
            yield from heapq.merge(_unspooled(spool), odd, key=lambda paper: paper.id)

    async def _spool(self, transaction: Transaction, spool: IO[bytes]) -> list[Paper]:
        """Write papers whose order the server knows; return the others, sorted."""
        spool.seek(0)
        spool.truncate()
        odd: list[Paper] = []
        after = ""
        while page := await self._lookup.page(transaction, after, _PAGE_ROWS):
            plain = [paper for paper in page if order_key(paper.id) is None]
            odd += [paper for paper in page if order_key(paper.id) is not None]
            pickle.dump(plain, spool)
            after = page[-1].id
        return sorted(odd, key=lambda paper: paper.id)

    def _write_rows(self, rows: list[Row]) -> LoadReport:
        try:
            return self._commit(lambda tx: loading.write(tx, rows)).report
        except NoSchemaError:
            self.initialise()
            return self._write_rows(rows)
        except StoreError as error:
            if error.code != "MEMORY_LIMIT" or len(rows) == 1:
                raise
        half = len(rows) // 2
        return self._write_rows(rows[:half]) + self._write_rows(rows[half:])

    def _remove_part(self, ids: list[str]) -> int:
        removed = 0

        async def work(transaction: Transaction) -> Outcome:
            nonlocal removed
            removed, revision = await loading.remove(transaction, ids)
            return Outcome(LoadReport(), revision)

        try:
            self._commit(work)
        except NoSchemaError:
            return 0
        return removed

    def _commit(self, work: Callable[[Transaction], Coroutine[Any, Any, Outcome]]) -> Outcome:
        """Run a batch, telling readers while its commit is applied."""

        async def whole(deadline: Deadline) -> Outcome:
            made: int | None = None

            async def noted(transaction: Transaction) -> Outcome:
                nonlocal made
                outcome = await work(transaction)
                made = outcome.revision
                return outcome

            async def before_commit() -> None:
                if made is not None:
                    await self._link.attempt(
                        _running("load/applying", revision=made), "WRITE", deadline
                    )

            outcome = await self._link.attempt(
                noted, "WRITE", deadline, before_commit=before_commit
            )
            if made is not None:
                await self._link.attempt(_running("load/applied", revision=made), "WRITE", deadline)
            return outcome

        return self._run(whole, self._load_seconds)

    def _write_alone(self, work: Callable[[Transaction], Coroutine[Any, Any, T]]) -> T:
        return self._run(
            lambda deadline: self._link.attempt(work, "WRITE", deadline), self._load_seconds
        )

    def _read(
        self,
        work: Callable[[Transaction, State | None], Coroutine[Any, Any, T]],
        seconds: float,
    ) -> T:
        return self._run(lambda deadline: self._reader.read(work, deadline), seconds)

    def _run(self, work: Callable[[Deadline], Coroutine[Any, Any, T]], seconds: float) -> T:
        deadline = Deadline.after(seconds)
        return self._guard.call(lambda: work(deadline), seconds)

    def _twins(self) -> StoreError:
        async def find(transaction: Transaction) -> list[str]:
            return [row[0] for row in (await transaction.run("schema/twins")).rows]

        names = ", ".join(repr(name) for name in self._write_alone(find))
        return DUPLICATE_IDS.error(
            f"{self._link.where}: more than one node has the id {names}",
            "merge them with store.merge_twins(), or with cypher/schema/merge_twins.cypher",
        )

    def _check_open(self) -> None:
        if self._guard.closed:
            raise CLOSED.error(self._link.where)

    def _check_writable(self) -> None:
        self._check_open()
        if self._read_only:
            raise READ_ONLY.error(self._link.where, "the store was opened for reading")


def _running(name: str, **parameters: Any) -> Callable[[Transaction], Coroutine[Any, Any, None]]:
    async def run(transaction: Transaction) -> None:
        await transaction.run(name, **parameters)

    return run


async def _answers(transaction: Transaction) -> None:
    await transaction.run("search/answers")


async def _adopt(transaction: Transaction) -> None:
    await transaction.run("schema/adopt")


def _unspooled(spool: IO[bytes]) -> Iterator[Paper]:
    while True:
        try:
            page = pickle.load(spool)  # noqa: S301 - our own temporary file
        except EOFError:
            return
        yield from page


def _seconds(name: str, value: float) -> float:
    return check_seconds(name, value, ceiling=MAX_TIMEOUT_SECONDS)


def _checked_uri(uri: str) -> str:
    parts = urlsplit(uri)
    if parts.scheme not in SCHEMES_OF_URIS or not parts.netloc:
        raise ValueError(
            f"uri must begin with one of {', '.join(SCHEMES_OF_URIS)}, then ://, as {DEFAULT_URI}"
        )
    if "@" in parts.netloc:
        raise ValueError("uri must hold no user or password; pass them as auth=(user, password)")
    return uri
