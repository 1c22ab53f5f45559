"""Papers by id and alias, page by page, counts, and what changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from citehop.graph.neo4j_link import Transaction
from citehop.graph.neo4j_reads import State
from citehop.graph.neo4j_records import SCHEMES, paper_of
from citehop.graph.neo4j_schema import GraphSchema
from citehop.graph.store import Changes, Counts
from citehop.identifiers import parse_identifier
from citehop.paper import Paper

_Alias = tuple[str, str]


class Lookup:
    """Reads papers.

    Args:
        schema: The names of their properties.
    """

    def __init__(self, schema: GraphSchema) -> None:
        self._schema = schema

    async def get(self, transaction: Transaction, wanted: Sequence[str]) -> list[Paper | None]:
        """Return papers by id, else by alias."""
        found = await self._by_id(transaction, set(wanted))
        aliases = {
            name: alias
            for name in dict.fromkeys(wanted)
            if name not in found and (alias := parse_identifier(name)) is not None
        }
        owners = await self._owners(transaction, set(aliases.values())) if aliases else {}
        found |= await self._by_id(transaction, set(owners.values()) - set(found))
        by_alias = {name: owners.get(alias, "") for name, alias in aliases.items()}
        return [found.get(name) or found.get(by_alias.get(name, "")) for name in wanted]

    async def _by_id(self, transaction: Transaction, ids: Iterable[str]) -> dict[str, Paper]:
        ordered = sorted(ids)
        if not ordered:
            return {}
        answer = await transaction.run("search/get", ids=ordered)
        return {row[0]: self._paper(row) for row in answer.rows}

    def _paper(self, row: tuple[Any, ...]) -> Paper:
        name, record, cites, cited_by = row
        return paper_of(name, record, cites, cited_by, self._schema)

    async def _owners(self, transaction: Transaction, aliases: set[_Alias]) -> dict[_Alias, str]:
        """Return the smallest id with each alias."""
        owners: dict[_Alias, list[str]] = {alias: [] for alias in aliases}
        for scheme in SCHEMES:
            names = sorted(value for kind, value in aliases if kind == scheme)
            if not names:
                continue
            answer = await transaction.run(f"search/by_{scheme}", names=names)
            for value, owner in answer.rows:
                owners[scheme, value].append(owner)
        by_text = {f"{kind}:{value}": (kind, value) for kind, value in aliases}
        answer = await transaction.run("search/by_alias", names=sorted(by_text))
        for text, owner in answer.rows:
            owners[by_text[text]].append(owner)
        own = {alias[1]: alias for alias in aliases if parse_identifier(alias[1]) == alias}
        for owner in await self._by_id(transaction, own):
            owners[own[owner]].append(owner)
        return {alias: min(ids) for alias, ids in owners.items() if ids}

    async def page(self, transaction: Transaction, after: str, rows: int) -> list[Paper]:
        """Return the next papers whose ids the server sorts as Python does, in that order."""
        answer = await transaction.run("search/papers", after=after, rows=rows)
        return [self._paper(row) for row in answer.rows]

    async def odd(self, transaction: Transaction) -> list[Paper]:
        """Return the papers with the other ids, sorted."""
        answer = await transaction.run("search/odd_papers")
        return sorted(map(self._paper, answer.rows), key=lambda paper: paper.id)

    async def counts(self, transaction: Transaction) -> Counts:
        """Return what the store holds."""
        papers, external, citations, citations_all = (await transaction.run("search/counts")).rows[
            0
        ]
        year_min, year_max = (await transaction.run("search/years")).rows[0]
        return Counts(
            papers=papers,
            external=external,
            citations=citations,
            citations_all=citations_all,
            year_min=year_min,
            year_max=year_max,
        )

    async def changes(
        self, transaction: Transaction, state: State | None, since: str
    ) -> Changes | None:
        """Return what changed since a revision of this store that is not too old."""
        if state is None:
            return None
        number = _number(since, state)
        if number is None:
            return None
        changed = await transaction.run("search/changed", since=number)
        removed = await transaction.run("search/removed", since=number)
        return Changes(
            revision=state.name,
            upserted=tuple(sorted(key for (key,) in changed.rows)),
            removed=tuple(sorted(key for (key,) in removed.rows)),
        )


def _number(since: str, state: State) -> int | None:
    store, _, text = since.rpartition(":")
    if store != state.store or not (text.isascii() and text.isdigit()):
        return None
    number = int(text)
    return number if state.floor <= number <= state.revision else None
