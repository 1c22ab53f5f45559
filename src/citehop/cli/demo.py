"""The demo: real papers, a query, and a paper that only the citation graph finds."""

from __future__ import annotations

import os

from citehop.cli import answer, say
from citehop.cli.library import open_library
from citehop.data import bibliometrics
from citehop.lexical.tokenise import tokenise
from citehop.outcome import RetrievalResponse
from citehop.search.config import RetrievalConfig
from citehop.search.hit import Hit

QUERY = "atypical combinations"
CONFIG = RetrievalConfig(top_k=8)


def run(query: str | None) -> None:
    """Search the papers that ship with the package, and say what to look at."""
    wanted = query or QUERY
    with bibliometrics() as path:
        library = open_library([path])
        here = os.path.relpath(path)
    counts = library.store.counts()
    say(
        f"{counts.papers} papers on bibliometrics from OpenAlex, {counts.citations:,} citations"
        f" between them, {counts.citations_all:,} in all"
    )
    say(f'searching for "{wanted}"\n')
    response = answer.search(library.repository(), wanted, CONFIG, filter={})
    _point_out(response, wanted)
    _say_next(response, wanted, here)


def _point_out(response: RetrievalResponse[Hit], query: str) -> None:
    words = set(tokenise(query))
    for rank, hit in enumerate(response.hits, start=1):
        if "lexical" not in hit.legs and words.isdisjoint(tokenise(hit.doc.text)):
            say(
                f"Look at number {rank}: “{hit.doc.title}” has no word of the query;"
                " only its citations lead there.\n"
            )
            return


def _say_next(response: RetrievalResponse[Hit], query: str, here: str) -> None:
    last = response.hits[-1].doc_id if response.hits else "ID"
    say(
        "Next:\n"
        '  .venv/bin/citehop demo "your words"\n'
        f'  .venv/bin/citehop explain "{query}" {last} --in {here}\n'
        f'  .venv/bin/citehop search "{query}" --in YOUR_FILE    (OpenAlex, JSON lines, CSV)\n'
        "  .venv/bin/citehop --help"
    )
