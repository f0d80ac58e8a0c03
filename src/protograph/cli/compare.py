"""``protograph compare``: several explainers on the same models and data, in one table."""

import inspect
import io
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from protograph._utils.progress import command_progress
from protograph._utils.run_folder import new_folder, write_manifest
from protograph._utils.words import count_of, cut, one_line, write_csv
from protograph.cli import arguments
from protograph.cli.explain import NUM_PROTOTYPES, named_explainer
from protograph.cli.inputs import (
    aligned,
    imported,
    is_attribute,
    load_classifier,
    load_graphs,
    tell_left_out,
)
from protograph.cli.runs import LEFT_OUT, Run
from protograph.cli.tables import table, wrapped

if TYPE_CHECKING:
    from protograph.datasets import GraphDataset
    from protograph.evaluation.comparison import Figure, Values
    from protograph.explainer import Explainer
    from protograph.explanation import Explanations

MANIFEST = "comparison.json"
PICTURE = "prototypes.png"
NAMES = ("page", "walk", "xgnn", "gnninterpreter", "random")
# Figures by what the table calls them, in its order.
METRICS = {
    "accuracy": "accuracy",
    "probability": "p_GNN",
    "success": "p >= .9",
    "fidelity": "fidelity",
    "coverage": "coverage",
    "support": "support",
    "support_elsewhere": "elsewhere",
    "is_valid": "validity",
    "stability": "stability",
    "num_nodes": "nodes",
    "num_edges": "edges",
    "density": "density",
    "num_reasons": "reasons",
    "num_patterns": "patterns",
    "margin_share": "margin share",
    "seconds": "seconds",
    "slower": "time",
    "model_calls": "model calls",
}
WHOLE = ("slower", "num_reasons", "num_patterns", "num_nodes", "num_edges", "seconds")
# Explainers side by side, more come in a table of their own below; and columns of a name, so that so many fit.
IN_A_ROW, NAME = 5, 14
# What is to be said where one of these figures is shown.
NOTES = (
    (("accuracy",), "accuracy: of a cluster against the truth most of its graphs have, of others against the closest"),
    (("success",), "p >= .9: seeds on which the best prototype of every class reaches p = 0.9"),
    (
        ("fidelity",),
        "fidelity: of each class's rule against the rest; without reasons the rule is to contain one of the prototypes",
    ),
    (
        ("support", "support_elsewhere", "coverage", "fidelity"),
        "support, elsewhere, coverage and fidelity are of graphs kept apart from the search",
    ),
    (("stability",), "stability: how much the prototypes of any two seeds have in common, 1 where they are the same"),
    (
        ("seconds", "slower"),
        "seconds and time are those of explain after fit, which is the same for all; the shorter of two where one is "
        "short",
    ),
    (("model_calls",), "model calls are graphs shown to the model, those of fit included"),
)
Figures = Mapping[str, "Mapping[str, Figure]"]


def compare(
    data: arguments.Data,
    explainers: Annotated[
        str, typer.Option(help="By commas; also module:attr of yours, whose code runs.", metavar="NAMES")
    ] = ",".join(NAMES),
    model: arguments.Model = None,
    weights: arguments.Weights = None,
    return_type: arguments.ReturnTypeOption = arguments.ReturnType.auto,
    task: arguments.Task = None,
    seeds: Annotated[int, typer.Option(help="How many seeds.", min=1, metavar="N")] = 3,
    num_clusters: Annotated[
        int | None, typer.Option(help="Prototypes of a class; page finds out, the others take 2.", min=1, metavar="L")
    ] = None,
    max_nodes: Annotated[
        int | None,
        typer.Option(help="Largest prototype; page and walk find out, the others take 13.", min=2, metavar="N"),
    ] = None,
    device: arguments.Device = None,
    data_root: arguments.DataRoot = None,
    smiles_column: arguments.SmilesColumn = None,
    label_column: arguments.LabelColumn = None,
    skip_invalid: arguments.SkipInvalid = False,
    out: Annotated[Path | None, typer.Option(help="Folder; runs/compare-NAME by default.", metavar="DIR")] = None,
    force: arguments.Force = False,
    verbose: arguments.Verbose = False,
    as_json: arguments.Json = False,
) -> None:
    """Compare explainers: one column each, mean and spread over seeds, what is significant, and a picture.

    Explainers are page, walk (PAGE as the paper describes it), xgnn, gnninterpreter and random, or your own.

    Without ground truth there are the figures that need none. With --model the model is yours, and a fifth of the
    graphs is kept apart to judge by; else one is trained a seed.
    """
    from protograph.evaluation.comparison import compared, given_model, trained_model
    from protograph.models.classifier import checked_device

    if device is not None:
        checked_device(device)
    makers = explainers_of(explainers, num_clusters, max_nodes)
    run = Run(
        data=data,
        seed=0,
        model=model,
        weights=weights,
        smiles_column=smiles_column,
        label_column=label_column,
        skip_invalid=skip_invalid,
        return_type=return_type.value,
        task=task,
    )
    folder = out or Path("runs") / f"compare-{run.default_folder().lower()}"
    reads = [*run.inputs().values(), *([] if data_root is None else [data_root])]
    with new_folder(folder, MANIFEST, reads=reads, force=force) as staged, command_progress() as progress:
        content = run.as_json()
        classifier = None if run.model is None else load_classifier(run.model, run.weights)
        first, left_out = load_graphs(run, data_root, progress)
        facts = tell_left_out(left_out, staged / LEFT_OUT)

        def of_seed(seed: int, tell: Any) -> Any:
            is_same = seed == 0 or "data" in run.inputs()  # a file holds the same graphs whatever the seed
            loaded = first if is_same else load_graphs(Run(data=data, seed=seed), data_root, tell)[0]
            if classifier is None:
                return trained_model(loaded, seed, tell)
            graphs = aligned(loaded, classifier.model)
            return given_model(run.wrapped(classifier), graphs, seed, device=device)

        rows, explanations = compared(of_seed, makers, range(seeds), device=device, progress=progress)
        result = _result(run, rows, explanations, seeds)
        _write_results(result, explanations, first, staged)
        write_manifest(staged, MANIFEST, content)
    if as_json:
        typer.echo(json.dumps({"out": str(folder), "seeds": seeds, **result["facts"], **facts}))
    else:
        typer.echo(f"{result['text']}\n{folder}: every figure and prototype, {PICTURE}")


def explainers_of(
    names: str, num_clusters: int | None, max_nodes: int | None
) -> "Mapping[str, Callable[[int], Explainer]]":
    """What makes each of the named explainers, given a seed.

    Raises:
        ValueError: If one is not known, or gives no explainer.
    """
    wanted = list(dict.fromkeys(name.strip() for name in names.split(",") if name.strip()))
    unknown = [name for name in wanted if not is_attribute(name) and name.lower() not in NAMES]
    if unknown or not wanted:
        raise ValueError(
            f"--explainers must be among {', '.join(NAMES)}, or a module:attribute of yours, got "
            f"{', '.join(unknown) or 'none'}"
        )
    own = {name: own_explainer if is_attribute(name) else our_explainer for name in wanted}
    made = {
        name if is_attribute(name) else name.lower(): partial(make, name, num_clusters, max_nodes)
        for name, make in own.items()
    }
    for make in made.values():
        make(0)  # whether it can be made is known before any work
    return made


def our_explainer(name: str, num_clusters: int | None, max_nodes: int | None, seed: int) -> "Explainer":
    """One of our explainers."""
    from protograph.page.explainer import PAGE

    options: Any = {"max_nodes": max_nodes, "random_state": seed}
    if name == "walk":
        return PAGE(search="walk", num_clusters=num_clusters or NUM_PROTOTYPES, **options)
    return named_explainer(name, PAGE(num_clusters=num_clusters or "auto", **options))


def own_explainer(spec: str, num_clusters: int | None, max_nodes: int | None, seed: int) -> "Explainer":
    """An explainer of the user's own: with the seed, and with numbers that were given, as far as it takes them."""
    from protograph.explainer import Explainer

    make = imported("--explainers", spec)
    given = {
        "random_state": seed,
        "num_clusters": num_clusters,
        "num_prototypes": num_clusters,
        "max_nodes": max_nodes,
    }
    try:
        taken = inspect.signature(make).parameters
        made = make(**{name: value for name, value in given.items() if name in taken and value is not None})
    except (Exception, SystemExit) as error:
        raise ValueError(f"--explainers {spec!r} failed with {type(error).__name__}: {error}") from error
    if not isinstance(made, Explainer):
        raise ValueError(
            f"--explainers {spec!r} must be a class of protograph.Explainer, or give one when called, got "
            f"{type(made).__name__}"
        )
    return made


def _result(run: Run, rows: Sequence[Any], explanations: Any, num_seeds: int) -> dict[str, Any]:
    """The figures as text, as tables for files, and as facts for scripts."""
    from protograph.evaluation.comparison import Figure, stability_over, summarised, values_by_seed

    reference = next(iter(explanations))
    values = values_by_seed(rows, reference)
    figures = summarised(values, reference)
    for name in figures:
        figures[name]["stability"] = Figure(stability_over(explanations[name]), None, num_seeds)
    keys, is_trained = keys_shown(figures), run.model is None
    model = "a GCN trained for each seed" if is_trained else f"the model {run.model}"
    title = f"{run.data}, {model}, {count_of(num_seeds, 'seed')}"
    over = "data, model and explainer" if is_trained else "the graphs kept apart and the explainer; the model is yours"
    time = f"; time in multiples of {reference}" if "slower" in keys else ""
    spread = f"mean ± standard deviation over {count_of(num_seeds, 'seed')} of {over}{time}"
    notes = [spread, *notes_of(rows, figures, keys, reference)]
    table = comparison_table(figures, keys) if keys else ["no figures"]
    wrapped_notes = [line for note in notes for line in wrapped(one_line(note), "  ")]
    return {
        "text": "\n".join([*wrapped(title, "  "), "", *table, "", *wrapped_notes, ""]),
        "files": {
            "figures.csv": comparison_csv(figures, keys),
            "seeds.csv": seeds_csv(values),
        },
        "facts": {
            "title": title,
            "explainers": {name: {key: vars(one) for key, one in row.items()} for name, row in figures.items()},
            "rows": list(rows),
        },
    }


def _write_results(
    result: Mapping[str, Any],
    explanations: "Mapping[str, Mapping[int, Explanations]]",
    first: "GraphDataset",
    folder: Path,
) -> None:
    """Write the figures, every prototype, and the picture of the first seed."""
    from protograph.report.comparison import plot_comparison

    for name, text in result["files"].items():
        (folder / name).write_text(text, encoding="utf-8")
    for number, (name, of_seeds) in enumerate(explanations.items()):
        for seed, found in of_seeds.items():
            if found:
                stem = name if name in NAMES else f"own{number}"
                found.save(folder / f"{stem}-seed{seed}-prototypes.json")
    of_first = {name: of_seeds[0] for name, of_seeds in explanations.items()}
    if any(of_first.values()):
        plot_comparison(folder / PICTURE, of_first, first.ground_truths, f"{first.name}, seed 0")


def keys_shown(figures: Figures) -> list[str]:
    """Figures that some explainer has, in the order of the table."""
    return [key for key in METRICS if any(row[key].mean is not None for row in figures.values())]


def comparison_table(figures: Figures, keys: Sequence[str]) -> list[str]:
    """A column an explainer, a row a metric; five explainers beside each other, the others below."""
    names, lines = list(figures), list[str]()
    for first in range(0, len(names), IN_A_ROW):
        chosen = names[first : first + IN_A_ROW]
        # Of a long module:attribute, the attribute.
        header = ["", *(name if len(name) <= NAME else cut(name.rpartition(":")[2], NAME) for name in chosen)]
        rows = [[METRICS[key], *(_cell(key, figures[name][key]) for name in chosen)] for key in keys]
        lines += [*([""] if lines else []), *table([header, *rows])]
    return lines


def _cell(key: str, figure: "Figure") -> str:
    """Mean, spread, and a star for a difference that is more than chance."""
    if figure.mean is None:
        return "-"
    star = "*" if figure.is_significant else ""
    if key == "success":
        return f"{figure.mean * figure.num_seeds:.0f} of {figure.num_seeds}{star}"
    if key == "model_calls":
        return f"{figure.mean:,.0f}{star}"
    digits = 3 if key not in WHOLE or 0 < figure.mean < 0.05 else 1
    spread = "" if figure.spread is None else f" ± {figure.spread:.{digits}f}"
    return f"{figure.mean:.{digits}f}{spread}{star}"


def notes_of(rows: Sequence[Mapping[str, Any]], figures: Figures, keys: Sequence[str], reference: str) -> list[str]:
    """What a star means, what the figures that are shown are of, and what there is none of."""
    notes = [significance_note(figures, keys, reference)] if len(figures) > 1 and keys else []
    notes += [note for needing, note in NOTES if any(key in needing for key in keys)]
    truth = [p["truth_density"] for row in rows for p in row["prototypes"] if p["truth_density"] is not None]
    if truth and "density" in keys:
        notes.append(
            f"the ground truths' own density is {min(truth):.3f} to {max(truth):.3f}: lower is not better by itself"
        )
    for kind in ("failed", "left_out"):
        said = {f"{row['explainer']}, seed {row['seed']}: {row[kind]}" for row in rows if kind in row}
        notes += sorted(map(one_line, said))
    return notes


def significance_note(figures: Figures, keys: Sequence[str], reference: str) -> str:
    """What a star means, and how many tests there were."""
    tested = [row[key] for row in figures.values() for key in keys if row[key].corrected is not None]
    if not tested:
        return "of one seed, whether a difference is more than chance cannot be told; take more --seeds"
    stars = sum(figure.is_significant for figure in tested)
    what = "*: differs from" if stars else "no figure differs significantly from"
    few = "" if min(figure.num_seeds for figure in tested) >= 5 else "; with so few seeds only large differences show"
    return (
        f"{what} {reference}: two-sided paired t-test over seeds, p < 0.05 after Holm's correction for "
        f"{count_of(len(tested), 'comparison')}{few}"
    )


def comparison_csv(figures: Figures, keys: Sequence[str]) -> str:
    """A row an explainer and metric: mean, spread, seeds, and the test against the first explainer."""
    columns = ("mean", "spread", "num_seeds", "p_value", "corrected", "is_significant")
    rows = (
        [name, key, *(getattr(row[key], column) for column in columns)] for name, row in figures.items() for key in keys
    )
    return _csv(["explainer", "metric", *columns], rows)


def seeds_csv(values: "Values") -> str:
    """A row an explainer, metric and seed."""
    rows = (
        [name, key, seed, value]
        for name, of in values.items()
        for key, by_seed in of.items()
        for seed, value in by_seed.items()
        if value is not None
    )
    return _csv(["explainer", "metric", "seed", "value"], rows)


def _csv(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO(newline="")
    write_csv(text, columns, rows)
    return text.getvalue()
