"""The command that measures searches against judgements."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from citehop.bounds import MAX_SEEDS
from citehop.cli import complain, say
from citehop.cli import options as opt
from citehop.cli.opening import opening
from citehop.errors import InputError

if TYPE_CHECKING:
    from citehop.evaluation.collection import Queries
    from citehop.evaluation.compare import Comparison
    from citehop.evaluation.evaluate import Qrels
    from citehop.evaluation.result import RetrievalEvaluation
    from citehop.graph.store import CitationStore
    from citehop.search.config import RetrievalConfig
    from citehop.search.repository import CitationRepository

    Asked = tuple[Mapping[str, str], Qrels, Mapping[str, Collection[str]]]


class ConfigName(StrEnum):
    """The configurations that can be measured."""

    BM25 = "bm25"
    HOPS = "hops"
    HOPS_WITHOUT_RECENCY = "hops-without-recency"
    PROPAGATION = "propagation"


BASELINE = ConfigName.BM25

QueriesFile = Annotated[
    Path,
    typer.Option(
        metavar="FILE",
        help="JSON lines with _id and text (and exclude: ids to leave out), or lines of id, tab,"
        " text.",
        exists=True,
        dir_okay=False,
    ),
]
QrelsFile = Annotated[
    Path,
    typer.Option(
        metavar="FILE",
        help="Lines of query-id, corpus-id, score (BEIR) or qid, 0, docid, grade (TREC).",
        exists=True,
        dir_okay=False,
    ),
]
Configs = Annotated[
    list[ConfigName] | None,
    typer.Option("--config", help="What to measure; may be repeated. Default: all four."),
]
MeasureNames = Annotated[
    list[str] | None,
    typer.Option(
        "--measure",
        metavar="NAME",
        help="Such as nDCG@10, R@50 (recall), P@5, AP; repeatable. Default: nDCG@10 and R@50.",
    ),
]
RunFile = Annotated[
    Path | None,
    typer.Option(
        "--run",
        metavar="FILE",
        help="Write the hits as a TREC run; with several configurations one file each, its name"
        " before the suffix.",
        dir_okay=False,
    ),
]
Sample = Annotated[
    int | None, typer.Option(min=1, help="Only so many queries, always the same ones.")
]
Depth = Annotated[int, typer.Option(min=1, max=MAX_SEEDS, help="Hits of each answer.")]


def evaluate(
    queries: QueriesFile,
    qrels: QrelsFile,
    paths: opt.In = None,
    config: Configs = None,
    measure: MeasureNames = None,
    run: RunFile = None,
    sample: Sample = None,
    depth: Depth = 50,
    timeout: opt.Timeout = 5.0,
    analysis: opt.Analysis = None,
    store: opt.Store = None,
    index: opt.Index = None,
    database: opt.Database = None,
    auth_file: opt.AuthFile = None,
    format: opt.Format = None,
    encoding: opt.Encoding = None,
    strict: opt.Strict = False,
    json: opt.Json = False,
) -> None:
    """Measure how good searches are: words alone against the graph, on judged queries."""
    if run is not None and not run.absolute().parent.is_dir():
        raise typer.BadParameter(f"{run.parent}: there is no such folder for --run")
    where = opening(
        paths,
        store,
        database=database,
        auth_file=auth_file,
        index=index,
        indexed=True,
        format=format,
        encoding=encoding,
        strict=strict,
    )
    from citehop.cli.library import open_named
    from citehop.evaluation import collection
    from citehop.evaluation.measures import DEFAULT_MEASURES, Measures

    chosen = list(dict.fromkeys(config or ConfigName))
    names = tuple(measure or DEFAULT_MEASURES)
    try:
        Measures(names)  # Refused before anything long is read.
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
    asked = _judged(collection.read_queries(queries), collection.read_qrels(qrels), sample)
    with open_named(where) as library:
        repository = library.repository(analysis.value if analysis else None)
        asked = _named_as_here(asked, library.store)
        found = {
            name: _measured(repository, name, configuration(name, depth, timeout), asked, names)
            for name in chosen
        }
    if run is not None:
        _write_runs(run, found)
    _report(found, as_json=json)


def configuration(name: ConfigName, depth: int, timeout: float) -> RetrievalConfig:
    """Return the configuration of that name, giving ``depth`` hits."""
    from citehop.search.config import RetrievalConfig

    limits: dict[str, Any] = {"top_k": depth, "timeout_seconds": timeout}
    if name is ConfigName.BM25:
        return RetrievalConfig(top_k_lexical=depth, max_hops=0, w_recency=0.0, **limits)
    if name is ConfigName.HOPS:
        return RetrievalConfig(**limits)
    if name is ConfigName.HOPS_WITHOUT_RECENCY:
        return RetrievalConfig(w_recency=0.0, **limits)
    return RetrievalConfig.propagation(**limits)


def _judged(queries: Queries, qrels: Qrels, sample: int | None) -> Asked:
    from citehop.evaluation import collection

    judged = [
        key for key in queries.texts if any(grade > 0 for grade in qrels.get(key, {}).values())
    ]
    if not judged:
        raise InputError(
            f"no query has a relevant paper: none of the {len(queries)} query ids is among the"
            f" {len(qrels)} of the judgements with a score above 0; are the files of one"
            " collection?"
        )
    chosen = collection.sample(judged, sample)
    return {key: queries.texts[key] for key in chosen}, qrels, queries.exclude


def _named_as_here(asked: Asked, store: CitationStore) -> Asked:
    """Return judgements and exclusions under the ids that the papers have here; say what is not."""
    from citehop.identifiers import canonical_id

    texts, qrels, exclude = asked
    named = {paper for query in texts for paper in (*qrels[query], *exclude.get(query, ()))}
    ordered = sorted(named)
    papers = dict(zip(ordered, store.get(ordered), strict=True))
    known = {name: paper.id if paper else canonical_id(name) for name, paper in papers.items()}
    judged = {known[paper] for query in texts for paper in qrels[query]}
    absent = len(judged - {paper.id for paper in papers.values() if paper})
    if absent:
        complain(f"{absent:,} of {len(judged):,} judged papers are not here; they count as missed")
    grades: dict[str, dict[str, int]] = {query: {} for query in texts}
    for query, own in grades.items():
        for paper, grade in qrels[query].items():
            own[known[paper]] = max(grade, own.get(known[paper], grade))
    left_out = {query: frozenset(known[p] for p in exclude.get(query, ())) for query in texts}
    return texts, grades, left_out


def _measured(
    repository: CitationRepository,
    name: ConfigName,
    config: RetrievalConfig,
    asked: Asked,
    measures: Sequence[str],
) -> RetrievalEvaluation:
    from citehop.evaluation.evaluate import evaluate_retrieval

    texts, qrels, exclude = asked
    with _progress(name, len(texts)) as progress:
        search = partial(repository.search, config=config)
        try:
            return evaluate_retrieval(search, texts, qrels, measures, exclude, progress=progress)
        except ValueError as error:
            raise InputError(str(error)) from error


@contextmanager
def _progress(name: str, total: int) -> Iterator[Callable[[int, int], None] | None]:
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    counted = (MofNCompleteColumn(), TextColumn("queries"), TimeRemainingColumn())
    columns = (TextColumn(name), BarColumn(), *counted)
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(name, total=total)
        yield lambda done, of: bar.update(task, completed=done, total=of)


def _write_runs(out: Path, found: Mapping[ConfigName, RetrievalEvaluation]) -> None:
    from citehop.evaluation.collection import write_run

    for name, evaluation in found.items():
        path = out if len(found) == 1 else out.with_name(f"{out.stem}.{name}{out.suffix}")
        with path.open("w", encoding="utf-8", newline="\n") as file:
            try:
                write_run(file, evaluation.run, tag=f"citehop-{name}")
            except ValueError as error:
                raise InputError(str(error), file=str(path)) from error
        say(f"{path}: the run of {name}")


def _report(found: Mapping[ConfigName, RetrievalEvaluation], *, as_json: bool) -> None:
    from citehop.cli.tables import print_json, print_table
    from citehop.evaluation.compare import compare

    against: dict[ConfigName, tuple[Comparison, ...]] = {}
    base = found.get(BASELINE)
    for name, evaluation in found.items():
        if base is not None and name is not BASELINE and set(base.whole) & set(evaluation.whole):
            against[name] = compare(base, evaluation)
    if as_json:
        print_json({"configs": {n: _document(e, against.get(n)) for n, e in found.items()}})
    else:
        measures = next(iter(found.values())).measures
        columns = [part for name in measures for part in (name, "against bm25", "p")]
        header = ["config", "queries", "degraded", "failed", *columns]
        print_table(header, [_row(n, e, against.get(n)) for n, e in found.items()])
    for name, evaluation in found.items():
        _warn(name, evaluation)
    if all(len(evaluation.failed) == len(evaluation) for evaluation in found.values()):
        raise SystemExit(1)


def _document(
    evaluation: RetrievalEvaluation, against: tuple[Comparison, ...] | None
) -> dict[str, Any]:
    compared = {entry.measure: entry.to_dict() for entry in against or ()}
    return evaluation.to_dict() | {"against_bm25": compared or None}


def _row(
    name: str, evaluation: RetrievalEvaluation, against: tuple[Comparison, ...] | None
) -> list[object]:
    row: list[object] = [
        name,
        len(evaluation),
        len(evaluation.degraded),
        len(evaluation.failed),
    ]
    compared = {entry.measure: entry for entry in against or ()}
    for measure, value in evaluation.mean.items():
        entry = compared.get(measure)
        row += [value, "", ""] if entry is None else [value, _gain(entry), _p_value(entry)]
    return row


def _gain(entry: Comparison) -> str:
    return "" if math.isnan(entry.gain) else f"{100 * entry.gain:+.1f} %"


def _p_value(entry: Comparison) -> str:
    return "<0.001" if entry.p_value < 0.001 else f"{entry.p_value:.3f}"


def _warn(name: str, evaluation: RetrievalEvaluation) -> None:
    disturbed = len(evaluation.degraded) + len(evaluation.failed)
    if disturbed:
        codes = ", ".join(f"{code} {count}x" for code, count in evaluation.errors.items())
        complain(
            f"warning: {name}: {disturbed} of {len(evaluation)} queries did not run normally"
            f" ({codes}); the comparison leaves them out"
        )
