"""Further queries that are known beforehand."""

from __future__ import annotations

from dataclasses import dataclass

from citehop.plan.checks import shown


@dataclass(frozen=True, slots=True)
class FixedQueries:
    """A transform that gives the same queries whatever is asked; ``{query}`` stands for the query.

    Args:
        queries: Texts, none empty.

    Raises:
        TypeError: If ``queries`` is no list or tuple of str.
        ValueError: If one is empty.

    >>> FixedQueries(("{query} survey", "citation graphs"))("hubs")
    ['hubs survey', 'citation graphs']
    """

    queries: tuple[str, ...]

    def __post_init__(self) -> None:
        if not isinstance(self.queries, (list, tuple)):
            raise TypeError(f"queries must be a list of texts, not {shown(self.queries)}")
        for entry in self.queries:
            if not isinstance(entry, str):
                raise TypeError(f"an entry of queries must be a str, not {shown(entry)}")
            if not entry:
                raise ValueError("an entry of queries must not be empty")
        object.__setattr__(self, "queries", tuple(self.queries))

    def __call__(self, query: str) -> list[str]:
        """Return the queries, with the one that is asked in its places."""
        # Not str.format: braces in a text or in the query have no other meaning.
        return [entry.replace("{query}", query) for entry in self.queries]
