"""The commands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from citehop.cli.build import add, build, remove
from citehop.cli.evaluate import evaluate
from citehop.cli.load import load
from citehop.cli.looking import demo, neighbours, show, stats
from citehop.cli.searching import explain, plan, search

app = typer.Typer(
    name="citehop",
    help="Find papers by their words, and the papers that only the citation graph finds.",
    epilog='Example: citehop search "peer review" --in works.jsonl',
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,
)


def _version(wanted: bool) -> None:
    if wanted:
        from citehop import __version__

        typer.echo(f"citehop {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Find papers by their words, and the papers that only the citation graph finds."""


_EXAMPLES: dict[Callable[..., None], str] = {
    search: 'Example: citehop search "peer review" --in works.jsonl --year 2010..2020',
    neighbours: "Example: citehop neighbours W2755950973 --in works.jsonl --hops 2",
    show: "Example: citehop show https://doi.org/10.1103/physrevlett.118.091101 --in works.jsonl",
    explain: 'Example: citehop explain "peer review" W2755950973 --in works.jsonl',
    plan: 'Example: citehop plan plan.toml "peer review" --in works.jsonl',
    stats: "Example: citehop stats --in works.jsonl --in edges.tsv",
    build: "Example: citehop build works.jsonl.gz -o library --analysis english",
    add: "Example: citehop add new.jsonl --in library",
    remove: "Example: citehop remove W2755950973 10.5555/retracted --in library",
    load: "Example: citehop load works.jsonl.gz --store neo4j://localhost",
    evaluate: "Example: citehop evaluate --in papers.jsonl --queries q.jsonl --qrels qrels.tsv",
    demo: 'Example: citehop demo "open access advantage"',
}
for _command, _example in _EXAMPLES.items():
    app.command(epilog=_example)(_command)
