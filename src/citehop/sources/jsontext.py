"""JSON text as a stream of records: on lines, in an array, in pages, or one after another."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from citehop.errors import InputError
from citehop.sources.files import HEAD, TextFile

_DECODER = json.JSONDecoder()
# An int of thousands of digits is refused by Python itself; as infinity it is dropped like one.
_LENIENT = json.JSONDecoder(
    parse_int=lambda digits: int(digits) if len(digits) < 40 else float("inf")
)
_BLANK = " \t\n\r"
_NEAR_END = 12  # no literal of JSON is longer than "-Infinity"


class NotJson(ValueError):
    """A piece of text is not JSON; ``ended`` tells that it only stops too early."""

    def __init__(self, message: str, *, ended: bool, position: int = 0) -> None:
        super().__init__(message)
        self.ended = ended
        self.position = position


@dataclass(frozen=True, slots=True)
class Entry:
    """One value met in a file.

    Args:
        line: Where it begins, from 1.
        value: The value; for a ``page_rest`` what an object held beside its ``results``.
        page_rest: Whether the results of that object came before, one by one.
        error: Why the line could not be read, instead of a value.
        inside_page: Whether it stands among the results of an object; pages hold no pages.
    """

    line: int
    value: Any = None
    page_rest: bool = False
    error: str = ""
    inside_page: bool = False


def decode(text: str, position: int = 0) -> tuple[Any, int]:
    """Return the value that begins at ``position``, and where it ends.

    Raises:
        NotJson: If there is none.
    """
    try:
        return _decode(text, position)
    except json.JSONDecodeError as error:
        near_end = error.pos >= len(text.rstrip()) - _NEAR_END
        ended = error.msg.startswith("Unterminated string") or near_end
        raise NotJson(
            f"{error.msg.lower()} at sign {error.pos + 1 - position}",
            ended=ended,
            position=error.pos,
        ) from None
    except RecursionError:
        raise NotJson("nested too deep", ended=False) from None


def _decode(text: str, position: int) -> tuple[Any, int]:
    try:
        return _DECODER.raw_decode(text, position)
    except json.JSONDecodeError:
        raise
    except ValueError:
        return _LENIENT.raw_decode(text, position)


def entries(source: TextFile) -> Iterator[Entry]:
    """Yield each record of a JSON file with its line.

    Raises:
        InputError: Where a file that is not made of lines is damaged or cut off; what came before
            has been yielded.
    """
    return _from_lines(source) if is_made_of_lines(source.head) else _Document(source).entries()


def is_made_of_lines(head: str) -> bool:
    """Return whether each line stands for itself, so that a damaged one spoils only itself."""
    first, newline, _ = head.lstrip(_BLANK).partition("\n")
    if first.startswith("[") or (not newline and len(head) >= HEAD):
        return False
    try:
        _, end = decode(first)
    except NotJson as error:
        return not error.ended or "unterminated" in str(error)
    return not first[end:].strip(_BLANK)


def _from_lines(source: TextFile) -> Iterator[Entry]:
    number = 0
    held: Entry | None = None
    for line in source.lines():
        number += 1
        if held is not None:
            yield held
            held = None
        stripped = line.strip(_BLANK)
        if not stripped:
            continue
        try:
            for value in _values(stripped):
                yield Entry(number, value)
        except NotJson as error:
            held = Entry(number, error=f"is not JSON: {error}")
    if held is not None:
        _check_cut(source, held, number)
        yield held


def _values(line: str) -> Iterator[Any]:
    position = 0
    while position < len(line):
        value, end = decode(line, position)
        yield value
        position = end
        while position < len(line) and line[position] in _BLANK:
            position += 1


def _check_cut(source: TextFile, last: Entry, number: int) -> None:
    if last.line == number and not source.ended_with_newline:
        raise InputError(
            f"is cut off: the last line {last.error}; what came before was read",
            file=source.name,
            line=number,
        )


class _Document:
    """A scanner over text that grows as it is needed; handles files larger than memory."""

    def __init__(self, source: TextFile) -> None:
        self._source = source
        self._chunks = source.chunks()
        self._text = ""
        self._at = 0
        self._line = 1

    def entries(self) -> Iterator[Entry]:
        while sign := self._peek():
            if sign == "[":
                yield from self._array()
            elif sign == "{":
                yield from self._object()
            else:
                line = self._line
                yield Entry(line, self._value())

    def _array(self) -> Iterator[Entry]:
        self._take("[")
        if self._peek() == "]":
            self._take("]")
            return
        while True:
            if self._need() == "]":
                raise self._damaged("a value was expected after ',', not ']'")
            line = self._line
            yield Entry(line, self._value())
            if self._need() == "]":
                break
            self._take(",")
        self._take("]")

    def _object(self) -> Iterator[Entry]:
        line = self._line
        rest: dict[str, Any] = {}
        streamed = False
        self._take("{")
        while self._need() != "}":
            if rest or streamed:
                self._take(",")
                self._need()
            key = self._value()
            if not isinstance(key, str):
                raise self._damaged("a key must be text in double quotes")
            self._need()
            self._take(":")
            if key == "results" and self._need() == "[":
                streamed = True
                yield from self._array()
            else:
                self._need()
                rest[key] = self._value()
        self._take("}")
        yield Entry(line, rest, page_rest=streamed)

    def _value(self) -> Any:
        while True:
            try:
                value, end = decode(self._text, self._at)
            except NotJson as error:
                if error.ended and self._more():
                    continue
                raise self._cut() if error.ended else self._damaged(str(error)) from None
            # A number at the very end of what was read may go on.
            if end < len(self._text) or isinstance(value, (str, list, dict)) or not self._more():
                self._advance(end)
                return value

    def _peek(self) -> str:
        """Return the next sign that is not blank, or "" at the end."""
        while True:
            end = self._at
            while end < len(self._text) and self._text[end] in _BLANK:
                end += 1
            self._advance(end)
            if end < len(self._text):
                return self._text[end]
            if not self._more():
                return ""

    def _need(self) -> str:
        sign = self._peek()
        if not sign:
            raise self._cut()
        return sign

    def _take(self, sign: str) -> None:
        found = self._need()
        if found != sign:
            raise self._damaged(f"{sign!r} was expected, not {found!r}")
        self._advance(self._at + 1)

    def _advance(self, end: int) -> None:
        self._line += self._text.count("\n", self._at, end)
        self._at = end

    def _more(self) -> bool:
        """Read on until what is left has doubled, so that a long value is tried few times."""
        left = self._text[self._at :]
        pieces = [left]
        wanted = max(len(left), 1)
        while wanted > 0 and (chunk := next(self._chunks, "")):
            pieces.append(chunk)
            wanted -= len(chunk)
        self._text = "".join(pieces)
        self._at = 0
        return len(pieces) > 1

    def _cut(self) -> InputError:
        if self._source.failure is not None:
            return self._source.failure
        return InputError(
            "is cut off: the text ends inside a record or list; what came before was read",
            file=self._source.name,
            line=self._line,
        )

    def _damaged(self, reason: str) -> InputError:
        return InputError(
            f"is not JSON: {reason}; expected one record on each line, a list of records, or pages",
            file=self._source.name,
            line=self._line,
        )
