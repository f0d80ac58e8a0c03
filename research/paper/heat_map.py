"""Numbers as coloured squares, several tables side by side with the same rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from protograph._base.arrays import Floats
from protograph.report.palette import SCALE, readable_on
from protograph.report.sheet import INK, MUTED, Sheet, our_style, text_width

# In inches.
SQUARE_WIDTH, SQUARE_HEIGHT, GAP, MARGIN, TOP = 0.52, 0.34, 0.45, 0.35, 1.05
CHOSEN = "#E5172F"
LABEL_SIZE = 9.0


@dataclass(frozen=True)
class HeatMap:
    """A table of numbers.

    Attributes:
        title: What it shows.
        columns: What each column is.
        values: ``[num_rows, num_columns]``, NaN where there is none.
        form: How a number is written.
        limits: The numbers that have the first and the last colour.
        marked: Rows and columns of squares in a red box.
        colors: matplotlib's name of the colours.
    """

    title: str
    columns: Sequence[str]
    values: Floats
    form: str
    limits: tuple[float, float]
    marked: Sequence[tuple[int, int]] = ()
    colors: str = SCALE


def heat_maps(title: str, rows: Sequence[str], maps: Sequence[HeatMap], axis: str) -> Any:
    """Draw tables side by side.

    Args:
        title: What the figure is headed.
        rows: What each row is.
        maps: The tables.
        axis: What the columns are.

    Returns:
        A matplotlib ``Figure``.
    """
    with our_style():
        from matplotlib.figure import Figure

        left = MARGIN + max(text_width(row, LABEL_SIZE) for row in rows) + 0.15
        width = left + sum(_width(one) + GAP for one in maps) - GAP + MARGIN
        height = TOP + SQUARE_HEIGHT * len(rows) + 0.55
        sheet = Sheet(Figure(figsize=(width, height), facecolor="white"), MARGIN)
        sheet.say(MARGIN, 0.0, title, 13, INK, "bold")
        bottom = height - TOP - SQUARE_HEIGHT * len(rows)
        for number, row in enumerate(rows):
            y = height - TOP - SQUARE_HEIGHT * (number + 0.5)
            sheet.write(left - 0.12, y, row, fontsize=LABEL_SIZE, color=INK, ha="right", va="center")
        for one in maps:
            axes = sheet.axes(left, bottom, _width(one), SQUARE_HEIGHT * len(rows), label=one.title)
            _draw(axes, one)
            sheet.write(left, height - TOP + 0.12, one.title, fontsize=9.5, color=INK, fontweight="bold", va="bottom")
            axes.set_xlabel(axis, fontsize=8.5, color=MUTED)
            left += _width(one) + GAP
        return sheet.figure


def _width(one: HeatMap) -> float:
    return max(SQUARE_WIDTH * len(one.columns), text_width(one.title, 9.5, "bold"))


def _draw(axes: Any, one: HeatMap) -> None:
    from matplotlib import colormaps
    from matplotlib.colors import Normalize, to_hex
    from matplotlib.patches import Rectangle

    scale, colors = Normalize(*one.limits), colormaps[one.colors]
    num_rows, num_columns = one.values.shape
    for row, column in np.argwhere(np.isfinite(one.values)).tolist():
        number = float(one.values[row, column])
        color = to_hex(colors(scale(number)))
        axes.add_patch(Rectangle((column, row), 1, 1, facecolor=color, edgecolor="white", linewidth=1.2))
        place = column + 0.5, row + 0.52
        axes.text(*place, one.form.format(number), ha="center", va="center", fontsize=8, color=readable_on(color))
    for row, column in one.marked:
        box = Rectangle((column + 0.03, row + 0.04), 0.94, 0.92, fill=False, edgecolor=CHOSEN, linewidth=2.2, zorder=3)
        axes.add_patch(box)
    axes.set(xlim=(0, num_columns), ylim=(num_rows, 0), yticks=[], xticks=np.arange(num_columns) + 0.5)
    axes.set_xticklabels(one.columns)
    axes.tick_params(length=0, labelsize=8.5, labelcolor=MUTED)
    for spine in axes.spines.values():
        spine.set_visible(False)
