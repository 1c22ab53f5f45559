"""What changes a database: its schema, batches of papers, removals."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Coroutine, Iterable, Sequence
from typing import Any, Protocol, TypeVar

from citehop.deadline import Deadline
from citehop.errors import StoreError
from citehop.graph import neo4j_load as loading
from citehop.graph.cypher import PROPERTIES
from citehop.graph.neo4j_errors import DUPLICATE_IDS, SCHEMA_CONFLICT
from citehop.graph.neo4j_link import Link, Transaction
from citehop.graph.neo4j_load import NoSchemaError, Outcome
from citehop.graph.neo4j_reads import recover
from citehop.graph.neo4j_records import EXTRAS, SCHEMES, Row
from citehop.graph.store import LoadReport, Progress
from citehop.paper import Paper

T = TypeVar("T")

_REMOVE_IDS = 1_000
_SCHEMA = (
    "work_id", "meta_name", "removed_id", "paper_doi", "paper_arxiv", "paper_openalex", "paper_s2",
    "paper_pmid", "paper_corpusid", "paper_alias", "paper_year", "paper_changed",
)  # fmt: skip


class Run(Protocol):
    """Runs asynchronous work to its end, in bounded time."""

    def __call__(self, work: Callable[[Deadline], Coroutine[Any, Any, T]], seconds: float) -> T:
        """Run ``work``."""


class Writer:
    """Writes, one transaction a batch.

    Args:
        link: The way to the server.
        run: Runs work.
        seconds: For each transaction.
    """

    def __init__(self, link: Link, run: Run, seconds: float) -> None:
        self._link = link
        self._run = run
        self._load_seconds = seconds

    def initialise(self) -> None:
        """Make the schema; see :meth:`citehop.Neo4jStore.initialise`."""
        self._write_alone(_running("schema/adopt"))
        for name in _SCHEMA:
            try:
                self._make(name)
            except StoreError as error:
                if error.code != DUPLICATE_IDS.code:
                    raise
                raise self._twins() from error
        self._write_alone(_running("schema/await"))
        names = [*PROPERTIES, *SCHEMES, *EXTRAS, "citehop_order", "stated_by"]
        self._write_alone(_running("schema/tokens", properties=names))
        self._write_alone(_running("schema/meta", store=uuid.uuid4().hex))
        self._write_alone(recover)

    def _make(self, name: str) -> None:
        """Make a constraint or an index, also where a server was killed while it did so."""
        try:
            self._write_alone(_running(f"schema/{name}"))
        except StoreError as error:
            if error.code != SCHEMA_CONFLICT.code:
                raise
            # The name is ours; somebody else's index of another name stays in the way.
            self._write_alone(_running("schema/drop_orphan", index=f"citehop_{name}"))
            self._write_alone(_running(f"schema/{name}"))

    def merge_twins(self) -> int:
        """Merge nodes that share an id; return how many went into another."""

        async def merge(transaction: Transaction) -> int:
            return int((await transaction.run("schema/merge_twins")).rows[0][0])

        return self._write_alone(merge)

    def load(self, papers: Iterable[Paper], progress: Progress | None) -> LoadReport:
        """Load batch by batch."""
        report = LoadReport()
        for rows in loading.rows_in_batches(papers):
            report += self._write_rows(rows)
            if progress is not None:
                progress(report)
        return report

    def remove(self, ids: Sequence[str]) -> int:
        """Remove batch by batch; return how many were there."""
        starts = range(0, len(ids), _REMOVE_IDS)
        return sum(self._remove_part(ids[start : start + _REMOVE_IDS]) for start in starts)

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

    def _remove_part(self, ids: Sequence[str]) -> int:
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

    def _twins(self) -> StoreError:
        async def find(transaction: Transaction) -> list[str]:
            return [row[0] for row in (await transaction.run("schema/twins")).rows]

        names = ", ".join(repr(name) for name in self._write_alone(find))
        return DUPLICATE_IDS.error(
            f"{self._link.where}: more than one node has the id {names}",
            "merge them with store.merge_twins(), or with cypher/schema/merge_twins.cypher",
        )


def _running(name: str, **parameters: Any) -> Callable[[Transaction], Coroutine[Any, Any, None]]:
    async def run(transaction: Transaction) -> None:
        await transaction.run(name, **parameters)

    return run
