"""Any graph: a store agrees with the model that is written for being obviously right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from citehop.graph.store import DIRECTIONS, CitationStore
from citehop.paper import Filter, Paper
from citehop.testing import reference
from citehop.testing.corpus import paper
from citehop.testing.fixtures import StoreFixtures

# Few ids, so that graphs get cycles, hubs, parallel and dangling edges; their order by code point
# differs from the orders of UTF-16 units, of a locale and of folded case.
IDS = ("a", "B", "b", "é", "e\u0301", "\uffe5", "\U0001f600", "`x'", "10.1/a", "z")
_ids = st.sampled_from(IDS)
_some_ids = st.lists(_ids, max_size=5)


@st.composite
def records(draw: st.DrawFn) -> Paper:
    """Make a paper that cites, and is cited by, some of the ids, itself and repeats included."""
    return paper(
        draw(_ids),
        draw(_some_ids),
        draw(st.lists(_ids, max_size=2)),
        year=draw(st.sampled_from([None, 1999, 2000])),
    )


def _by_id(stated: list[Paper]) -> list[Paper]:
    return list({one.id: one for one in stated}.values())


graphs = st.lists(records(), max_size=12)


@dataclass(frozen=True)
class Case:
    """A graph and a question to it."""

    papers: list[Paper]
    ends: list[str]
    targets: list[str]
    view: dict[str, Any]
    caps: dict[str, Any]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Make a graph and a question."""
    return Case(
        papers=draw(graphs),
        ends=draw(st.lists(st.sampled_from([*IDS, "unknown"]), min_size=1, max_size=4)),
        targets=draw(_some_ids),
        view={
            "max_hops": draw(st.integers(0, 4)),
            "direction": draw(st.sampled_from(DIRECTIONS)),
            "exclude": frozenset(draw(st.lists(_ids, max_size=2))),
            "external": draw(st.booleans()),
        },
        caps={
            "limit": draw(st.sampled_from([1, 2, 500])),
            "per_seed_limit": draw(st.sampled_from([1, 2, 3, 5, 500])),
            "filter": draw(
                st.sampled_from([None, Filter(year_min=2000), Filter(ids=frozenset(IDS[:5]))])
            ),
        },
    )


class RandomContract(StoreFixtures):
    """Properties over graphs that hypothesis makes."""

    def _for_any(self, strategy: st.SearchStrategy[Any], check: Callable[[Any], None]) -> None:
        # Built here, not by decorators: the number of examples is the backend's own.
        silent = [HealthCheck.too_slow, HealthCheck.data_too_large]
        run = given(strategy)(check)
        settings(
            max_examples=self.examples, deadline=None, database=None, suppress_health_check=silent
        )(run)()

    def test_any_walk(self, store: CitationStore) -> None:
        """Ids, distances, seeds, links, degrees, order and cuts are the model's."""

        def check(case: Case) -> None:
            self.reset(store)
            store.load(case.papers)
            found = store.expand(case.ends, **case.view, **case.caps)
            wanted = reference.expand(_by_id(case.papers), case.ends, **case.view, **case.caps)
            assert found == wanted
            assert [list(n.seeds) for n in found] == [list(n.seeds) for n in wanted]
            assert found.truncated == wanted.truncated

        self._for_any(cases(), check)

    def test_any_chains(self, store: CitationStore) -> None:
        """Chains, their steps and their outside works are the model's."""

        def check(case: Case) -> None:
            self.reset(store)
            store.load(case.papers)
            pairs = [(seed, target) for seed in case.ends for target in case.targets]
            wanted = reference.paths(_by_id(case.papers), pairs, **case.view)
            assert store.paths(pairs, **case.view) == wanted

        self._for_any(cases(), check)

    def test_any_history(self, store: CitationStore) -> None:
        """Loads, replacements and removals end as one fresh load of what is left."""
        steps = st.lists(st.one_of(graphs, st.sets(_ids, max_size=4)), max_size=4)

        def check(history: list[list[Paper] | set[str]]) -> None:
            self.reset(store)
            left: dict[str, Paper] = {}
            edges, externals = 0, 0
            for step in history:
                if isinstance(step, set):
                    there = [i for i in step if i in left]
                    assert store.remove(step) == len(there)
                    left = {i: p for i, p in left.items() if i not in step}
                else:
                    report = store.load(step)
                    assert report.papers == len(step)
                    left |= {p.id: p for p in step}
                    now = reference.counts(left.values())
                    assert report.edges == now.citations_all - edges
                    assert report.externals == now.external - externals
                now = reference.counts(left.values())
                edges, externals = now.citations_all, now.external
                assert store.counts() == now
            assert list(store.papers()) == _as_stored(left)

        self._for_any(steps, check)

    def test_any_second_load(self, store: CitationStore) -> None:
        """Loading what is there changes neither papers nor revision."""

        def check(papers: list[Paper]) -> None:
            self.reset(store)
            unique = _by_id(papers)
            store.load(unique)
            before = (store.revision, list(store.papers()))
            report = store.load(reversed(unique))
            assert (report.created, report.updated, report.edges) == (0, 0, 0)
            assert (store.revision, list(store.papers())) == before

        self._for_any(graphs, check)


def _as_stored(left: dict[str, Paper]) -> list[Paper]:
    edges = reference.edges_of(left.values())
    return [
        paper(
            i,
            sorted(cited for citing, cited in edges if citing == i),
            sorted(citing for citing, cited in edges if cited == i),
            year=left[i].year,
        )
        for i in sorted(left)
    ]
