"""Arguments that several commands take, and what they say about them."""

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

NUM_SHOWN = 10
# How many prototypes of a class, and of how many nodes, explainers find that cannot tell by themselves.
NUM_PROTOTYPES = 2
MAX_NODES = 13


class SplitKind(StrEnum):
    """How graphs are split for training."""

    PAPER = "paper"
    PUBLISHED = "published"


Data = Annotated[
    str,
    typer.Argument(metavar="NAME_OR_PATH", help="Data set, SMILES table, .pt list of Data, or a folder of them."),
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
SkipInvalid = Annotated[bool, typer.Option("--skip-invalid", help="Leave out rows of a table that cannot be read.")]
Split = Annotated[
    SplitKind | None, typer.Option("--split", help="Graphs to train on: paper or published.", metavar="KIND")
]


def tell_left_out(lines: Sequence[str]) -> None:
    """Say on standard error which rows were left out."""
    if not lines:
        return
    more = [f"  and {len(lines) - NUM_SHOWN} more"] if len(lines) > NUM_SHOWN else []
    rows = [f"  {line}" for line in lines[:NUM_SHOWN]]
    typer.echo("\n".join([f"left out {len(lines)} row(s):", *rows, *more]), err=True)
