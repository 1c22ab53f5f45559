"""The command that measures searches against judgements."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
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
    from citehop.cli.judged import Asked
    from citehop.evaluation.compare import Comparison
    from citehop.evaluation.result import RetrievalEvaluation
    from citehop.search.config import RetrievalConfig
    from citehop.search.repository import CitationRepository


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
    from citehop.cli.judged import check_run_ids, judged, named_as_here
    from citehop.cli.library import open_named
    from citehop.evaluation import collection
    from citehop.evaluation.measures import DEFAULT_MEASURES, Measures

    chosen = list(dict.fromkeys(config or ConfigName))
    names = tuple(measure or DEFAULT_MEASURES)
    try:
        Measures(names)  # Refused before anything long is read.
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
    asked = judged(collection.read_queries(queries), collection.read_qrels(qrels), sample)
    if run is not None:
        check_run_ids(asked, queries)
    with open_named(where) as library:
        repository = library.repository(analysis.value if analysis else None)
        asked = named_as_here(asked, library.store)
        found = {
            name: _measured(repository, name, configuration(name, depth, timeout), asked, names)
            for name in chosen
        }
    _report(found, as_json=json)
    if run is not None:
        _write_runs(run, found)
    if all(len(evaluation.failed) == len(evaluation) for evaluation in found.values()):
        raise SystemExit(1)


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


def _measured(
    repository: CitationRepository,
    name: ConfigName,
    config: RetrievalConfig,
    asked: Asked,
    measures: Sequence[str],
) -> RetrievalEvaluation:
    from citehop.evaluation.evaluate import evaluate_retrieval

    texts, qrels, exclude = asked
    with _progress(name, len(qrels)) as progress:
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
    from citehop.evaluation.collection import save_run

    for name, evaluation in found.items():
        path = out if len(found) == 1 else out.with_name(f"{out.stem}.{name}{out.suffix}")
        try:
            save_run(path, evaluation.run, tag=f"citehop-{name}")
        except ValueError as error:
            raise InputError(f"is not written: {error}", file=str(path)) from error
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
    one = next(iter(found.values()))
    if one.unjudged:
        complain(
            f"{len(one.unjudged):,} of {len(one) + len(one.unjudged):,} queries have no relevant"
            " paper in the judgements; they are not counted"
        )
    for name, evaluation in found.items():
        _warn(name, evaluation)


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
