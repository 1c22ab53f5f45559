"""What `stats` and `build` count of what reading and loading refused or dropped."""

from __future__ import annotations

import json
from pathlib import Path
from unittest.mock import patch

import pytest
from tests.commands import run, run_json

from citehop.errors import InputError
from citehop.library.unfinished import Unfinished

EDGES = "citing\tcited\na\tb\na\ta\nb\tb\na\tb\nb\ta\nc\n"


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """A record that cites itself, and one work twice; edges: two to themselves, one repeated."""
    record = {"id": "d", "title": "Salt", "references": ["d", "b", "b"]}
    (tmp_path / "a.jsonl").write_text(json.dumps(record) + "\n", encoding="utf-8")
    (tmp_path / "edges.tsv").write_text(EDGES, encoding="utf-8")
    return [str(tmp_path / "a.jsonl"), str(tmp_path / "edges.tsv")]


def test_each_kind_is_counted_beyond_what_is_listed(tmp_path: Path) -> None:
    """1,500 records without an id, 1,200 bad years and one broken line are all counted."""
    path = tmp_path / "bad.jsonl"
    lines = ['{"title": "x"}'] * 1_500 + [
        f'{{"id": "p{number}", "year": 1}}' for number in range(1_200)
    ]
    path.write_text("\n".join([*lines, "{broken}", '{"id": "last"}\n']), encoding="utf-8")
    counted = run_json("stats", "--in", path)

    assert counted["papers"] == 1_201
    assert counted["records_rejected"] == 1_501
    assert counted["rejected_no_id"] == 1_500
    assert counted["rejected_not_json"] == 1
    assert counted["warning_bad_year"] == 1_200
    assert "rejected: no_id\t1500" in run("stats", "--in", path).stdout


def test_stats_count_citations_dropped_while_reading(files: list[str]) -> None:
    """One self-citation of the record and two of the edge list, one repeat of each."""
    counted = run_json("stats", "--in", files[0], "--in", files[1])

    assert counted["self-citations_dropped"] == 3
    assert counted["doubled_citations_dropped"] == 2
    assert counted["warning_self_citation"] == 2
    assert counted["rejected_wrong_columns"] == 1
    assert counted["citations_in_all"] == 3


def test_build_and_add_count_them_too(files: list[str], tmp_path: Path) -> None:
    """What the commands print counts what the reader dropped with what the library did."""
    built = run_json("build", *files, "-o", tmp_path / "library")
    added = run_json("add", files[1], "--in", tmp_path / "library")

    assert (built["dropped_self"], built["dropped_doubled"]) == (3, 2)
    assert (added["dropped_self"], added["dropped_doubled"]) == (2, 1)


def test_a_build_that_goes_on_does_not_know_what_reading_dropped(
    files: list[str], tmp_path: Path
) -> None:
    """Papers read before the interruption are not read again, so both counts are left open."""
    out = tmp_path / "library"
    with (
        patch.object(Unfinished, "read_papers", side_effect=KeyboardInterrupt),
        patch.object(Unfinished, "keep_part", side_effect=KeyboardInterrupt),
    ):
        assert run("build", *files, "-o", out).exit_code == 130
    built = run_json("build", *files, "-o", out)

    assert (built["created"], built["dropped_self"], built["dropped_doubled"]) == (3, None, None)


@pytest.mark.shared
def test_stats_of_real_edges(shared_dir: Path) -> None:
    """The eight self-citations of a published edge list are the eight that are counted."""
    folder = shared_dir / "data" / "acl_scisumm"
    counted = run_json(
        "stats", "--in", folder / "papers.jsonl", "--in", folder / "edges_inside.tsv"
    )

    assert counted["self-citations_dropped"] == counted["warning_self_citation"] == 8


def test_a_download_that_is_not_read_is_named(tmp_path: Path) -> None:
    """`show` refuses a work of Crossref instead of showing half of it."""
    path = tmp_path / "work.json"
    work = {"DOI": "10.5555/a", "title": "T", "reference-count": 7, "is-referenced-by-count": 2}
    path.write_text(json.dumps(work), encoding="utf-8")
    done = run("show", "10.5555/a", "--in", path)

    assert done.exit_code == 1
    assert isinstance(done.exception, InputError)
    assert done.exception.reason == (
        "looks like Crossref's JSON, which is not read; turn it into own records "
        "(docs/formats.md says how they look)"
    )
