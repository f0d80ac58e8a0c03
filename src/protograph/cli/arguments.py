"""Arguments that several commands take, and what they say about them."""

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from protograph._base.words import count_of, one_line

NUM_SHOWN = 10

SplitKind = StrEnum("SplitKind", ["paper", "published"])

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
Weights = Annotated[str | None, typer.Option(help="State dictionary for module:attr.", metavar="FILE")]
RunFolder = Annotated[Path, typer.Argument(metavar="RUN_DIR", help="A folder that protograph explain has written.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]


def tell_left_out(lines: Sequence[str]) -> dict[str, Any]:
    """Say on standard error which rows were left out, and give them as a fact for scripts; nothing where none were."""
    if not lines:
        return {}
    more = [f"and {len(lines) - NUM_SHOWN} more"] if len(lines) > NUM_SHOWN else []
    rows = [f"\n  {line}" for line in (*map(one_line, lines[:NUM_SHOWN]), *more)]
    typer.echo(f"left out {count_of(len(lines), 'row')}:{''.join(rows)}", err=True)
    return {"left_out": list(lines)}
