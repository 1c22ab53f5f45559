"""The records of a store in memory: its own copies, found by id and by alias."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from citehop.identifiers import parse_identifier
from citehop.paper import Paper

_FIELDS = tuple(field.name for field in fields(Paper))
_LISTS = frozenset({"authors", "references", "citations"})
_set = object.__setattr__


def own_copy(paper: Paper, **changed: object) -> Paper:
    """Return a copy that shares no list and no mapping, with some fields changed.

    The fields were checked when ``paper`` was made; checking every citation again would double
    the time of a load.
    """
    copy = object.__new__(Paper)
    for name in _FIELDS:
        value: Any = changed[name] if name in changed else getattr(paper, name)
        _set(copy, name, list(value) if name in _LISTS else value)
    _set(copy, "external_ids", dict(paper.external_ids))
    return copy


class Records(dict[str, Paper]):
    """Records by id, as they were stated, with an index of aliases made at its first use."""

    _aliases: dict[tuple[str, str], set[str]] | None = None

    def put(self, paper: Paper) -> None:
        """Add or replace a record."""
        old = self.get(paper.id)
        self[paper.id] = paper
        if self._aliases is not None:
            if old is not None:
                self._unindex(self._aliases, old)
            self._index(self._aliases, paper)

    def drop(self, id: str) -> None:
        """Remove a record."""
        old = self.pop(id)
        if self._aliases is not None:
            self._unindex(self._aliases, old)

    def forget_aliases(self) -> None:
        """Let the index be made anew: it may be half changed."""
        self._aliases = None

    def find(self, name: str) -> str | None:
        """Return the id that ``name`` stands for: itself, else the smallest with that alias."""
        if name in self:
            return name
        alias = parse_identifier(name)
        return min(self._index_of_all().get(alias, ()), default=None) if alias else None

    def _index_of_all(self) -> dict[tuple[str, str], set[str]]:
        if self._aliases is None:
            # Whole before it is seen: readers share it without a lock of their own.
            aliases: dict[tuple[str, str], set[str]] = {}
            for paper in self.values():
                self._index(aliases, paper)
            self._aliases = aliases
        return self._aliases

    @staticmethod
    def _index(aliases: dict[tuple[str, str], set[str]], paper: Paper) -> None:
        for name in _names(paper):
            aliases.setdefault(name, set()).add(paper.id)

    @staticmethod
    def _unindex(aliases: dict[tuple[str, str], set[str]], paper: Paper) -> None:
        for name in _names(paper):
            aliases[name].discard(paper.id)
            if not aliases[name]:
                del aliases[name]


def _names(paper: Paper) -> Iterator[tuple[str, str]]:
    own = parse_identifier(paper.id)
    if own is not None:
        yield own
    for name in paper.external_ids.items():
        if name != own:
            yield name
