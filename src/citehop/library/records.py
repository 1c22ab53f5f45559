"""Papers in a file, each read by itself when it is asked for."""

from __future__ import annotations

import json
from collections.abc import Iterable
from copy import copy
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import numpy as np

from citehop.lexical.texts import map_array, map_bytes
from citehop.paper import Paper

_DEFAULTS: Final[dict[str, Any]] = {
    "title": "",
    "abstract": "",
    "year": None,
    "authors": [],
    "source": "",
    "external_ids": {},
    "venue": "",
    "retracted": "no",
    "sources": (),
    "retraction_evidence": "",
    "notice": False,
}
_set = object.__setattr__


def pack(paper: Paper) -> tuple[bytes, bytes]:
    """Return a record in two parts: what it says of the paper, and whom it cites and is cited by.

    The second is needed to change citations and not to show the paper, and is often the larger.
    """
    values: dict[str, Any] = {"id": paper.id}
    for name, default in _DEFAULTS.items():
        value = getattr(paper, name)
        if value != default:
            values[name] = dict(value) if name == "external_ids" else value
    stated = [paper.references, paper.citations]
    return _json(values), _json(stated) if any(stated) else b""


def unpack(said: bytes, stated: bytes = b"") -> Paper:
    """Return the paper of a record; without its second part it has no citations.

    Its fields were checked before they were written, which is why they are not checked again.
    """
    values: dict[str, Any] = json.loads(said)
    references, citations = json.loads(stated) if stated else ([], [])
    paper = object.__new__(Paper)
    _set(paper, "id", values["id"])
    for name, default in _DEFAULTS.items():
        value = values[name] if name in values else copy(default)
        _set(paper, name, tuple(value) if name == "sources" else value)
    _set(paper, "references", references)
    _set(paper, "citations", citations)
    return paper


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


class RecordWriter:
    """Writes records one after another, by number from 0."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files = [(folder / f"{name}.bytes").open("wb") for name in ("papers", "stated")]
        self._starts: list[list[int]] = [[0], [0]]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for file in self._files:
            file.close()

    def add(self, parts: Iterable[bytes]) -> None:
        """Write the two parts of a record."""
        for part, file, starts in zip(parts, self._files, self._starts, strict=True):
            starts.append(starts[-1] + file.write(part))

    def finish(self) -> None:
        """Write where each record stands."""
        for name, starts in zip(("papers", "stated"), self._starts, strict=True):
            np.save(self._folder / f"{name}.starts.npy", np.array(starts, dtype=np.int64))


class Records:
    """The records of a generation, by number."""

    def __init__(self, folder: Path) -> None:
        names = ("papers", "stated")
        self._bytes = [map_bytes(folder / f"{name}.bytes") for name in names]
        self._starts = [map_array(folder / f"{name}.starts.npy") for name in names]

    def hold(self, count: int) -> bool:
        """Return whether there are so many records, and all of them whole."""
        pairs = zip(self._bytes, self._starts, strict=True)
        return all(
            len(starts) == count + 1 and len(content) == starts[-1] for content, starts in pairs
        )

    def parts(self, number: int) -> tuple[bytes, bytes]:
        """Return the two parts of a record as they were packed."""
        said, stated = (
            content[starts.item(number) : starts.item(number + 1)]
            for content, starts in zip(self._bytes, self._starts, strict=True)
        )
        return said, stated

    def read(self, number: int) -> Paper:
        """Return a paper without its citations."""
        return unpack(self.parts(number)[0])

    def read_stated(self, number: int) -> Paper:
        """Return a record as it was loaded."""
        return unpack(*self.parts(number))
