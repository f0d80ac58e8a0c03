"""``protograph compare``: several explainers on the same models and data, in one table."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from protograph.cli import arguments

NAMES = ("page", "walk", "xgnn", "gnninterpreter", "random")

Prototypes = Annotated[
    int | None, typer.Option(help="Prototypes of a class; page finds out, the others take 2.", min=1, metavar="N")
]
MaxNodes = Annotated[
    int | None,
    typer.Option(help="Largest prototype; page and walk find out, the others take 13.", min=2, metavar="N"),
]


def compare(
    data: Annotated[str, typer.Argument(metavar="NAME", help="A data set's name.")],
    explainers: Annotated[str, typer.Option(help="Names, divided by commas.", metavar="NAMES")] = ",".join(NAMES),
    seeds: Annotated[int, typer.Option(help="How many seeds.", min=1, metavar="N")] = 3,
    prototypes: Prototypes = None,
    max_nodes: MaxNodes = None,
    with_robustness: Annotated[
        bool, typer.Option("--robustness", help="Also consistency and faithfulness: ten more models a seed.")
    ] = False,
    data_root: arguments.DataRoot = None,
    out: Annotated[Path | None, typer.Option(help="Folder; runs/compare-NAME by default.", metavar="DIR")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")] = False,
) -> None:
    """Compare explainers: one row each, mean and spread over seeds, and a picture beside the ground truth.

    Explainers are page, walk (PAGE as the paper describes it), xgnn, gnninterpreter and random.

    Results are kept in the folder, and a run that was broken off goes on where it ended.
    """
    from protograph import datasets
    from protograph._base.progress import progress_bars
    from protograph.evaluation.comparison import Comparison, summarised
    from protograph.report.comparison import plot_comparison

    chosen = _chosen(explainers, prototypes, max_nodes)
    folder = out or Path("runs") / f"compare-{data.lower()}"
    folder.mkdir(parents=True, exist_ok=True)
    with progress_bars() as progress:
        comparison = Comparison(
            load=lambda seed: datasets.load(data, data_root, random_state=seed, progress=progress),
            explainers=chosen,
            seeds=range(seeds),
            folder=folder,
            with_robustness=with_robustness,
        )
        rows = comparison.run(progress)
    reference = next(iter(chosen))
    figures = summarised(rows, reference)
    truths = datasets.load(data, data_root, random_state=0).ground_truths
    found = {name: comparison.explanations(name, 0) for name in chosen}
    if any(found.values()):
        plot_comparison(folder / "prototypes.png", found, truths, f"{data}, seed 0")
    if as_json:
        plain = {name: {key: vars(figure) for key, figure in row.items()} for name, row in figures.items()}
        typer.echo(json.dumps({"out": str(folder), "seeds": seeds, "explainers": plain, "rows": rows}))
    else:
        typer.echo("\n".join(_table(figures, reference, seeds, rows)))
        typer.echo(f"\n{folder}: every figure and prototype, prototypes.png")


def _chosen(names: str, prototypes: int | None, max_nodes: int | None) -> Mapping[str, Callable[[int], Any]]:
    from protograph import PAGE, XGNN, GNNInterpreter, RandomSubgraph

    count = prototypes or arguments.NUM_PROTOTYPES
    peer = {"num_prototypes": count, "max_nodes": max_nodes or arguments.MAX_NODES}
    makers: dict[str, Callable[[int], Any]] = {
        "page": lambda seed: PAGE(num_clusters=prototypes or "auto", max_nodes=max_nodes, random_state=seed),
        "walk": lambda seed: PAGE(search="walk", num_clusters=count, max_nodes=max_nodes, random_state=seed),
        "xgnn": lambda seed: XGNN(**peer, random_state=seed),
        "gnninterpreter": lambda seed: GNNInterpreter(**peer, random_state=seed),
        # As many candidates as a walk shows the model.
        "random": lambda seed: RandomSubgraph(
            **peer, num_candidates=count * PAGE.budget * PAGE.num_graphs, random_state=seed
        ),
    }
    wanted = [name.strip().lower() for name in names.split(",") if name.strip()]
    unknown = [name for name in wanted if name not in makers]
    if unknown or not wanted:
        raise ValueError(f"--explainers must be among {', '.join(NAMES)}, got {', '.join(unknown) or 'none'}")
    return {name: makers[name] for name in dict.fromkeys(wanted)}


COLUMNS = {
    "accuracy": "accuracy",
    "probability": "p_GNN",
    "success": "p >= .9",
    "density": "density",
    "support": "support",
    "support_elsewhere": "elsewhere",
    "coverage": "coverage",
    "margin_share": "margin share",
    "consistency": "consistency",
    "faithfulness": "faithfulness",
    "slower": "time",
    "model_calls": "model calls",
}


def _table(figures: Mapping[str, Mapping[str, Any]], reference: str, seeds: int, rows: list[Any]) -> list[str]:
    truth = [p["truth_density"] for row in rows for p in row["prototypes"] if p["truth_density"] is not None]
    columns = {
        key: title for key, title in COLUMNS.items() if any(row[key].mean is not None for row in figures.values())
    }
    lines = [f"{'explainer':<15}" + "".join(f"{title:>15}" for title in columns.values())]
    for name, row in figures.items():
        lines.append(f"{name:<15}" + "".join(f"{_cell(key, row[key]):>15}" for key in columns))
    notes = [
        f"mean ± standard deviation over {seeds} seed(s) of data, model, explainer; time in multiples of {reference}",
        "support, elsewhere and coverage are of graphs that no prototype was found in; model calls are graphs shown,",
        "those of fit included; time is that of explain after fit, which is the same for all",
    ]
    if truth:
        notes.append("accuracy: of a cluster against the truth most of its graphs have, of others against the closest")
        notes.append(
            f"the ground truths' own density is {min(truth):.3f} to {max(truth):.3f}: lower is not better by itself"
        )
    failed = sorted({f"{row['explainer']}, seed {row['seed']}: {row['failed']}" for row in rows if "failed" in row})
    return [*lines, "", *notes, *failed]


def _cell(key: str, figure: Any) -> str:
    if figure.mean is None:
        return "-"
    if key == "success":
        return f"{figure.mean * figure.num_seeds:.0f} of {figure.num_seeds}"
    if key == "model_calls":
        return f"{figure.mean:,.0f}"
    digits = 1 if key == "slower" else 3
    spread = "" if figure.spread is None else f" ± {figure.spread:.{digits}f}"
    return f"{figure.mean:.{digits}f}{spread}"
