"""Why a paper was found, as one sentence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from citehop.graph.store import CitationPath
from citehop.paper import Paper

# How a node stands to the one before it in the chain, said from the node's own side.
_BACK = {"cites": "is cited by", "cited_by": "cites"}


def lexical_reason(words: Sequence[str]) -> str:
    """Return the sentence for a lexical hit: which words of the query it has."""
    quoted = [f"“{word}”" for word in words]
    listed = " and ".join(part for part in (", ".join(quoted[:-1]), *quoted[-1:]) if part)
    return f"found because its text has {listed}"


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
