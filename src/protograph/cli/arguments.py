"""Arguments that several commands take."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

SplitKind = StrEnum("SplitKind", ["paper", "published"])
ReturnType = StrEnum("ReturnType", ["auto", "raw", "probs", "log_probs"])

Data = Annotated[
    str,
    typer.Argument(metavar="NAME_OR_PATH", help="Data set, SMILES table, .pt file or folder."),
]
DataRoot = Annotated[
    Path | None,
    typer.Option("--data-root", help="Folder with data sets' files; else $PROTOGRAPH_DATA.", metavar="DIR"),
]
SmilesColumn = Annotated[
    str | None, typer.Option("--smiles-column", help="Column of SMILES in a table; smiles by default.", metavar="NAME")
]
LabelColumn = Annotated[
    str | None, typer.Option("--label-column", help="Column of classes in a table; label by default.", metavar="NAME")
]
IdColumn = Annotated[
    str | None, typer.Option("--id-column", help="Column of names in a table; name or id by default.", metavar="NAME")
]
Names = Annotated[
    str | None,
    typer.Option("--names", help="JSON with names of columns and classes.", metavar="FILE"),
]
SkipInvalid = Annotated[bool, typer.Option("--skip-invalid", help="Leave out rows of a table that cannot be read.")]
Split = Annotated[
    SplitKind | None, typer.Option("--split", help="Graphs to train on: paper or published.", metavar="KIND")
]
Model = Annotated[
    str | None, typer.Option("--model", help="File, or module:attr, whose code runs; else trains.", metavar="MODEL")
]
ReturnTypeOption = Annotated[
    ReturnType, typer.Option("--return-type", help="Outputs: auto, raw, probs, log_probs.", metavar="TYPE")
]
NodeEmbeddings = Annotated[
    str | None, typer.Option("--node-embeddings", help="Module whose output is a vector a node.", metavar="M")
]
GraphEmbeddings = Annotated[
    str | None, typer.Option("--graph-embeddings", help="Module whose input is a vector a graph.", metavar="M")
]
Task = Annotated[
    int | None, typer.Option("--task", help="Column to explain, of several tasks' (from 0).", min=0, metavar="T")
]
Weights = Annotated[str | None, typer.Option(help="State dictionary for module:attr.", metavar="FILE")]
ClassWeights = Annotated[
    str | None,
    typer.Option("--class-weights", help="Of the loss: balanced, or numbers by commas.", metavar="W"),
]
RunFolder = Annotated[Path, typer.Argument(metavar="RUN_DIR", help="A folder that protograph explain has written.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]


def class_weights_of(text: str | None) -> Any:
    """Weights as the library takes them.

    >>> class_weights_of("balanced"), class_weights_of("1, 2.5"), class_weights_of(None)
    ('balanced', [1.0, 2.5], None)
    """
    if text is None or text == "balanced":
        return text
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise ValueError(
            f"--class-weights must be balanced, or a number for each class with commas between, got {text!r}"
        ) from None


def training_options(model: str | None, split: SplitKind | None, class_weights: str | None) -> dict[str, Any]:
    """Options of a training as the library takes them, where one is made.

    Raises:
        ValueError: If some were given beside a model.
    """
    for option, value in {"--split": split, "--class-weights": class_weights}.items():
        if model is not None and value is not None:
            raise ValueError(f"{option} is for training, which --model leaves out; give one of them")
    return {"split": (split or SplitKind.paper).value, "class_weights": class_weights_of(class_weights)}
