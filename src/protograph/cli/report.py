"""``protograph report``: write a run's report again."""

import typer

from protograph.cli.arguments import RunFolder


def report(folder: RunFolder) -> None:
    """Write report.html again from explanation.json."""
    from protograph.explanation.storage import load

    load(folder / "explanation.json").report(folder / "report.html")
    typer.echo(f"{folder / 'report.html'}")
