"""Sorted texts in two files: looked up without being read into memory."""

from __future__ import annotations

import mmap
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, overload

import numpy as np
from numpy.typing import NDArray

_KEPT: Final = 1 << 16
"""Places that are remembered at most."""


def map_array(path: Path) -> NDArray[np.generic]:
    """Return an array in a file, mapped and read-only, as a plain array: quicker to index."""
    array: NDArray[np.generic] = np.load(path, mmap_mode="r", allow_pickle=False)
    return array.view(np.ndarray)


def map_bytes(path: Path) -> mmap.mmap | bytes:
    """Return a file's content, mapped; slices of it are bytes."""
    with path.open("rb") as file:
        if not path.stat().st_size:
            return b""
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


class SortedTexts(Sequence[str]):
    """Texts in ascending order, mapped from ``NAME.bytes`` and ``NAME.starts.npy``.

    Args:
        folder: Where the files are.
        name: What their names begin with.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self._bytes = map_bytes(folder / f"{name}.bytes")
        self._starts = map_array(folder / f"{name}.starts.npy")
        self._keys = _Keys(self._bytes, self._starts)

    def __len__(self) -> int:
        return len(self._keys)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[str]: ...
    def __getitem__(self, place: int | slice) -> str | Sequence[str]:
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(len(self)))]
        return self._keys[place].decode()

    def __iter__(self) -> Iterator[str]:
        ends = iter(self._starts.tolist())
        start = next(ends)
        for end in ends:
            yield self._bytes[start:end].decode()
            start = end

    def first(self, text: str) -> int:
        """Return the place of the first entry that is not below ``text``."""
        # The order of UTF-8 is that of code points, as Python sorts texts.
        return bisect_left(self._keys, text.encode())

    def find(self, text: str) -> int | None:
        """Return the first place of ``text``, or None where it is not there."""
        key = text.encode()
        place = bisect_left(self._keys, key)
        return place if place < len(self._keys) and self._keys[place] == key else None

    def starting_with(self, prefix: str) -> list[str]:
        """Return the texts that begin with ``prefix``, in order."""
        found = []
        for place in range(self.first(prefix), len(self)):
            text = self[place]
            if not text.startswith(prefix):
                break
            found.append(text)
        return found

    @staticmethod
    def write(folder: Path, name: str, texts: Iterable[str]) -> None:
        """Write texts, which must be sorted already."""
        starts = [0]
        with (folder / f"{name}.bytes").open("wb") as file:
            for text in texts:
                starts.append(starts[-1] + file.write(text.encode()))
        np.save(folder / f"{name}.starts.npy", np.array(starts, dtype=np.int64))


class _Keys(Sequence[bytes]):
    """The encoded texts."""

    def __init__(self, content: mmap.mmap | bytes, starts: NDArray[np.generic]) -> None:
        self._content = content
        self._starts = starts
        self._count = len(starts) - 1

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, place: int) -> bytes: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[bytes]: ...
    def __getitem__(self, place: int | slice) -> bytes | Sequence[bytes]:
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(self._count))]
        if not 0 <= place < self._count:
            raise IndexError(place)
        return self._content[self._starts.item(place) : self._starts.item(place + 1)]


class Places(Mapping[str, int]):
    """The place of each text, looked up; those asked for last are remembered."""

    def __init__(self, texts: SortedTexts) -> None:
        self._texts = texts
        self._known: dict[str, int] = {}

    def __getitem__(self, text: str) -> int:
        place = self._known.get(text)
        if place is None:
            place = self._texts.find(text)
            if place is None:
                raise KeyError(text)
            if len(self._known) >= _KEPT:
                self._known = {}
            self._known[text] = place
        return place

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)
