"""Tables as CSV that a spreadsheet may open: no text of a cell is taken for a formula."""

import csv
import io
import math
from collections.abc import Iterable, Sequence
from typing import TextIO

from protograph._base.words import one_line

# What spreadsheets take for the beginning of a formula, full-width forms included.
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # noqa: RUF001


def csv_text(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    r"""A table with a header; numbers are written in full, truth values as true and false, what is unknown as nothing.

    A text gets an apostrophe in front where a spreadsheet would take it for a formula.

    >>> csv_text(["name", "p"], [["=1+1", -0.5], ["a, b", None], [True, float("nan")]])
    'name,p\r\n\'=1+1,-0.5\r\n"a, b",\r\ntrue,\r\n'
    """
    text = io.StringIO(newline="")
    write_csv(text, columns, rows)
    return text.getvalue()


def write_csv(file: TextIO, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write a table as :func:`csv_text` has it, row by row."""
    writer = csv.writer(file)
    writer.writerow(columns)
    writer.writerows([_cell(value) for value in row] for row in rows)


def _cell(value: object) -> object:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, int | float) else plain_text(str(value))


def plain_text(text: str) -> str:
    """A cell that is no formula, also where blanks stand before it; all else stays as it is.

    >>> plain_text("=1+1"), plain_text("C=O"), plain_text(" =1+1")
    ("'=1+1", 'C=O', "' =1+1")
    """
    return f"'{text}" if text.startswith(FORMULA) or one_line(text).startswith(FORMULA) else text
