"""An index's postings and terms in files, mapped back into memory on opening."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from citehop.lexical.bm25 import BM25Index
from citehop.lexical.segment import Segment, Vocabulary
from citehop.lexical.texts import Places, SortedTexts, map_array
from citehop.lexical.tokenise import first_sign

_ARRAYS: Final = ("lengths", "terms", "starts", "slots", "tfs")


class StoredVocabulary(Vocabulary):
    """A vocabulary in files, with the terms that were met since."""

    def __init__(self, texts: SortedTexts, numbers: NDArray[np.int32]) -> None:
        super().__init__()
        self._texts = texts
        self._numbers = numbers
        self._next = int(numbers.max(initial=-1)) + 1

    def __missing__(self, term: str) -> int:
        number = self._stored(term)
        if number is None:
            number = self._next
            self._next += 1
            self._note_pair(term)
        self[term] = number
        return number

    def number(self, term: str) -> int | None:
        """See :meth:`Vocabulary.number`."""
        known = super().number(term)
        return self._stored(term) if known is None else known

    def every(self) -> Iterable[tuple[str, int]]:
        """See :meth:`Vocabulary.every`."""
        stored = zip(self._texts, self._numbers.tolist(), strict=True)
        return chain(stored, list(self.items()))

    def pairs(self, sign: str) -> list[str]:
        """See :meth:`Vocabulary.pairs`."""
        stored = {term for term in self._texts.starting_with(sign) if first_sign(term) == sign}
        return sorted({*super().pairs(sign), *stored})

    def _stored(self, term: str) -> int | None:
        place = self._texts.find(term)
        return None if place is None else int(self._numbers[place])


def write_index(folder: Path, index: BM25Index) -> None:
    """Write the postings of every paper of an index, in order of id.

    The index must be finalised with its papers in one segment: :meth:`BM25Index.packed` gives it.
    """
    segment = index.packed()
    for name in _ARRAYS:
        np.save(folder / f"postings.{name}.npy", getattr(segment, name))
    named = index.terms(segment.terms)
    order = sorted(named)
    SortedTexts.write(folder, "terms", order)
    numbers = np.fromiter(map(named.__getitem__, order), dtype=np.int32, count=len(order))
    np.save(folder / "terms.numbers.npy", numbers)


def read_segment(folder: Path, ids: SortedTexts) -> tuple[Segment, StoredVocabulary]:
    """Return the postings and the terms that :func:`write_index` wrote, mapped.

    Args:
        folder: Where the files are.
        ids: The papers, in order of id.
    """
    arrays: dict[str, Any] = {name: map_array(folder / f"postings.{name}.npy") for name in _ARRAYS}
    segment = Segment(ids=ids, slot_of=Places(ids), **arrays)
    numbers = cast("NDArray[np.int32]", map_array(folder / "terms.numbers.npy"))
    return segment, StoredVocabulary(SortedTexts(folder, "terms"), numbers)
