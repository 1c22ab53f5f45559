from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from citehop import CitationRepository, NetworkXStore, Paper, RetrievalConfig
from tests.unit.search.conftest import small_corpus
from tests.unit.search.dict_store import DictStore

_KEYS = "abcdef"


def _output(repository: CitationRepository, query: str) -> dict[str, Any]:
    response = repository.search(query)
    legs = [{**leg.to_dict(), "diagnostics": {}} for leg in response.legs]
    return {"legs": legs, "hits": [hit.to_dict() for hit in response]}


def test_both_stores_give_the_same_output() -> None:
    """Hits, reasons, chains and outcomes are the same bytes, `diagnostics` apart."""
    store = NetworkXStore()
    store.load(reversed(small_corpus()))

    for query in ("attention pruning", "kernel routing", "island", ""):
        ours = json.dumps(_output(CitationRepository(store), query))
        assert ours == json.dumps(_output(CitationRepository(DictStore(small_corpus())), query))


_papers = st.lists(
    st.builds(
        lambda key, words, references, notice: Paper(
            key, " ".join(words), "", None, [], references, notice=notice
        ),
        st.sampled_from(_KEYS),
        st.lists(st.sampled_from(["ice", "fire"]), max_size=2),
        st.lists(st.sampled_from([*_KEYS, "x", "y"]), max_size=3, unique=True),
        st.booleans(),
    ),
    max_size=8,
)
_configs = st.builds(
    RetrievalConfig,
    top_k_lexical=st.integers(1, 3),
    max_hops=st.integers(0, 3),
    n_seeds=st.none() | st.integers(1, 2),
    top_k=st.none() | st.integers(1, 4),
    direction=st.sampled_from(["both", "references", "citations"]),
    limit=st.integers(1, 4),
    per_seed_limit=st.integers(1, 3),
    external=st.booleans(),
    # Hypothesis runs on busy machines; no deadline may decide what is found.
    timeout_seconds=st.just(60.0),
)


@settings(max_examples=100, deadline=None)
@given(_papers, _configs)
def test_a_search_keeps_its_promises(papers: list[Paper], config: RetrievalConfig) -> None:
    """Any corpus and config: no id twice, in order, within the bounds, each hit found by a leg."""
    store = NetworkXStore()
    store.load(papers)
    repository = CitationRepository(store, config=config)
    response = repository.search("ice")

    keys = [(-hit.final_score, hit.doc_id) for hit in response]
    assert keys == sorted(set(keys))
    assert len(response) <= (config.top_k or len(_KEYS))
    for hit in response:
        assert hit.legs
        assert hit.graph_distance is not None
        assert (hit.graph_distance == 0) == ("lexical" in hit.legs)
        assert hit.graph_distance <= config.max_hops
        assert (hit.path is None) == ("lexical" in hit.legs)
        if hit.path is not None:
            assert len(hit.path) == hit.graph_distance == min(hit.seeds.values())
    for leg in response.legs:
        found = sum(leg.kind.value in hit.legs for hit in response)
        assert found == leg.details.get("in_answer", 0)
        assert leg.truncated or found == (leg.hits or 0)
    assert _output(repository, "ice") == _output(
        CitationRepository(DictStore(papers), config=config), "ice"
    )
    for key in _KEYS:
        explanation = repository.explain("ice", key)
        assert (explanation.hit is None) == bool(explanation.left_out)
