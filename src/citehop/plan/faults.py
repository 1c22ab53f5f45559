"""Error records of a plan: the one place where foreign exceptions become ours."""

from __future__ import annotations

from typing import NoReturn

from citehop.errors import CitehopError, ErrorCategory, ErrorRecord
from citehop.plan.checks import type_name

# First match first; the bool says whether to try again. The text of a foreign exception is never
# taken over, as it may hold a password or data of other people.
_CATEGORIES: tuple[tuple[type[Exception], ErrorCategory, bool], ...] = (
    (TimeoutError, ErrorCategory.TIMEOUT, True),
    (ConnectionError, ErrorCategory.UNAVAILABLE, True),
    (NotImplementedError, ErrorCategory.CAPABILITY, False),
    (Exception, ErrorCategory.INTERNAL, False),
)


class MalformedOutputError(Exception):
    """Marks, as the cause's wrapper, output of a component that is not what was agreed.

    Args:
        cause: The TypeError or ValueError that says what was wrong; ``on_error="raise"`` raises it.
    """

    def __init__(self, cause: TypeError | ValueError) -> None:
        super().__init__(str(cause))
        self.cause = cause


def reraise(error: Exception) -> NoReturn:
    """Let a component's exception through, and malformed output as its TypeError or ValueError."""
    if isinstance(error, MalformedOutputError):
        raise error.cause from None
    raise error


def record_of(code: str, who: str, error: Exception) -> ErrorRecord:
    """Return the record of what a component raised.

    An error of ours keeps its own code, category, message and ``retryable``; of a foreign one only
    the class is named.

    Args:
        code: The component's code, such as ``SEARCH_FAILED``; output that is not what was agreed
            gets it with ``_INVALID`` for ``_FAILED``.
        who: The component, as words at the start of the message.
        error: What was raised.
    """
    if isinstance(error, MalformedOutputError):
        invalid = code.replace("_FAILED", "_INVALID")
        return ErrorRecord(invalid, ErrorCategory.INTERNAL, f"{who}: {error.cause}")
    if isinstance(error, CitehopError):
        own = error.record
        return ErrorRecord(own.code, own.category, f"{who}: {own.message}", own.retryable)
    category, retryable = next((c, r) for kind, c, r in _CATEGORIES if isinstance(error, kind))
    return ErrorRecord(code, category, f"{who} raised {type_name(error)}", retryable)


def deadline_record(what: str, limit: float) -> ErrorRecord:
    """Return the record of work that did not start because the deadline had passed."""
    message = f"{what}: the deadline of {limit:g} s had passed"
    return ErrorRecord("DEADLINE_EXCEEDED", ErrorCategory.TIMEOUT, message, retryable=True)


def budget_record(what: str, calls: int) -> ErrorRecord:
    """Return the record of queries that did not start because retrieve's budget was spent."""
    message = f"{what}: retrieve's budget was spent after {calls} calls"
    return ErrorRecord("BUDGET_EXHAUSTED", ErrorCategory.BUDGET, message)
