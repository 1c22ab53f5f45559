"""The commands, in a pipe: what they print, where, and their exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.commands import run, run_json

from citehop import InputError

PAPERS = [
    {
        "id": "marsh",
        "doi": "10.5555/Marsh.1",
        "title": "Salt marsh accretion",
        "abstract": "Marshes keep up with the sea.",
        "year": 2012,
        "references": ["tide", "elsewhere"],
    },
    {"id": "tide", "title": "Tidal range and sediment", "year": 1998, "source": "s2"},
    {"id": "storm", "title": "Hurricanes bring mud", "year": 2019, "references": ["marsh"]},
    {"id": "gone", "title": "Salt pans", "year": 2009, "is_retracted": True},
]


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """Four papers in a file of JSON lines."""
    path = tmp_path / "papers.jsonl"
    path.write_text("".join(json.dumps(paper) + "\n" for paper in PAPERS), encoding="utf-8")
    return path


def test_search_prints_score_parts_reason_and_legs(library: Path) -> None:
    """Rows on standard output with the score's parts and the reason; the legs beside them."""
    done = run("search", "marsh", "--in", library)

    rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert done.exit_code == 0
    assert rows[0] == "rank score words graph recency year id title because".split()
    assert [row[6] for row in rows[1:]] == ["marsh", "storm", "tide"]
    assert rows[1][1:5] == ["0.933", "0.500", "0.300", "0.133"]
    assert rows[2][8] == "found because it cites “Salt marsh accretion” (marsh)"
    assert rows[3][8] == "found because it is cited by “Salt marsh accretion” (marsh)"
    assert "✓ lexical" in done.stderr
    assert "✓ graph" in done.stderr


def test_search_json_keeps_what_may_differ_apart(library: Path) -> None:
    """One document; seconds, backend and revision stand in `diagnostics` and nowhere else."""
    document = run_json("search", "marsh", "--in", library)

    diagnostics = document.pop("diagnostics")
    assert document["status"] == "success"
    assert [leg["status"] for leg in document["legs"]] == ["success", "success"]
    assert diagnostics["legs"]["graph"]["backend"] == "networkx"
    assert "elapsed_seconds" in diagnostics["legs"]["lexical"]
    assert "elapsed" not in json.dumps(document)


def test_search_options_narrow_the_answer(library: Path) -> None:
    """Years, provider, retraction, exclusion, hops, direction and top each do what they say."""

    def ids(*options: object) -> list[str]:
        document = run_json("search", "salt marsh", "--in", library, *options)
        return [hit["id"] for hit in document["hits"]]

    assert ids() == ["marsh", "gone", "storm", "tide"]
    assert ids("--year", "2010..2020") == ["marsh", "storm"]
    assert ids("--year", "..2010") == ["gone"]
    assert ids("--provider", "s2") == []
    assert ids("--exclude-retracted") == ["marsh", "storm", "tide"]
    assert ids("--exclude", "https://doi.org/10.5555/marsh.1") == ["gone"]
    assert ids("--hops", 0) == ["marsh", "gone"]
    assert ids("--direction", "references") == ["marsh", "gone", "tide"]
    assert ids("--top", 1) == ["marsh"]


def test_a_retracted_paper_is_marked(library: Path) -> None:
    """Its status is in the JSON, and `show` names it with its evidence."""
    hits = run_json("search", "pans", "--in", library)["hits"]
    shown = run("show", "gone", "--in", library)

    assert hits[0]["doc"]["retracted"] == "yes"
    assert "retracted\tyes" in shown.stdout


@pytest.mark.parametrize(
    "name",
    ["marsh", "10.5555/MARSH.1", "doi:10.5555/marsh.1", "https://dx.doi.org/10.5555/Marsh.1"],
)
def test_a_paper_is_named_by_its_id_or_its_doi(library: Path, name: str) -> None:
    """Any spelling of a DOI names the paper, in every command that takes an ID."""
    assert run_json("show", name, "--in", library)["id"] == "marsh"
    assert run_json("neighbours", name, "--in", library)["id"] == "marsh"
    assert run_json("explain", "marsh", name, "--in", library)["id"] == "marsh"


def test_neighbours_are_listed_nearest_first(library: Path) -> None:
    """One hop by default; external works are bridges, never rows."""
    document = run_json("neighbours", "tide", "--in", library, "--hops", 2)

    assert [(row["id"], row["distance"]) for row in document["neighbours"]] == [
        ("marsh", 1),
        ("storm", 2),
    ]
    assert document["truncated"] is False


def test_neighbours_say_what_a_limit_left_out(library: Path) -> None:
    """`--top` cuts, and the cut is counted."""
    document = run_json("neighbours", "marsh", "--in", library, "--top", 1)

    assert [row["id"] for row in document["neighbours"]] == ["tide"]
    assert document["truncated"] is True
    assert document["cut"]["marsh"] == {"left_out": 1, "exact": True}


def test_show_names_what_is_cited_here_and_counts_the_rest(library: Path) -> None:
    """References inside are listed with titles, works outside are counted."""
    done = run("show", "marsh", "--in", library)

    assert done.exit_code == 0
    assert "Tidal range and sediment" in done.stdout
    assert "it cites 1 paper here, 1 work outside" in done.stderr


def test_stats_count_papers_citations_and_externals(library: Path) -> None:
    """The counts are those of the store and of the reading."""
    document = run_json("stats", "--in", library)

    assert document["papers"] == 4
    assert document["works_outside"] == 1
    assert document["citations_between_papers"] == 2
    assert document["citations_in_all"] == 3
    assert (document["oldest_year"], document["newest_year"]) == (1998, 2019)
    assert document["retracted_yes"] == 1


def test_the_library_may_come_from_the_environment(
    library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without `--in` the files named by CITEHOP_LIBRARY are read."""
    monkeypatch.setenv("CITEHOP_LIBRARY", str(library))

    assert run_json("show", "tide")["id"] == "tide"


def test_nothing_found_is_no_failure(library: Path) -> None:
    """Unknown words give exit code 0, no rows, and a reason."""
    done = run("search", "volcano", "--in", library)

    assert done.exit_code == 0
    assert done.stdout == ""
    assert "no word of the query is in these papers" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["search", ""], "the query is empty"),
        (["search", "  \t"], "the query is empty"),
        (["search", "\u200b\ufeff"], "the query is empty"),
        (["search", "marsh", "--in", ""], "a path is empty"),
        (["search", "marsh", "--year", ""], "no range of years"),
        (["search", "marsh", "--year", "٢٠٠١"], "no range of years"),
        (["explain", " ", "marsh"], "the query is empty"),
        (["search", "marsh", "--year", "2020..2010"], "starts after it ends"),
        (["search", "marsh", "--year", "soon"], "no range of years"),
        (["search", "marsh", "--hops", "5"], "Invalid value for '--hops'"),
        (["search", "marsh", "--direction", "up"], "'up' is not one of"),
        (["nonsense"], "No such command"),
    ],
)
def test_wrong_usage_exits_2_and_says_what_was_expected(
    library: Path, arguments: list[str], message: str
) -> None:
    """Usage errors are told on standard error; nothing goes to standard output."""
    extra = ["--in", str(library)] if len(arguments) > 1 else []
    done = run(*arguments, *extra)

    assert done.exit_code == 2
    assert message in " ".join(done.stderr.split())
    assert done.stdout == ""


def test_no_file_named_and_a_missing_file_are_usage_errors(tmp_path: Path) -> None:
    """Both say how to mend it."""
    none = run("stats")
    missing = run("stats", "--in", tmp_path / "no.jsonl")

    assert (none.exit_code, missing.exit_code) == (2, 2)
    assert "CITEHOP_LIBRARY" in none.stderr
    assert "there is no such file or folder" in " ".join(missing.stderr.split())


def test_an_unknown_paper_is_a_clear_error(library: Path) -> None:
    """The name is repeated, and what would name a paper is said."""
    done = run("show", "W1", "--in", library)

    assert done.exit_code == 1
    assert "no paper here is named 'W1'" in str(done.exception)


def test_the_demo_points_at_a_paper_that_only_citations_find() -> None:
    """The best graph hit of the demo shares no word with the query, and is pointed out."""
    done = run("demo")

    rows = [line.split("\t") for line in done.stdout.splitlines()[1:]]
    assert done.exit_code == 0
    assert rows[2][6] == "W4313545395"
    assert "“Papers and patents are becoming less disruptive over time” has no word" in done.stderr
    assert "Next:" in done.stderr


def test_propagation_has_its_own_hops_and_hits(library: Path) -> None:
    """`--scoring propagation` takes its profile, but for what the command line says."""
    plain = run_json("search", "marsh", "--in", library, "--scoring", "propagation")["config"]
    asked = run_json("search", "marsh", "--in", library, "--scoring", "propagation", "--hops", "2")

    assert (plain["scoring"], plain["max_hops"], plain["top_k_lexical"]) == ("propagation", 1, 200)
    assert (plain["w_recency"], plain["top_k"]) == (0.0, 20)
    assert (asked["config"]["max_hops"], asked["config"]["top_k_lexical"]) == (2, 200)
    told = run_json("explain", "marsh", "storm", "--in", library, "--scoring", "propagation")
    assert [flow["seed"] for flow in told["flows"]] == ["marsh"]


def test_explain_judges_by_what_search_shows(library: Path) -> None:
    """The same `--top` leaves the same papers out, 20 where not given."""
    shown = run_json("explain", "marsh", "storm", "--in", library, "--top", "2")
    cut = run_json("explain", "marsh", "storm", "--in", library, "--top", "1")

    assert (shown["rank"], shown["left_out"]) == (2, [])
    assert cut["rank"] == 2
    assert [entry["code"] for entry in cut["left_out"]] == ["BELOW_TOP_K"]
    assert cut["left_out"][0]["message"] == "it ranks 2 and only top_k=1 hits are returned"


def test_an_unknown_id_to_leave_out_is_remarked(library: Path) -> None:
    """A misspelt `--exclude` leaves nothing out, and says so; the answer stands."""
    done = run("search", "marsh", "--in", library, "--exclude", "mrash")

    assert done.exit_code == 0
    assert "warning: --exclude mrash: no paper has this id" in done.stderr
    assert "\tmarsh\t" in done.stdout


def test_a_file_is_told_apart_from_a_library(library: Path) -> None:
    """`remove` and `add` change libraries; a file is named as one."""
    for command in (["remove", "storm"], ["add", library]):
        done = run(*command, "--in", library)
        assert isinstance(done.exception, InputError)
        assert done.exception.reason == (
            "is a file, and no library; make one of it with 'citehop build'"
        )


@pytest.mark.parametrize(
    ("started", "found", "expected"),
    [
        ("tool/citehop", None, "tool/citehop"),
        ("tool/citehop", "/somewhere/citehop", "citehop"),
        ("tool/none", None, "citehop"),
    ],
)
def test_the_demo_names_itself_as_it_was_started(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    started: str,
    found: str | None,
    expected: str,
) -> None:
    """What it says to type next works in this folder: by its path, or by its name on the PATH."""
    (tmp_path / "tool").mkdir()
    (tmp_path / "tool" / "citehop").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", [str(tmp_path / started)])
    monkeypatch.setattr("shutil.which", lambda _: found)

    assert f"\n  {expected} --help" in run("demo").stderr
