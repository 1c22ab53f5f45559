"""What the lexical leg is measured against: each builds, answers and filters in its own way."""

# ruff: noqa: D102 - the methods do what those of Peer say

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from citehop.lexical.bm25 import BM25Index
from citehop.lexical.tokenise import tokenise

TOP: Final = 10
Mask = NDArray[np.bool_]
Hits = list[tuple[int, float]]


class Peer:
    """Something that finds the ten best texts for a query; a text goes by its place.

    Args:
        mask: The texts that a search with a filter may find, by place.
    """

    filters = True

    def __init__(self, mask: Mask) -> None:
        self.mask = mask

    def build(self, texts: Sequence[str]) -> None:
        """Tokenise and index the texts."""
        raise NotImplementedError

    def prepare(self) -> None:
        """Bring the mask into the form that a search takes."""

    def ask(self, query: str) -> Any:
        """Return the best in whatever form they come."""
        raise NotImplementedError

    def ask_allowed(self, query: str) -> Any:
        """Return the best that the mask lets pass."""
        raise NotImplementedError

    def hits(self, answer: Any) -> Hits:
        """Return an answer as places and scores."""
        raise NotImplementedError


class Citehop(Peer):
    """This package, with numpy alone."""

    def build(self, texts: Sequence[str]) -> None:
        self.index = BM25Index()
        for place, text in enumerate(texts):
            self.index.add(str(place), text)
        self.index.finalise()

    def prepare(self) -> None:
        self._slots = self.index.state().mask(lambda doc_id: bool(self.mask[int(doc_id)]))

    def ask(self, query: str) -> Any:
        return self.index.search(query, TOP)

    def ask_allowed(self, query: str) -> Any:
        return self.index.search(query, TOP, allowed=self._slots)

    def hits(self, answer: Any) -> Hits:
        return [(int(doc_id), score) for doc_id, score in answer]


class CitehopFast(Citehop):
    """This package with its extra ``fast``, the kernel loaded."""

    def __init__(self, mask: Mask) -> None:
        from citehop.lexical import kernel

        super().__init__(mask)
        if not kernel.load():
            raise ImportError("numba")


class Bm25s(Peer):
    """The package bm25s; its scores lack the constant factor ``k1 + 1``."""

    backend = "numpy"

    def __init__(self, mask: Mask) -> None:
        import bm25s

        super().__init__(mask)
        self._tokenise = bm25s.tokenize
        self._index = bm25s.BM25(method="lucene", k1=1.5, b=0.75, backend=self.backend)

    def build(self, texts: Sequence[str]) -> None:
        tokens = self._tokenise(list(texts), stopwords=None, show_progress=False)
        self._index.index(tokens, show_progress=False)

    def prepare(self) -> None:
        self._weights = self.mask.astype(np.float32)

    def ask(self, query: str) -> Any:
        return self._index.retrieve([tokenise(query)], k=TOP, show_progress=False)

    def ask_allowed(self, query: str) -> Any:
        return self._index.retrieve(
            [tokenise(query)], k=TOP, show_progress=False, weight_mask=self._weights
        )

    def hits(self, answer: Any) -> Hits:
        places, scores = answer[0][0].tolist(), answer[1][0].tolist()
        return [(place, 2.5 * score) for place, score in zip(places, scores, strict=True)]


class Bm25sNumba(Bm25s):
    """The same with its loops compiled."""

    backend = "numba"

    def __init__(self, mask: Mask) -> None:
        import numba  # noqa: F401 - here, so that it counts as an import

        super().__init__(mask)


class Tantivy(Peer):
    """The package tantivy, in memory, by one thread.

    It rounds the texts' lengths, so that its order may differ, and gives addresses, not ids.
    """

    def __init__(self, mask: Mask) -> None:
        import tantivy

        super().__init__(mask)
        self._package = tantivy
        schema = tantivy.SchemaBuilder()
        schema.add_text_field("text", stored=False)
        schema.add_integer_field("place", stored=True)
        schema.add_integer_field("allowed", indexed=True)
        self._schema = schema.build()

    def build(self, texts: Sequence[str]) -> None:
        index = self._package.Index(self._schema)
        writer = index.writer(256_000_000, 1)
        for place, text in enumerate(texts):
            passed = int(self.mask[place])
            writer.add_document(self._package.Document(text=text, place=place, allowed=passed))
        writer.commit()
        writer.wait_merging_threads()
        index.reload()
        self._searcher = index.searcher()

    def ask(self, query: str) -> Any:
        return self._searcher.search(self._words(query), TOP).hits

    def ask_allowed(self, query: str) -> Any:
        make, must = self._package.Query, self._package.Occur.Must
        passed = make.const_score_query(make.term_query(self._schema, "allowed", 1), 0.0)
        both = make.boolean_query([(must, self._words(query)), (must, passed)])
        return self._searcher.search(both, TOP).hits

    def hits(self, answer: Any) -> Hits:
        return [(self._searcher.doc(address)["place"][0], score) for score, address in answer]

    def _words(self, query: str) -> Any:
        make, should = self._package.Query, self._package.Occur.Should
        terms = [make.term_query(self._schema, "text", term) for term in tokenise(query)]
        return make.boolean_query([(should, term) for term in terms])


class RankBm25(Peer):
    """The package rank_bm25, which scores every text; the ten best are picked by numpy."""

    filters = False

    def __init__(self, mask: Mask) -> None:
        import rank_bm25

        super().__init__(mask)
        self._package = rank_bm25

    def build(self, texts: Sequence[str]) -> None:
        self._index = self._package.BM25Okapi([tokenise(text) for text in texts], k1=1.5, b=0.75)

    def ask(self, query: str) -> Any:
        scores = self._index.get_scores(tokenise(query))
        best = np.argpartition(scores, -TOP)[-TOP:]
        return [(int(place), float(scores[place])) for place in best[np.argsort(-scores[best])]]

    def hits(self, answer: Any) -> Hits:
        return list(answer)


OURS: Final = "citehop"
FAST: Final = "citehop[fast]"
PEERS: Final[Mapping[str, Callable[[Mask], Peer]]] = {
    OURS: Citehop,
    FAST: CitehopFast,
    "bm25s numpy": Bm25s,
    "bm25s numba": Bm25sNumba,
    "tantivy": Tantivy,
    "rank_bm25": RankBm25,
}
"""Each is made where its packages are installed; ImportError else."""
EXACT: Final = (FAST, "bm25s numpy", "bm25s numba")
"""Those whose answers must be ours, but for ties and the last digits of 32-bit floats."""
SMALL: Final = frozenset({"rank_bm25"})
"""Those that are measured with few texts only: they take too long."""
