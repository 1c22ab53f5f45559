"""Gzip as open dumps use it: several members in one file, perhaps padded with zeros."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

GZIP_MAGIC = b"\x1f\x8b"
_STEP = 1 << 20  # bytes unpacked at a time, so that a small file cannot fill the memory


def gunzip(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    """Yield what all members hold, in order.

    Raises:
        ValueError: If the data is cut off, damaged or followed by something else; what was
            whole has been yielded by then.
    """
    data = first
    position = 0
    while data:
        if not data.startswith(GZIP_MAGIC):
            _check_padding(data, rest, position)
            return
        member = zlib.decompressobj(wbits=31)
        yield from _member(member, data, rest)
        data = _refilled(member.unused_data, rest)
        position += 1


def _member(member: zlib._Decompress, data: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    pending = data
    while True:
        try:
            unpacked = member.decompress(pending, _STEP)
        except zlib.error as error:
            raise ValueError(f"is damaged: not what gzip would have written ({error})") from error
        if unpacked:
            yield unpacked
        if member.eof:
            return
        pending = member.unconsumed_tail or next(rest, b"")
        if not pending and not unpacked:
            raise ValueError("is cut off: the gzip data ends before its end mark")


def _refilled(data: bytes, rest: Iterator[bytes]) -> bytes:
    filled = data.lstrip(b"\0") if data else b""
    while len(filled) < len(GZIP_MAGIC) and (piece := next(rest, b"")):
        filled = filled + piece if filled else piece.lstrip(b"\0")
    return filled


def _check_padding(data: bytes, rest: Iterator[bytes], members: int) -> None:
    if data.strip(b"\0") or any(piece.strip(b"\0") for piece in rest):
        raise ValueError(f"holds something that is not gzip after {members} gzip members")
