"""The repository: one store, its papers indexed beside it, and a search that joins both legs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from citehop.errors import StoreError
from citehop.graph.store import CitationStore
from citehop.lexical.analysis import Analyser
from citehop.outcome import RetrievalResponse
from citehop.paper import Filter
from citehop.search.answer import answer, unread
from citehop.search.config import RetrievalConfig
from citehop.search.documents import FIELDS, Documents
from citehop.search.explain import explain
from citehop.search.explanation import Explanation
from citehop.search.hit import Hit
from citehop.search.kept import IndexedStore, KeptIndex, RefreshReport
from citehop.search.request import SearchRequest, checked_config

__all__ = ["CitationRepository", "Explanation", "Hit", "RefreshReport"]


class CitationRepository:
    """Searches the papers of a store by their words and by the citations around them.

    The store is read whole at the first search; papers and index are kept, so that the lexical
    leg works while the store is away. That first reading is not counted as a search's time, which
    is meant for answers, not for building an index: call :meth:`refresh` to read ahead. How long
    the reading itself may wait is the store's to bound. Later searches answer from what was read
    until :meth:`refresh` takes in what changed.

    With ``index`` the papers are not read: the index on disk is searched, once it has taken in what
    changed in the store. Where the store cannot be asked, it answers as it stands, and the graph
    leg says what is wrong.

    Safe for many threads: each answer comes from one state, also during a refresh.

    Args:
        store: Where papers and citations are. It is not ours to close.
        index: A :class:`citehop.StoreIndex` of this store; None: the papers are read and indexed in
            memory.
        config: How searches are run where they do not say; None: all defaults.
        analysis: How text becomes terms: ``"plain"`` is :func:`citehop.tokenise`, ``"english"``
            adds stems, stop words and spellings (:func:`citehop.lexical.english.english`).
        fields: What is indexed: ``"title"``, ``"abstract"`` or both.
        k1: BM25's term saturation.
        b: BM25's length normalisation, 0 to 1.

    Raises:
        TypeError: For an argument of the wrong type.
        ValueError: For an argument out of its range, or an index that was made otherwise.
    """

    def __init__(
        self,
        store: CitationStore,
        *,
        index: KeptIndex | None = None,
        config: RetrievalConfig | Mapping[str, Any] | None = None,
        analysis: str | Analyser = "plain",
        fields: Sequence[str] = FIELDS,
        k1: float = 1.5,
        b: float = 0.75,
    ) -> None:
        if not isinstance(store, CitationStore):
            raise TypeError(
                f"store must be a CitationStore, such as NetworkXStore(), not {store!r}"
            )
        if index is not None and not isinstance(index, KeptIndex):
            raise TypeError(f"index must be a StoreIndex or None, not {index!r}")
        if index is not None and isinstance(store, IndexedStore):
            raise ValueError("this store keeps an index of its own; leave index out")
        self._config = RetrievalConfig() if config is None else checked_config(config)
        self._store = store
        self._documents = Documents(store, analysis=analysis, fields=fields, k1=k1, b=b, kept=index)

    @property
    def store(self) -> CitationStore:
        """The store that was passed in."""
        return self._store

    @property
    def config(self) -> RetrievalConfig:
        """How searches are run where they do not say."""
        return self._config

    @property
    def revision(self) -> str | None:
        """The store's revision that searches use; None before the first reading."""
        return self._documents.revision

    def refresh(self) -> RefreshReport:
        """Take in what changed in the store since it was read, or read it the first time.

        Raises:
            StoreError: If the store cannot be read; searches go on with what was read before, or
                with the index as it stands.
            InputError: If the index is that of another store.
        """
        return self._documents.refresh()

    def search(
        self,
        query: str,
        *,
        config: RetrievalConfig | Mapping[str, Any] | None = None,
        query_embedding: object | None = None,
        filter: Filter | Mapping[str, Any] | None = None,
        exclude_ids: Iterable[str] = (),
        timeout_seconds: float | None = None,
    ) -> RetrievalResponse[Hit]:
        """Return the papers found for ``query``, best first, and what became of each leg.

        Whatever the store does is told by the legs' outcomes, never raised.

        Args:
            query: Plain text; no sign in it has a meaning.
            config: In place of the repository's own; a mapping has its fields as keys.
            query_embedding: For indexes with embeddings; this one has none, and says so.
            filter: Narrows both legs and the seeds.
            exclude_ids: Ids (no aliases) that are neither hit, seed nor bridge.
            timeout_seconds: In place of the config's: above 0, at most 3600.

        Raises:
            TypeError: For an argument of the wrong type.
            ValueError: For an argument out of its range, or an unknown key of the filter.
        """
        return self.run(
            SearchRequest.of(
                query,
                self._config if config is None else config,
                query_embedding=query_embedding,
                filter=filter,
                exclude_ids=exclude_ids,
                timeout_seconds=timeout_seconds,
            )
        )

    def run(self, request: SearchRequest) -> RetrievalResponse[Hit]:
        """Answer a request that is checked already."""
        try:
            snapshot = self._documents.snapshot()
        except StoreError as error:
            return unread(self._store, request, error.record)
        return answer(self._store, snapshot, request).response()

    def explain(
        self,
        query: str,
        id: str,
        *,
        config: RetrievalConfig | Mapping[str, Any] | None = None,
        query_embedding: object | None = None,
        filter: Filter | Mapping[str, Any] | None = None,
        exclude_ids: Iterable[str] = (),
        timeout_seconds: float | None = None,
    ) -> Explanation:
        """Return why :meth:`search`, called alike, gives a paper its score, or leaves it out.

        Args:
            query: As in :meth:`search`, like all that follows but ``id``.
            id: The paper's id, or an alias such as a DOI.
            config: See above.
            query_embedding: See above.
            filter: See above.
            exclude_ids: See above.
            timeout_seconds: See above; asking why a paper is missing may take as long again.

        Raises:
            TypeError: For an argument of the wrong type.
            ValueError: For an argument out of its range.
            StoreError: If the store cannot be read, or an alias not be looked up.
        """
        request = SearchRequest.of(
            query,
            self._config if config is None else config,
            query_embedding=query_embedding,
            filter=filter,
            exclude_ids=exclude_ids,
            timeout_seconds=timeout_seconds,
        )
        return explain(self._store, self._documents.snapshot(), request, id)
