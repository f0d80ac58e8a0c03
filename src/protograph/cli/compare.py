"""``protograph compare``: several explainers on the same models and data, in one table."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from protograph import PAGE, datasets
from protograph._base.manifest import FolderKind, read_manifest
from protograph._base.progress import command_progress
from protograph._base.publishing import open_folder
from protograph._base.words import count_of, one_line
from protograph.cli import arguments
from protograph.cli.explainers import NUM_PROTOTYPES, explainer_of
from protograph.cli.runs import OTHER_OUT
from protograph.cli.tables import table, wrapped
from protograph.evaluation.comparison import Comparison, summarised
from protograph.report.comparison import plot_comparison

NAMES = ("page", "walk", "xgnn", "gnninterpreter", "random")
PICTURE = "prototypes.png"
KIND = FolderKind(
    manifest="comparison.json",
    format="protograph-comparison",
    names=re.compile(r"comparison\.json|prototypes\.png|[a-z]+-seed\d+(-prototypes)?\.json|model-seed\d+\.pt"),
)


def compare(
    data: Annotated[str, typer.Argument(metavar="NAME", help="A data set's name.")],
    explainers: Annotated[str, typer.Option(help="Names, divided by commas.", metavar="NAMES")] = ",".join(NAMES),
    seeds: Annotated[int, typer.Option(help="How many seeds.", min=1, metavar="N")] = 3,
    prototypes: Annotated[
        int | None, typer.Option(help="Prototypes of a class; page finds out, the others take 2.", min=1, metavar="N")
    ] = None,
    max_nodes: Annotated[
        int | None,
        typer.Option(help="Largest prototype; page and walk find out, the others take 13.", min=2, metavar="N"),
    ] = None,
    with_robustness: Annotated[
        bool, typer.Option("--robustness", help="Also consistency and faithfulness: ten more models a seed.")
    ] = False,
    data_root: arguments.DataRoot = None,
    out: Annotated[Path | None, typer.Option(help="Folder; runs/compare-NAME by default.", metavar="DIR")] = None,
    as_json: arguments.Json = False,
) -> None:
    """Compare explainers: one column each, mean and spread over seeds, and a picture beside the ground truth.

    Explainers are page, walk (PAGE as the paper describes it), xgnn, gnninterpreter and random.

    Results appear all at once; what is finished of a run that was broken off is kept beside them, and it goes on there.
    """
    chosen = _chosen(explainers, prototypes, max_nodes)
    folder = out or Path("runs") / f"compare-{data.lower()}"
    if data_root is not None and folder.is_dir() and data_root.is_dir() and data_root.samefile(folder):
        raise ValueError(f"--out {folder} is the folder that --data-root names; {OTHER_OUT}")
    files = _files(chosen, seeds)
    with open_folder(folder, KIND, way_out=OTHER_OUT) as opened, command_progress() as progress:
        comparison = Comparison(
            load=lambda seed: datasets.load(data, data_root, random_state=seed, progress=progress),
            explainers=chosen,
            seeds=range(seeds),
            folder=opened.resumed(files),
            with_robustness=with_robustness,
        )
        rows = comparison.run(progress)
        explained = {name: comparison.explanations(name, 0) for name in chosen}
        if any(explained.values()):
            truths = datasets.load(data, data_root, random_state=0).ground_truths
            plot_comparison(opened.staged / PICTURE, explained, truths, f"{data}, seed 0")
        opened.publish_parts(files, {"data": data}, keep=_of_same_data(folder, data))
    reference = next(iter(chosen))
    figures = summarised(rows, reference)
    if as_json:
        plain = {name: {key: vars(figure) for key, figure in row.items()} for name, row in figures.items()}
        typer.echo(json.dumps({"out": str(folder), "seeds": seeds, "explainers": plain, "rows": rows}))
    else:
        typer.echo("\n".join(_table(figures, reference, seeds, rows)))
        typer.echo(f"\n{folder}: every figure and prototype, {PICTURE}")


def _files(explainers: Iterable[str], seeds: int) -> list[str]:
    """Every file of a comparison that is kept for the next one."""
    figures = [f"{name}-seed{{}}{end}.json" for name in explainers for end in ("", "-prototypes")]
    return [name.format(seed) for seed in range(seeds) for name in ("model-seed{}.pt", *figures)]


def _of_same_data(folder: Path, data: str) -> list[str]:
    """Figures of other explainers and seeds that an earlier comparison on the same data has left there."""
    if not (folder / KIND.manifest).exists():
        return []
    earlier = read_manifest(folder, KIND)
    return [name for name in earlier["files"] if name != PICTURE] if earlier.get("data") == data else []


def _chosen(names: str, prototypes: int | None, max_nodes: int | None) -> Mapping[str, Callable[[int], Any]]:
    """What makes each of the named explainers, given a seed."""
    wanted = list(dict.fromkeys(name.strip().lower() for name in names.split(",") if name.strip()))
    unknown = [name for name in wanted if name not in NAMES]
    if unknown or not wanted:
        raise ValueError(f"--explainers must be among {', '.join(NAMES)}, got {', '.join(unknown) or 'none'}")
    return {name: partial(_made, name, prototypes, max_nodes) for name in wanted}


def _made(name: str, prototypes: int | None, max_nodes: int | None, seed: int) -> Any:
    options: Any = {"max_nodes": max_nodes, "random_state": seed}
    if name == "walk":
        return PAGE(search="walk", num_clusters=prototypes or NUM_PROTOTYPES, **options)
    return explainer_of(name, PAGE(num_clusters=prototypes or "auto", **options))


COLUMNS = {
    "accuracy": "accuracy",
    "probability": "p_GNN",
    "success": "p >= .9",
    "density": "density",
    "support": "support",
    "support_elsewhere": "elsewhere",
    "coverage": "coverage",
    "fidelity": "fidelity",
    "num_reasons": "reasons",
    "num_patterns": "patterns",
    "margin_share": "margin share",
    "consistency": "consistency",
    "faithfulness": "faithfulness",
    "slower": "time",
    "model_calls": "model calls",
}


def _table(figures: Mapping[str, Mapping[str, Any]], reference: str, seeds: int, rows: list[Any]) -> list[str]:
    """A column an explainer, a row a metric; those that no explainer has are left out."""
    truth = [p["truth_density"] for row in rows for p in row["prototypes"] if p["truth_density"] is not None]
    keys = [key for key in COLUMNS if any(row[key].mean is not None for row in figures.values())]
    lines = table(
        [["", *figures], *([COLUMNS[key], *(_cell(key, row[key]) for row in figures.values())] for key in keys)]
    )
    notes = [
        f"mean ± standard deviation over {count_of(seeds, 'seed')} of data, model, explainer; "
        f"time in multiples of {reference}",
        "support, elsewhere, coverage and fidelity are of graphs kept apart from the search; model calls are graphs "
        "shown, those of fit included; time is that of explain after fit, which is the same for all",
        "fidelity: of each class's rule against the rest; without reasons the rule is to contain one of the prototypes",
    ]
    if any("-" in line.split() for line in lines):
        notes.append("-: there is no such figure of any prototype (see protograph evaluate)")
    if truth:
        notes += [
            "accuracy: of a cluster against the truth most of its graphs have, of others against the closest",
            f"the ground truths' own density is {min(truth):.3f} to {max(truth):.3f}: lower is not better by itself",
        ]
    failed = sorted(
        {one_line(f"{row['explainer']}, seed {row['seed']}: {row['failed']}") for row in rows if "failed" in row}
    )
    return [*lines, "", *(line for note in (*notes, *failed) for line in wrapped(note, "  "))]


def _cell(key: str, figure: Any) -> str:
    if figure.mean is None:
        return "-"
    if key == "success":
        return f"{figure.mean * figure.num_seeds:.0f} of {figure.num_seeds}"
    if key == "model_calls":
        return f"{figure.mean:,.0f}"
    digits = 1 if key in ("slower", "num_reasons", "num_patterns") else 3
    spread = "" if figure.spread is None else f" ± {figure.spread:.{digits}f}"
    return f"{figure.mean:.{digits}f}{spread}"
