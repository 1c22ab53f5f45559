"""The ways to turn text into terms, each under a name."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from citehop.lexical.tokenise import tokenise

# Words on which stemmers, tables of signs and rules of other versions would show.
_PROBE: Final = (
    "Schrödinger's β-catenin, state-of-the-art C++: dying skies, generously cited universities;"
    " citations of citing apologists. Größe œuvre NF-κB 題目の検索 สวัสดี साहित्य ﬁeld x² Ⅷ"
)


@dataclass(frozen=True, slots=True)
class Analyser:
    """A named way to turn text into terms.

    Two analysers are equal if name and version are; a version is another one when any text may
    give other terms.

    Args:
        name: What callers ask for.
        version: From 1.
        terms: The function: text into terms, in order, with repeats.
    """

    name: str
    version: int
    terms: Callable[[str], list[str]] = field(compare=False, repr=False)

    @property
    def fingerprint(self) -> str:
        """A name for what it does: stored indexes are used with the same one alone.

        It holds what the analyser makes of a few telling words, so that another stemmer or table
        of signs below it shows too.
        """
        made = hashlib.sha256("\n".join(self.terms(_PROBE)).encode()).hexdigest()
        return f"{self.name}/{self.version}/{made[:12]}"


def _english(text: str) -> list[str]:
    from citehop.lexical.english import english  # noqa: PLC0415 - only where it is used

    return english(text)


PLAIN: Final = Analyser("plain", 1, tokenise)
ENGLISH: Final = Analyser("english", 1, _english)
ANALYSERS: Final[Mapping[str, Analyser]] = {one.name: one for one in (PLAIN, ENGLISH)}
"""Every analyser by its name."""


def analyser(value: str | Analyser) -> Analyser:
    """Return the analyser of a name; one of one's own is passed through.

    Raises:
        TypeError: If it is neither.
        ValueError: If no analyser has this name.
    """
    if isinstance(value, Analyser):
        return value
    if not isinstance(value, str):
        raise TypeError(f"analysis must be a name or an Analyser, not {value!r}")
    if value not in ANALYSERS:
        raise ValueError(f"analysis must be one of {', '.join(ANALYSERS)}, not {value!r}")
    return ANALYSERS[value]
