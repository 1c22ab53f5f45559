from __future__ import annotations

import subprocess
import sys
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from citehop.lexical import scores
from citehop.lexical.bm25 import BM25Index
from citehop.lexical.compiled import Accumulate, accumulate, compile_kernel
from citehop.lexical.kernel import Kernel
from citehop.lexical.sums import Hold, Norms, Sums, add_up

_Mask = NDArray[np.bool_]
_SLOTS = 3 * 4096 + 17
# Many at the edges of the windows that the compiled way goes through.
_SLOT = st.one_of(
    st.integers(0, 40), st.sampled_from([4095, 4096, 8191, 8192, _SLOTS - 1]), st.integers(0, 12304)
)
_TERM = st.dictionaries(_SLOT, st.sampled_from([1, 1, 1, 2, 7, 300]), min_size=1, max_size=60)
_QUERY = st.lists(st.tuples(_TERM, st.floats(1e-9, 50.0)), max_size=6)
_K1 = st.floats(0.0, 3.0)
_B = st.sampled_from([0.0, 0.3, 0.75, 1.0])


def _hold(terms: list[tuple[dict[int, int], float]]) -> Hold:
    rows = [sorted(term.items()) for term, _ in terms]
    tfs = [tf for row in rows for _, tf in row]
    return Hold(
        np.array([slot for row in rows for slot, _ in row], dtype=np.int32),
        np.array(tfs, dtype=np.min_scalar_type(max(tfs, default=0))),
        np.array([len(row) for row in rows], dtype=np.int64).cumsum(),
        np.array([weight for _, weight in terms], dtype=np.float64),
    )


def _norms(k1: float = 1.5, b: float = 0.75, longest: int = 900) -> Norms:
    lengths = np.random.default_rng(3).integers(1, longest, size=_SLOTS)
    return Norms(lengths, k1, b, float(lengths.mean()))


def _numpys(hold: Hold, norms: Norms) -> dict[int, str]:
    values = add_up(hold, norms).over(_SLOTS)
    return {int(slot): float(values[slot]).hex() for slot in np.flatnonzero(values)}


def _by(kernel: Kernel, hold: Hold, norms: Norms) -> dict[int, str]:
    return _named(kernel.add_up(hold, norms))


def _named(found: Sums) -> dict[int, str]:
    assert len(set(found.slots.tolist())) == len(found.slots), "each slot is named once"
    scores = map(float.hex, found.scores.tolist())
    return dict(zip(found.slots.tolist(), scores, strict=True))


def _check_best(kernel: Kernel, hold: Hold, norms: Norms, k: int, mask: _Mask | None) -> None:
    """Check that the k best, and all level with the last, are among what is found."""
    found = kernel.best(hold, norms, k, mask)
    assert found is not None
    passed = {
        slot: float.fromhex(score)
        for slot, score in _numpys(hold, norms).items()
        if mask is None or mask[slot]
    }
    named = {slot: float.fromhex(score) for slot, score in _named(found).items()}
    assert named.items() <= passed.items()
    last = sorted(passed.values(), reverse=True)[:k][-1:]
    assert {slot for slot in passed if passed[slot] >= (last or [0.0])[0]} <= set(named)


@pytest.fixture(scope="module")
def compiled() -> Kernel:
    """The kernel as numba makes it; numba is among the tools for tests."""
    kernel = Kernel()
    assert kernel.load()
    return kernel


@settings(max_examples=40, deadline=None)
@given(_QUERY, _K1, _B)
def test_the_way_that_is_compiled_gives_numpys_bits(
    terms: list[tuple[dict[int, int], float]], k1: float, b: float
) -> None:
    """Every sum is the same in its last bit, whatever the terms share."""
    kernel = Kernel(make=lambda: accumulate)
    kernel.load()
    hold, norms = _hold(terms), _norms(k1, b)
    assert _by(kernel, hold, norms) == _numpys(hold, norms)


@settings(max_examples=150, deadline=None)
@given(terms=_QUERY, k1=_K1, b=_B)
def test_the_compiled_kernel_gives_numpys_bits(
    compiled: Kernel, terms: list[tuple[dict[int, int], float]], k1: float, b: float
) -> None:
    """Nothing is fused or reordered by the compiler."""
    hold, norms = _hold(terms), _norms(k1, b)
    assert _by(compiled, hold, norms) == _numpys(hold, norms)


@settings(max_examples=40, deadline=None)
@given(_QUERY, st.integers(1, 80), st.sampled_from([0, 1, 2, 5000]))
def test_the_way_that_is_compiled_finds_the_best(
    terms: list[tuple[dict[int, int], float]], k: int, every: int
) -> None:
    """With a mask and without, many ties or none."""
    kernel = Kernel(make=lambda: accumulate)
    kernel.load()
    mask = None if every == 0 else np.arange(_SLOTS) % every == 0
    _check_best(kernel, _hold(terms), _norms(longest=4), k, mask)


@settings(max_examples=150, deadline=None)
@given(terms=_QUERY, k=st.integers(1, 80), every=st.sampled_from([0, 1, 2, 5000]))
def test_the_compiled_kernel_finds_the_best(
    compiled: Kernel, terms: list[tuple[dict[int, int], float]], k: int, every: int
) -> None:
    """With a mask and without, many ties or none; a mask may be read-only."""
    mask = None if every == 0 else np.arange(_SLOTS) % every == 0
    if mask is not None:
        mask.flags.writeable = False
    _check_best(compiled, _hold(terms), _norms(longest=4), k, mask)


def test_a_long_row_of_postings_gives_the_same_bits(compiled: Kernel) -> None:
    """Thousands of papers with six terms each, where numpy and the compiler use wide registers."""
    rng = np.random.default_rng(7)
    terms = [
        (dict.fromkeys(rng.choice(_SLOTS, size=5_000, replace=False).tolist(), 1 + n), 0.7 + n)
        for n in range(6)
    ]
    hold, norms = _hold(terms), _norms()
    assert len(_numpys(hold, norms)) > 10_000
    assert _by(compiled, hold, norms) == _numpys(hold, norms)
    _check_best(compiled, hold, norms, 10, None)
    _check_best(compiled, hold, norms, 10, np.arange(_SLOTS) % 3 == 0)


def test_papers_too_long_for_its_tables_are_left_to_numpy(compiled: Kernel) -> None:
    """A length of 65,536 or more is counted in full."""
    lengths = np.array([10, 65_535])
    assert compiled.best(_hold([({1: 2}, 1.0)]), Norms(lengths, 1.5, 0.75, 9.0), 1, None)
    norms = Norms(lengths + 1, 1.5, 0.75, 9.0)
    hold = _hold([({0: 1, 1: 2}, 1.0)])
    assert compiled.best(hold, norms, 1, None) is None
    assert compiled.add_up(hold, norms).over(2).tolist() == add_up(hold, norms).over(2).tolist()


@pytest.mark.parametrize("allowed", [None, np.array([n % 3 == 0 for n in range(300)])])
def test_an_index_answers_alike_with_the_kernel_and_without(
    compiled: Kernel, monkeypatch: pytest.MonkeyPatch, allowed: _Mask | None
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
    monkeypatch.setattr(scores, "KERNEL", compiled)
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
    hold, norms = _hold([({1: 1, 2: 3}, 1.0)]), _norms()
    for _ in range(2):
        kernel.add_up(hold, norms)
    assert made == []
    for _ in range(3):
        kernel.add_up(hold, norms)
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
    hold, norms = _hold([({1: 1, 2: 3}, 1.0)]), _norms()
    assert _by(kernel, hold, norms) == _numpys(hold, norms)


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
