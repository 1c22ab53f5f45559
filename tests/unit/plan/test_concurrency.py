"""One plan from async code and from many threads."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, get_ident
from typing import Any

from citehop import CharBudgetCompressor, RetrievalExecutionPlan, StageBudget
from tests.unit.plan.fakes import FakeHit, hits


class EchoIndex:
    """Answers with hits named after the query, and notes its thread."""

    def __init__(self) -> None:
        self.threads: set[int] = set()

    def search(self, query: str) -> list[FakeHit]:
        """Answer."""
        self.threads.add(get_ident())
        return hits(f"{query}-1", f"{query}-2", text=f"About {query}.")


def _plan() -> RetrievalExecutionPlan:
    return RetrievalExecutionPlan(
        transform=lambda query: [f"{query}b", f"{query}c", f"{query}d"],
        compress=CharBudgetCompressor(100),
        budgets={"retrieve": StageBudget(max_calls=3)},
    )


def test_twenty_threads_share_one_plan() -> None:
    """Each run has its own hits, calls and budget."""
    plan, index, gate = _plan(), EchoIndex(), Barrier(20, timeout=20)

    def run(number: int) -> Any:
        gate.wait()
        return [plan.run(index, f"n{number}") for _ in range(20)]

    with ThreadPoolExecutor(20) as pool:
        results = list(pool.map(run, range(20)))

    for number, runs in enumerate(results):
        expected = [f"n{number}{v}-{n}" for n in (1, 2) for v in ("", "b", "c")]
        for result in runs:
            assert [hit.doc_id for hit in result] == expected
            assert result.stage("retrieve").calls == 3
    assert len(index.threads) == 20


def test_async_code_runs_it_in_a_thread() -> None:
    """``asyncio.to_thread`` keeps the event loop free while searches run."""
    plan, index = _plan(), EchoIndex()

    async def main() -> list[Any]:
        runs = [asyncio.to_thread(plan.run, index, f"n{number}") for number in range(5)]
        return await asyncio.gather(*runs)

    results = asyncio.run(main())

    assert [result[0].doc_id for result in results] == [f"n{number}-1" for number in range(5)]
    assert get_ident() not in index.threads
