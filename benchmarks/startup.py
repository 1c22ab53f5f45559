"""`citehop --help` against importing typer and rich: `python -m benchmarks.startup`."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

from benchmarks.table import Row, print_rows


def _seconds(arguments: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)  # noqa: S603
    return time.perf_counter() - start


def run(repeats: int = 9) -> list[Row]:
    """Time the two in turn and return the median ratio."""
    ours = ["-m", "citehop", "--help"]
    theirs = ["-c", "import typer, rich"]
    pairs = [(_seconds(ours), _seconds(theirs)) for _ in range(repeats)]
    ratio = statistics.median(left / right for left, right in pairs)
    return [Row("citehop --help", "importing typer and rich", ratio, 2.0)]


if __name__ == "__main__":
    print_rows(run())
