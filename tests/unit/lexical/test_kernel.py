from __future__ import annotations

import subprocess
import sys
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from citehop.lexical import state
from citehop.lexical.bm25 import BM25Index
from citehop.lexical.compiled import Accumulate, accumulate, compile_kernel
from citehop.lexical.kernel import Kernel
from citehop.lexical.sums import Hold, add_up

_Floats = NDArray[np.float64]
_SLOTS = 3 * 4096 + 17
# Many at the edges of the windows that the compiled way goes through.
_SLOT = st.one_of(
    st.integers(0, 40), st.sampled_from([4095, 4096, 8191, 8192, _SLOTS - 1]), st.integers(0, 12304)
)
_TERM = st.dictionaries(_SLOT, st.integers(1, 300), min_size=1, max_size=60)
_QUERY = st.lists(st.tuples(_TERM, st.floats(1e-9, 50.0)), max_size=6)


def _hold(terms: list[tuple[dict[int, int], float]]) -> Hold:
    rows = [sorted(term.items()) for term, _ in terms]
    return Hold(
        np.array([slot for row in rows for slot, _ in row], dtype=np.int32),
        np.array([tf for row in rows for _, tf in row], dtype=np.float64),
        np.array([len(row) for row in rows], dtype=np.int64).cumsum(),
        np.array([weight for _, weight in terms], dtype=np.float64),
    )


def _stretch(seed: int) -> _Floats:
    return np.random.default_rng(seed).random(_SLOTS) * 4.0


def _numpys(hold: Hold, stretch: _Floats, gain: float) -> dict[int, str]:
    values = add_up(hold, stretch, gain).over(len(stretch))
    return {int(slot): float(values[slot]).hex() for slot in np.flatnonzero(values)}


def _by(kernel: Kernel, hold: Hold, stretch: _Floats, gain: float) -> dict[int, str]:
    found = kernel.add_up(hold, stretch, gain)
    assert len(set(found.slots.tolist())) == len(found.slots), "each slot is named once"
    scores = map(float.hex, found.scores.tolist())
    return dict(zip(found.slots.tolist(), scores, strict=True))


@pytest.fixture(scope="module")
def compiled() -> Kernel:
    """The kernel as numba makes it; numba is among the tools for tests."""
    kernel = Kernel()
    assert kernel.load()
    return kernel


@settings(max_examples=40, deadline=None)
@given(_QUERY, st.integers(0, 3), st.floats(0.0, 3.0))
def test_the_way_that_is_compiled_gives_numpys_bits(
    terms: list[tuple[dict[int, int], float]], seed: int, k1: float
) -> None:
    """Every sum is the same in its last bit, whatever the terms share."""
    kernel = Kernel(make=lambda: accumulate)
    kernel.load()
    hold, stretch = _hold(terms), _stretch(seed)
    assert _by(kernel, hold, stretch, k1 + 1.0) == _numpys(hold, stretch, k1 + 1.0)


@settings(max_examples=150, deadline=None)
@given(terms=_QUERY, seed=st.integers(0, 3), k1=st.floats(0.0, 3.0))
def test_the_compiled_kernel_gives_numpys_bits(
    compiled: Kernel, terms: list[tuple[dict[int, int], float]], seed: int, k1: float
) -> None:
    """Nothing is fused or reordered by the compiler."""
    hold, stretch = _hold(terms), _stretch(seed)
    assert _by(compiled, hold, stretch, k1 + 1.0) == _numpys(hold, stretch, k1 + 1.0)


def test_a_long_row_of_postings_gives_the_same_bits(compiled: Kernel) -> None:
    """Thousands of papers with six terms each, where numpy and the compiler use wide registers."""
    rng = np.random.default_rng(7)
    terms = [
        (dict.fromkeys(rng.choice(_SLOTS, size=5_000, replace=False).tolist(), 1 + n), 0.7 + n)
        for n in range(6)
    ]
    hold, stretch = _hold(terms), _stretch(1)
    assert len(_numpys(hold, stretch, 2.5)) > 10_000
    assert _by(compiled, hold, stretch, 2.5) == _numpys(hold, stretch, 2.5)


@pytest.mark.parametrize("allowed", [None, np.array([n % 3 == 0 for n in range(300)])])
def test_an_index_answers_alike_with_the_kernel_and_without(
    compiled: Kernel, monkeypatch: pytest.MonkeyPatch, allowed: NDArray[np.bool_] | None
) -> None:
    """Hits, scores and every paper's value; a replaced paper and one of several segments too."""
    index = BM25Index()
    for n in range(300):
        index.add(f"p{n}", "ice lake " * (n % 7) + "sea " * (n % 5) + f"word{n % 11}")
        if n % 90 == 0:
            index.finalise()
    queries = ["ice", "sea lake ice ice", "word3 sea", "snow", ""]
    whole = [index.search(query, 10, allowed=allowed) for query in queries]
    values = [index.query(query).values.tobytes() for query in queries]
    monkeypatch.setattr(state, "KERNEL", compiled)
    assert [index.search(query, 10, allowed=allowed) for query in queries] == whole
    assert [index.query(query).values.tobytes() for query in queries] == values


def test_it_is_loaded_once_adding_up_has_cost_as_much() -> None:
    """Not before, in a thread of its own, and once."""
    made = []
    done = threading.Event()

    def make() -> Accumulate:
        made.append(threading.current_thread().name)
        done.set()
        return accumulate

    kernel = Kernel(worth=5, make=make)
    hold, stretch = _hold([({1: 1, 2: 3}, 1.0)]), _stretch(0)
    for _ in range(2):
        kernel.add_up(hold, stretch, 2.5)
    assert made == []
    for _ in range(3):
        kernel.add_up(hold, stretch, 2.5)
        assert done.wait(10)
    assert made == ["citehop-kernel"]
    assert kernel.load()
    assert made == ["citehop-kernel"]


@pytest.mark.parametrize("error", [ImportError("no numba"), RuntimeError("LLVM is unwell")])
def test_what_cannot_be_compiled_is_done_by_numpy(error: Exception) -> None:
    """Without numba, or with one that fails, the answers are the same, and it is tried once."""
    tried = []

    def make() -> Accumulate:
        tried.append(1)
        raise error

    kernel = Kernel(worth=1 << 30, make=make)
    assert not kernel.load()
    assert not kernel.load()
    assert tried == [1]
    hold, stretch = _hold([({1: 1, 2: 3}, 1.0)]), _stretch(0)
    assert _by(kernel, hold, stretch, 2.5) == _numpys(hold, stretch, 2.5)


def test_searching_does_not_import_numba() -> None:
    """A process that asks a few times does not pay for it."""
    code = (
        "import sys; from citehop import BM25Index; index = BM25Index(); index.add('a', 'ice');"
        "print(index.search('ice')[0][0], 'numba' in sys.modules)"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.split() == ["a", "False"]


def test_a_folder_that_cannot_be_written_to_costs_the_cache_alone(
    compiled: Kernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where numba finds no place for its cache the kernel is compiled for this process."""
    import numba

    assert compiled.load()
    asked = []

    def njit(_signature: str, *, nogil: bool, cache: bool = False) -> object:
        asked.append((nogil, cache))
        if cache:
            raise RuntimeError("cannot cache function 'accumulate': no locator available")
        return lambda function: function

    monkeypatch.setattr(numba, "njit", njit)
    assert compile_kernel() is accumulate
    assert asked == [(True, True), (True, False)]
