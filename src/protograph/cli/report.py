"""``protograph report``: write a run's report again."""

from pathlib import Path
from typing import Annotated

import typer


def report(
    folder: Annotated[Path, typer.Argument(metavar="RUN_DIR", help="A folder that protograph explain has written.")],
) -> None:
    """Write report.html again from explanation.json."""
    from protograph.explanation.storage import load

    load(folder / "explanation.json").report(folder / "report.html")
    typer.echo(f"{folder / 'report.html'}")
