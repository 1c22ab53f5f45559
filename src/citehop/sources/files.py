"""Any file as a stream of text: compressed or not, in whichever of the usual encodings."""

from __future__ import annotations

import codecs
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from citehop.errors import InputError
from citehop.sources.gunzip import GZIP_MAGIC, gunzip

CHUNK = 1 << 18
"""Bytes read at a time."""
HEAD = 1 << 20
"""Characters looked at to find out what a file is; also the longest first line of JSON lines."""
NOT_A_FORMAT = "NOT_A_FORMAT"
"""Code of the error for a file that is no kind of file that can be read."""

_TEXT_PER_NUL = 1_000
"""One NUL in so many signs may be a slip in a text, which readers repair; more is no text."""

# The longer mark first: that of UTF-32 begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def find_files(paths: Iterable[str | os.PathLike[str]]) -> list[tuple[Path, bool]]:
    """Return the files to read, in order, and whether each was found inside a directory.

    Raises:
        InputError: If a path does not exist, or a directory holds no file.
    """
    found: list[tuple[Path, bool]] = []
    for given in paths:
        path = _path(given)
        if path.is_dir():
            inside = _files_within(path)
            if not inside:
                raise InputError("holds no file; expected at least one with papers", file=str(path))
            found.extend((file, True) for file in inside)
        elif not path.exists():
            raise InputError("there is no such file or directory", file=str(path))
        else:
            found.append((path, False))
    return found


def _path(given: str | os.PathLike[str]) -> Path:
    if not os.fspath(given):
        raise InputError("a path is empty; write '.' for the folder that you are in")
    path = Path(given)
    if "\0" in str(path):
        raise InputError(f"a path holds no NUL, unlike {str(path)!r}")
    return path


def _files_within(directory: Path) -> list[Path]:
    files: list[Path] = []

    def refuse(error: OSError) -> None:
        raise InputError(f"cannot be read: {error.strerror}", file=str(directory)) from error

    for folder, folders, names in os.walk(directory, onerror=refuse):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        files.extend(Path(folder, name) for name in names if not name.startswith("."))
    return sorted(file for file in files if file.is_file())


def check_encoding(encoding: str | None) -> None:
    """Raise InputError unless ``encoding`` is None or names an encoding of text."""
    if encoding is None:
        return
    try:
        "".encode(encoding)
        codecs.getincrementaldecoder(encoding)("strict").decode(b"", final=True)
        b"a".decode(encoding, "ignore")  # "idna" cannot leave out what it does not know
    except (LookupError, UnicodeError, ValueError) as error:
        raise InputError(
            f"there is no encoding {encoding!r}; expected one such as latin-1"
        ) from error


def is_no_text(head: str | bytes) -> bool:
    """Return whether the beginning of a file holds more NULs than a text may by a slip."""
    nulls = head.count("\0") if isinstance(head, str) else head.count(b"\0")
    return nulls * _TEXT_PER_NUL > len(head)


class TextFile:
    """One file, read once from its beginning.

    What stops reading half-way (a cut-off archive, a byte that is no text) is kept in
    ``failure`` while everything before it is handed out; the reader raises it at the end.

    Args:
        path: The file.
        encoding: How it is encoded; None: by its byte order mark, else UTF-8.
        progress: Called with the bytes of the file itself that each read took.
    """

    def __init__(
        self,
        path: Path,
        *,
        encoding: str | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> None:
        self.path = path
        self.name = str(path)
        self.failure: InputError | None = None
        self.head = ""
        self.ended_with_newline = True
        self._encoding = encoding
        self._progress = progress
        self._handle: BinaryIO | None = None
        self._chunks: Iterator[str] = iter(())

    def open(self) -> None:
        """Open the file and fill ``head`` with its first :data:`HEAD` characters.

        Raises:
            InputError: If it cannot be opened.
        """
        try:
            self._handle = self.path.open("rb")
        except OSError as error:
            raise InputError(f"cannot be opened: {error.strerror}", file=self.name) from error
        self._chunks = self._decoded(self._unpacked())
        pieces: list[str] = []
        size = 0
        while size < HEAD and (chunk := next(self._chunks, "")):
            pieces.append(chunk)
            size += len(chunk)
        self.head = "".join(pieces)

    def close(self) -> None:
        """Close the file; closing twice is allowed."""
        if self._handle is not None:
            self._handle.close()

    def chunks(self) -> Iterator[str]:
        """Yield the text piece by piece."""
        if self.head:
            yield self.head
        yield from self._chunks

    def lines(self) -> Iterator[str]:
        r"""Yield each line without its end; only ``\n`` ends one, so U+2028 stays inside.

        In a file with a ``failure`` a last line without an end is left out: it may be half a line.
        """
        rest: list[str] = []
        for chunk in self.chunks():
            first, *others = chunk.split("\n")
            rest.append(first)
            if others:
                yield "".join(rest)
                rest = [others.pop()]
                yield from others
        last = "".join(rest)
        self.ended_with_newline = not last
        if last and self.failure is None:
            yield last

    def _raw(self) -> Iterator[bytes]:
        handle = self._handle
        while handle is not None:
            try:
                data = handle.read(CHUNK)
            except OSError as error:
                self.failure = InputError(f"cannot be read: {error.strerror}", file=self.name)
                return
            if not data:
                return
            if self._progress is not None:
                self._progress(len(data))
            yield data

    def _unpacked(self) -> Iterator[bytes]:
        raw = self._raw()
        first = next(raw, b"")
        if not first.startswith(GZIP_MAGIC):
            yield first
            yield from raw
            return
        try:
            yield from gunzip(first, raw)
        except ValueError as error:
            self.failure = InputError(f"{error}; what came before was read", file=self.name)

    def _decoded(self, data: Iterator[bytes]) -> Iterator[str]:
        first = _at_least(4, data)
        mark, found = next(((m, e) for m, e in _MARKS if first.startswith(m)), (b"", "utf-8"))
        # The caller knows best, but "utf-16" without its byte order is completed by the mark.
        encoding = (
            found if mark and _same_family(self._encoding, found) else self._encoding or "utf-8"
        )
        start = len(mark) if encoding == found else 0
        decoder = codecs.getincrementaldecoder(encoding)("strict")
        position = start
        for piece, final in _with_end(first[start:], data):
            held = decoder.getstate()[0]
            try:
                text = decoder.decode(piece, final)
            except UnicodeDecodeError as error:
                offset = position - len(held) + error.start
                good = (held + piece)[: error.start].decode(encoding, "ignore")
                self.failure = (
                    self._binary()
                    if self._encoding is None and encoding == "utf-8" and is_no_text(first)
                    else self._not_text(encoding, offset, cut=final and _is_half(error))
                )
                if good:  # an empty piece would pass for the end of the file
                    yield good
                return
            except UnicodeError as error:  # "utf-16" without a mark that says its byte order
                self.failure = InputError(
                    f"is no {encoding}: {error}; name the right encoding (--encoding)",
                    file=self.name,
                )
                return
            position += len(piece)
            if text:
                yield text

    def _binary(self) -> InputError:
        return InputError(
            "is no text: its beginning holds many NULs; expected a text file (should it be UTF-16 "
            "without a byte order mark, say so: --encoding utf-16-le)",
            file=self.name,
            code=NOT_A_FORMAT,
        )

    def _not_text(self, encoding: str, offset: int, *, cut: bool) -> InputError:
        if cut:
            return InputError(
                f"is cut off inside a character (byte {offset}); what came before was read",
                file=self.name,
            )
        return InputError(
            f"byte {offset} is no {encoding}; name the right encoding (--encoding, such as "
            "latin-1), or save the file as UTF-8",
            file=self.name,
        )


def _same_family(given: str | None, found: str) -> bool:
    return given is None or codecs.lookup(given).name.startswith(found[:6].rstrip("-"))


def _is_half(error: UnicodeDecodeError) -> bool:
    return "end of data" in error.reason or "truncated data" in error.reason


def _at_least(size: int, data: Iterator[bytes]) -> bytes:
    taken = b""
    while len(taken) < size and (piece := next(data, b"")):
        taken += piece
    return taken


def _with_end(first: bytes, data: Iterator[bytes]) -> Iterator[tuple[bytes, bool]]:
    yield first, False
    for piece in data:
        yield piece, False
    yield b"", True
