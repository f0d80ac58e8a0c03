"""``protograph train``: train the paper's GCN."""

import json
from collections.abc import Iterable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from protograph._utils.files import atomic_path
from protograph._utils.progress import command_progress
from protograph._utils.words import class_label
from protograph.cli import arguments
from protograph.cli.inputs import load_graphs, tell_left_out
from protograph.cli.runs import Run
from protograph.cli.tables import table

if TYPE_CHECKING:
    from protograph.models.performance import Performance
    from protograph.training import Trained

SplitKind = StrEnum("SplitKind", ["paper", "published"])


def train(
    data: arguments.Data,
    out: Annotated[Path, typer.Option("--out", help="Where to write the model.", metavar="FILE")],
    hidden: Annotated[
        str | None, typer.Option(help="Widths of the layers; the data set's own by default.", metavar="W,W,...")
    ] = None,
    max_epochs: Annotated[int, typer.Option(help="Most epochs.", min=1, metavar="N")] = 1000,
    seed: Annotated[int, typer.Option(help="Seed of data, split and weights.", min=0, metavar="N")] = 0,
    split: Annotated[
        SplitKind, typer.Option(help="Graphs to train on: paper or published.", metavar="KIND")
    ] = SplitKind.paper,
    class_weights: arguments.ClassWeights = None,
    device: arguments.Device = None,
    data_root: arguments.DataRoot = None,
    smiles_column: arguments.SmilesColumn = None,
    label_column: arguments.LabelColumn = None,
    names: arguments.Names = None,
    skip_invalid: arguments.SkipInvalid = False,
    verbose: arguments.Verbose = False,
    as_json: arguments.Json = False,
) -> None:
    """Train the paper's GCN: sum readout, Adam 0.001, batches of 16, 90/5/5 split, early stopping."""
    from protograph.models.classifier import checked_device
    from protograph.training import save_model
    from protograph.training import train as fit

    if device is not None:
        checked_device(device)
    if hidden is not None and not all(width.isdigit() for width in hidden.split(",")):
        raise ValueError(f"--hidden must be whole numbers with commas between, got {hidden!r}")
    run = Run(
        data=data,
        seed=seed,
        smiles_column=smiles_column,
        label_column=label_column,
        skip_invalid=skip_invalid,
        names=names,
    )
    weights = arguments.class_weights_of(class_weights)
    check_model_out(out, run.inputs().values())
    # First, to learn now whether it can be written.
    with atomic_path(out) as partial, command_progress() as progress:
        graphs, rows = load_graphs(run, data_root, progress)
        trained = fit(
            graphs,
            hidden=None if hidden is None else tuple(map(int, hidden.split(","))),
            random_state=seed,
            max_epochs=max_epochs,
            split=split.value,  # type: ignore[arg-type]
            class_weights=weights,
            device=device,
            progress=progress,
        )
        save_model(trained, partial)
    left_out = tell_left_out(rows)
    tell_doubts(trained.doubts)
    if as_json:
        typer.echo(json.dumps({"model": str(out), **training_facts(trained), **left_out}))
    else:
        typer.echo("\n".join([describe_training(trained), *_class_table(trained), f"model: {out}"]))


def check_model_out(out: Path, inputs: Iterable[Path]) -> None:
    """Check that a model may be written to a file: to a new one, or in place of a model of ours.

    Args:
        out: The file.
        inputs: Files and folders that are read.

    Raises:
        ValueError: If it may not.
    """
    from protograph.training import load_model

    for path in inputs:
        place = out.parent if path.is_dir() else out
        if place.exists() and path.samefile(place):
            raise ValueError(f"--out {out} is or would be part of the data in {path}; choose another --out")
    if not out.exists() or out.is_dir():  # a folder is refused where the file is made
        return
    try:
        load_model(out)
    except (OSError, ValueError):
        raise ValueError(
            f"--out {out} is there and is not a model of `protograph train`; choose another --out"
        ) from None


def tell_doubts(doubts: Sequence[str]) -> None:
    """Say loudly on standard error that a model may have learned nothing; nothing where there is no doubt."""
    if doubts:
        from protograph.models.performance import doubts_box

        typer.secho(doubts_box(doubts), err=True, fg=typer.colors.RED, bold=True)


def training_facts(trained: "Trained") -> dict[str, Any]:
    """What a script wants to know of a training."""
    parts = {
        "train": trained.train_performance,
        "validation": trained.validation_performance,
        "test": trained.test_performance,
    }
    facts: dict[str, Any] = {"epochs": len(trained.history)}
    for name in ("accuracy", "balanced_accuracy", "majority_share"):
        facts |= {f"{part}_{name}": None if one is None else getattr(one, name) for part, one in parts.items()}
    classes = {
        part: {"graphs": one.labelled, "predicted": one.predicted, "recalls": one.recalls}
        for part, one in parts.items()
        if one is not None
    }
    return {
        **facts,
        "class_names": list(trained.model.class_names),
        "class_weights": trained.class_weights,
        "class_counts": classes,
        "doubts": list(trained.doubts),
    }


def describe_training(trained: "Trained") -> str:
    """A few lines for a person."""
    known = _parts_shown(trained)
    accuracy = ", ".join(f"{part} accuracy {one.accuracy:.4f}" for part, one in known.items())
    balanced = ", ".join(f"{part} {one.balanced_accuracy:.4f}" for part, one in known.items())
    largest = ", ".join(f"{part} {one.majority_share:.4f}" for part, one in known.items())
    return (
        f"trained for {len(trained.history)} epochs: {accuracy}\n"
        f"balanced accuracy, the mean over the classes: {balanced}\n"
        f"accuracy of always guessing the largest class: {largest}"
    )


def _parts_shown(trained: "Trained") -> "dict[str, Performance]":
    parts = {"training": trained.train_performance, "test": trained.test_performance}
    return {part: one for part, one in parts.items() if one is not None}


def _class_table(trained: "Trained") -> list[str]:
    """A row a class: how many graphs have it and are predicted as it, and its recall."""
    known = _parts_shown(trained)
    header = ["", *(title for part in known for title in (f"{part} graphs", "predicted", "recall"))]
    rows = [header]
    for number in range(trained.model.num_classes):
        cells = [class_label(number, trained.model.class_names)]
        for one in known.values():
            recall = one.recalls[number]
            cells += [
                f"{one.labelled[number]:,}",
                f"{one.predicted[number]:,}",
                "-" if recall is None else f"{recall:.3f}",
            ]
        rows.append(cells)
    return table(rows)
