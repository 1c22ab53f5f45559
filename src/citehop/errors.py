"""What can go wrong, and the record that says so.

The tree::

    CitehopError
    ├── InputError            a file, record or identifier is not as it should be (a ValueError)
    └── StoreError            the graph store could not do what was asked
        ├── StoreUnavailable  nothing answers, or the answer never came
        └── StoreTimeout      it answers, but not within the time given

Every error of the tree carries an :class:`ErrorRecord`, so a leg of evidence can report it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

_CODE = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)*")


class ErrorCategory(StrEnum):
    """What kind of trouble an error is, for a caller that decides what to do next."""

    CAPABILITY = "capability"
    INPUT = "input"
    TIMEOUT = "timeout"
    UNAVAILABLE = "unavailable"
    BUDGET = "budget"
    INTERNAL = "internal"


@dataclass(frozen=True, slots=True)
class ErrorRecord:
    """One diagnostic: a stable code, its category, words for a person, and whether to try again.

    Args:
        code: Stable, upper snake case; listed in ``docs/codes.md``.
        category: What kind of trouble it is; a category's value is accepted too.
        message: For a person. Holds no password, no credential and no text of other people.
        retryable: Whether the same call may succeed later with nothing changed.

    Raises:
        ValueError: If the code is not upper snake case, or the category is unknown.
    """

    code: str
    category: ErrorCategory
    message: str
    retryable: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.code, str) or not _CODE.fullmatch(self.code):
            raise ValueError(
                f"code must be upper snake case such as STORE_TIMEOUT, not {self.code!r}"
            )
        object.__setattr__(self, "category", ErrorCategory(self.category))

    def to_dict(self) -> dict[str, Any]:
        """Return the record as a JSON-compatible mapping."""
        return {
            "code": self.code,
            "category": self.category.value,
            "message": self.message,
            "retryable": self.retryable,
        }


class CitehopError(Exception):
    """The root of everything that this package raises on purpose.

    Args:
        message: What happened, where, what was expected, and how to mend it.
        code: Stable code in upper snake case; the class has a default.
        retryable: Whether the same call may succeed later with nothing changed.
    """

    default_code = "INTERNAL_ERROR"
    default_category = ErrorCategory.INTERNAL
    default_retryable = False

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        category: ErrorCategory | None = None,
        retryable: bool | None = None,
    ) -> None:
        super().__init__(message)
        self.record = ErrorRecord(
            code=code or self.default_code,
            category=category or self.default_category,
            message=message,
            retryable=self.default_retryable if retryable is None else retryable,
        )

    @property
    def code(self) -> str:
        """The stable code of this error."""
        return self.record.code


class InputError(CitehopError, ValueError):
    """A file, a record or an identifier is not what it should be.

    Args:
        message: What is wrong, what was expected, and how to mend it.
        file: The file's name as it was given, if there is one.
        line: The line, counted from 1, if there is one.
    """

    default_code = "BAD_INPUT"
    default_category = ErrorCategory.INPUT

    def __init__(
        self,
        message: str,
        *,
        file: str | None = None,
        line: int | None = None,
        code: str | None = None,
    ) -> None:
        where = "".join((f"{file}: " if file else "", f"line {line}: " if line else ""))
        super().__init__(f"{where}{message}", code=code)
        self.file = file
        self.line = line
        self.reason = message


class StoreError(CitehopError):
    """The graph store could not do what was asked; its record says why."""

    default_code = "STORE_ERROR"
    default_category = ErrorCategory.INTERNAL


class StoreClosed(StoreError):
    """The store was closed, by this program."""

    default_code = "STORE_CLOSED"
    default_category = ErrorCategory.CAPABILITY


class StoreUnavailable(StoreError):
    """Nothing answers where the store should be, or it went away."""

    default_code = "STORE_UNAVAILABLE"
    default_category = ErrorCategory.UNAVAILABLE
    default_retryable = True


class StoreTimeout(StoreError):
    """The store did not finish within the time given."""

    default_code = "STORE_TIMEOUT"
    default_category = ErrorCategory.TIMEOUT
    default_retryable = True
