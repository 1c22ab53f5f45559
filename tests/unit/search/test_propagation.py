from __future__ import annotations

import json
import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citehop import CitationRepository, NetworkXStore, Paper, RetrievalConfig
from citehop.graph.store import Neighbour
from citehop.search.propagation import Flow, Propagation, Walked, seeds_reaching
from citehop.search.scoring import Evidence, rank, round9, score_by_propagation
from tests.unit.search.dict_store import DictStore

_PROFILE = RetrievalConfig.propagation()
_WORDS = RetrievalConfig(top_k_lexical=200, max_hops=0, w_recency=0)


def _near(key: str, seeds: dict[str, int], degree: int) -> Neighbour:
    return Neighbour(key, min(seeds.values()), seeds, degree=degree, cited_by=degree)


def _cited_by_two() -> Evidence:
    """Seeds a (degree 13) and b (1) reach five each: a reaches b, both reach n, b m4 too."""
    both = {"a": 1, "b": 1}
    return Evidence(
        bm25={"a": 20.0, "b": 1.0} | dict.fromkeys(["n", "m1", "m2", "m3", "m4"], 0.0),
        lexical=["a", "b"],
        neighbours=[
            _near("n", both, degree=6),
            *(_near(name, both, degree=97) for name in ("m1", "m2", "m3")),
            _near("m4", {"b": 1}, degree=97),
        ],
        seed_links={"a": {"b": 1}, "b": {}},
        degrees={"a": 13, "b": 1},
    )


def test_evidence_follows_the_formula() -> None:
    """Beliefs to 5/2 over the roots of both degrees, plus 3; trust by links to 3/2."""
    # 5 links of each seed are a trust of 1/2. The first round gives it to b, the one seed that it
    # reaches: b is believed 1/20 + 2/5 x 1/2 = 1/4, and sends 1/32. With 1/4, 1/2, 1/3 and 1/10 for
    # the degrees of a, b, n and m, b takes 1/4 x 1/2 = 1/8, n (1/4 + 1/32 x 1/2)/3 = 17/192, m1
    # to m3 17/640, and m4 1/640.
    scores = score_by_propagation(_cited_by_two())

    assert scores == {
        "a": 0.0,
        "b": 0.5,
        "n": round9(17 / 48),
        **dict.fromkeys(["m1", "m2", "m3"], 0.10625),
        "m4": 0.00625,
    }


def test_hits_that_cite_each_other_are_believed_more() -> None:
    """Of two hits with the same words, the one that a third points to sends more."""
    others = {"a": 4, "b": 4, "c": 5}
    evidence = Evidence(
        {"a": 3.0, "b": 1.0, "c": 1.0},
        ["a", "b", "c"],
        [_near(f"{seed}{n}", {seed: 1}, 1) for seed, count in others.items() for n in range(count)],
        seed_links={"a": {"b": 1}, "b": {"a": 1}, "c": {}},
        degrees={"a": 5, "b": 5, "c": 5},
    )

    scores = score_by_propagation(evidence)

    # 5 links of each seed: b is believed 1/3 + 2/5 x 1/2 where c is believed 1/3, 8/5 of it.
    assert scores["b0"] / scores["c0"] == pytest.approx(1.6**2.5)


def test_a_long_list_of_references_of_a_poor_hit_does_not_outweigh_good_ones() -> None:
    """Where only a poor hit cites, what it cites stays behind hits with far better words."""
    survey = {"poor": 1}
    evidence = Evidence(
        {"best": 10.0, "good": 8.0, "poor": 0.5} | {f"r{n}": 0.0 for n in range(60)},
        ["best", "good", "poor"],
        [_near(f"r{n}", survey, 1) for n in range(60)],
        seed_links={"best": {}, "good": {}, "poor": {}},
        degrees={"best": 0, "good": 0, "poor": 60},
    )
    years = dict.fromkeys(evidence.bm25)

    ranked = rank(evidence, years, (None, None), RetrievalConfig.propagation())

    assert [entry.id for entry in ranked][:2] == ["best", "good"]
    # 60 links by 0.05 of 1.85 are 1.6216 for each: a trust of 1/(1 + (5 x 1.85 / 3)^1.5).
    assert ranked[2].graph_score == round9(1 / (1 + (5 * 1.85 / 3) ** 1.5))


def test_hits_that_reach_no_other_paper_still_weigh_one_another() -> None:
    """Where the walk finds nothing but hits, what it says of them counts."""
    papers = [
        Paper("top", "sparse attention", "", 2001, []),
        Paper("b", "sparse attention x", "", 2001, [], ["c"]),
        Paper("c", "sparse attention x", "", 2001, []),
    ]
    found = CitationRepository(DictStore(papers)).search("sparse attention", config=_PROFILE)

    assert {hit.doc_id: hit.seeds for hit in found} == {"top": {}, "b": {"c": 1}, "c": {"b": 1}}
    assert found[1].graph_score == found[2].graph_score > 0
    assert [leg.status for leg in found.legs] == ["success", "empty"]


def test_the_only_citation_of_a_paper_says_less_than_two_of_five() -> None:
    """What is known by one citation alone stays behind what two seeds cite among others."""
    evidence = Evidence(
        {"a": 1.0, "b": 1.0, "once": 0.0, "twice": 0.0},
        ["a", "b"],
        [_near("once", {"a": 1}, 1), _near("twice", {"a": 1, "b": 1}, 5)],
        seed_links={"a": {}, "b": {}},
        degrees={"a": 2, "b": 2},
    )

    scores = score_by_propagation(evidence)

    assert scores["once"] / scores["twice"] == pytest.approx(0.5**0.5, abs=1e-8)


def test_each_hop_past_the_first_leaves_a_twentieth() -> None:
    """Two papers alike but for their distance stand as 1 to 0.05 and to 0.0025."""
    reached = [_near(f"n{hops}", {"a": hops}, degree=1) for hops in (1, 2, 3)]
    scores = score_by_propagation(
        Evidence({"a": 1.0}, ["a"], reached, seed_links={"a": {}}, degrees={"a": 3})
    )

    assert scores["n2"] / scores["n1"] == pytest.approx(0.05)
    assert scores["n3"] / scores["n1"] == pytest.approx(0.0025)
    assert scores["n1"] == pytest.approx(1 / (1 + (5 / 1.0525) ** 1.5))


def test_what_many_good_hits_cite_comes_before_a_hub() -> None:
    """A paper that three seeds cite, and no one else, is before one that everything cites."""
    seeds = {"a": 1, "b": 1, "c": 1}
    evidence = Evidence(
        dict.fromkeys("abc", 3.0) | {"hub": 0.0, "near": 0.0, "single": 0.0},
        ["a", "b", "c"],
        [_near("hub", seeds, 900), _near("near", seeds, 3), _near("single", {"a": 1}, 3)],
        seed_links={"a": {}, "b": {}, "c": {}},
        degrees={"a": 3, "b": 2, "c": 2},
    )
    years = dict.fromkeys(evidence.bm25)

    ranked = rank(evidence, years, (None, None), RetrievalConfig.propagation())

    assert [entry.id for entry in ranked] == ["a", "b", "c", "near", "single", "hub"]


def test_the_fewer_the_citations_the_less_they_count() -> None:
    """One citation found by ten seeds is hardly heard, twenty by each of them at 8/9."""
    seeds: dict[str, dict[str, int]] = {f"s{number}": {} for number in range(10)}
    bm25 = dict.fromkeys(seeds, 1.0)
    few = Evidence(bm25, list(seeds), [_near("n", {"s0": 1}, 1)], seeds, dict.fromkeys(seeds, 1))
    all_ten = dict.fromkeys(seeds, 1)
    many = Evidence(
        bm25,
        list(seeds),
        [_near(f"n{number}", all_ten, 10) for number in range(20)],
        seeds,
        dict.fromkeys(seeds, 20),
    )

    assert score_by_propagation(few)["n"] == round9(1 / (1 + 50**1.5))
    assert score_by_propagation(many)["n3"] == round9(8 / 9)


def test_seed_links_are_read_from_the_receiving_end() -> None:
    """A seed gains from the seeds whose walks met it, which the direction may make one-sided."""
    assert seeds_reaching({"a": {"b": 1, "c": 2}, "b": {"c": 1}, "c": {}}) == {
        "a": {},
        "b": {"a": 1},
        "c": {"a": 2, "b": 1},
    }


@pytest.mark.parametrize(
    "evidence",
    [
        Evidence({}),
        Evidence({"a": 2.0}, ["a"]),
        Evidence({"a": 0.0}, ["a"], [_near("n", {"a": 1}, 1)], {"a": {}}, {"a": 1}),
        Evidence({"a": 5e-324, "b": 1.0}, ["a"], [_near("n", {"a": 1}, 1)], {"a": {}}, {"a": 1}),
        Evidence({"a": 1e-160, "b": 1.0}, ["a"], [_near("n", {"a": 4}, 9)], {"a": {}}, {"a": 0}),
    ],
)
def test_nothing_to_flow_is_no_nan(evidence: Evidence) -> None:
    """No seeds, no walk, no or hardly any score: each is finite, and nothing is above 1."""
    assert all(0 <= score < 1 for score in score_by_propagation(evidence).values())


def test_the_profile_names_its_own_limits() -> None:
    """The class method gives what propagation does best with; a keyword changes a field."""
    assert RetrievalConfig.propagation() == RetrievalConfig(
        scoring="propagation",
        top_k_lexical=200,
        max_hops=1,
        w_bm25=0.5,
        w_graph=0.5,
        w_recency=0.0,
        limit=2_000,
    )
    assert RetrievalConfig.propagation(max_hops=2, top_k=7).top_k == 7
    with pytest.raises(ValueError, match="max_hops must be from 0 to 4"):
        RetrievalConfig.propagation(max_hops=9)
    with pytest.raises(TypeError, match="hops"):
        RetrievalConfig.propagation(hops=1)


def test_without_citations_the_profile_is_bm25() -> None:
    """A corpus without an edge is ranked by its words alone."""
    papers = [
        Paper(f"p{number:02}", "marsh " * (number % 5 + 1) + "salt " * (number % 3), "", None, [])
        for number in range(40)
    ]
    repository = CitationRepository(DictStore(papers))

    found = repository.search("salt marsh", config=_PROFILE)
    words = repository.search("salt marsh", config=_WORDS)

    assert [hit.doc_id for hit in found] == [hit.doc_id for hit in words]
    assert len(found) == 40


@pytest.mark.parametrize("direction", ["both", "references", "citations"])
@pytest.mark.parametrize("external", [True, False])
def test_flows_add_up_to_the_graph_part(
    repository: CitationRepository, direction: str, external: bool
) -> None:
    """What each seed adds makes the value, exactly, and the seeds are those of the hit."""
    config = RetrievalConfig.propagation(max_hops=3, direction=direction, external=external)
    response = repository.search("attention pruning", config=config)

    assert any(hit.graph_score for hit in response)
    for hit in response:
        told = repository.explain("attention pruning", hit.doc_id, config=config)
        assert {flow.seed: flow.distance for flow in told.flows} == hit.seeds
        assert round9(math.fsum(flow.value for flow in told.flows)) == hit.graph_score
        assert told.parts[1].value == hit.graph_score
        assert told.final_score == hit.final_score


def test_a_paper_at_one_hop_is_explained_by_its_seeds(repository: CitationRepository) -> None:
    """The words name the seeds, the strongest first; hops alone have no flows."""
    told = repository.explain("attention", "block", config=_PROFILE)

    assert [(flow.seed, flow.distance) for flow in told.flows] == [("head", 1), ("twin", 1)]
    assert str(told).splitlines()[1:9] == [
        "rank 4: found because it is cited by “Attention pruning” (head)",
        "final score 0.070563601",
        "  bm25    0 x 0.5 = 0",
        "  graph   0.141127 x 0.5 = 0.0705636",
        "    0.077692 from twin, 1 citation away",
        "    0.0634352 from head, 1 citation away",
        "  recency 0.75 x 0 = 0",
        "BM25 0, the largest is 0.933688",
    ]
    assert json.loads(json.dumps(told.to_dict()))["flows"][1]["seed"] == "twin"
    assert repository.explain("attention", "block").flows == ()
    assert "flows" not in repository.explain("attention", "block").to_dict()


def test_an_explanation_names_ten_seeds_and_counts_the_rest() -> None:
    """With many seeds the words stay short, and the record is whole."""
    papers = [Paper(f"s{number:02}", "salt", "", None, [], ["n"]) for number in range(14)]
    repository = CitationRepository(DictStore([*papers, Paper("n", "Reeds", "", None, [])]))

    told = repository.explain("salt", "n", config=_PROFILE)
    lines = [line for line in str(told).splitlines() if " from " in line]

    assert len(told.flows) == 14
    assert len(lines) == 11
    assert lines[0] == "    0.00586425 from s00, 1 citation away"
    assert lines[-1] == "    0.023457 from 4 more"


def _random_papers(seed: int) -> list[Paper]:
    draw = random.Random(seed)
    names = [f"p{number:02}" for number in range(30)]
    return [
        Paper(
            name,
            " ".join(draw.choices(["salt", "marsh", "reed", "tide"], k=3)),
            "",
            None,
            [],
            draw.sample([*names, "x1", "x2"], k=draw.randrange(6)),
        )
        for name in names
    ]


@settings(max_examples=15)
@given(st.integers(0, 10_000), st.integers(1, 3), st.booleans())
def test_stores_and_orders_of_loading_score_alike(seed: int, hops: int, external: bool) -> None:
    """Another store, or the papers in another order: the same answer to the last digit."""
    papers = _random_papers(seed)
    shuffled = random.Random(seed).sample(papers, k=len(papers))
    config = RetrievalConfig.propagation(max_hops=hops, external=external, top_k_lexical=8)

    answers = []
    for store, records in ((DictStore([]), papers), (NetworkXStore(), shuffled)):
        store.load(records)
        found = CitationRepository(store).search("salt reed", config=config)
        answers.append([hit.to_dict() for hit in found])

    assert answers[0] == answers[1]


_finite = st.floats(0, 1e12)
_ids = st.sampled_from([f"n{number}" for number in range(6)])


@settings(max_examples=100)
@given(
    st.dictionaries(st.sampled_from("abcd"), _finite, min_size=1),
    st.dictionaries(
        _ids, st.dictionaries(st.sampled_from("abcd"), st.integers(1, 4), min_size=1), max_size=6
    ),
    st.integers(0, 10**6),
    st.randoms(use_true_random=False),
)
def test_scores_are_shares_below_one_in_any_order(
    bm25: dict[str, float],
    reached: dict[str, dict[str, int]],
    degree: int,
    draw: random.Random,
) -> None:
    """Scores are in [0, 1), the sum of their flows, and do not depend on the order of evidence."""
    near = [_near(key, seeds, degree) for key, seeds in sorted(reached.items())]
    links: dict[str, dict[str, int]] = {seed: {} for seed in sorted(bm25)}
    degrees = dict.fromkeys(bm25, degree)
    spread = Propagation(Walked(bm25, tuple(near), links, degrees))
    scores = spread.scores()
    turned = [
        _near(n.id, dict(draw.sample(sorted(n.seeds.items()), k=len(n.seeds))), degree)
        for n in draw.sample(near, k=len(near))
    ]
    again = Propagation(Walked(bm25, tuple(turned), links, degrees)).scores()

    assert scores == again
    assert all(0 <= score < 1 for score in scores.values())
    for key, score in scores.items():
        assert math.fsum(flow.value for flow in spread.flows(key)) == score
    assert spread.flows("unknown") == ()
    assert all(isinstance(flow, Flow) for key in scores for flow in spread.flows(key))
