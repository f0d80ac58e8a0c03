"""Options that several commands take, named as the arguments of the library."""

import os
import warnings
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from protograph._utils.errors import ProtographWarning

ReturnType = StrEnum("ReturnType", ["auto", "raw", "probs", "log_probs"])


def _be_verbose(is_asked: bool) -> None:
    if is_asked:
        os.environ["PROTOGRAPH_TRACEBACK"] = "1"
        warnings.simplefilter("default", ProtographWarning)


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
Names = Annotated[str | None, typer.Option("--names", help="JSON with names of columns and classes.", metavar="FILE")]
SkipInvalid = Annotated[bool, typer.Option("--skip-invalid", help="Leave out rows of a table that cannot be read.")]
Model = Annotated[
    str | None, typer.Option("--model", help="File, or module:attr, whose code runs; else trains.", metavar="MODEL")
]
Weights = Annotated[str | None, typer.Option("--weights", help="State dictionary for module:attr.", metavar="FILE")]
ReturnTypeOption = Annotated[
    ReturnType, typer.Option("--return-type", help="Outputs: auto, raw, probs, log_probs.", metavar="TYPE")
]
Task = Annotated[
    int | None, typer.Option("--task", help="Column to explain, of several tasks' (from 0).", min=0, metavar="T")
]
ClassWeights = Annotated[
    str | None, typer.Option("--class-weights", help="Of the loss: balanced, or numbers by commas.", metavar="W")
]
Device = Annotated[str | None, typer.Option("--device", help="cpu or cuda; the model's by default.", metavar="NAME")]
Force = Annotated[bool, typer.Option("--force", help="Move an earlier folder to DIR.old first.")]
Verbose = Annotated[
    bool, typer.Option("--verbose", help="Show warnings, and an error's traceback.", callback=_be_verbose)
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
