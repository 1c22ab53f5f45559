"""The postings of papers that come one after another, made part by part."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from itertools import islice
from typing import Any

import numpy as np

from citehop.lexical.bm25 import BM25Index
from citehop.lexical.segment import Segment, Vocabulary
from citehop.library import unfinished
from citehop.library.settings import IndexSettings
from citehop.library.unfinished import Unfinished
from citehop.paper import Paper

Progress = Callable[[int], None]


class Indexing:
    """Makes an index in parts; those that a build before kept are not made again.

    Args:
        settings: How text is indexed.
        kept: Where parts are kept, if they are.
        progress: Called with how many papers are indexed: 0 first, then after each part.
    """

    def __init__(
        self,
        settings: IndexSettings,
        kept: Unfinished | None = None,
        progress: Progress | None = None,
    ) -> None:
        self._settings = settings
        self._kept = kept
        self._progress = progress
        self._vocabulary = Vocabulary()
        self._segments: list[Segment] = []
        self._indexed = 0
        self._begin()
        self._tell()

    def add(self, paper: Paper) -> None:
        """Add the next paper, in order of id."""
        self._ids.append(paper.id)
        if self._ready is None:
            terms = self._settings.analyser.terms(self._settings.text(paper))
            self._tokens.extend(map(self._vocabulary.__getitem__, terms))
            self._lengths.append(len(terms))
        if len(self._ids) >= unfinished.PART_PAPERS:
            self._end()
            self._begin()

    def finish(self) -> BM25Index:
        """Return the index of all papers."""
        if self._ids or not self._segments:
            self._end()
        parts = [(segment, np.ones(len(segment), dtype=np.bool_)) for segment in self._segments]
        whole = parts[0][0] if len(parts) == 1 else Segment.merge(parts)
        chosen = self._settings
        return BM25Index.over(
            whole, self._vocabulary, chosen.k1, chosen.b, analysis=chosen.analyser
        )

    def _begin(self) -> None:
        self._ids: list[str] = []
        self._lengths = array("q")
        self._tokens = array("i")
        self._known = len(self._vocabulary)
        self._ready = self._kept_part()

    def _kept_part(self) -> dict[str, Any] | None:
        found = self._kept.part(len(self._segments)) if self._kept is not None else None
        if found is None:
            return None
        arrays, new_terms = found
        for term in new_terms:
            self._vocabulary[term]
        return arrays

    def _end(self) -> None:
        if self._ready is not None:
            slots = dict(zip(self._ids, range(len(self._ids)), strict=True))
            segment = Segment(ids=self._ids, slot_of=slots, **self._ready)
        else:
            segment = Segment.build(self._ids, self._lengths, self._tokens)
            if self._kept is not None:
                new_terms = list(islice(self._vocabulary, self._known, None))
                self._kept.keep_part(len(self._segments), segment, new_terms)
        self._segments.append(segment)
        self._indexed += len(segment)
        self._tell()

    def _tell(self) -> None:
        if self._progress is not None:
            self._progress(self._indexed)
