"""``protograph train``: train the paper's GCN."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from protograph._base.files import atomic_path
from protograph.cli import arguments


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
    skip_invalid: arguments.SkipInvalid = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")] = False,
) -> None:
    """Train the paper's GCN: sum readout, Adam 0.001, batches of 16, 90/5/5 split, early stopping."""
    from protograph._base.progress import progress_bars
    from protograph.cli.loading import DataOptions, load_graphs
    from protograph.models.classifier import checked_device
    from protograph.training import save_model
    from protograph.training import train as fit

    if device is not None:
        checked_device(device)
    options = DataOptions(data_root, smiles_column, label_column, skip_invalid, seed)
    with atomic_path(out) as partial, progress_bars() as progress:  # a folder that cannot be written is told now
        loaded = load_graphs(data, options, progress)
        trained = fit(
            loaded.graphs,
            hidden=None if layers is None else (32,) * layers,
            random_state=seed,
            max_epochs=max_epochs,
            split=(split or arguments.SplitKind.PAPER).value,
            device=device,
            progress=progress,
        )
        save_model(trained, partial)
    arguments.tell_left_out(loaded.left_out)
    facts = {"model": str(out), **training_facts(trained)}
    if loaded.left_out:
        facts["left_out"] = list(loaded.left_out)
    if as_json:
        typer.echo(json.dumps(facts))
    else:
        typer.echo(f"{describe_training(trained)}\nmodel: {out}")


def training_facts(trained: Any) -> dict[str, Any]:
    """What a script wants to know of a training."""
    return {
        "epochs": len(trained.history),
        "train_accuracy": trained.train_accuracy,
        "validation_accuracy": trained.validation_accuracy,
        "test_accuracy": trained.test_accuracy,
    }


def describe_training(trained: Any) -> str:
    """One line for a person."""
    tested = "" if trained.test_accuracy is None else f", test accuracy {trained.test_accuracy:.4f}"
    return f"trained for {len(trained.history)} epochs: training accuracy {trained.train_accuracy:.4f}{tested}"
