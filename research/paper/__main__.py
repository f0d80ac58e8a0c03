"""``python -m research.paper`` (``make reproduce``): the paper's experiments again, beside the paper's numbers."""

import json
import os
import shutil
from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
import typer

from research import certificate
from research.paper.estimates import VERDICTS
from research.paper.items import ITEMS
from research.paper.runs import Item, Results, measure
from research.paper.settings import OTHERS, SETS, WORLDS, Settings
from research.paper.sheet import Sheet, as_markdown

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
DEFAULT_OUT, QUICK_OUT = Path("results/paper"), Path("results/paper-quick")
MARK = "<!-- written by python -m research.paper -->"
QUICK = "Quick run: few seeds, graphs, models and epochs. It shows that everything works; its numbers mean nothing."
VERDICT_NOTE = (
    "Ours is a mean with its 95% interval. Better and worse: the paper's value lies outside of it. "
    "Undecided: it lies inside, or nothing is known of the spread; that is no success. "
    "Holds and missed: whether our mean reaches what we set ourselves."
)


@app.command()
def reproduce(
    items: Annotated[list[str], typer.Argument(metavar="ITEM", help=f"all, or some of {', '.join(ITEMS)}.")],
    quick: Annotated[bool, typer.Option("--quick", help="Try all in seconds; the numbers mean nothing.")] = False,
    seeds: Annotated[int, typer.Option(help="How many seeds; table1 and sweeps have theirs.", min=1)] = 10,
    world_seeds: Annotated[int | None, typer.Option(help="Seeds of arena's planted worlds; all by default.")] = None,
    device: Annotated[str, typer.Option(help="Where models are trained: cpu or cuda.")] = "cpu",
    jobs: Annotated[int | None, typer.Option(help="Processes; one a core by default, one with --quick.")] = None,
    out: Annotated[Path | None, typer.Option(help="Folder; results/paper, or results/paper-quick.")] = None,
    without: Annotated[str, typer.Option(help="Data sets to leave out, such as mnist-sp,worlds.")] = "",
    data_root: Annotated[Path | None, typer.Option(help="Folder with data sets' files.")] = None,
) -> None:
    """Measure the paper's experiments again, and write our numbers beside the paper's.

    The folder gets README.md, and of each item its tables (CSV) and figures (SVG). What is finished is kept in its
    subfolder .cells: a run that was broken off goes on there, also after kill -9. Remove .cells to measure everything
    again.
    """
    wanted = {{"table2": "rq2"}.get(name.lower(), name.lower()) for name in items}
    check_names("ITEM", wanted, ("all", *ITEMS))
    left_out = tuple(name.strip().lower() for name in without.split(",") if name.strip())
    check_names("--without", left_out, (*SETS, *OTHERS, "graph-sst2", WORLDS))
    settings = Settings(
        num_seeds=seeds,
        num_world_seeds=world_seeds,
        is_quick=quick,
        device=device,
        data_root=data_root,
        without=left_out,
    )
    folder = out or (QUICK_OUT if quick else DEFAULT_OUT)
    page = folder / "README.md"
    if page.is_file() and not page.read_text(encoding="utf-8", errors="replace").startswith(MARK):
        raise FileExistsError(f"{page} is not what was written here; move it away, or choose another --out")
    chosen = [item for name, item in ITEMS.items() if "all" in wanted or name in wanted]
    found, failures = measure(chosen, settings, folder / ".cells", jobs or (1 if quick else os.cpu_count() or 1))
    for item in chosen:
        if item.name in found:
            write_item(folder, item, found[item.name])
    page.write_text(page_of(folder), encoding="utf-8")
    typer.echo(f"{folder}: README.md, and a folder an item")
    if failures:
        lines = "\n".join(f"  {line}" for line in failures)
        typer.echo(f"{len(failures)} failed, and the items that need them were not written:\n{lines}", err=True)
        raise typer.Exit(1)


def check_names(argument: str, names: Any, known: tuple[str, ...]) -> None:
    """Raise ``BadParameter`` unless all names are known."""
    unknown = sorted(set(names) - set(known))
    if unknown:
        raise typer.BadParameter(f"{argument} must be among {', '.join(known)}, got {', '.join(unknown)}")


def write_item(out: Path, item: Item, results: Results) -> None:
    """Write the files of an item in the place of its earlier ones.

    Raises:
        FileExistsError: If there is a folder of that name that was not written here.
    """
    folder, sheet = out / item.name, Sheet(item.name)
    item.write(results, sheet)
    if folder.is_dir() and any(folder.iterdir()) and not (folder / "item.json").is_file():
        raise FileExistsError(f"{folder} has other files; move it away, or choose another --out")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, text in sheet.files.items():
        (folder / name).write_text(text, encoding="utf-8")
    cells = [json.dumps({"key": list(key), "result": value}, allow_nan=False) for key, value in results.items()]
    (folder / "cells.json").write_text("[\n" + ",\n".join(cells) + "\n]\n", encoding="utf-8")
    facts = {
        "item": item.name,
        "title": item.title,
        "question": item.question,
        "is_quick": results.settings.is_quick,
        "num_seeds": results.settings.num_seeds,
        "num_cells": len(results),
        "seconds": round(results.seconds, 1),
        "run": certificate.this_run(results.settings.device),
        "parts": sheet.plain_findings(),
        "text": sheet.text(),
    }
    (folder / "item.json").write_text(json.dumps(facts, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def page_of(out: Path) -> str:
    """The page of all items that the folder has, in the order of the items."""
    facts = [
        json.loads((out / name / "item.json").read_text()) for name in ITEMS if (out / name / "item.json").is_file()
    ]
    counts = [Counter(part["verdict"] for part in one["parts"]) for one in facts]
    rows = [
        [f"{one['item']}: {one['title']}", *(own[word] or None for word in VERDICTS)]
        for one, own in zip(facts, counts, strict=True)
    ]
    lines = [MARK, "# The paper's experiments, measured again", VERDICT_NOTE]
    lines += [f"**{QUICK}**"] if any(one["is_quick"] for one in facts) else []
    lines += [as_markdown(pd.DataFrame(rows, columns=("item", *VERDICTS), dtype=object))]
    for one in facts:
        run = one["run"]
        lines += [f"## {one['item']}: {one['title']}", one["question"], one["text"]]
        lines += [
            f"_{'quick run, ' if one['is_quick'] else ''}{one['num_seeds']} seeds; {one['seconds']:.0f} s in "
            f"{one['num_cells']} cells, on one core each, training apart; {run['commit']}, {run['machine']['cpu']}, "
            f"{run['machine']['device']}, {run['date']}_"
        ]
    return "\n\n".join(lines) + "\n"


if __name__ == "__main__":
    app()
