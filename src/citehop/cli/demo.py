"""The demo: real papers, a query, and a paper that only the citation graph finds."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

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
    command = _own_name()
    say(
        "Next:\n"
        f'  {command} demo "your words"\n'
        f'  {command} explain "{query}" {last} --in {here}\n'
        f'  {command} search "{query}" --in YOUR_FILE    (OpenAlex, JSON lines, CSV)\n'
        f"  {command} --help"
    )


def _own_name() -> str:
    """Return what to type for this very command in the folder that one is in."""
    started = Path(sys.argv[0])
    if shutil.which(started.name) is not None or not started.is_file():
        return "citehop"
    return os.path.relpath(started)
