"""Why a paper was found, as one sentence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from citehop.graph.store import CitationPath
from citehop.lexical.analysis import Analyser
from citehop.lexical.tokenise import tokenise
from citehop.paper import Paper

_AROUND = "()[]{}<>\"'“”‘’«».,;:!?"
# How a node stands to the one before it in the chain, said from the node's own side.
_BACK = {"cites": "is cited by", "cited_by": "cites"}


def words_by_term(query: str, analyser: Analyser) -> dict[str, str]:
    """Return the query's own word for each of its terms, where one word makes it.

    A word is a token of :func:`citehop.tokenise`, else what stands between blanks ("C++").
    """
    pieces = (piece.strip(_AROUND).lower() for piece in query.split())
    words: dict[str, str] = {}
    for word in (*tokenise(query), *pieces):
        for term in analyser.terms(word):
            words.setdefault(term, word)
    return words


def lexical_reason(words: Sequence[str], *, forms: bool = False) -> str:
    """Return the sentence for a lexical hit: which words of the query it has, or forms of them."""
    quoted = [f"“{word}”" for word in words]
    listed = " and ".join(part for part in (", ".join(quoted[:-1]), *quoted[-1:]) if part)
    return f"found because its text has {'forms of ' if forms else ''}{listed}"


def graph_reason(path: CitationPath, papers: Mapping[str, Paper]) -> str:
    """Return the sentence for a hit of the graph alone: the chain, from the hit to its seed.

    Example: ``found because it is cited by “Sparse heads” (p1), which cites “Pruning” (p2)``.
    """
    backwards = zip(reversed(path.nodes[:-1]), reversed(path.steps), strict=True)
    outside = frozenset(path.external)
    links = [f"{_BACK[step]} {_name(node, papers, outside)}" for node, step in backwards]
    chain = ", which ".join(links)
    return f"found because it {chain}{_outside(path.external)}"


def distant_reason(seeds: Mapping[str, int], papers: Mapping[str, Paper]) -> str:
    """Return the sentence for a hit of the graph whose chain is not known."""
    seed = min(seeds, key=lambda key: seeds[key])
    hops = seeds[seed]
    unit = "citation" if hops == 1 else "citations"
    return f"found because it is {hops} {unit} away from {_name(seed, papers, ())}"


def _name(node: str, papers: Mapping[str, Paper], outside: Iterable[str]) -> str:
    title = papers[node].title if node in papers and node not in outside else ""
    return f"“{title}” ({node})" if title else node


def _outside(external: Sequence[str]) -> str:
    if not external:
        return ""
    works = "work" if len(external) == 1 else "works"
    return f", through {len(external)} {works} outside the corpus"
