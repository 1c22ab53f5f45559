"""Standard measures, reckoned by ir-measures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from citehop.errors import CitehopError, ErrorCategory

DEFAULT_MEASURES = ("nDCG@10", "R@50")
MAX_GRADE = 1_000
"""Grades are from minus this to this; memory grows with them."""
MAX_CUTOFF = 1_000_000
"""So far down a ranking is looked at most; measures of more would end the process."""
_CHUNK = 1_000
_REFUSALS = (NameError, ValueError, TypeError, AssertionError, LookupError)


class Measures:
    """Checked measures.

    Args:
        names: Names as ir-measures has them, such as ``nDCG@10``, ``R@50``, ``AP`` or ``RR@10``.

    Raises:
        TypeError: If ``names`` is one str, or holds what is no str.
        ValueError: If there is none, or one is not known.
        CitehopError: If ir-measures is not installed; code ``EXTRA_MISSING``.
    """

    def __init__(self, names: Sequence[str]) -> None:
        if isinstance(names, str) or not all(isinstance(name, str) for name in names):
            raise TypeError(f"measures must be a sequence of names, not {names!r}")
        if not names:
            raise ValueError("measures must name at least one, such as nDCG@10 or R@50")
        self._library = _ir_measures()
        self._measures = [self._parsed(name) for name in dict.fromkeys(names)]
        self.names = tuple(str(measure) for measure in self._measures)

    def of(
        self, run: Mapping[str, Sequence[str]], qrels: Mapping[str, Mapping[str, int]]
    ) -> dict[str, dict[str, float]]:
        """Return each measure of each query of ``qrels``; one without an answer has 0.

        Args:
            run: For each query the ids found, best first, each once.
            qrels: For each query the judged ids with their grade.
        """
        values: dict[str, dict[str, float]] = {key: {} for key in qrels}
        for keys in _chunks(list(qrels)):
            grades = {key: dict(qrels[key]) for key in keys}
            # By rank, not by score: ties would be broken by id, and not as the search broke them.
            found = {
                key: {doc: float(-place) for place, doc in enumerate(run.get(key, ()))}
                for key in keys
            }
            for metric in self._library.iter_calc(self._measures, grades, found):
                values[metric.query_id][str(metric.measure)] = float(metric.value)
        return {key: {name: values[key].get(name, 0.0) for name in self.names} for key in values}

    def _parsed(self, name: str) -> Any:
        try:
            measure = self._library.parse_measure(name)
            _check_numbers(measure.params)  # Now: the library's C code ends the process for @0.
            self._library.evaluator([measure], {"q": {"d": 1}})
        except _REFUSALS as error:
            raise ValueError(
                f"there is no measure {name!r}; expected names such as nDCG@10, R@50 (recall),"
                f" P@5, RR@10 or AP, with 1 to {MAX_CUTOFF:,} behind the @"
            ) from error
        return measure


def _check_numbers(params: Mapping[str, Any]) -> None:
    if not 1 <= params.get("cutoff", 1) <= MAX_CUTOFF:
        raise ValueError(f"a cutoff is from 1 to {MAX_CUTOFF:,}")
    if any(abs(gain) > MAX_GRADE for gain in params.get("gains", {}).values()):
        raise ValueError(f"a gain is at most {MAX_GRADE:,}")


def _chunks(keys: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(keys), _CHUNK):
        yield keys[start : start + _CHUNK]


def _ir_measures() -> Any:
    try:
        import ir_measures  # noqa: PLC0415 - an extra, and slow to import
    except ImportError as error:
        raise CitehopError(
            "measuring a search needs the package ir-measures, which is not installed; the extra"
            " brings it: pip install 'citehop[eval]'",
            code="EXTRA_MISSING",
            category=ErrorCategory.CAPABILITY,
        ) from error
    return ir_measures
