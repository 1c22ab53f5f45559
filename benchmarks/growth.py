"""How a library grows with its papers: `python -m benchmarks.growth`.

Papers of a hundred words with ten citations each, from 10,000 to 1,000,000 (half an hour, 4 GB of
disk; ``--papers`` names other sizes). Each step runs in a process of its own, whose peak memory is
told. The exponent is that of the power law nearest to the processor times (least squares of the
logarithms): 1 grows as the papers do, 0 not at all. Times leave out what importing takes.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from benchmarks.library import measure
from benchmarks.table import Row, print_rows

SIZES = (10_000, 30_000, 100_000, 300_000, 1_000_000)
MOST_GB = 12
STEPS = {
    "building": "build",
    "a process that opens and answers once": "answer",
    "a later answer, library open": "repeated",
    "two hops from ten seeds, library open": "walk",
    "a process that adds one paper and finds it": "add",
    "adding one paper until it is found, library open": "again",
}
Measured = Mapping[str, Mapping[str, float]]


def seconds(step: str, found: Measured) -> float:
    """Return the processor seconds of a step without its imports."""
    return found[step].get("inside", found[step]["cpu"])


def exponent(sizes: Sequence[int], values: Sequence[float]) -> float:
    """Return the slope of the straight line nearest to the points, both axes logarithmic."""
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


def print_growth(seen: Mapping[int, Measured]) -> None:
    """Print a line for each step and for what lies on disk, a column for each size."""
    sizes = list(seen)
    print(f"| what | {' | '.join(f'{size:,}' for size in sizes)} | exponent |")
    print("|---|" + "---|" * (len(sizes) + 1))
    for what, step in STEPS.items():
        times = [seconds(step, found) for found in seen.values()]
        memory = [found[step]["peak_mb"] for found in seen.values()]
        cells = [f"{_time(t)}, {_size(mb)}" for t, mb in zip(times, memory, strict=True)]
        _print_line(what, cells, sizes, times)
    disk = [found["disk"]["mb"] for found in seen.values()]
    _print_line("the library on disk", [_size(mb) for mb in disk], sizes, disk)


def _print_line(what: str, cells: list[str], sizes: list[int], values: list[float]) -> None:
    slope = f"{exponent(sizes, values):.2f}" if len(sizes) > 1 else ""
    print(f"| {what} | {' | '.join(cells)} | {slope} |", flush=True)


def _time(value: float) -> str:
    return f"{value:.3g} s" if value >= 1 else f"{value * 1e3:.3g} ms"


def _size(megabytes: float) -> str:
    return f"{megabytes:.0f} MB" if megabytes < 1000 else f"{megabytes / 1000:.1f} GB"


def most_memory(size: int, found: Measured) -> Row:
    """Return the peak of building or answering against what it may take."""
    step = max(("build", "answer"), key=lambda one: found[one]["peak_mb"])
    gigabytes = found[step]["peak_mb"] * 1024**2 / 1e9
    return Row(
        f"most memory, {size:,} papers, to build and answer",
        f"{MOST_GB} GB",
        gigabytes / MOST_GB,
        1,
        f"{gigabytes:.1f} GB, to {step}",
    )


def main(argv: Sequence[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.growth",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--papers", type=int, nargs="+", default=SIZES)
    sizes = sorted(parser.parse_args(argv).papers)
    seen: dict[int, Measured] = {}
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            seen[size] = measure(size, Path(folder))
        print_growth(seen)
        print(flush=True)
    print_rows([most_memory(sizes[-1], seen[sizes[-1]])])


if __name__ == "__main__":
    main()
