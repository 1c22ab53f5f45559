"""The record that everything else is about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from citehop.sentences import sentence_ranges

RetractionStatus = Literal["no", "suspected", "yes"]
_RETRACTION = frozenset(get_args(RetractionStatus))
_INT64 = 2**63


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper as a source described it.

    Every value is one that each store can keep: text without NUL and lone surrogates, integers of
    64 bits, lists of text. Readers repair or drop what is not; made by hand, it is refused.

    Args:
        id: Stable identifier, not empty, without blanks at its ends.
        title: Title in plain text; may be empty.
        abstract: Abstract in plain text; may be empty.
        year: Year of publication, or None where it is not known.
        authors: Names in order.
        references: Ids of the works that this paper cites, none of them empty or padded.
        citations: Ids of the works that cite this paper.
        source: Which source supplied the record.
        external_ids: Other names of the same paper by scheme (``doi``, ``arxiv``, ``openalex``,
            ``s2``, ``pmid``, …), each in its normal form.
        venue: Journal or conference; may be empty.
        retracted: ``"no"``, ``"suspected"`` or ``"yes"``.
        sources: All sources that supplied it; ``(source,)`` unless records were merged.
        retraction_evidence: What ``retracted`` rests on, in words; empty where it is ``"no"``.
        notice: Whether this is a notice about another paper (a retraction or correction notice):
            found by text, never the seed of a walk.

    Raises:
        TypeError: If a field has the wrong type.
        ValueError: If a value is out of its range; the message names the field and the value.
    """

    id: str
    title: str
    abstract: str
    year: int | None
    authors: list[str]
    references: list[str] = field(default_factory=list)
    citations: list[str] = field(default_factory=list)
    source: str = ""
    external_ids: Mapping[str, str] = field(default_factory=dict, kw_only=True)
    venue: str = field(default="", kw_only=True)
    retracted: RetractionStatus = field(default="no", kw_only=True)
    sources: tuple[str, ...] = field(default=(), kw_only=True)
    retraction_evidence: str = field(default="", kw_only=True)
    notice: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        check_id("id", self.id)
        for name in ("title", "abstract", "source", "venue", "retraction_evidence"):
            _check_text(name, getattr(self, name))
        _check_year(self.year)
        for name in ("authors", "references", "citations"):
            _check_list(name, getattr(self, name))
        for name in ("references", "citations"):
            _check_ids(name, getattr(self, name))
        if self.retracted not in _RETRACTION:
            raise ValueError(f"retracted must be one of no, suspected, yes, not {self.retracted!r}")
        for scheme, value in self.external_ids.items():
            _check_text("external_ids", scheme)
            _check_text(f"external_ids[{scheme!r}]", value)
        sources = tuple(self.sources) or ((self.source,) if self.source else ())
        _check_list("sources", list(sources))
        object.__setattr__(self, "sources", sources)

    def __hash__(self) -> int:
        return hash(self.id)

    @property
    def doc_id(self) -> str:
        """The id, under the name by which an execution plan asks for it."""
        return self.id

    @property
    def text(self) -> str:
        """Title and abstract with a blank line between: what is indexed, what ranges refer to."""
        return "\n\n".join(part for part in (self.title, self.abstract) if part)

    def lead(self, n: int = 3) -> str:
        """Return the first ``n`` sentences of the abstract, as they stand there.

        Raises:
            ValueError: If ``n`` is negative.
        """
        if n < 0:
            raise ValueError(f"n must be at least 0, not {n}")
        ranges = sentence_ranges(self.abstract)[:n]
        return self.abstract[ranges[0][0] : ranges[-1][1]] if ranges else ""

    def to_dict(self) -> dict[str, Any]:
        """Return the record as a JSON-compatible mapping, in the product's own JSON lines form."""
        return {
            "id": self.id,
            "title": self.title,
            "abstract": self.abstract,
            "year": self.year,
            "authors": list(self.authors),
            "references": list(self.references),
            "citations": list(self.citations),
            "source": self.source,
            "external_ids": dict(sorted(self.external_ids.items())),
            "venue": self.venue,
            "retracted": self.retracted,
            "sources": list(self.sources),
            "retraction_evidence": self.retraction_evidence,
            "notice": self.notice,
        }


def check_id(name: str, value: object) -> None:
    """Raise unless ``value`` can be the id of a paper.

    Raises:
        TypeError: If it is no string.
        ValueError: If it is empty, has blanks at its ends, or holds what no store can keep.
    """
    _check_text(name, value)
    if not value or value != str(value).strip():
        raise ValueError(f"{name} must be text that is not empty and not padded, not {value!r}")


def _check_text(name: str, value: object) -> None:
    if type(value) is not str:
        raise TypeError(f"{name} must be a str, not {value!r}")
    if "\0" in value or not _encodable(value):
        raise ValueError(f"{name} must hold no NUL and no lone surrogate: {value[:80]!r}")


def _encodable(value: str) -> bool:
    if value.isascii():
        return True
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _check_list(name: str, value: object) -> None:
    if not isinstance(value, list):
        raise TypeError(f"{name} must be a list of str, not {value!r}")
    if set(map(type, value)) <= {str}:
        joined = "".join(value)  # one check of the whole list, which is nearly always right
        if "\0" not in joined and _encodable(joined):
            return
    for entry in value:
        _check_text(f"an entry of {name}", entry)


def _check_ids(name: str, ids: list[str]) -> None:
    """Raise unless each entry can be an id: a blank one would tie unrelated papers together."""
    if "" in ids or [entry.strip() for entry in ids] != ids:
        for entry in ids:
            check_id(f"an entry of {name}", entry)


def _check_year(year: object) -> None:
    if year is None:
        return
    if isinstance(year, bool) or not isinstance(year, int):
        raise TypeError(f"year must be an int or None, not {year!r}")
    if not -_INT64 <= year < _INT64:
        raise ValueError(f"year must fit 64 bits, not {year!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Which papers a search may return. Fields left at None allow all; text is compared exactly.

    Args:
        year_min: First year allowed. An undated paper passes no year limit.
        year_max: Last year allowed.
        sources: Papers that at least one of these supplied.
        venues: Papers of one of these venues.
        authors: Papers with at least one of these authors.
        retracted: Retraction statuses allowed, such as ``("no", "suspected")``.
        ids: Papers with one of these ids.

    Raises:
        TypeError: If a field has the wrong type; a bare string is no collection.
        ValueError: If the years are the wrong way round, or a status is unknown.
    """

    year_min: int | None = None
    year_max: int | None = None
    sources: frozenset[str] | None = None
    venues: frozenset[str] | None = None
    authors: frozenset[str] | None = None
    retracted: frozenset[str] | None = None
    ids: frozenset[str] | None = None

    def __post_init__(self) -> None:
        _check_year(self.year_min)
        _check_year(self.year_max)
        low, high = self.year_min, self.year_max
        if low is not None and high is not None and low > high:
            raise ValueError(f"year_min must not be above year_max, not {low} > {high}")
        for name in ("sources", "venues", "authors", "retracted", "ids"):
            object.__setattr__(self, name, _texts(name, getattr(self, name)))
        unknown = sorted((self.retracted or frozenset()) - _RETRACTION)
        if unknown:
            raise ValueError(f"retracted may hold no, suspected and yes, not {unknown}")

    @classmethod
    def of(cls, value: Filter | Mapping[str, Any] | None) -> Filter | None:
        """Return ``value`` as a filter; a mapping has the fields as keys.

        Raises:
            ValueError: If the mapping has an unknown key.
        """
        if value is None or isinstance(value, Filter):
            return value
        if not isinstance(value, Mapping):
            raise TypeError(f"filter must be a Filter or a mapping, not {value!r}")
        unknown = sorted(map(str, set(value) - set(cls.__slots__)))
        if unknown:
            raise ValueError(
                f"filter has unknown keys {unknown}; it may hold {', '.join(cls.__slots__)}"
            )
        return cls(**value)

    @property
    def allows_all(self) -> bool:
        """Whether no field limits anything."""
        return all(getattr(self, name) is None for name in self.__slots__)

    def matches(self, paper: Paper) -> bool:
        """Return whether ``paper`` may be returned."""
        return (
            self._year_matches(paper.year)
            and (self.sources is None or not self.sources.isdisjoint(paper.sources))
            and (self.venues is None or paper.venue in self.venues)
            and (self.authors is None or not self.authors.isdisjoint(paper.authors))
            and (self.retracted is None or paper.retracted in self.retracted)
            and (self.ids is None or paper.id in self.ids)
        )

    def _year_matches(self, year: int | None) -> bool:
        if self.year_min is None and self.year_max is None:
            return True
        return (
            year is not None
            and (self.year_min is None or year >= self.year_min)
            and (self.year_max is None or year <= self.year_max)
        )


def _texts(name: str, value: Iterable[str] | None) -> frozenset[str] | None:
    if value is None:
        return None
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise TypeError(f"{name} must be a collection of str, not {value!r}")
    texts = frozenset(value)
    for text in texts:
        _check_text(f"an entry of {name}", text)
    return texts
