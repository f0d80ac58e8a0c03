"""Rows of a table that are no molecules: the first on standard error, and all of them in a file."""

import csv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import typer

from protograph._base.files import atomic_path
from protograph._base.words import count_of
from protograph.datasets import BadRowsError, LeftOut

NUM_SHOWN = 10
HEADER = ("line", "smiles", "reason")
# What spreadsheets take for the beginning of a formula.
FORMULA = ("=", "+", "-", "@", "\t", "\r")


def write_rows(rows: Sequence[LeftOut], path: Path) -> None:
    """Write rows as a table of line, smiles and reason.

    A cell that a spreadsheet would take for a formula gets an apostrophe in front; the line tells which row it is.
    """
    with atomic_path(path) as partial, partial.open("w", encoding="utf-8", errors="replace", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(HEADER)
        writer.writerows([row.line, _plain(row.smiles), _plain(row.reason)] for row in rows)


def _plain(text: str) -> str:
    """A cell that is no formula.

    >>> _plain("=1+1"), _plain("C=O")
    ("'=1+1", 'C=O')
    """
    return f"'{text}" if text.startswith(FORMULA) else text


def tell_left_out(rows: Sequence[LeftOut], path: Path) -> dict[str, Any]:
    """Say on standard error which rows were left out, and give them as facts for scripts; nothing where none were.

    Args:
        rows: The rows.
        path: The file that has them all.
    """
    if not rows:
        return {}
    more = [f"and {len(rows) - NUM_SHOWN:,} more"] if len(rows) > NUM_SHOWN else []
    lines = [f"\n  {line}" for line in (*rows[:NUM_SHOWN], *more, f"all of them: {path}")]
    typer.echo(f"left out {count_of(len(rows), 'row')}:{''.join(lines)}", err=True)
    return {"left_out": [str(row) for row in rows], "left_out_file": str(path)}


def own_place(path: Path) -> Path:
    """The path, unless something of the user's is there; then the path with the first number that is free."""
    for number in count(2):
        if not path.exists() or _is_ours(path):
            break
        path = path.with_stem(f"{path.stem.rsplit('~', 1)[0]}~{number}")
    return path


def _is_ours(path: Path) -> bool:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.readline(100).strip() == ",".join(HEADER)
    except OSError:
        return False


@contextmanager
def bad_rows_in(path: Path) -> Iterator[None]:
    """Write the rows for which a table is refused into a file, which the error then names.

    The file lies beside the results that do not come about, never among those of an earlier run.
    """
    try:
        yield
    except BadRowsError as error:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            place = own_place(path)
            write_rows(error.rows, place)
            line = f"  all of them: {place}"
        except OSError as reason:
            line = f"  they could not be written to a file: {reason}"
        error.args = (f"{error}\n{line}",)
        raise
