"""Writing: batches that each are one transaction, and what they report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from citehop.graph.neo4j_link import Transaction
from citehop.graph.neo4j_records import STORED, Row, order_key, row_of
from citehop.graph.store import LoadReport, batches
from citehop.paper import Paper

BATCH_ROWS = 2_000
BATCH_BYTES = 4_000_000
"""Bounds of a batch: papers, and bytes of their records."""
KEPT_REMOVALS = 10_000
"""Removed papers that the store remembers for those who follow its changes."""


class NoSchemaError(Exception):
    """The ledger is not there yet."""


def rows_in_batches(papers: Iterable[Paper]) -> Iterator[list[Row]]:
    """Yield rows, bounded by number and bytes, no id twice in a batch.

    Raises:
        TypeError: If an entry is no paper; what came before it is yielded first.
    """
    batch: dict[str, Row] = {}
    size = 0
    try:
        for (paper,) in batches(papers, 1):
            row = row_of(paper)
            if batch and (
                row.key in batch or len(batch) == BATCH_ROWS or size + row.size > BATCH_BYTES
            ):
                yield list(batch.values())
                batch, size = {}, 0
            batch[row.key] = row
            size += row.size
    except TypeError:
        if batch:
            yield list(batch.values())
        raise
    if batch:
        yield list(batch.values())


@dataclass(frozen=True, slots=True)
class Known:
    """What the store holds under an id.

    Args:
        paper: True for a paper, False for an external work, None for nothing.
        digest: Of the paper's record.
        silent: Whether it cites nothing so far.
    """

    paper: bool | None
    digest: str | None
    silent: bool


@dataclass(slots=True)
class Outcome:
    """What a batch did, and the revision that it makes, or None where it changed nothing."""

    report: LoadReport
    revision: int | None = None


async def known(transaction: Transaction, ids: Sequence[str]) -> tuple[int, dict[str, Known]]:
    """Return the revision, and what the store holds of each id.

    Raises:
        NoSchemaError: If the store was never initialised.
    """
    answer = await transaction.run("load/known", ids=sorted(ids))
    if not answer.rows:
        raise NoSchemaError
    return answer.rows[0][0], {row[1]: Known(*row[2:]) for row in answer.rows}


async def lock(transaction: Transaction) -> int:
    """Wait until nobody else writes, and return the revision that this transaction makes."""
    answer = await transaction.run("load/lock")
    if not answer.rows:
        raise NoSchemaError
    revision: int = answer.rows[0][0]
    return revision


async def write(transaction: Transaction, rows: Sequence[Row]) -> Outcome:
    """Write one batch."""
    ids = [row.key for row in rows]
    revision, held = await known(transaction, ids)
    changed = _changed(rows, held)
    if not changed:
        return Outcome(_report(rows, [], held))
    made = await lock(transaction)
    if made != revision + 1:
        # Somebody wrote in between; now nobody can.
        _, held = await known(transaction, ids)
        changed = _changed(rows, held)
    edges, externals = await _write_changed(transaction, changed, held, made)
    report = _report(rows, changed, held) + LoadReport(edges=edges, externals=externals)
    return Outcome(report, made)


def _changed(rows: Sequence[Row], held: dict[str, Known]) -> list[Row]:
    fresh = [row for row in rows if not held[row.key].paper or held[row.key].digest != row.digest]
    return sorted(fresh, key=lambda row: row.key)


def _report(rows: Sequence[Row], changed: Sequence[Row], held: dict[str, Known]) -> LoadReport:
    updated = sum(bool(held[row.key].paper) for row in changed)
    return LoadReport(
        created=len(changed) - updated,
        updated=updated,
        unchanged=len(rows) - len(changed),
        externals=-sum(held[row.key].paper is False for row in changed),
        dropped_self=sum(row.self_citations for row in rows),
        dropped_doubled=sum(row.doubled for row in rows),
    )


async def _write_changed(
    transaction: Transaction, rows: Sequence[Row], held: dict[str, Known], revision: int
) -> tuple[int, int]:
    """Return how many more edges and externals there are."""
    if not rows:
        return 0, 0
    updated = [row for row in rows if held[row.key].paper]
    lost, withdrawn = await withdraw(transaction, updated)
    sent = [{"key": row.key, "properties": row.properties} for row in rows]
    await transaction.run("load/papers", rows=sent, revision=revision)
    named = {other for row in rows for other in (*row.references, *row.citations)}
    named.difference_update(row.key for row in rows)
    made = (await transaction.run("load/externals", ids=sorted(named))).nodes_created
    await _set_order(transaction, [*named, *(row.key for row in rows)])
    edges = 0
    for name, field, part in _edge_statements(rows, held):
        part_rows = [{"key": row.key, field: getattr(row, field)} for row in part]
        if part_rows:
            edges += (await transaction.run(name, rows=part_rows)).edges_created
    gone = await prune(transaction, lost)
    return edges - withdrawn, made - gone


def _edge_statements(
    rows: Sequence[Row], held: dict[str, Known]
) -> list[tuple[str, str, list[Row]]]:
    citing = [row for row in rows if row.references]
    return [
        ("load/new_references", "references", [r for r in citing if held[r.key].silent]),
        ("load/references", "references", [r for r in citing if not held[r.key].silent]),
        ("load/citations", "citations", [r for r in rows if r.citations]),
    ]


async def withdraw(transaction: Transaction, rows: Sequence[Row]) -> tuple[set[str], int]:
    """Take back what former records stated and these do not; return who lost an edge, how many."""
    lost: set[str] = set()
    edges = 0
    if not rows:
        return lost, edges
    for name, field in (
        ("load/withdraw_references", "references"),
        ("load/withdraw_citations", "citations"),
    ):
        answer = await transaction.run(
            name, rows=[{"key": row.key, field: getattr(row, field)} for row in rows]
        )
        lost.update(key for (key,) in answer.rows)
        edges += answer.edges_deleted
    return lost, edges


async def prune(transaction: Transaction, ids: Iterable[str]) -> int:
    """Delete the externals among ``ids`` that nothing names any more; return how many."""
    ordered = sorted(ids)
    if not ordered:
        return 0
    return (await transaction.run("load/prune", ids=ordered)).nodes_deleted


async def _set_order(transaction: Transaction, ids: Iterable[str]) -> None:
    keys = {key: order_key(key) for key in ids}
    odd: list[dict[str, Any]] = [{"key": i, "order": o} for i, o in sorted(keys.items()) if o]
    if odd:
        await transaction.run("load/order", rows=odd)


async def remove(transaction: Transaction, ids: Sequence[str]) -> tuple[int, int | None]:
    """Remove one batch; return how many were there, and the revision that this makes."""
    _, held = await known(transaction, ids)
    if not any(entry.paper for entry in held.values()):
        return 0, None
    made = await lock(transaction)
    _, held = await known(transaction, ids)
    there = sorted(key for key, entry in held.items() if entry.paper)
    nothing = [Row(key, {}, "", [], [], 0, 0, 0) for key in there]
    lost, _ = await withdraw(transaction, nothing)
    blank = dict.fromkeys([*STORED, "citehop_changed"])
    await transaction.run("load/remove", ids=there, properties=blank)
    await prune(transaction, {*lost, *there})
    await transaction.run("load/note_removed", ids=there, revision=made)
    await transaction.run("load/forget_removed", keep=KEPT_REMOVALS)
    return len(there), made
