"""A library on disk: what opening, answering and adding cost against building it.

``python -m benchmarks.library --papers 200000`` prints the ratios of one run. Each step is a
process of its own, as on the command line, so that its memory can be told. Ratios are of processor
time, which other work on the machine disturbs least. `benchmarks.growth` shows how they grow.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.table import Row, print_rows

REFERENCES = 10
WORDS = 100
VOCABULARY = 60_000
QUERY = "w120 w450 w900 w1800"


def make_papers(count: int, seed: int = 7) -> Iterator[dict[str, Any]]:
    """Yield papers of a hundred words that cite ten others each: words and citations by Zipf."""
    chance = random.Random(seed)
    weights = [1 / (rank + 3) for rank in range(VOCABULARY)]
    total, steps = 0.0, []
    for weight in weights:
        total += weight
        steps.append(total)
    names = [f"w{rank}" for rank in range(VOCABULARY)]
    cited: list[int] = []
    for number in range(count):
        chosen: set[int] = set()
        while len(chosen) < min(number, REFERENCES):
            copied = cited and chance.random() < 0.62
            chosen.add(chance.choice(cited) if copied else chance.randrange(number))
        cited.extend(chosen)
        words = chance.choices(names, cum_weights=steps, k=WORDS)
        yield {
            "id": f"W{number:08}",
            "title": " ".join(words[:10]),
            "abstract": " ".join(words[10:]),
            "year": 1980 + number % 45,
            "authors": [f"A. Author{number % 5000}", f"B. Author{number % 7001}"],
            "references": [f"W{other:08}" for other in sorted(chosen)],
            "venue": f"Journal {number % 300}",
            "source": "made",
        }


def build(folder: Path) -> None:
    from citehop.library.build import build_library
    from citehop.sources.read import read_papers

    used = time.process_time()
    with read_papers(folder / "papers.jsonl") as stream:
        build_library(folder / "library", stream)
    told(inside=time.process_time() - used)


def answer(folder: Path) -> None:
    from citehop.library.store import LibraryStore
    from citehop.search.repository import CitationRepository

    used = time.process_time()
    with LibraryStore(folder / "library") as store:
        found = CitationRepository(store).search(QUERY)
    told(inside=time.process_time() - used)
    assert found.status == "success", found.legs


def add(folder: Path) -> None:
    from citehop.library.store import LibraryStore
    from citehop.paper import Paper
    from citehop.search.repository import CitationRepository

    used = time.process_time()
    name = f"new{time.time_ns()}"
    with LibraryStore(folder / "library") as store:
        store.load([Paper(name, f"{QUERY} {name}", "", 2020, [], ["W00000001"])])
        found = CitationRepository(store).search(f"{name} w120")
    told(inside=time.process_time() - used)
    assert found[0].doc_id == name


def again(folder: Path) -> None:
    """Add one paper where the library is open already."""
    from citehop.library.store import LibraryStore
    from citehop.paper import Paper
    from citehop.search.repository import CitationRepository

    with LibraryStore(folder / "library") as store:
        repository = CitationRepository(store)
        repository.search(QUERY)
        started, used = time.perf_counter(), time.process_time()
        name = f"new{time.time_ns()}"
        store.load([Paper(name, f"{QUERY} {name}", "", 2020, [], ["W00000001"])])
        repository.refresh()
        assert repository.search(f"{name} w120")[0].doc_id == name
        timed(started, used, 1)


def repeated(folder: Path) -> None:
    """Answer again and again in one process; half of what the others' searches take is opening."""
    from citehop.library.store import LibraryStore
    from citehop.search.repository import CitationRepository

    with LibraryStore(folder / "library") as store:
        repository = CitationRepository(store)
        for number in range(20):
            repository.search(f"w{200 + number} w{900 + number} w{1800 + number}")
        started, used = time.perf_counter(), time.process_time()
        for number in range(20, 40):
            repository.search(f"w{200 + number} w{900 + number} w{1800 + number}")
        timed(started, used, 20)


def walk(folder: Path) -> None:
    """Expand ten typical papers again and again, with the default limits."""
    from citehop.library.store import LibraryStore

    with LibraryStore(folder / "library") as store:
        count = store.counts().papers
        chance = random.Random(11)
        chosen = [
            [f"W{chance.randrange(count // 4, count):08}" for _ in range(10)] for _ in range(20)
        ]
        for seeds in chosen[:10]:
            store.expand(seeds, timeout_seconds=60)
        started, used = time.perf_counter(), time.process_time()
        for seeds in chosen[10:]:
            store.expand(seeds, timeout_seconds=60)
        timed(started, used, 10)


def nothing(_folder: Path) -> None:
    """Only import what the others import: what every process pays."""
    import citehop.library.store
    import citehop.search.repository
    import citehop.sources.read  # noqa: F401


STEPS: dict[str, Callable[[Path], None]] = {
    step.__name__: step for step in (build, nothing, answer, repeated, walk, add, again)
}
"""What is timed, in the order in which it is done: adding papers comes last."""


def timed(started: float, used: float, times: int) -> None:
    """Tell what one of several runs took, in place of the whole process."""
    clock, cpu = time.perf_counter() - started, time.process_time() - used
    told(seconds=clock / times, step_cpu=cpu / times)


def told(**values: float) -> None:
    """Print values for the process that waits; ``inside`` is the step without its imports."""
    print(json.dumps(values), flush=True)


def run(step: str, folder: Path) -> dict[str, float]:
    """Run a step in a process of its own; return its seconds and its peak memory in MB."""
    started = time.perf_counter()
    done = subprocess.run(  # noqa: S603 - this very module
        [sys.executable, "-m", "benchmarks.library", "--step", step, "--folder", str(folder)],
        check=True,
        capture_output=True,
        text=True,
    )
    taken = time.perf_counter() - started
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    found = {"seconds": taken} | {key: value for line in lines for key, value in line.items()}
    return found | {"cpu": found.get("step_cpu", found["cpu"])}


def measure(papers: int, folder: Path) -> dict[str, dict[str, float]]:
    with (folder / "papers.jsonl").open("w") as file:
        file.writelines(json.dumps(paper) + "\n" for paper in make_papers(papers))
    found = {"build": run("build", folder)}
    for step in list(STEPS)[1:]:
        runs = [run(step, folder) for _ in range(3)]
        found[step] = sorted(runs, key=lambda one: one["cpu"])[1]
    size = sum(path.stat().st_size for path in (folder / "library").rglob("*"))
    found["disk"] = {"mb": size / 1e6, "source_mb": (folder / "papers.jsonl").stat().st_size / 1e6}
    return found


def rows(papers: int, found: dict[str, dict[str, float]]) -> list[Row]:
    whole = found["build"]

    def row(what: str, step: str, most: float | None) -> Row:
        one = found[step]
        memory = f", {one['peak_mb']:.0f} MB" if "peak_mb" in one else ""
        return Row(
            f"{what}, {papers:,} papers",
            "building it",
            one["cpu"] / whole["cpu"],
            most,
            f"{one['cpu']:.2f} s of {whole['cpu']:.1f} s of processor time"
            f" ({one['seconds']:.2f} s of {whole['seconds']:.1f} s by the clock){memory}",
        )

    disk = found["disk"]
    return [
        row("a process that opens and answers", "answer", 0.1),
        row("a process that adds one paper and finds it", "add", 0.01),
        row("adding one paper until it is found, library open", "again", 0.01),
        row("a later answer", "repeated", None),
        row("two hops from ten seeds, library open", "walk", None),
        row("only importing", "nothing", None),
        Row(
            f"peak memory of building, {papers:,} papers",
            "the file with the papers",
            found["build"]["peak_mb"] / disk["source_mb"],
            None,
            f"{found['build']['peak_mb']:.0f} MB",
        ),
        Row(
            f"the library on disk, {papers:,} papers",
            "the file with the papers",
            disk["mb"] / disk["source_mb"],
            None,
            f"{disk['mb']:.0f} MB",
        ),
    ]


def main(argv: Sequence[str] | None = None) -> None:
    """Print the table, or run one step of it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.library", description=__doc__)
    parser.add_argument("--papers", type=int, nargs="+", default=[20_000, 200_000])
    parser.add_argument("--step", choices=sorted(STEPS))
    parser.add_argument("--folder", type=Path)
    given = parser.parse_args(argv)
    if given.step:
        STEPS[given.step](given.folder)
        used = resource.getrusage(resource.RUSAGE_SELF)
        told(peak_mb=used.ru_maxrss / 1024, cpu=used.ru_utime + used.ru_stime)
        return
    for papers in given.papers:
        with tempfile.TemporaryDirectory() as folder:
            print_rows(rows(papers, measure(papers, Path(folder))))


if __name__ == "__main__":
    main()
