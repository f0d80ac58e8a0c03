"""Rows of a table that are no molecules: the first on standard error, and all of them in a file."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import typer

from protograph._base.csv_text import csv_text
from protograph._base.files import atomic_path
from protograph._base.words import count_of
from protograph.datasets import BadRowsError, LeftOut

NUM_SHOWN = 10


def write_rows(rows: Sequence[LeftOut], path: Path) -> None:
    """Write rows as a table of line, smiles and reason.

    A cell that a spreadsheet would take for a formula gets an apostrophe in front; the line tells which row it is.
    """
    with atomic_path(path) as partial:
        partial.write_bytes(_content(rows))


def write_rows_beside(rows: Sequence[LeftOut], path: Path) -> Path:
    """Write rows to the path, or where another file is there, to the first one with a number that is free."""
    content = _content(rows)
    for number in count(2):
        if not os.path.lexists(path):
            write_rows(rows, path)
        if path.is_file() and not path.is_symlink() and path.read_bytes() == content:
            break  # these very rows
        path = path.with_stem(f"{path.stem.rsplit('~', 1)[0]}~{number}")
    return path


def _content(rows: Sequence[LeftOut]) -> bytes:
    cells = ([row.line, row.smiles, row.reason] for row in rows)
    return csv_text(["line", "smiles", "reason"], cells).encode("utf-8", errors="replace")


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


def beside(out: Path, ending: str) -> Path:
    """A file beside a command's output, called after it.

    >>> beside(Path("runs/mine"), "bad-rows.csv").as_posix()
    'runs/mine-bad-rows.csv'
    """
    own = out.resolve() if out.name in ("", "..") else out  # such as the folder that one is in
    return own.parent / f"{own.name or 'protograph'}-{ending}"


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
            line = f"  all of them: {write_rows_beside(error.rows, path)}"
        except OSError as reason:
            line = f"  they could not be written to a file: {reason}"
        error.args = (f"{error}\n{line}",)
        raise
