"""A plan in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from citehop.plan.checks import type_name
from citehop.plan.fusion import FusionPolicy
from citehop.plan.stages import StageKind

if TYPE_CHECKING:
    from citehop.plan.plan import RetrievalExecutionPlan


def describe_plan(plan: RetrievalExecutionPlan) -> str:
    """Return one line a stage, then the bounds of the whole."""
    lines = [
        f"1. transform: {_transform(plan)}",
        f"2. retrieve: {_retrieve(plan)}",
        f"3. fuse: {_fuse(plan)}",
        f"4. rerank: {_rerank(plan)}",
        f"5. compress: {_compress(plan)}",
        f"Returns {_hits(plan.top_k)}. {_deadline(plan)} {_on_error(plan)}",
    ]
    return "\n".join(lines)


def component_name(component: object) -> str:
    """Return a component of ours with its settings, another one by its name.

    Another one's settings stay out, as they may hold a password.
    """
    if type(component).__module__.startswith("citehop."):
        return repr(component)
    name = getattr(component, "__qualname__", None)
    return name if isinstance(name, str) else type_name(component)


def _transform(plan: RetrievalExecutionPlan) -> str:
    if plan.transform is None:
        return "nothing to do; the query runs as it is."
    first = "the query first, then what" if plan.keep_original else "what"
    name = component_name(plan.transform)
    return f"{first} {name} makes of it; at most {plan.max_queries} in all, the rest is dropped."


def _retrieve(plan: RetrievalExecutionPlan) -> str:
    most = 1 if plan.transform is None else plan.max_queries
    searches = "one search" if most == 1 else f"one search per query, at most {most}"
    config = "" if plan.retrieval is None else f", with {component_name(plan.retrieval)}"
    budget = plan.budget(StageKind.RETRIEVE)
    bounds = []
    if budget is not None and budget.max_calls is not None:
        bounds.append(f"after {budget.max_calls} calls")
    if budget is not None and budget.max_seconds is not None:
        bounds.append(f"after {budget.max_seconds:g} s")
    stop = f"; none starts {' or '.join(bounds)}" if bounds else ""
    return f"{searches}{config}{stop}."


def _fuse(plan: RetrievalExecutionPlan) -> str:
    if plan.transform is None:
        return "nothing to do; one query keeps the index's scores and order."
    policy = plan.fusion or FusionPolicy()
    weights = ", ".join(f"{leg} {weight:g}" for leg, weight in (policy.weights or {}).items())
    weighed = f"weights {weights}, else 1" if weights else "every query weighs 1"
    kept = "" if policy.top_k is None else f"; the best {policy.top_k} are kept"
    return f"sum of weight / ({policy.rank_constant:g} + rank) over the queries; {weighed}{kept}."


def _rerank(plan: RetrievalExecutionPlan) -> str:
    if plan.rerank is None:
        return "nothing to do."
    seen = "all hits" if plan.rerank_depth is None else f"the first {plan.rerank_depth} hits"
    return f"{component_name(plan.rerank)} orders {seen} anew."


def _compress(plan: RetrievalExecutionPlan) -> str:
    if plan.compress is None:
        return "nothing to do; texts stay whole."
    return f"{component_name(plan.compress)} chooses what is kept of each text."


def _hits(top_k: int | None) -> str:
    return "every hit" if top_k is None else f"at most {top_k} hits"


def _deadline(plan: RetrievalExecutionPlan) -> str:
    if plan.deadline_seconds is None:
        return "No deadline."
    return f"After {plan.deadline_seconds:g} s no stage and no query starts."


def _on_error(plan: RetrievalExecutionPlan) -> str:
    if plan.on_error == "raise":
        return "What a component raises is raised."
    return "A component that fails is reported, and what stood before it stands."
