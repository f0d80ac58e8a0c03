"""``python -m research.paper`` (``make reproduce``): the paper's experiments again, beside the paper's numbers."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from protograph._base.progress import duration
from protograph._base.publishing import open_folder
from protograph._base.words import count_of
from protograph.cli import arguments
from protograph.cli.tables import table, wrapped
from protograph.models.classifier import checked_device
from research.paper.findings import VERDICTS
from research.paper.item import Item
from research.paper.items import ITEMS
from research.paper.page import QUICK, verdict_counts
from research.paper.publishing import CELLS, KIND, OTHER_OUT, check_readme, publish_item, publish_page
from research.paper.running import Failure, Plan, measure
from research.paper.sets import OTHERS, SETS
from research.paper.settings import WORLDS, Settings

# What an item is asked for by besides its name.
ALIASES = {"table2": "rq2"}
app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
DEFAULT_OUT, QUICK_OUT = Path("results/paper"), Path("results/paper-quick")


@app.command()
def reproduce(
    items: Annotated[list[str], typer.Argument(metavar="ITEM", help=f"all, or some of {', '.join(ITEMS)}.")],
    quick: Annotated[bool, typer.Option("--quick", help="Try all in seconds; the numbers mean nothing.")] = False,
    seeds: Annotated[int, typer.Option(help="How many seeds; table1 and sweeps have theirs.", min=1, metavar="N")] = 10,
    world_seeds: Annotated[
        int | None, typer.Option(help="Seeds of arena's planted worlds; as many by default.", min=1, metavar="N")
    ] = None,
    device: Annotated[str, typer.Option(help="Where models are trained: cpu or cuda.")] = "cpu",
    jobs: Annotated[
        int | None, typer.Option(help="Processes; one a core by default, one with --quick.", min=1, metavar="N")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder; results/paper, or results/paper-quick.", metavar="DIR")
    ] = None,
    without: Annotated[
        str,
        typer.Option(
            help="Data sets to leave out, divided by commas, such as mnist-sp,worlds.",
            metavar="NAMES",
        ),
    ] = "",
    any_versions: Annotated[
        bool, typer.Option("--any-versions", help="Take finished cells whatever versions measured them.")
    ] = False,
    data_root: arguments.DataRoot = None,
) -> None:
    """Measure the paper's experiments again, and write our numbers beside the paper's.

    The folder gets README.md, index.html, and of each item its tables (CSV, JSON, LaTeX) and figures (SVG). What is
    finished is kept in its subfolder .cells: a run that was broken off goes on there, also after kill -9. Remove
    .cells to measure everything again.
    """
    chosen = _chosen(items)
    if world_seeds is not None and world_seeds > seeds:
        raise ValueError(f"--world-seeds must be at most --seeds, which is {seeds}, got {world_seeds}")
    settings = Settings(
        seeds=tuple(range(seeds)),
        num_world_seeds=world_seeds,
        is_quick=quick,
        device=device,
        jobs=jobs or (1 if quick else os.cpu_count() or 1),
        data_root=data_root,
        without=_left_out(without),
        any_versions=any_versions,
    )
    folder = out or (QUICK_OUT if quick else DEFAULT_OUT)
    check_readme(folder)
    if Plan(chosen, settings, folder / CELLS).tasks:  # else nothing is trained: cells may be those of another machine
        checked_device(device)
    with open_folder(folder, KIND, way_out=OTHER_OUT) as opened:
        (folder / CELLS).mkdir(exist_ok=True)
        plan = Plan(chosen, settings, folder / CELLS)
        typer.echo(_cost(plan), err=True)
        failures = measure(plan)
        for item in chosen:
            results = plan.results(item)
            if results is not None:
                publish_item(folder, item, results, settings)
        sections = publish_page(opened, folder, list(ITEMS.values()))
    if quick:
        typer.echo(QUICK)
    typer.echo("\n".join(table([["item", *VERDICTS], *map(list, verdict_counts(sections))])))
    typer.echo(f"\n{folder}: README.md, index.html, and a folder an item")
    _raise_failures(failures)


def _chosen(names: Sequence[str]) -> list[Item]:
    """The items named, in the paper's order."""
    wanted = {ALIASES.get(name.lower(), name.lower()) for name in names}
    unknown = sorted(wanted - {"all", *ITEMS})
    if unknown:
        raise ValueError(f"ITEM must be all or among {', '.join(ITEMS)}, got {', '.join(unknown)}")
    return [item for name, item in ITEMS.items() if "all" in wanted or name in wanted]


def _left_out(names: str) -> tuple[str, ...]:
    left_out = tuple(name.strip().lower() for name in names.split(",") if name.strip())
    known = (*SETS, *OTHERS, WORLDS)
    unknown = [name for name in left_out if name not in known]
    if unknown:
        raise ValueError(f"--without must be among {', '.join(known)}, got {', '.join(unknown)}")
    return left_out


def _cost(plan: Plan) -> str:
    """What a run will cost, said before it starts."""
    num_cells = sum(len(cells) for cells in plan.cells.values())
    left = [task for task in plan.tasks if task.need is None]
    items = count_of(len(plan.items), "item")
    if not left:
        return f"{items}, {count_of(num_cells, 'cell')}, all finished before"
    training = len(plan.tasks) - len(left)
    about = duration(plan.seconds / min(plan.settings.jobs, len(plan.tasks)))
    return (
        f"{items}, {count_of(num_cells, 'cell')}, {num_cells - len(left)} finished before; to do: "
        f"{count_of(training, 'training')} and {count_of(len(left), 'cell')}, about {about} in "
        f"{count_of(plan.settings.jobs, 'process', 'processes')}"
    )


def _raise_failures(failures: Sequence[Failure]) -> None:
    """Say which cells could not be measured; their items are as they were."""
    if failures:
        lines = [line for one in failures for line in wrapped(f"{one.task}: {one.error}", "  ")]
        typer.echo("\n".join(lines), err=True)
        raise RuntimeError(
            f"{count_of(len(failures), 'task')} failed, and the items that need them were not written; the same "
            f"command tries only these again, and --without leaves data sets out"
        )


if __name__ == "__main__":
    app()
