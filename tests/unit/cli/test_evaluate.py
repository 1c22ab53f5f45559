from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.commands import run

from citehop.cli import main
from citehop.errors import InputError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Four papers, two queries: only a citation leads from salt to its relevant paper."""
    papers = [
        {"id": "p1", "title": "Salt marsh", "references": ["p2"], "year": 2000},
        {"id": "p2", "title": "Reeds", "year": 2010},
        {"id": "p3", "title": "Tides and salt", "references": ["p2"], "year": 2020},
        {"id": "p4", "title": "Bogs", "year": 2015},
    ]
    _write(tmp_path / "papers.jsonl", [json.dumps(paper) for paper in papers])
    _write(tmp_path / "queries.tsv", ["q1\tsalt", "q2\tbogs", "q3\tmoors"])
    _write(tmp_path / "qrels.txt", ["q1 0 p2 1", "q2 0 p4 1"])
    return tmp_path


def _write(path: Path, lines: list[str]) -> None:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _run(
    monkeypatch: pytest.MonkeyPatch, folder: Path, *options: str, papers: str = "papers.jsonl"
) -> int:
    files = ["--in", str(folder / papers), "--queries", str(folder / "queries.tsv")]
    arguments = ["citehop", "evaluate", *files, "--qrels", str(folder / "qrels.txt"), *options]
    monkeypatch.setattr("sys.argv", arguments)
    with pytest.raises(SystemExit) as caught:
        main()
    return int(caught.value.code or 0)


def test_four_configurations_are_compared(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    """One line each, with the gain over words alone and what did not run."""
    code = _run(monkeypatch, folder, "--measure", "R@5", "--measure", "P@1")
    header, *lines = capsys.readouterr().out.splitlines()

    assert code == 0
    assert header.split("\t")[:7] == [
        *("config", "queries", "degraded", "failed", "R@5", "against bm25", "p")
    ]
    assert lines == [
        "bm25\t2\t0\t0\t0.500\t\t\t0.500\t\t",
        "hops\t2\t0\t0\t1.000\t+100.0 %\t1.000\t0.500\t+0.0 %\t1.000",
        "hops-without-recency\t2\t0\t0\t1.000\t+100.0 %\t1.000\t0.500\t+0.0 %\t1.000",
        "propagation\t2\t0\t0\t1.000\t+100.0 %\t1.000\t0.500\t+0.0 %\t1.000",
    ]


def test_judgements_may_name_papers_in_any_spelling(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    """URLs and DOIs name the paper that is here; judged papers that are not are counted aloud."""
    papers = [
        {"id": "https://openalex.org/W7", "title": "Salt marsh", "doi": "10.5555/Salt"},
        {"id": "https://openalex.org/W8", "title": "Salt pans"},
    ]
    _write(folder / "papers.jsonl", [json.dumps(paper) for paper in papers])
    _write(folder / "queries.tsv", ["q1\tsalt", "q2\tpans"])
    urls = ["q1 0 https://doi.org/10.5555/SALT 1", "q1 0 W9 1", "q2 0 https://openalex.org/W8 1"]
    _write(folder / "qrels.txt", urls)

    code = _run(monkeypatch, folder, "--measure", "R@5", "--config", "bm25")
    captured = capsys.readouterr()

    assert code == 0
    assert captured.out.splitlines()[1].split("\t")[4] == "0.750"
    assert "1 of 3 judged papers are not here" in captured.err


def test_runs_are_written_one_file_each(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    """With several configurations the name stands before the suffix; with one it does not."""
    both = ["--config", "bm25", "--config", "propagation", "--depth", "2"]

    assert _run(monkeypatch, folder, *both, "--run", str(folder / "run.trec")) == 0
    assert _run(monkeypatch, folder, *both[:2], "--run", str(folder / "one.trec")) == 0
    capsys.readouterr()
    assert sorted(path.name for path in folder.glob("*.trec")) == [
        *("one.trec", "run.bm25.trec", "run.propagation.trec")
    ]
    assert [line.split()[::2] for line in (folder / "one.trec").read_text().splitlines()] == [
        ["q1", "p1", "0.8"],
        ["q1", "p3", "0.7027027"],
        ["q2", "p4", "0.8"],
    ]


def test_the_same_document_from_the_same_files(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    """JSON has means, counts and comparisons; a sample takes fewer queries."""
    options = ["--json", "--measure", "R@5", "--config", "bm25", "--config", "hops"]
    assert _run(monkeypatch, folder, *options) == 0
    first = capsys.readouterr().out
    assert _run(monkeypatch, folder, *options) == 0
    assert capsys.readouterr().out == first
    assert _run(monkeypatch, folder, *options, "--sample", "1") == 0
    sampled = json.loads(capsys.readouterr().out)["configs"]

    found = json.loads(first)["configs"]
    assert found["bm25"] == {
        "queries": 2,
        "degraded": 0,
        "failed": 0,
        "unjudged": 1,
        "errors": {},
        "mean": {"R@5": 0.5},
        "mean_whole": {"R@5": 0.5},
        "against_bm25": None,
    }
    assert found["hops"]["against_bm25"]["R@5"] == {
        "measure": "R@5",
        "baseline": 0.5,
        "value": 1.0,
        "p_value": 1.0,
        "better": 1,
        "worse": 0,
        "pairs": 2,
        "gain": 1.0,
    }
    assert (sampled["bm25"]["queries"], sampled["bm25"]["unjudged"]) == (1, 1)


def test_usage_errors(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    """An unknown measure, configuration or folder is a wrong use; files that do not fit are not."""
    assert _run(monkeypatch, folder, "--measure", "recall@5") == 2
    assert "nDCG@10" in capsys.readouterr().err
    assert _run(monkeypatch, folder, "--config", "best") == 2
    assert _run(monkeypatch, folder, "--run", str(folder / "none" / "run")) == 2
    _write(folder / "qrels.txt", ["other 0 p2 1"])
    capsys.readouterr()
    assert _run(monkeypatch, folder) == 1
    assert "no query has a relevant paper" in capsys.readouterr().err
    _write(folder / "queries.tsv", ["no tab here"])
    assert _run(monkeypatch, folder) == 1
    assert "queries.tsv: line 1: has no tab" in capsys.readouterr().err


def test_nothing_left_to_find_is_an_error_in_words(tmp_path: Path) -> None:
    """Where all that is relevant is left out there is nothing to measure."""
    papers, queries, qrels = (tmp_path / name for name in ("p.jsonl", "q.jsonl", "r.tsv"))
    papers.write_text('{"id": "a", "title": "Salt"}\n')
    queries.write_text('{"_id": "q1", "text": "salt", "exclude": ["a"]}\n')
    qrels.write_text("query-id\tcorpus-id\tscore\nq1\ta\t1\n")

    done = run("evaluate", "--in", papers, "--queries", queries, "--qrels", qrels)

    assert isinstance(done.exception, InputError)
    assert str(done.exception).startswith("no query is judged: expected an id that is in queries")


def test_queries_that_nobody_judged_are_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    """They are not measured, and not hidden."""
    _write(folder / "qrels.txt", ["q1 0 p2 1", "q2 0 p4 0"])

    assert _run(monkeypatch, folder, "--config", "bm25", "--json") == 0
    captured = capsys.readouterr()
    found = json.loads(captured.out)["configs"]["bm25"]
    assert (found["queries"], found["unjudged"]) == (1, 2)
    assert captured.err == (
        "citehop: 2 of 3 queries have no relevant paper in the judgements; they are not counted\n"
    )


def test_a_query_id_that_no_run_can_hold_is_refused_first(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    """Nothing is searched, nothing printed, and no file made."""
    _write(folder / "queries.tsv", ["q 1\tsalt"])
    _write(folder / "qrels.txt", ["q 1\tp2\t1"])

    assert _run(monkeypatch, folder, "--run", str(folder / "run.trec")) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.endswith(
        "queries.tsv: the query id 'q 1' holds a blank, or nothing, and a TREC run parts its"
        " columns by blanks; expected an id in one piece, or leave out --run\n"
    )
    assert not list(folder.glob("run*"))


def test_a_paper_id_that_no_run_can_hold_costs_the_run_alone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    """The table is printed, and what the run's file held before stays."""
    papers = [{"id": "p1", "title": "Salt marsh"}, {"id": "c d", "title": "Salt"}]
    _write(folder / "papers.jsonl", [json.dumps(paper) for paper in papers])
    _write(folder / "qrels.txt", ["q1 0 p1 1"])
    _write(folder / "run.trec", ["of before"])
    options = ["--config", "bm25", "--measure", "R@5", "--run", str(folder / "run.trec")]

    assert _run(monkeypatch, folder, *options) == 1
    captured = capsys.readouterr()
    assert captured.out.splitlines()[1] == "bm25\t1\t0\t0\t1.000\t\t"
    assert "run.trec: is not written: the paper id 'c d' holds a blank" in captured.err
    assert (folder / "run.trec").read_text() == "of before\n"
    assert [path.name for path in folder.glob("run*")] == ["run.trec"]
