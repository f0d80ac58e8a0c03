"""Tables as files for people and programs: CSV, JSON, LaTeX, and Markdown for the page."""

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from protograph._base.words import one_line
from research.paper.findings import Estimate

Value = str | int | float | Estimate | None
_LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "±": r"$\pm$",
    "\N{MULTIPLICATION SIGN}": r"$\times$",
}


@dataclass(frozen=True)
class Table:
    """A table.

    Attributes:
        name: Of its files.
        columns: What each column is.
        rows: The cells, row by row.
        caption: What it shows.
    """

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    caption: str

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"every row of {self.name} must have {len(self.columns)} cells, got {len(row)}")


def shown(value: Value) -> str:
    """A value as people read it.

    >>> shown(0.12345), shown(21029), shown(None), shown(Estimate(0.5, 0.4, 0.6, 10))
    ('0.1235', '21,029', '', '0.500 [0.400, 0.600]')
    """
    if value is None:
        return ""
    if isinstance(value, Estimate):
        if value.low is None or value.high is None:
            return f"{value.mean:.3f} (n = {value.num})"
        return f"{value.mean:.3f} [{value.low:.3f}, {value.high:.3f}]"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.2f}" if abs(value) >= 10 else f"{value:.4f}"
    return value


def as_csv(table: Table) -> str:
    """The numbers as they are; an estimate has columns of its own for the ends of its interval and the count."""
    wide = [any(isinstance(row[n], Estimate) for row in table.rows) for n in range(len(table.columns))]
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    header: list[str] = []
    for column, is_wide in zip(table.columns, wide, strict=True):
        header += [column, f"{column} low", f"{column} high", f"{column} n"] if is_wide else [column]
    writer.writerow(header)
    for row in table.rows:
        cells: list[Any] = []
        for value, is_wide in zip(row, wide, strict=True):
            if isinstance(value, Estimate):
                cells += [value.mean, value.low, value.high, value.num]
            else:
                cells += [value, None, None, None] if is_wide else [value]
        writer.writerow(cells)
    return file.getvalue()


def as_json(table: Table) -> str:
    """Caption, columns and rows."""
    rows = [[asdict(value) if isinstance(value, Estimate) else value for value in row] for row in table.rows]
    content = {"caption": table.caption, "columns": list(table.columns), "rows": rows}
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def as_latex(table: Table) -> str:
    """A table for a paper, with the rules of booktabs."""
    lines = [
        r"\begin{table}[t]",
        r"\centering",
        rf"\begin{{tabular}}{{l{'c' * (len(table.columns) - 1)}}}",
        r"\toprule",
        " & ".join(map(_latex, table.columns)) + r" \\",
        r"\midrule",
        *(" & ".join(_latex(shown(value)) for value in row) + r" \\" for row in table.rows),
        r"\bottomrule",
        r"\end{tabular}",
        rf"\caption{{{_latex(table.caption)}}}",
        rf"\label{{table:{table.name}}}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def as_markdown(columns: Sequence[str], rows: Sequence[Sequence[Value]]) -> str:
    r"""A table for the page.

    >>> print(as_markdown(["set", "n"], [["BA|house", 2000]]))
    | set | n |
    |---|---|
    | BA\|house | 2,000 |
    """
    lines = [columns, *([shown(value) for value in row] for row in rows)]
    text = ["| " + " | ".join(one_line(cell).replace("|", r"\|") for cell in line) + " |" for line in lines]
    return "\n".join([text[0], "|" + "---|" * len(columns), *text[1:]])


def _latex(text: str) -> str:
    return "".join(_LATEX.get(sign, sign) for sign in one_line(text))
