"""Which way a query's parts are added up: numpy's, or one compiled by numba where that pays.

numba is optional (the extra ``fast``). Importing it and loading the kernel takes most of a second
and some 140 MB, compiling it some seconds, once for each machine and version (numba keeps it in
its cache on disk); a query on a large index then takes half the time. So a process that asks little
never loads it: it is loaded beside the searches, in a thread of its own, once adding up by numpy
has cost about as much. :func:`load` loads it at once. Both ways give the same bits.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Final

import numpy as np

from citehop.lexical.compiled import Accumulate, compile_kernel
from citehop.lexical.segment import Mask
from citehop.lexical.sums import Hold, Norms, Sums, Tables, add_up

_log = logging.getLogger(__name__)

WORTH: Final = 1 << 26
"""Postings after which loading pays: numpy adds up that many in a second or so."""
_ALL: Final[Mask] = np.empty(0, dtype=np.bool_)


class Kernel:
    """The compiled way, loaded when it pays.

    Safe for threads: while one loads it, the others add up by numpy.

    Args:
        worth: Postings after which it is loaded.
        make: Returns the compiled function, or raises what numba raises.
    """

    def __init__(self, worth: int = WORTH, make: Callable[[], Accumulate] = compile_kernel) -> None:
        self._left = worth
        self._make = make
        self._loading = threading.Lock()
        self._accumulate: Accumulate | None = None
        self._tried = False

    def add_up(self, hold: Hold, norms: Norms) -> Sums:
        """Return what :func:`citehop.lexical.sums.add_up` returns, in whichever way is due."""
        accumulate, tables = self._accumulate, norms.tables() if self._accumulate else None
        if accumulate is None or tables is None:
            self._note(hold)
            return add_up(hold, norms)
        return _by(accumulate, hold, tables, _ALL, 0)

    def best(self, hold: Hold, norms: Norms, k: int, mask: Mask | None) -> Sums | None:
        """Return some papers, each once, with the ``k`` best and all that score as the last.

        Args:
            hold: The postings.
            norms: The papers' sides.
            k: From 1.
            mask: Which slots may be among them; None: all.

        Returns:
            None where the kernel is not in use: then :meth:`add_up` is the way.
        """
        accumulate, tables = self._accumulate, norms.tables() if self._accumulate else None
        if accumulate is None or tables is None:
            return None
        passed = _ALL if mask is None else np.ascontiguousarray(mask)
        return _by(accumulate, hold, tables, passed, min(k, len(hold.slots)))

    def load(self) -> bool:
        """Load it now, if that was not tried before; return whether it is in use."""
        with self._loading:
            if not self._tried:
                self._tried = True
                self._accumulate = self._made()
        return self._accumulate is not None

    def _note(self, hold: Hold) -> None:
        if self._left > 0:
            self._left -= len(hold.slots)
            if self._left <= 0:
                self._load_beside()

    def _load_beside(self) -> None:
        try:
            # No daemon: a process must not end in the middle of compiling.
            threading.Thread(target=self.load, name="citehop-kernel").start()
        except RuntimeError:  # no more threads, or the process is ending
            _log.debug("no thread to load the compiled kernel in", exc_info=True)

    def _made(self) -> Accumulate | None:
        try:
            return self._make()
        except ImportError:
            _log.debug("numba is not installed: searching by numpy")
        except Exception:  # noqa: BLE001 - whatever ails numba, numpy gives the same answers
            _log.warning("numba could not compile the kernel: searching by numpy", exc_info=True)
        return None


def _by(accumulate: Accumulate, hold: Hold, tables: Tables, mask: Mask, k: int) -> Sums:
    size = len(hold.slots) + 1
    touched, scores = np.empty(size, dtype=np.int32), np.empty(size)
    count = accumulate(
        hold.slots,
        # No paper is longer than the tables know, so that no word is more frequent either.
        hold.tfs.astype(np.uint16),
        hold.ends,
        hold.weights,
        tables.gain,
        tables.lengths,
        tables.stretch,
        tables.once,
        mask,
        np.empty(k),
        touched,
        scores,
    )
    return Sums(touched[:count], scores[:count])


KERNEL: Final = Kernel()
"""The one that every index uses."""


def load() -> bool:
    """Load the compiled kernel now; return whether it is in use.

    For a process that will search much; without numba nothing changes.
    """
    return KERNEL.load()
