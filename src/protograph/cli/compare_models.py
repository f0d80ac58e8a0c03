"""``protograph compare-models``: two runs' explanations of the same classes beside each other."""

import json
import os
import re
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from protograph._utils.words import one_line
from protograph.cli import arguments
from protograph.cli.runs import EXPLANATION, read_run
from protograph.cli.tables import wrapped

# How a page of ours begins: with no other words before its generator, which other files may mention.
PAGE_HEAD = re.compile(
    rb'\s*<!doctype html>\s*<html lang="en">\s*<head>\s*<meta charset="utf-8">\s*'
    rb'<meta name="generator" content="protograph compare-models">'
)


def compare_models(
    first: Annotated[
        Path, typer.Argument(metavar="RUN_A", help="A folder that protograph explain has written: before.")
    ],
    second: Annotated[Path, typer.Argument(metavar="RUN_B", help="Another one, of the same data and classes: after.")],
    least_change: Annotated[
        float, typer.Option(help="Shares that differ by less count as the same.", min=0, max=1)
    ] = 0.05,
    out: Annotated[
        Path | None, typer.Option(help="Page; runs/compare-models-A-B.html by default.", metavar="FILE")
    ] = None,
    as_json: arguments.Json = False,
) -> None:
    """Compare two models' explanations: reasons that came, went or changed, and graphs whose reason did."""
    from protograph.explanation.difference import diff
    from protograph.explanation.explanations import load
    from protograph.report.difference_page import write_difference

    page = out or Path("runs") / f"compare-models-{first.resolve().name}-{second.resolve().name}.html"
    # A file that does not begin as such a page does is not replaced.
    if os.path.lexists(page) and not (page.is_file() and PAGE_HEAD.match(page.read_bytes()[:400])):
        raise ValueError(
            f"--out {page} is there and is not a page of `protograph compare-models`; choose another --out"
        )
    runs = [read_run(folder) for folder in (first, second)]
    # Graphs of one name need not be the same in different data.
    sums = [run.sums.get("data", one_line(run.run.data)) for run in runs]
    if sums[0] != sums[1]:
        raise ValueError(
            f"{first} and {second} are of different data, {one_line(runs[0].run.data)} and "
            f"{one_line(runs[1].run.data)}, or the file has changed between them; explain both models on the same data"
        )
    before, after = (load(run.file(EXPLANATION)) for run in runs)
    difference = diff(before, after, least_change=least_change)
    page.parent.mkdir(parents=True, exist_ok=True)
    write_difference(difference, page, (str(first), str(second)))
    if as_json:
        classes = [
            {
                "class": one.target,
                "predicted": list(one.num_predicted),
                "fidelity": [None if fidelity is None else float(fidelity) for fidelity in one.fidelity],
                "changes": [asdict(change) for change in one.changes],
            }
            for one in difference.classes
        ]
        found = {"classes": classes, "graphs": [asdict(one) for one in difference.graphs]}
        rest = {"common": difference.num_common, "notes": list(difference.notes)}
        typer.echo(json.dumps({"out": str(page), **found, **rest}))
        return
    for line in difference.summary().split("\n"):
        typer.echo("\n".join(wrapped(line, " " * 6)))
    typer.echo(f"\n{page}")
