"""``protograph datasets``: which data sets there are, whether they are right, and getting their files."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from protograph._utils.progress import command_progress
from protograph.cli.arguments import DataRoot, Json
from protograph.cli.tables import table, wrapped

COUNTED = ("graphs", "nodes", "edges")
app = typer.Typer(rich_markup_mode=None)


@app.callback(invoke_without_command=True)
def datasets(context: typer.Context) -> None:
    """Which data sets there are, whether they are right, and getting their files."""
    if context.invoked_subcommand is None:
        list_all(None, False)


@app.command("list")
def list_all(data_root: DataRoot = None, as_json: Json = False) -> None:
    """List the data sets, and whether their files are here."""
    from protograph.datasets import registry

    rows = {
        name: {
            "graphs": spec.num_graphs,
            "classes": spec.num_classes,
            "files": spec.state(data_root),
            "about": spec.question,
        }
        for name, spec in registry.SPECS.items()
    }
    if as_json:
        typer.echo(json.dumps(rows))
        return
    lines = [
        f"{name:<13} {row['graphs']:>7,} {row['classes']:>8}  {row['files']:<17} {row['about']}"
        for name, row in rows.items()
    ]
    typer.echo("\n".join([f"{'name':<13} {'graphs':>7} {'classes':>8}  {'files':<17} about", *lines]))
    typer.echo("\nAny TUDataset by its name too, such as PROTEINS or IMDB-BINARY.")


@app.command("check")
def check(
    names: Annotated[list[str] | None, typer.Argument(metavar="[NAME]", help="All that are here by default.")] = None,
    data_root: DataRoot = None,
    as_json: Json = False,
) -> None:
    """Count graphs, nodes and edges, beside the paper's Table 1; exit status 1 on a difference without explanation."""
    from protograph.datasets import registry
    from protograph.datasets.spec import key_of

    in_table = {name: spec.paper for name, spec in registry.SPECS.items() if spec.paper is not None}
    chosen = [key_of(name) for name in names] if names else list(in_table)
    for name in chosen:
        if name not in in_table:
            raise ValueError(f"NAME must be a data set of the paper's Table 1 ({', '.join(in_table)}), got {name!r}")
    # What has to be downloaded is left alone unless it is named.
    here = [name for name in chosen if names or registry.SPECS[name].state(data_root) in ("here", "generated")]
    rows: dict[str, Any] = dict.fromkeys(chosen)
    with command_progress() as progress:
        for name in here:
            paper = in_table[name]
            counts = paper.count(registry.load(name, data_root, progress=progress), progress)
            verdict = paper.verdict(counts)
            rows[name] = {
                "ours": dict(zip(COUNTED, counts, strict=True)),
                "paper": {key: getattr(paper, key) for key in COUNTED},
                "edges_are": paper.counting,
                "verdict": verdict,
                "reason": paper.reason if verdict == "explained" else "",
            }
    if as_json:
        typer.echo(json.dumps(rows))
    else:
        typer.echo("\n".join(_table(rows)))
    if any(row is not None and row["verdict"] == "different" for row in rows.values()):
        raise typer.Exit(1)


def _table(rows: dict[str, Any]) -> list[str]:
    """A row a data set: our counts beside the paper's; reasons stand below, each in lines of its own."""
    cells = [["name", "graphs", "paper", "nodes", "paper", "edges", "paper", "edges are", "verdict"]]
    notes = []
    for name, row in rows.items():
        if row is None:
            notes.append(f"{name} is not here: `protograph datasets fetch {name}` gets it")
            continue
        counts = [f"{row[whose][key]:,}" for key in COUNTED for whose in ("ours", "paper")]
        cells.append([name, *counts, row["edges_are"], row["verdict"]])
        notes += [f"{name}: {row['reason']}"] if row["reason"] else []
    lines = table(cells) if len(cells) > 1 else []
    return [*lines, *([""] if lines and notes else []), *(line for note in notes for line in wrapped(note, "  "))]


@app.command("fetch")
def fetch(
    names: Annotated[list[str], typer.Argument(metavar="NAME", help="Data sets to download.")],
    data_root: Annotated[
        Path | None, typer.Option("--data-root", help="Folder to put them in; the cache by default.", metavar="DIR")
    ] = None,
) -> None:
    """Download the files of data sets, checked by their sums, into --data-root or the cache."""
    from protograph.datasets import registry

    for name in names:
        with command_progress() as progress:
            files = registry.fetch(name, data_root, progress)
        typer.echo("\n".join(str(file) for file in files))
