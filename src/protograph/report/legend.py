"""The legend: which colour means what."""

from collections.abc import Sequence
from typing import Any

from torch_geometric.data import Data

from protograph.report.palette import SCALE, Category, Palette, Scale
from protograph.report.panel import mixed
from protograph.report.style import INK, MUTED
from protograph.report.text import text_width

LINE = 0.215  # height of a line, in inches
FONT_SIZE = 9.0
MARKER_SIZE = 8.5
# Room for the marker and the gap to the next column, in inches.
COLUMN_GAP = 0.62
BAR_WIDTH, BAR_HEIGHT, BAR_ROOM = 2.0, 0.12, 0.5


def shown_categories(palette: Palette, graphs: Sequence[Data]) -> list[Category]:
    """The categories that occur in some graphs, in the palette's order."""
    present = {color for graph in graphs for color in palette.colors(graph)}
    return [category for category in palette.categories if category.color in present]


def legend_height(palette: Palette, categories: Sequence[Category], width: float) -> float:
    """Inches that the legend needs, given the width that it has."""
    if palette.scale is not None:
        return BAR_ROOM
    columns = num_columns(categories, width)
    return LINE * -(-len(categories) // columns) + 0.16


def num_columns(categories: Sequence[Category], width: float) -> int:
    """How many labels fit side by side."""
    widest = max((text_width(category.label, FONT_SIZE) for category in categories), default=0.0)
    return max(1, min(len(categories), int(width / (widest + COLUMN_GAP))))


def draw_legend(
    figure: Any, palette: Palette, categories: Sequence[Category], corner: tuple[float, float], width: float
) -> None:
    """Draw the legend with its upper left corner at a point of the figure, all in inches."""
    if palette.scale is not None:
        _draw_bar(figure, palette.scale, corner)
        return
    from matplotlib.lines import Line2D

    size = figure.get_size_inches()
    markers = [
        Line2D([], [], linestyle="", marker="o", markersize=MARKER_SIZE, color=category.color)
        for category in categories
    ]
    for marker, category in zip(markers, categories, strict=True):
        marker.set_markeredgecolor(mixed(category.color, INK, 0.55))
    legend = figure.legend(
        markers,
        [""] * len(markers),
        loc="upper left",
        bbox_to_anchor=(corner[0] / size[0], corner[1] / size[1]),
        ncols=num_columns(categories, width),
        fontsize=FONT_SIZE,
        labelcolor=INK,
        frameon=False,
        borderpad=0,
        borderaxespad=0,
        handlelength=1.0,
        handletextpad=0.5,
        columnspacing=1.6,
    )
    # Set afterwards: a label may begin with an underscore or hold dollar signs, which matplotlib gives a meaning.
    for text, category in zip(legend.get_texts(), categories, strict=True):
        text.set_parse_math(False)
        text.set_text(category.label)


def _draw_bar(figure: Any, scale: Scale, corner: tuple[float, float]) -> None:
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    width, height = figure.get_size_inches()
    label = figure.text(corner[0] / width, corner[1] / height, scale.label, fontsize=FONT_SIZE, color=INK, va="top")
    label.set_parse_math(False)
    left = corner[0] + text_width(scale.label, FONT_SIZE) + 0.15
    bottom = corner[1] - BAR_HEIGHT
    axes = figure.add_axes((left / width, bottom / height, BAR_WIDTH / width, BAR_HEIGHT / height), label="scale")
    low, high = scale.low, scale.high
    colors = ScalarMappable(Normalize(low, high if high > low else low + 1), SCALE)
    bar = figure.colorbar(colors, cax=axes, orientation="horizontal", ticks=[low, high] if high > low else [low])
    bar.ax.set_xticklabels([f"{low:.3g}", f"{high:.3g}"] if high > low else [f"{low:.3g}"])
    for label, side in zip(bar.ax.get_xticklabels(), ("left", "right"), strict=False):
        label.set_horizontalalignment(side)
    bar.ax.tick_params(labelsize=FONT_SIZE - 1, labelcolor=MUTED, length=0, pad=3)
    bar.outline.set_visible(False)
