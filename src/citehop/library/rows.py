"""Citations as arrays of numbers: for each node the nodes that it cites, and those that cite it.

Nodes are numbered: first the papers, then the works outside, each in order of id.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, cast

import numpy as np
from numpy.typing import NDArray

from citehop.graph.networkx_edges import BOTH, CITED, CITING, Stated
from citehop.lexical.segment import changes
from citehop.lexical.texts import Places, SortedTexts, map_array

# By the two bits that an edge is stored with: stated by the citing paper, by the cited one.
_STATED: Final[tuple[Stated, ...]] = ({}, CITING, CITED, BOTH)
_WIDTH: Final = 32


class Names:
    """The ids of all nodes by number, and their numbers by id; those met are remembered."""

    def __init__(self, papers: SortedTexts, outside: SortedTexts) -> None:
        self.papers = papers
        self.outside = outside
        self._paper_places = Places(papers)
        self._outside_places = Places(outside)
        self.ids = _Ids(papers, outside)

    def __len__(self) -> int:
        return len(self.papers) + len(self.outside)

    def number(self, key: str) -> int | None:
        """Return the number of a node."""
        known = self.ids.numbers.get(key)
        if known is not None:
            return known
        number = self._paper_places.get(key)
        if number is not None:
            return number
        outside = self._outside_places.get(key)
        return None if outside is None else len(self.papers) + outside


class _Ids(dict[int, str]):
    """Ids by number, read when first asked for: a walk asks for the same ones again and again."""

    def __init__(self, papers: SortedTexts, outside: SortedTexts) -> None:
        super().__init__()
        self.numbers: dict[str, int] = {}
        self._papers = papers
        self._outside = outside

    def __missing__(self, number: int) -> str:
        count = len(self._papers)
        text = self._papers[number] if number < count else self._outside[number - count]
        self[number] = text
        self.numbers[text] = number
        return text


class Row(Mapping[str, Stated]):
    """What is next to one node, in one direction, by id."""

    __slots__ = ("_end", "_names", "_rows", "_start")

    def __init__(self, names: Names, rows: Rows, start: int, end: int) -> None:
        self._names = names
        self._rows = rows
        self._start = start
        self._end = end

    def __len__(self) -> int:
        return self._end - self._start

    def __iter__(self) -> Iterator[str]:
        numbers = self._rows.targets[self._start : self._end].tolist()
        return map(self._names.ids.__getitem__, numbers)

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and self._place(key) is not None

    def __getitem__(self, key: str) -> Stated:
        place = self._place(key)
        if place is None:
            raise KeyError(key)
        return _STATED[self._rows.stated.item(place)]

    def stated(self) -> dict[str, Stated]:
        """Return the row as a dict of its own."""
        flags = self._rows.stated[self._start : self._end].tolist()
        return dict(zip(self, map(_STATED.__getitem__, flags), strict=True))

    def _place(self, key: str) -> int | None:
        number = self._names.number(key)
        if number is None:
            return None
        row = self._rows.targets[self._start : self._end]
        place = int(row.searchsorted(np.int32(number)))
        return self._start + place if place < len(row) and row[place] == number else None


class Rows:
    """The rows of all nodes in one direction."""

    def __init__(self, folder: Path, name: str) -> None:
        self.starts = cast("NDArray[np.int64]", map_array(folder / f"{name}.rows.npy"))
        self.targets = cast("NDArray[np.int32]", map_array(folder / f"{name}.targets.npy"))
        self.stated = cast("NDArray[np.uint8]", map_array(folder / f"{name}.stated.npy"))

    def at(self, names: Names, number: int) -> Row:
        """Return the row of a node."""
        return Row(names, self, self.starts.item(number), self.starts.item(number + 1))

    def size(self, number: int) -> int:
        """Return how long the row of a node is."""
        return self.starts.item(number + 1) - self.starts.item(number)


class RowsWriter:
    """Gathers what records state, one paper after the other in order of id."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._papers: list[str] = []
        self._stated = (array("i"), array("i"))
        self._sizes = (array("i"), array("i"))

    def add(self, key: str, references: Iterable[str], citations: Iterable[str]) -> None:
        """Add what the next record states: different ids, not its own."""
        self._papers.append(key)
        numbers = self._numbers
        lists = (references, citations)
        for ids, stated, sizes in zip(lists, self._stated, self._sizes, strict=True):
            before = len(stated)
            stated.extend([numbers.setdefault(other, len(numbers)) for other in ids])
            sizes.append(len(stated) - before)

    def write(self, folder: Path) -> tuple[int, int]:
        """Write ids and rows; return how many edges there are, and how many of them inside."""
        places = {key: place for place, key in enumerate(self._papers)}
        outside = sorted(key for key in self._numbers if key not in places)
        SortedTexts.write(folder, "ids", self._papers)
        SortedTexts.write(folder, "outside", outside)
        places |= {key: place for place, key in enumerate(outside, start=len(places))}
        numbers = np.fromiter(
            map(places.__getitem__, self._numbers), dtype=np.int64, count=len(self._numbers)
        )
        keys, flags = self._edges(numbers)
        inside = ((keys >> _WIDTH) < len(self._papers)) & ((keys & 0xFFFFFFFF) < len(self._papers))
        _write_rows(folder, "ahead", keys, flags, len(places))
        turned = (keys >> _WIDTH) | ((keys & 0xFFFFFFFF) << _WIDTH)
        order = np.argsort(turned, kind="stable")
        _write_rows(folder, "back", turned[order], flags[order], len(places))
        return len(keys), int(np.count_nonzero(inside))

    def _edges(self, numbers: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        """Return each edge once, as citing and cited in one number, with who states it."""
        said = []
        for flag, stated, sizes in zip((1, 2), self._stated, self._sizes, strict=True):
            own = np.repeat(np.arange(len(sizes), dtype=np.int64), np.array(sizes, dtype=np.int64))
            other = numbers[np.array(stated, dtype=np.int64)]
            keys = own << _WIDTH | other if flag == 1 else other << _WIDTH | own
            # The flag rides along in the sorting, above the two numbers' 31 bits each.
            said.append(keys << 1 | (flag - 1))
        both = np.sort(np.concatenate(said))
        keys = both >> 1
        firsts = np.flatnonzero(changes(keys))
        flags = np.add.reduceat((both & 1) + 1, firsts) if len(both) else both
        return keys[firsts], flags.astype(np.uint8)


def _write_rows(
    folder: Path, name: str, keys: NDArray[np.int64], flags: NDArray[np.uint8], nodes: int
) -> None:
    bounds = np.arange(nodes + 1, dtype=np.int64) << _WIDTH
    np.save(folder / f"{name}.rows.npy", keys.searchsorted(bounds).astype(np.int64))
    np.save(folder / f"{name}.targets.npy", (keys & 0xFFFFFFFF).astype(np.int32))
    np.save(folder / f"{name}.stated.npy", flags)
