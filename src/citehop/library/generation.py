"""One whole state of a library, in files that never change once written."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import NDArray

from citehop.errors import InputError
from citehop.graph.networkx_contents import Tally
from citehop.graph.store import Counts, LoadReport
from citehop.identifiers import parse_identifier
from citehop.lexical.bm25 import BM25Index
from citehop.lexical.stored import read_segment, write_index
from citehop.lexical.texts import SortedTexts, map_array
from citehop.library.columns import Columns, ColumnsWriter
from citehop.library.indexing import Indexing
from citehop.library.manifest import Manifest, checksum, sync_folder
from citehop.library.records import Records
from citehop.library.rows import Names, Rows, RowsWriter
from citehop.paper import Paper


class Generation:
    """Papers, citations and postings as they stood when the files were written.

    Opening maps the files and reads next to nothing of them.

    Args:
        folder: Where they are.
        manifest: What they should be.

    Raises:
        InputError: If one is missing or has another size than when it was written.
    """

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        for name, (size, _) in manifest.files.items():
            if (folder / name).stat().st_size != size:
                raise damaged(folder / name)
        self.folder = folder
        self.settings = manifest.settings
        self.counts = Counts(**manifest.counts)  # type: ignore[arg-type]
        self.names = Names(SortedTexts(folder, "ids"), SortedTexts(folder, "outside"))
        self.papers = len(self.names.papers)
        self.ahead = Rows(folder, "ahead")
        self.back = Rows(folder, "back")
        self.records = Records(folder)
        self.columns = Columns(folder)
        self._aliases = SortedTexts(folder, "aliases")
        self._alias_papers = cast("NDArray[np.int32]", map_array(folder / "aliases.papers.npy"))

    def paper(self, key: str) -> int | None:
        """Return the number of a paper; None where the id is no paper's here."""
        number = self.names.number(key)
        return number if number is not None and number < self.papers else None

    def with_alias(self, alias: tuple[str, str]) -> list[str]:
        """Return the papers that have an alias, in order of id."""
        text = alias_text(alias)
        found = []
        for place in range(self._aliases.first(text), len(self._aliases)):
            if self._aliases[place] != text:
                break
            found.append(self.names.ids[int(self._alias_papers[place])])
        return found

    def index(self) -> BM25Index:
        """Return an index over the postings, for the caller to change as it likes."""
        segment, vocabulary = read_segment(self.folder, self.names.papers)
        chosen = self.settings
        return BM25Index.over(segment, vocabulary, chosen.k1, chosen.b, analysis=chosen.analyser)


def damaged(path: Path) -> InputError:
    """Return the error for a file that is not as it was written."""
    return InputError(
        "is not as it was written; build the library anew with 'citehop build'",
        file=str(path),
        code="LIBRARY_DAMAGED",
    )


def alias_text(alias: tuple[str, str]) -> str:
    """Return an alias as it is sorted in the files."""
    return "\0".join(alias)


def aliases_of(paper: Paper) -> set[tuple[str, str]]:
    """Return the aliases that name a paper: its own id in its normal form among them."""
    own = parse_identifier(paper.id)
    return {*paper.external_ids.items(), *([own] if own else [])}


class GenerationWriter:
    """Writes a generation, but for its records, from papers that come in order of id.

    Args:
        folder: A folder of its own.
        index: The index of just these papers, or what makes it.
    """

    def __init__(self, folder: Path, index: BM25Index | Indexing) -> None:
        self._folder = folder
        self._index = index
        self._columns = ColumnsWriter()
        self._rows = RowsWriter()
        self._aliases: list[tuple[str, int]] = []
        self._tally = Tally()
        self._years: list[int] = []

    def write(self, papers: Iterable[Paper]) -> LoadReport:
        """Write everything else."""
        for number, paper in enumerate(papers):
            self._add(number, paper)
        index = self._index.finish() if isinstance(self._index, Indexing) else self._index
        self._columns.write(self._folder)
        self._write_aliases()
        write_index(self._folder, index)
        edges, inside = self._rows.write(self._folder)
        self.counts = Counts(
            papers=self._tally.created,
            external=len(SortedTexts(self._folder, "outside")),
            citations=inside,
            citations_all=edges,
            year_min=min(self._years, default=None),
            year_max=max(self._years, default=None),
        )
        return LoadReport(
            created=self._tally.created,
            edges=edges,
            externals=self.counts.external,
            dropped_self=self._tally.dropped_self,
            dropped_doubled=self._tally.dropped_doubled,
        )

    def _add(self, number: int, paper: Paper) -> None:
        self._tally.created += 1
        self._columns.add(paper)
        self._aliases += [(alias_text(alias), number) for alias in aliases_of(paper)]
        if paper.year is not None:
            self._years.append(paper.year)
        if isinstance(self._index, Indexing):
            self._index.add(paper)
        references = distinct(paper.id, paper.references, self._tally)
        citations = distinct(paper.id, paper.citations, self._tally)
        self._rows.add(paper.id, references, citations)

    def _write_aliases(self) -> None:
        self._aliases.sort()
        SortedTexts.write(self._folder, "aliases", (text for text, _ in self._aliases))
        numbers = np.array([number for _, number in self._aliases], dtype=np.int32)
        np.save(self._folder / "aliases.papers.npy", numbers)


def distinct(key: str, ids: list[str], tally: Tally) -> dict[str, None]:
    """Return the different ids of a list without the paper's own, and count what that drops."""
    stated = dict.fromkeys(ids)
    tally.dropped_doubled += len(ids) - len(stated)
    if key in stated:
        tally.dropped_self += 1
        del stated[key]
    return stated


def seal(folder: Path) -> Mapping[str, tuple[int, int]]:
    """Let every file of a generation outlast a loss of power; return their sizes and checksums."""
    sealed = {}
    for path in sorted(path for path in folder.iterdir() if path.is_file()):
        with path.open("rb") as file:
            os.fsync(file.fileno())
            sealed[path.name] = (path.stat().st_size, checksum(path))
    sync_folder(folder)
    return sealed
