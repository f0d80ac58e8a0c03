"""Putting the commands together, and turning every expected error into one line."""

import logging
import os
import signal
import sys
import warnings

import typer

from protograph._utils import __version__
from protograph._utils.errors import ProtographWarning
from protograph._utils.interrupts import ending_as_interrupts, uninterrupted
from protograph._utils.words import one_line
from protograph.cli import compare, compare_models, datasets, evaluate, explain, train

app = typer.Typer(
    name="protograph",
    help="Show what a graph neural network has learned: prototype graphs of each class.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
for _command in (
    explain.explain,
    train.train,
    evaluate.evaluate,
    compare.compare,
    compare_models.compare_models,
    explain.report,
):
    app.command(_command.__name__.replace("_", "-"))(_command)
app.add_typer(datasets.app, name="datasets")

INTERRUPTED = 130


@app.callback(invoke_without_command=True)
def options(
    version: bool = typer.Option(False, "--version", help="Print the version and leave.", is_eager=True),
) -> None:
    """Show what a graph neural network has learned: prototype graphs of each class."""
    if version:
        typer.echo(f"protograph {__version__}")
        raise typer.Exit


def run() -> None:
    """Run the command; expected errors give one line and exit status 1."""
    warnings.simplefilter("ignore", ProtographWarning)  # the commands say what matters, and summaries have notes
    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # of a home folder that it cannot write to
    try:
        with ending_as_interrupts():
            app()
    except SystemExit as leaving:  # Typer has turned Ctrl-C into an exit status
        if leaving.code not in (INTERRUPTED, signal.SIGTERM):  # the latter is what Ray makes of one
            raise
        with uninterrupted():  # one Ctrl-C more changes nothing now
            typer.echo("interrupted: no results were written", err=True)
        sys.exit(INTERRUPTED)
    except Exception as error:
        if os.environ.get("PROTOGRAPH_TRACEBACK"):
            raise
        text = "; ".join([_said(error), *getattr(error, "__notes__", ())])
        # One line, except for rows of a table, which stand one below the other.
        first, *rows = text.split("\n") if type(error).__name__ == "BadRowsError" else [text]
        typer.echo("\n".join([f"error: {one_line(first)}", *(f"  {one_line(row)}" for row in rows)]), err=True)
        sys.exit(1)


def _said(error: Exception) -> str:
    """An error in words, with its type where it was not expected."""
    if isinstance(error, MemoryError):
        return "the memory is not enough; take fewer graphs at a time, such as a folder of smaller .pt files"
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename or 'cannot write'}: {error.strerror}"
    is_expected = isinstance(error, ValueError | TypeError | OSError | ImportError)
    return f"{'' if is_expected else f'{type(error).__name__}: '}{error}"
