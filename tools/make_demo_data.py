r"""Convert the OpenAlex export inside the wheel of biblium 2.16.1 to the demo's papers.

Run it with that wheel's file, and where to write::

    pip download --no-deps biblium==2.16.1
    unzip biblium-2.16.1-py3-none-any.whl 'biblium/data/open alex dataset.csv'
    python tools/make_demo_data.py 'biblium/data/open alex dataset.csv' \
        src/citehop/data/bibliometrics.jsonl.gz

The same export gives the same lines; the compressed bytes may differ between versions of zlib.
"""

from __future__ import annotations

import dataclasses
import gzip
import json
import re
import sys
from pathlib import Path
from typing import Any

from citehop.identifiers import SCHEMES
from citehop.paper import Paper
from citehop.sources.read import read_papers

# Two abstracts are scraped from web pages and hold a person's address.
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_ALWAYS = ("id", "title", "abstract", "year", "authors", "references")


def shipped(paper: Paper) -> Paper:
    """Return the paper without e-mail addresses and without names of schemes that nothing uses."""
    names = paper.external_ids.items()
    return dataclasses.replace(
        paper,
        abstract=_EMAIL.sub("[address removed]", paper.abstract),
        references=sorted(paper.references),
        external_ids={scheme: name for scheme, name in names if scheme in SCHEMES},
    )


def line(paper: Paper) -> str:
    """Return the paper as a line of JSON that leaves out what is empty or goes without saying."""
    record: dict[str, Any] = {
        key: value for key, value in paper.to_dict().items() if value or key in _ALWAYS
    }
    if paper.sources == (paper.source,):
        del record["sources"]
    if paper.retracted == "no":
        del record["retracted"]
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n"


def main(source: str, target: str) -> None:
    """Write the papers of ``source`` to ``target``, ordered by id, with no time in the header."""
    papers = [shipped(paper) for paper in read_papers(source, format="openalex-csv", strict=True)]
    papers.sort(key=lambda paper: paper.id)
    text = "".join(line(paper) for paper in papers)
    Path(target).write_bytes(gzip.compress(text.encode(), compresslevel=9, mtime=0))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
