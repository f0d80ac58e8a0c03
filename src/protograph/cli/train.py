"""``protograph train``: train the paper's GCN."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from protograph.files import atomic_path


def train(
    data: Annotated[str, typer.Argument(metavar="NAME_OR_PATH", help="A data set's name, or a .pt list of Data.")],
    out: Annotated[Path, typer.Option("--out", help="Where to write the model.", metavar="FILE")],
    layers: Annotated[int | None, typer.Option(help="GCN layers of 32; the data set's own by default.")] = None,
    max_epochs: Annotated[int, typer.Option(help="Most epochs.", min=1)] = 1000,
    seed: Annotated[int, typer.Option(help="Seed of data, split and weights.", min=0)] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")] = False,
) -> None:
    """Train the paper's GCN: sum readout, Adam 0.001, batches of 16, 90/5/5 split, early stopping."""
    from protograph.cli.console import progress_bars
    from protograph.cli.loading import load_graphs
    from protograph.training import save_model
    from protograph.training import train as fit

    with atomic_path(out) as partial, progress_bars() as progress:  # a folder that cannot be written is told now
        graphs = load_graphs(data, seed)
        hidden = None if layers is None else (32,) * layers
        trained = fit(graphs, hidden=hidden, random_state=seed, max_epochs=max_epochs, progress=progress)
        save_model(trained, partial)
    facts = {"model": str(out), **training_facts(trained)}
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
