"""``protograph train``: train the paper's GCN."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from protograph._base.files import atomic_path
from protograph._base.progress import progress_bars
from protograph.cli import arguments
from protograph.cli.loading import load_graphs
from protograph.cli.runs import Run, check_model_out
from protograph.models.classifier import checked_device
from protograph.training import Trained
from protograph.training import train as fit
from protograph.training.storage import write_model


def train(
    data: arguments.Data,
    out: Annotated[Path, typer.Option("--out", help="Where to write the model.", metavar="FILE")],
    layers: Annotated[int | None, typer.Option(help="GCN layers of 32; the data set's own by default.")] = None,
    max_epochs: Annotated[int, typer.Option(help="Most epochs.", min=1)] = 1000,
    seed: Annotated[int, typer.Option(help="Seed of data, split and weights.", min=0)] = 0,
    split: arguments.Split = None,
    device: Annotated[str | None, typer.Option(help="cpu or cuda; cpu by default.")] = None,
    data_root: arguments.DataRoot = None,
    smiles_column: arguments.SmilesColumn = None,
    label_column: arguments.LabelColumn = None,
    id_column: arguments.IdColumn = None,
    names: arguments.Names = None,
    skip_invalid: arguments.SkipInvalid = False,
    as_json: arguments.Json = False,
) -> None:
    """Train the paper's GCN: sum readout, Adam 0.001, batches of 16, 90/5/5 split, early stopping."""
    if device is not None:
        checked_device(device)
    run = Run(
        data=data,
        seed=seed,
        smiles_column=smiles_column,
        label_column=label_column,
        id_column=id_column,
        skip_invalid=skip_invalid,
        names=names,
    )
    how: Any = (split or arguments.SplitKind.paper).value
    check_model_out(out, run.inputs().values())
    # First, to learn now whether it can be written.
    with atomic_path(out) as partial, progress_bars() as progress:
        loaded = load_graphs(run, data_root, progress)
        trained = fit(
            loaded.graphs,
            hidden=None if layers is None else (32,) * layers,
            random_state=seed,
            max_epochs=max_epochs,
            split=how,
            device=device,
            progress=progress,
        )
        write_model(trained, partial)
        check_model_out(out, run.inputs().values())  # again: the work may have taken hours
    left_out = arguments.tell_left_out(loaded.left_out)
    if as_json:
        typer.echo(json.dumps({"model": str(out), **training_facts(trained), **left_out}))
    else:
        typer.echo(f"{describe_training(trained)}\nmodel: {out}")


def training_facts(trained: Trained) -> dict[str, Any]:
    """What a script wants to know of a training."""
    return {
        "epochs": len(trained.history),
        "train_accuracy": trained.train_accuracy,
        "validation_accuracy": trained.validation_accuracy,
        "test_accuracy": trained.test_accuracy,
    }


def describe_training(trained: Trained) -> str:
    """One line for a person."""
    tested = "" if trained.test_accuracy is None else f", test accuracy {trained.test_accuracy:.4f}"
    return f"trained for {len(trained.history)} epochs: training accuracy {trained.train_accuracy:.4f}{tested}"
