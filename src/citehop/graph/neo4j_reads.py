"""Reads that each come from one state, while others write.

A server shows a commit to readers bit by bit while it applies it. So a writer sets the clock
before its commit and after it; a reader looks at the clock before and after, and reads again where
a commit touched what it read.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from citehop.deadline import Deadline
from citehop.graph.neo4j_errors import BUSY, SCHEMA_MISSING
from citehop.graph.neo4j_link import Link, Transaction

T = TypeVar("T")

PATIENCE_SECONDS = 1.0
"""How long a reader waits for a commit to be applied before it looks whether the writer is gone."""
_POLL_SECONDS = 0.005
_TRIES = 200


@dataclass(frozen=True, slots=True)
class State:
    """What the ledger and the clock say.

    Args:
        store: The store's own name.
        revision: Counts the changes.
        floor: Removals up to this revision are forgotten.
        applying: Revision of the last commit that was begun.
        applied: Revision of the last commit that readers see whole.
        odd_ids: Whether some id sorts otherwise on the server than by code points.
    """

    store: str
    revision: int
    floor: int
    applying: int
    applied: int
    odd_ids: bool

    @property
    def name(self) -> str:
        """The name of the state as ``revision`` gives it."""
        return f"{self.store}:{self.revision}"

    @property
    def settled(self) -> bool:
        """Whether no commit is being applied."""
        return self.applying == self.applied


def may_sort_oddly(state: State | None) -> bool:
    """Return whether some id may sort otherwise on the server; of somebody else's, any may."""
    return state is None or state.odd_ids


class _MovedError(Exception):
    """The state changed, or was changing, while it was read."""


class Reader:
    """Runs reads so that each sees one state.

    Args:
        link: The way to the server.
        own_schema: Whether the store has a ledger; somebody else's graph has none.
        may_write: Whether a clock left behind by a lost writer may be set right.
    """

    def __init__(self, link: Link, *, own_schema: bool, may_write: bool) -> None:
        self._link = link
        self._own_schema = own_schema
        self._may_write = may_write

    async def read(
        self, work: Callable[[Transaction, State | None], Awaitable[T]], deadline: Deadline
    ) -> T:
        """Run ``work`` with the state that it sees (None in somebody else's graph).

        Raises:
            StoreError: ``SCHEMA_MISSING`` without a ledger, ``STORE_BUSY`` if the state never
                stood still.
        """

        async def whole(transaction: Transaction) -> T:
            if not self._own_schema:
                return await work(transaction, None)
            before = await self._state(transaction)
            if not before.settled:
                raise _MovedError
            value = await work(transaction, before)
            if await self._state(transaction) != before:
                raise _MovedError
            return value

        patience = Deadline.after(PATIENCE_SECONDS)
        for _ in range(_TRIES):
            try:
                return await self._link.attempt(whole, "READ", deadline)
            except _MovedError:
                await asyncio.sleep(_POLL_SECONDS)
            if patience.passed and self._may_write:
                # Waits for a commit that is under way; sets right what a killed writer left.
                await self._link.attempt(recover, "WRITE", deadline)
                patience = Deadline.after(PATIENCE_SECONDS)
        raise BUSY.error(self._link.where)

    async def _state(self, transaction: Transaction) -> State:
        answer = await transaction.run("search/state")
        if not answer.rows:
            raise SCHEMA_MISSING.error(self._link.where)
        return State(*answer.rows[0])


async def recover(transaction: Transaction) -> None:
    """Set the clock right after a writer went away."""
    await transaction.run("load/recover")
