"""How a library's text is indexed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from citehop.errors import InputError
from citehop.lexical.analysis import ANALYSERS, Analyser, analyser
from citehop.lexical.bm25 import BM25Index
from citehop.paper import Paper
from citehop.search.documents import checked_fields, text_of


@dataclass(frozen=True, slots=True)
class IndexSettings:
    """What decides every score of a library: chosen when it is built.

    Args:
        analyser: How text becomes terms.
        fields: What is indexed.
        k1: BM25's term saturation.
        b: BM25's length normalisation.
    """

    analyser: Analyser
    fields: tuple[str, ...]
    k1: float
    b: float

    @classmethod
    def of(
        cls, analysis: str | Analyser, fields: Sequence[str], k1: float, b: float
    ) -> IndexSettings:
        """Check the settings.

        Raises:
            TypeError: If one has the wrong type.
            ValueError: If one is out of its range.
        """
        index = BM25Index(k1, b, analysis=analysis)
        return cls(index.analyser, checked_fields(fields), index.k1, index.b)

    def new_index(self) -> BM25Index:
        """Return an empty index."""
        return BM25Index(self.k1, self.b, analysis=self.analyser)

    def text(self, paper: Paper) -> str:
        """Return what is indexed of a paper."""
        return text_of(paper, self.fields)

    def check(
        self,
        where: Path,
        analysis: str | Analyser,
        fields: Sequence[str],
        k1: float,
        b: float,
    ) -> None:
        """Raise ValueError unless these are the settings that are asked for."""
        asked = IndexSettings.of(analysis, fields, k1, b)
        if asked == self:
            return
        differ = [
            f"{name}={getattr(self, name)!r} and not {getattr(asked, name)!r}"
            for name in ("fields", "k1", "b")
            if getattr(asked, name) != getattr(self, name)
        ]
        if asked.analyser != self.analyser:
            differ.insert(0, f"analysis={self.analyser.name!r} and not {asked.analyser.name!r}")
        raise ValueError(
            f"{where}: this library was built with {', '.join(differ)}; ask for what it has, or"
            " build it anew"
        )

    def to_dict(self) -> dict[str, object]:
        """Return the settings as a manifest holds them."""
        return {
            "analysis": self.analyser.name,
            "analyser": self.analyser.fingerprint,
            "fields": list(self.fields),
            "k1": self.k1,
            "b": self.b,
        }


def known_analyser(name: str, fingerprint: str, where: str) -> Analyser:
    """Return the analyser that made a library.

    Raises:
        InputError: If this version has none by this name, or it gives other terms now.
    """
    mend = "build the library anew with 'citehop build'"
    if name not in ANALYSERS:
        raise InputError(
            f"was made with the analysis {name!r}, which this citehop does not have; {mend}",
            file=where,
            code="LIBRARY_ANALYSER",
        )
    found = analyser(name)
    if found.fingerprint != fingerprint:
        raise InputError(
            f"was made with the analysis {fingerprint}, and this citehop has"
            f" {found.fingerprint}, which gives other terms; {mend}",
            file=where,
            code="LIBRARY_ANALYSER",
        )
    return found
