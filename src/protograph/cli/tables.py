"""Tables and notes as a terminal of 100 columns shows them."""

import textwrap
from collections.abc import Sequence

from protograph._utils.words import cut

WIDTH = 100
GAP = "  "


def table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of cells with their columns aligned, the first to the left and the others to the right.

    A column in which no row but the first, the header, has more than ``-`` is left out; a first cell that would make
    a line longer than 100 columns is cut.

    >>> table([["", "p", "accuracy"], ["prototype 1", "0.95", "-"], ["its truth", "1.00", "-"]])
    ['                p', 'prototype 1  0.95', 'its truth    1.00']
    """
    kept = [at for at in range(len(rows[0])) if at == 0 or any(row[at] not in ("", "-") for row in rows[1:])]
    cells = [[row[at] for at in kept] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    widths[0] = min(widths[0], max(4, WIDTH - sum(len(GAP) + width for width in widths[1:])))
    return [
        GAP.join([cut(row[0], widths[0]).ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]).rstrip()
        for row in cells
    ]


def wrapped(text: str, indent: str = "") -> list[str]:
    """A text in lines of at most 100 columns; all but the first are indented.

    >>> wrapped("a note", "  ")
    ['a note']
    """
    return textwrap.wrap(text, WIDTH, subsequent_indent=indent, break_on_hyphens=False) or [""]
