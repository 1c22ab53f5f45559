"""What the graph leg gains on the ACL collection: `python -m benchmarks.quality`.

Prints the tables of `docs/evaluation.md`: measures on the queries of the half that no constant was
chosen on, with each query's own citing papers left out, and what is left of the gain as citations
are taken away. The collection is read from `../shared/data/acl_scisumm`, or from `--data`.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from citehop.evaluation.collection import half_of, read_qrels, read_queries, sample
from citehop.evaluation.compare import compare
from citehop.evaluation.evaluate import evaluate_retrieval
from citehop.evaluation.result import RetrievalEvaluation
from citehop.graph.networkx import NetworkXStore
from citehop.paper import Paper
from citehop.search.config import RetrievalConfig
from citehop.search.repository import CitationRepository
from citehop.sources.merge import merge
from citehop.sources.read import read_papers

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "acl_scisumm"
CONFIGS = {
    "BM25": RetrievalConfig(top_k_lexical=50, max_hops=0, w_recency=0),
    "hops (the defaults)": RetrievalConfig(),
    "hops, without recency": RetrievalConfig(w_recency=0),
    "propagation": RetrievalConfig.propagation(),
}
SHARES = (1.0, 0.3, 0.1, 0.03, 0.01, 0.0)
"""Shares of the citations that are left for the second table."""
HELD_OUT = 1


class Collection:
    """The papers, and the judged queries of one half, or some of them."""

    def __init__(self, folder: Path, count: int | None, half: int) -> None:
        files = (folder / "papers.jsonl", folder / "edges_inside.tsv")
        self.papers = list(merge(read_papers(*files)))
        queries = read_queries(folder / "queries.jsonl")
        self.qrels = read_qrels(folder / "qrels.tsv")
        chosen = sample([key for key in queries.texts if half_of(key) == half], count)
        self.texts = {key: queries.texts[key] for key in chosen}
        self.exclude = queries.exclude

    def repository(self, analysis: str, share: float = 1.0) -> CitationRepository:
        """Return a repository in which that share of the citations is left."""
        store = NetworkXStore()
        store.load(_thinned(self.papers, share))
        repository = CitationRepository(store, analysis=analysis)
        repository.refresh()
        return repository

    def measure(self, repository: CitationRepository, name: str) -> RetrievalEvaluation:
        """Return what one configuration makes of the queries."""
        started = time.perf_counter()
        search = partial(repository.search, config=CONFIGS[name])
        found = evaluate_retrieval(search, self.texts, self.qrels, exclude=self.exclude)
        seconds = time.perf_counter() - started
        print(f"{name}: {len(found)} queries in {seconds:.0f} s", file=sys.stderr, flush=True)
        return found


def _thinned(papers: Sequence[Paper], share: float) -> Iterator[Paper]:
    for paper in papers:
        kept = [key for key in paper.references if _place(f"{paper.id}>{key}") < share]
        yield replace(paper, references=kept, citations=[])


def _place(edge: str) -> float:
    return int.from_bytes(hashlib.sha256(edge.encode()).digest()[:6], "big") / 2**48


def table(data: Collection, analysis: str) -> None:
    """Print every configuration against BM25."""
    repository = data.repository(analysis)
    base = data.measure(repository, "BM25")
    print(f"\n{len(base)} queries, analysis {analysis}\n")
    print("| | nDCG@10 | against BM25 | p | recall@50 | against BM25 | p | degraded |")
    print("|---|---|---|---|---|---|---|---|")
    for name in CONFIGS:
        found = base if name == "BM25" else data.measure(repository, name)
        cells = [
            f"{entry.value:.3f} | "
            + (" | " if found is base else f"{_gain(entry.gain)} | {_p(entry.p_value)}")
            for entry in compare(base, found)
        ]
        disturbed = len(found.degraded) + len(found.failed)
        print(f"| {name} | {' | '.join(cells)} | {disturbed} |", flush=True)


def thinning(data: Collection, analysis: str) -> None:
    """Print what propagation gains with fewer and fewer citations."""
    print(f"\n{len(data.texts)} queries, analysis {analysis}, propagation against BM25\n")
    print("| citations left | | nDCG@10 | p | recall@50 | p |")
    print("|---|---|---|---|---|---|")
    base = None
    for share in SHARES:
        repository = data.repository(analysis, share)
        base = data.measure(repository, "BM25") if base is None else base
        ndcg, recall = compare(base, data.measure(repository, "propagation"))
        cells = " | ".join(f"{_gain(e.gain)} | {_p(e.p_value)}" for e in (ndcg, recall))
        left = repository.store.counts().citations
        print(f"| {100 * share:g} % | {left:,} | {cells} |", flush=True)


def _gain(value: float) -> str:
    return f"{100 * value:+.1f} %"


def _p(value: float) -> str:
    return "<0.001" if value < 0.001 else f"{value:.3f}"


def main(argv: Sequence[str] | None = None) -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality", description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the collection")
    parser.add_argument("--queries", type=int, default=1_000, help="always the same ones; 0: none")
    parser.add_argument("--thinned", type=int, default=2_500, help="queries thinned; 0: none")
    parser.add_argument("--analysis", action="append", choices=["plain", "english"])
    parser.add_argument("--half", type=int, default=HELD_OUT, choices=[0, 1], help="0: tuned on")
    options = parser.parse_args(argv)
    analyses = options.analysis or ["plain", "english"]
    if options.queries:
        data = Collection(options.data, options.queries, options.half)
        for analysis in analyses:
            table(data, analysis)
    if options.thinned:
        few = Collection(options.data, options.thinned, options.half)
        for analysis in analyses:
            thinning(few, analysis)
    return 0


if __name__ == "__main__":
    sys.exit(main())
