"""Every benchmark of what runs in memory, one after another: `python -m benchmarks`."""

from __future__ import annotations

import argparse

from benchmarks import lexical, plan, search, startup, walk
from benchmarks.table import print_rows


def main() -> None:
    """Print one table of ratios, each benchmark's rows as soon as they are there."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--papers", type=int, default=200_000, help="size of the made corpus")
    count = parser.parse_args().papers
    print(f"{count:,} papers; medians of one run\n", flush=True)
    print_rows(startup.run())
    print_rows(walk.run(count))
    print_rows(lexical.run(min(count, 20_000)))
    print_rows(search.run(count))
    print_rows(plan.run(count))


if __name__ == "__main__":
    main()
