"""The benchmarks by name; without one, all of what runs in memory, one after another.

`make bench` installs the other libraries that they race. One that is not installed is left out by
name.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module

from benchmarks.table import Row, print_rows

Run = Callable[[int], Iterable[Row]]

LEXICAL_PAPERS = 20_000


def _startup(_count: int) -> Iterable[Row]:
    from benchmarks import startup

    return startup.run()


def _walk(count: int) -> Iterable[Row]:
    from benchmarks import walk

    return walk.run(count)


def _peers(count: int) -> Iterable[Row]:
    from benchmarks import peers

    return peers.run(count)


def _lexical(count: int) -> Iterable[Row]:
    from benchmarks import lexical

    return lexical.run(min(count, LEXICAL_PAPERS))


def _search(count: int) -> Iterable[Row]:
    from benchmarks import search

    return search.run(count)


def _plan(count: int) -> Iterable[Row]:
    from benchmarks import plan

    return plan.run(count)


IN_MEMORY: Mapping[str, tuple[Run, str]] = {
    "startup": (_startup, "`citehop --help` against importing typer and rich"),
    "walk": (_walk, "the walk in memory against plain searches; the load against networkx"),
    "peers": (_peers, "the walk, in memory and in a library, against scipy and rustworkx"),
    "lexical": (_lexical, "BM25 against other libraries: building, searching, changing"),
    "search": (_search, "a whole search against its two halves"),
    "plan": (_plan, "an execution plan against the searches that it makes"),
}
BY_NAME: Mapping[str, str] = {
    "library": "a library on disk: opening, answering, adding against building; minutes",
    "growth": "the same from 10,000 to 1,000,000 papers, with exponents; half an hour",
    "quality": "what the graph leg gains, on a collection with judgements",
    "neo4j_store": "the store in Neo4j against statements by hand; a server of its own",
    "frameworks": "against langchain-neo4j and neo4j-graphrag; a server of its own",
}


def _names() -> str:
    lines = [f"  {name:<12} {about}" for name, (_, about) in IN_MEMORY.items()]
    lines += ["", "only by name, one at a time, with options of their own:"]
    lines += [f"  {name:<12} {about}" for name, about in BY_NAME.items()]
    examples = [
        "python -m benchmarks walk peers",
        "python -m benchmarks growth --papers 10000 30000",
    ]
    return "\n".join(["in memory:", *lines, "", "examples:", *(f"  {line}" for line in examples)])


def main(argv: Sequence[str] | None = None) -> None:
    """Run what is named, or all of what runs in memory."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description=__doc__,
        epilog=_names(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="what to run, from the list below")
    parser.add_argument("--papers", type=int, default=200_000, help="size of the made corpus")
    words = list(sys.argv[1:] if argv is None else argv)
    if words and words[0] in BY_NAME:
        import_module(f"benchmarks.{words[0]}").main(words[1:])
        return
    given = parser.parse_args(words)
    for name in given.names:
        if name not in IN_MEMORY:
            known = ", ".join([*IN_MEMORY, *BY_NAME])
            parser.error(f"{name!r} cannot stand here; expected one or more of {known}")
    print(f"{given.papers:,} papers; medians of one run\n", flush=True)
    for name in given.names or IN_MEMORY:
        print_rows(IN_MEMORY[name][0](given.papers))
        print(flush=True)


if __name__ == "__main__":
    main()
