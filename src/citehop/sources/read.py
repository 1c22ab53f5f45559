"""From paths to papers: :func:`read_papers`, the one way in."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from citehop.errors import InputError
from citehop.paper import Paper
from citehop.sources.files import NOT_A_FORMAT, TextFile, check_encoding, find_files
from citehop.sources.formats import Format, format_named, recognise
from citehop.sources.report import Log, ReadIssue, ReadReport

__all__ = ["PaperStream", "Progress", "ReadIssue", "ReadReport", "read_papers"]

Progress = Callable[[int, int, int], None]
"""Called with bytes read so far, bytes in all files, and papers yielded so far."""


def read_papers(
    *paths: str | os.PathLike[str],
    format: str | None = None,
    strict: bool = False,
    encoding: str | None = None,
    progress: Progress | None = None,
) -> PaperStream:
    """Return the papers of files as a stream, in the order of the paths and of their lines.

    What a file is shows in what it holds, not in its name; gzip is unpacked. Of a directory all
    files within are read, in order of their paths; what is no kind of file that can be read is
    passed over there with a warning. Records without an id are refused, other bad values dropped
    or mended; the stream's ``report`` counts and lists all of it.

    Args:
        paths: Files and directories.
        format: A name from :data:`citehop.sources.formats.FORMATS` where recognition must not
            decide; an edge list without a header needs ``"edges:citing,cited"`` or
            ``"edges:cited,citing"``.
        strict: Refuse what would be dropped or mended: the first such thing is an InputError.
        encoding: How the files are encoded; None: by their byte order mark, else UTF-8.
        progress: Called now and then while reading.

    Raises:
        InputError: Here if a path, the format or the encoding does not exist; while iterating, if
            a file is not what it should be. A file that is cut off gives what was whole first.
    """
    if not paths:
        raise InputError("no path was given; expected at least one file or directory")
    check_encoding(encoding)
    return PaperStream(
        find_files(paths),
        chosen=format_named(format),
        strict=strict,
        encoding=encoding,
        progress=progress,
    )


class PaperStream:
    """An iterator of papers that can be used once, and its report. Made by :func:`read_papers`.

    A context manager: leaving closes the file that is open.
    """

    def __init__(
        self,
        files: list[tuple[Path, bool]],
        *,
        chosen: Format | None,
        strict: bool,
        encoding: str | None,
        progress: Progress | None,
    ) -> None:
        self.report = ReadReport()
        self.bytes_read = 0
        self.bytes_total = sum(_size(path) for path, _ in files)
        self._files = files
        self._chosen = chosen
        self._strict = strict
        self._encoding = encoding
        self._progress = progress
        self._ended = False
        self._papers = self._run()

    def __iter__(self) -> Iterator[Paper]:
        if self._ended:
            raise InputError("this stream has been read to its end; call read_papers again")
        return self

    def __next__(self) -> Paper:
        try:
            paper = next(self._papers)
        except BaseException:
            self._ended = True
            raise
        self.report.papers += 1
        return paper

    def close(self) -> None:
        """Close the file that is open; closing twice is allowed."""
        self._ended = True
        self._papers.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _run(self) -> Generator[Paper, None, None]:
        # The year is asked for once, so that one stream judges all its records alike.
        latest_year = datetime.now(tz=UTC).year + 1
        for path, found_inside in self._files:
            log = Log(self.report, str(path), self._strict, latest_year)
            source = TextFile(path, encoding=self._encoding, progress=self._advance)
            try:
                yield from self._read(source, log, found_inside=found_inside)
            finally:
                source.close()
        self._refuse_nothing()

    def _refuse_nothing(self) -> None:
        """Raise where files were there and every one was passed over."""
        if self.report.files and self.report.warnings["skipped_file"] == self.report.files:
            first = self.report.issues[0]
            raise InputError(
                f"none of its {self.report.files:,} files can be read; the first, {first.file}:"
                f" {first.reason}",
                file=str(Path(str(first.file)).parent),
                code=NOT_A_FORMAT,
            )

    def _read(self, source: TextFile, log: Log, *, found_inside: bool) -> Iterator[Paper]:
        source.open()
        self.report.files += 1
        if not source.head.strip() and source.failure is None:
            log.note("empty_file", "is empty; expected papers")
            return
        try:
            chosen = self._chosen or recognise(source)
            yield from chosen.read(source, log)
        except InputError as error:
            # What the file is could not be told, or its end not be reached, for that reason.
            cause = source.failure or error
            if not (found_inside and error.code == cause.code == NOT_A_FORMAT):
                raise located(cause, log) from (error if cause is error else None)
            log.line = None
            log.note("skipped_file", f"{cause.reason}; passed over")
            return
        if source.failure is not None:
            raise source.failure

    def _advance(self, size: int) -> None:
        self.bytes_read += size
        if self._progress is not None:
            self._progress(self.bytes_read, self.bytes_total, self.report.papers)


def located(error: InputError, log: Log) -> InputError:
    """Return ``error`` with its file, where it had none."""
    return error if error.file else InputError(error.reason, file=log.file, code=error.code)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
