from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from citehop.lexical.sums import Hold, Norms, Sums, add_up

_SCORES = st.lists(st.sampled_from([0.5, 1.0, 1.5, 2.0, 3.0, 7.0]), min_size=1, max_size=900)


def _sums(scores: list[float], repeats: int) -> Sums:
    slots = np.arange(len(scores)).repeat(repeats)
    mixed = np.random.default_rng(len(scores)).permutation(slots)
    return Sums(mixed, np.array(scores)[mixed], repeats)


@settings(max_examples=150, deadline=None)
@given(_SCORES, st.integers(1, 3), st.integers(1, 12), st.sampled_from([1, 2, 40, 0]))
def test_the_best_and_all_level_with_the_last_are_reached(
    scores: list[float], repeats: int, k: int, every: int
) -> None:
    """Each once, also where a mask leaves out most or all, and none that it leaves out."""
    mask = np.array([every > 0 and slot % every == 0 for slot in range(len(scores))])
    allowed = [slot for slot in range(len(scores)) if mask[slot]]
    found = _sums(scores, repeats).reaching(k, mask)
    slots = found.slots.tolist()
    assert len(set(slots)) == len(slots)
    assert set(slots) <= set(allowed)
    assert found.scores.tolist() == [scores[slot] for slot in slots]
    last = sorted((scores[slot] for slot in allowed), reverse=True)[:k][-1:]
    assert set(slots) >= {slot for slot in allowed if scores[slot] >= (last or [9.0])[0]}


def test_few_are_looked_at_for_the_best_of_many() -> None:
    """What the ten best are taken from is no more than a handful of a hundred thousand."""
    scores = np.random.default_rng(1).permutation(100_000) / 100_000
    found = Sums(np.arange(100_000), scores).reaching(10, None)
    assert 10 <= len(found.slots) < 100
    assert sorted(found.scores.tolist())[-10:] == [n / 100_000 for n in range(99_990, 100_000)]


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.dictionaries(st.integers(0, 99), st.integers(1, 9), min_size=1), max_size=5),
    st.integers(0, 3),
)
def test_sums_of_few_and_of_many_papers_are_the_same(
    terms: list[dict[int, int]], seed: int
) -> None:
    """Whether sums are kept for the papers touched or for all makes no difference to any bit."""
    rng = np.random.default_rng(seed)
    rows = [sorted(term.items()) for term in terms]
    hold = Hold(
        np.array([slot for row in rows for slot, _ in row], dtype=np.int32),
        np.array([tf for row in rows for _, tf in row], dtype=np.uint8),
        np.array([len(row) for row in rows], dtype=np.int64).cumsum(),
        rng.random(len(rows)) + 0.1,
    )
    lengths = rng.integers(1, 50, size=100)
    small = Norms(lengths, 1.5, 0.75, 20.0)
    large = Norms(np.concatenate([lengths, np.ones(64 * 600, dtype=np.int64)]), 1.5, 0.75, 20.0)
    few, many = add_up(hold, large), add_up(hold, small)
    assert few.values is None
    size = len(large.stretch)
    assert few.over(size)[:100].tobytes() == many.over(100).tobytes()
    assert np.count_nonzero(few.over(size)[100:]) == 0


def test_the_tables_by_length_hold_the_bits_of_the_rows_by_paper() -> None:
    """Whatever the length, the paper's side of the formula is one number."""
    lengths = np.random.default_rng(2).integers(0, 3_000, size=5_000)
    norms = Norms(lengths, 1.2, 0.6, 812.7)
    tables = norms.tables()
    assert tables is not None
    assert tables.stretch[tables.lengths].tobytes() == norms.stretch.tobytes()
    assert tables.once[tables.lengths].tobytes() == (1.0 * 2.2 / (1.0 + norms.stretch)).tobytes()
