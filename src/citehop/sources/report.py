"""What reading met: counts, and where each thing that was refused or mended stands."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from citehop.errors import InputError

MAX_ISSUES = 1_000
"""The most issues that a report lists; its counts go on."""


@dataclass(frozen=True, slots=True)
class ReadIssue:
    """One thing that was refused, dropped or mended.

    Args:
        file: The file, as it was given.
        line: The line on which the record begins, from 1; None where it concerns the whole file.
        reason: What it was, for a person.
        kind: What it was, as a stable word under which it is counted.
        rejected: Whether the whole record was refused.
    """

    file: str
    line: int | None
    reason: str
    kind: str
    rejected: bool = False

    def __str__(self) -> str:
        where = self.file if self.line is None else f"{self.file}: line {self.line}"
        return f"{where}: {self.reason}"


@dataclass(slots=True)
class ReadReport:
    """What reading did so far; it grows while papers are taken from the stream.

    Args:
        files: Files opened.
        records: Records met, whatever became of them; in an edge list, its lines.
        papers: Papers yielded.
        rejected: Records refused.
        warnings: How often something was dropped or mended, by kind.
        issues: The first :data:`MAX_ISSUES` of them, refused records too, in order.
        unlisted: How many more there were.
        rejections: How many records were refused, by kind.
    """

    files: int = 0
    records: int = 0
    papers: int = 0
    rejected: int = 0
    warnings: Counter[str] = field(default_factory=Counter)
    issues: list[ReadIssue] = field(default_factory=list)
    unlisted: int = 0
    rejections: Counter[str] = field(default_factory=Counter)

    @property
    def warned(self) -> int:
        """All warnings together."""
        return self.warnings.total()

    def add(self, issue: ReadIssue) -> None:
        """Count an issue, and list it while there is room."""
        if issue.rejected:
            self.rejected += 1
            self.rejections[issue.kind] += 1
        else:
            self.warnings[issue.kind] += 1
        if len(self.issues) < MAX_ISSUES:
            self.issues.append(issue)
        else:
            self.unlisted += 1


@dataclass(slots=True)
class Log:
    """Where the reader of one file says what it met; ``line`` is where its record begins.

    Raises:
        InputError: From each method if ``strict``; nothing is dropped or mended then.
    """

    report: ReadReport
    file: str
    strict: bool
    latest_year: int
    line: int | None = None

    def note(self, kind: str, reason: str) -> None:
        """Say that a value was dropped or mended."""
        self._add(kind, reason, rejected=False)

    def reject(self, kind: str, reason: str) -> None:
        """Say that the record was refused."""
        self._add(kind, reason, rejected=True)

    def _add(self, kind: str, reason: str, *, rejected: bool) -> None:
        if self.strict:
            raise InputError(
                f"{reason} (refused because reading is strict)", file=self.file, line=self.line
            )
        self.report.add(ReadIssue(self.file, self.line, reason, kind, rejected))
