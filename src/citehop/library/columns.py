"""What a filter asks of papers, as arrays: a filter looks at all papers without reading one."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from pathlib import Path
from typing import Final, cast

import numpy as np
from numpy.typing import NDArray

from citehop.lexical.segment import Mask
from citehop.lexical.texts import SortedTexts, map_array
from citehop.paper import Filter, Paper

_RETRACTED: Final = ("no", "suspected", "yes")
_CODED: Final = ("sources", "venues", "authors")


class TextColumn:
    """Some texts for each paper, such as its authors: each text is kept once, as a number."""

    def __init__(self, folder: Path, name: str) -> None:
        self._texts = SortedTexts(folder, name)
        self._starts = cast("NDArray[np.int64]", map_array(folder / f"{name}.rows.npy"))
        self._codes = cast("NDArray[np.int32]", map_array(folder / f"{name}.codes.npy"))

    def at(self, number: int) -> list[str]:
        """Return the texts of a paper."""
        row = self._codes[self._starts.item(number) : self._starts.item(number + 1)]
        return [self._texts[code] for code in row.tolist()]

    def mask(self, wanted: Iterable[str]) -> Mask:
        """Return which papers have at least one of these texts."""
        codes = [code for text in wanted if (code := self._texts.find(text)) is not None]
        found = np.cumsum(np.isin(self._codes, np.array(codes, dtype=np.int32)))
        before = np.concatenate([[0], found])
        return before[self._starts[1:]] > before[self._starts[:-1]]


class TextColumnWriter:
    """Gathers the texts of papers, one paper after the other."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._codes = array("i")
        self._starts = array("q", [0])

    def add(self, texts: Iterable[str]) -> None:
        """Add the texts of the next paper."""
        numbers = self._numbers
        self._codes.extend([numbers.setdefault(text, len(numbers)) for text in texts])
        self._starts.append(len(self._codes))

    def write(self, folder: Path, name: str) -> None:
        """Write the column."""
        order = sorted(self._numbers)
        place = np.empty(len(order), dtype=np.int32)
        place[[self._numbers[text] for text in order]] = np.arange(len(order), dtype=np.int32)
        SortedTexts.write(folder, name, order)
        np.save(folder / f"{name}.codes.npy", place[np.array(self._codes, dtype=np.int32)])
        np.save(folder / f"{name}.rows.npy", np.array(self._starts, dtype=np.int64))


class ColumnsWriter:
    """Gathers the columns of papers, one paper after the other."""

    def __init__(self) -> None:
        self._years = array("q")
        self._dated = bytearray()
        self._retracted = bytearray()
        self._coded = {name: TextColumnWriter() for name in _CODED}

    def add(self, paper: Paper) -> None:
        """Add the next paper."""
        self._years.append(paper.year or 0)
        self._dated.append(paper.year is not None)
        self._retracted.append(_RETRACTED.index(paper.retracted))
        self._coded["sources"].add(paper.sources)
        self._coded["venues"].add([paper.venue])
        self._coded["authors"].add(paper.authors)

    def write(self, folder: Path) -> None:
        """Write all columns."""
        np.save(folder / "years.npy", np.array(self._years, dtype=np.int64))
        np.save(folder / "dated.npy", np.frombuffer(bytes(self._dated), dtype=np.bool_))
        np.save(folder / "retracted.npy", np.frombuffer(bytes(self._retracted), dtype=np.uint8))
        for name, column in self._coded.items():
            column.write(folder, name)


class Columns:
    """The columns of a generation's papers."""

    def __init__(self, folder: Path) -> None:
        self.years = cast("NDArray[np.int64]", map_array(folder / "years.npy"))
        self.dated = cast("Mask", map_array(folder / "dated.npy"))
        self.retracted = cast("NDArray[np.uint8]", map_array(folder / "retracted.npy"))
        self.coded = {name: TextColumn(folder, name) for name in _CODED}

    def mask(self, filter: Filter, ids: SortedTexts) -> Mask:
        """Return which papers pass a filter.

        Args:
            filter: What is asked.
            ids: The papers' ids.
        """
        passing = np.ones(len(self.years), dtype=np.bool_)
        if filter.year_min is not None or filter.year_max is not None:
            passing &= self.dated
        if filter.year_min is not None:
            passing &= self.years >= filter.year_min
        if filter.year_max is not None:
            passing &= self.years <= filter.year_max
        if filter.retracted is not None:
            passing &= np.isin(self.retracted, [_RETRACTED.index(one) for one in filter.retracted])
        for name, column in self.coded.items():
            wanted = getattr(filter, name)
            if wanted is not None:
                passing &= column.mask(wanted)
        if filter.ids is not None:
            named = [place for key in filter.ids if (place := ids.find(key)) is not None]
            chosen = np.zeros(len(passing), dtype=np.bool_)
            chosen[named] = True
            passing &= chosen
        return passing


class Facts:
    """What a filter and a ranking ask of one paper, read from the columns when asked."""

    __slots__ = ("_columns", "_number", "id")

    def __init__(self, key: str, number: int, columns: Columns) -> None:
        self.id = key
        self._number = number
        self._columns = columns

    @property
    def year(self) -> int | None:
        """See :class:`Paper`."""
        columns, number = self._columns, self._number
        return columns.years.item(number) if columns.dated.item(number) else None

    @property
    def retracted(self) -> str:
        """See :class:`Paper`."""
        return _RETRACTED[self._columns.retracted.item(self._number)]

    @property
    def venue(self) -> str:
        """See :class:`Paper`."""
        return self._columns.coded["venues"].at(self._number)[0]

    @property
    def sources(self) -> tuple[str, ...]:
        """See :class:`Paper`."""
        return tuple(self._columns.coded["sources"].at(self._number))

    @property
    def authors(self) -> list[str]:
        """See :class:`Paper`."""
        return self._columns.coded["authors"].at(self._number)
