"""The plan: an immutable record of what a run will do and what it may cost."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from citehop.plan.checks import check_amount, check_count, shown, type_name
from citehop.plan.description import describe_plan
from citehop.plan.fusion import FusionPolicy
from citehop.plan.result import ExecutionResult, PlannedHit
from citehop.plan.retrieve import Request
from citehop.plan.run import PlanRun
from citehop.plan.stages import StageBudget, StageKind

Transform = Callable[[str], Sequence[str]]
Rerank = Callable[[str, Sequence[PlannedHit]], Sequence[float]]
Compress = Callable[[str, Sequence[PlannedHit]], Sequence[Any]]
Budgets = Mapping[str, StageBudget] | tuple[tuple[str, StageBudget], ...]


@dataclass(frozen=True, slots=True)
class RetrievalExecutionPlan:
    """Retrieval in typed, bounded stages: transform, retrieve, fuse, rerank, compress.

    A stage with nothing to do is skipped, so the result claims no work that was not done. A run
    is synchronous and keeps no state in the plan: many threads may run one plan, and async code
    calls ``await asyncio.to_thread(plan.run, index, query)``.

    Args:
        retrieval: Passed to ``index.search`` as ``config``; None leaves the index its own.
        transform: ``transform(query)`` gives further queries: rewrites, parts, variants. Doubles
            run once.
        keep_original: Whether the query itself runs first, whatever ``transform`` gives.
        max_queries: Queries that run at most; the rest is dropped, and transform is DEGRADED.
        fusion: How the queries' rankings are fused (query i's leg is ``q{i}``); None is
            ``FusionPolicy()``. Not used with one ranking.
        rerank: ``rerank(query, hits)`` gives one finite score per hit, higher is better; equal
            ones keep the fused order.
        rerank_depth: Hits that ``rerank`` sees; None: all. Needs a ``top_k`` of at most that, so
            that no two hits returned are ranked by different scales.
        compress: ``compress(query, hits)`` gives for each hit the ``(start, end)`` ranges of
            ``hit.doc.text`` to keep, ordered and not overlapping; none keeps nothing of its text.
        top_k: Hits returned; None: all that retrieve found.
        budgets: ``{"retrieve": StageBudget(…)}``, or pairs. The other stages make one call each,
            which a budget that is looked at before calls cannot bound.
        deadline_seconds: Seconds since the start after which no stage and no query starts; fuse,
            which is quick and waits for nothing, always runs.
        on_error: ``"degrade"``: a component that raises makes its stage FAILED, and the previous
            stage's output stands. ``"raise"``: the exception passes.
        clock: Called for seconds in place of ``time.perf_counter``.

    Raises:
        TypeError: For a field of the wrong type.
        ValueError: For a field out of its range; both name the field, the value and the range.

    >>> plan = RetrievalExecutionPlan(top_k=3, budgets={"retrieve": StageBudget(max_calls=4)})
    >>> plan.budget("retrieve")
    StageBudget(max_calls=4, max_seconds=None)
    """

    retrieval: Any = None
    transform: Transform | None = None
    keep_original: bool = True
    max_queries: int = 8
    fusion: FusionPolicy | None = None
    rerank: Rerank | None = None
    rerank_depth: int | None = None
    compress: Compress | None = None
    top_k: int | None = None
    budgets: Budgets = ()
    deadline_seconds: float | None = None
    on_error: Literal["degrade", "raise"] = "degrade"
    clock: Callable[[], float] | None = None

    def __post_init__(self) -> None:
        for name in ("transform", "rerank", "compress", "clock"):
            _check_callable(name, getattr(self, name))
        if not isinstance(self.keep_original, bool):
            raise TypeError(f"keep_original must be a bool, not {shown(self.keep_original)}")
        self._check_counts()
        _check_fusion(self.fusion)
        self._put("budgets", _checked_budgets(self.budgets))
        if self.deadline_seconds is not None:
            self._put("deadline_seconds", check_amount("deadline_seconds", self.deadline_seconds))
        if not isinstance(self.on_error, str):
            raise TypeError(f"on_error must be 'degrade' or 'raise', not {shown(self.on_error)}")
        if self.on_error not in ("degrade", "raise"):
            raise ValueError(f"on_error must be 'degrade' or 'raise', not {shown(self.on_error)}")

    def _check_counts(self) -> None:
        self._put("max_queries", check_count("max_queries", self.max_queries, 1))
        for name in ("top_k", "rerank_depth"):
            if getattr(self, name) is not None:
                self._put(name, check_count(name, getattr(self, name), 1))
        depth, top_k = self.rerank_depth, self.top_k
        if depth is not None and (top_k is None or top_k > depth):
            raise ValueError(
                f"rerank_depth {depth} needs a top_k from 1 to {depth}, not {top_k}:"
                " hits beyond the depth are ranked by another scale"
            )

    def _put(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    def budget(self, stage: StageKind | str) -> StageBudget | None:
        """Return the budget of a stage, or None where it has none.

        Raises:
            TypeError: If ``stage`` is no str.
            ValueError: If there is no such stage.
        """
        wanted = StageKind.of(stage)
        return dict(self.budgets).get(wanted)

    def run(
        self,
        index: Any,
        query: str,
        *,
        query_embedding: Any = None,
        embed_query: Callable[[str], Any] | None = None,
        filter: Any = None,
    ) -> ExecutionResult:
        """Run the plan for one query.

        Args:
            index: Anything with ``search(query, **kwargs)`` that returns an iterable of hits, each
                with an identity (``doc.doc_id``, ``doc_id`` or ``node_id``) and a finite
                ``score``. ``config``, ``query_embedding`` and ``filter`` are passed where they
                are set; ``timeout_seconds``, what is left of the deadline, where there is one
                and the signature names it.
            query: What is asked; not empty.
            query_embedding: Embedding of ``query`` itself.
            embed_query: Gives an embedding for each query that has none. Where it fails the query
                is searched without, and retrieve is DEGRADED.
            filter: Passed to every search.

        Raises:
            TypeError: If ``query`` is no str, ``index`` has no ``search``, or ``embed_query``
                cannot be called. With ``on_error="raise"`` also for a component's output of the
                wrong type.
            ValueError: If ``query`` is empty. With ``on_error="raise"`` also for a component's
                output out of range.
            Exception: With ``on_error="raise"``, whatever a component or ``index.search`` raised.
        """
        if not isinstance(query, str):
            raise TypeError(f"query must be a str, not {shown(query)}")
        if not query:
            raise ValueError("query must not be empty")
        if not callable(getattr(index, "search", None)):
            # Only the class: an index's repr may show an address with its password.
            raise TypeError(f"index must have a method search, not {type_name(index)}")
        _check_callable("embed_query", embed_query)
        return PlanRun(self, query, Request(index, query_embedding, embed_query, filter)).execute()

    def bind(self, index: Any, **kwargs: Any) -> Callable[[str], ExecutionResult]:
        """Return ``query -> run(index, query, **kwargs)``, as ``evaluate_retrieval`` takes it."""

        def search(query: str) -> ExecutionResult:
            return self.run(index, query, **kwargs)

        return search

    def describe(self) -> str:
        """Return in words, one line a stage, what the plan will do and what bounds it."""
        return describe_plan(self)


def _check_callable(name: str, value: object) -> None:
    if value is not None and not callable(value):
        raise TypeError(f"{name} must be callable or None, not {shown(value)}")


def _check_fusion(fusion: object) -> None:
    if fusion is None:
        return
    if not isinstance(fusion, FusionPolicy):
        raise TypeError(f"fusion must be a FusionPolicy or None, not {shown(fusion)}")
    if fusion.top_k == 0:
        raise ValueError(
            "fusion must have a top_k of at least 1 or None, not 0: nothing would be left"
        )


def _checked_budgets(budgets: object) -> tuple[tuple[str, StageBudget], ...]:
    pairs = list(budgets.items()) if isinstance(budgets, Mapping) else budgets
    if not isinstance(pairs, (list, tuple)) or any(
        not isinstance(pair, (list, tuple)) or len(pair) != 2 for pair in pairs
    ):
        raise TypeError(
            f"budgets must be a mapping or pairs of stage and StageBudget, not {shown(budgets)}"
        )
    checked: dict[str, StageBudget] = {}
    for stage, budget in pairs:
        kind = StageKind.of(stage)
        if kind is not StageKind.RETRIEVE or kind in checked:
            raise ValueError(
                f"budgets may hold 'retrieve', once, not {shown(stage)}: the other stages make one"
                " call each"
            )
        if not isinstance(budget, StageBudget):
            raise TypeError(f"budgets['retrieve'] must be a StageBudget, not {shown(budget)}")
        checked[kind.value] = budget
    return tuple(checked.items())
