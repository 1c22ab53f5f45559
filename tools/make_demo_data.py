r"""Convert the OpenAlex export inside the wheel of biblium 2.16.1 to the demo's papers.

Run it with that wheel's file, and where to write::

    pip download --no-deps biblium==2.16.1
    unzip biblium-2.16.1-py3-none-any.whl 'biblium/data/open alex dataset.csv'
    python tools/make_demo_data.py 'biblium/data/open alex dataset.csv' \
        src/citehop/data/bibliometrics.jsonl.gz

The same export gives the same lines; the compressed bytes may differ between versions of zlib.
"""

from __future__ import annotations

import csv
import gzip
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from citehop.identifiers import normalise_doi
from citehop.paper import Paper
from citehop.sources.text import plain_text

_MOST_CHARACTERS_IN_A_CELL = 10_000_000
# Two abstracts are scraped from web pages and hold a person's address.
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_ALWAYS = ("id", "title", "abstract", "year", "authors", "references")


def works(path: Path) -> Iterator[Paper]:
    """Yield the works of the export, in its order."""
    csv.field_size_limit(_MOST_CHARACTERS_IN_A_CELL)
    with path.open(encoding="utf-8-sig", newline="") as file:
        for row in csv.DictReader(file):
            yield work(row)


def work(row: dict[str, str]) -> Paper:
    """Return one row of the export as a paper; a reference to itself stays too."""
    return Paper(
        id=_short(row["id"]),
        title=plain_text(row["title"]),
        abstract=_EMAIL.sub("[address removed]", plain_text(row["abstract"])),
        year=int(row["publication_year"]),
        authors=_pieces(row["authorships.author.display_name"]),
        references=sorted(_short(url) for url in _pieces(row["referenced_works"])),
        source="openalex",
        external_ids=_external_ids(row),
        venue=plain_text(row["primary_location.source.display_name"]),
        retracted="yes" if row["is_retracted"] == "True" else "no",
    )


def _external_ids(row: dict[str, str]) -> dict[str, str]:
    found = {
        "openalex": _short(row["id"]),
        "doi": normalise_doi(row["doi"]),
        "pmid": _short(row["ids.pmid"]),
    }
    return {scheme: value for scheme, value in found.items() if value}


def _short(url: str) -> str:
    return url.rstrip("/").rpartition("/")[2]


def _pieces(cell: str) -> list[str]:
    return [piece for piece in cell.split("|") if piece]


def _line(paper: Paper) -> str:
    kept: dict[str, Any] = {
        key: value for key, value in paper.to_dict().items() if key in _ALWAYS or value
    }
    del kept["sources"]  # the same as `source`
    if paper.retracted == "no":
        del kept["retracted"]
    return json.dumps(kept, ensure_ascii=False, separators=(",", ":")) + "\n"


def main(source: str, target: str) -> None:
    """Write the papers of ``source`` to ``target``, ordered by id, with no time in the header."""
    papers = sorted(works(Path(source)), key=lambda paper: paper.id)
    text = "".join(_line(paper) for paper in papers)
    Path(target).write_bytes(gzip.compress(text.encode(), compresslevel=9, mtime=0))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
