"""The legend: which colour means what."""

from collections.abc import Sequence

from torch_geometric.data import Data

from protograph.report.palette import SCALE, Palette, Scale, mixed
from protograph.report.sheet import INK, MUTED, Sheet, text_width

LINE = 0.215  # height of a line, in inches
FONT_SIZE = 9.0
MARKER_SIZE = 8.5
# Room for the marker and the gap to the next column, in inches.
COLUMN_GAP = 0.62
BAR_WIDTH, BAR_HEIGHT, BAR_ROOM = 2.0, 0.12, 0.5


class Legend:
    """What the colours of some graphs mean.

    Args:
        palette: How nodes look.
        graphs: The graphs that are drawn; what occurs in none of them is left out.
        width: Inches that the legend has from left to right.
    """

    def __init__(self, palette: Palette, graphs: Sequence[Data], width: float) -> None:
        self.scale = palette.scale
        present = {color for graph in graphs for color in palette.colors(graph)}
        self.categories = [category for category in palette.categories if category.color in present]
        widest = max((text_width(category.label, FONT_SIZE) for category in self.categories), default=0.0)
        self.num_columns = max(1, min(len(self.categories), int(width / (widest + COLUMN_GAP))))

    @property
    def height(self) -> float:
        """Inches that it needs from top to bottom."""
        return BAR_ROOM if self.scale is not None else LINE * -(-len(self.categories) // self.num_columns) + 0.16

    def draw(self, sheet: Sheet, x: float, y: float) -> None:
        """Draw it with its upper left corner there."""
        if self.scale is not None:
            _draw_bar(sheet, self.scale, x, y)
            return
        from matplotlib.lines import Line2D

        markers = [
            Line2D([], [], ls="", marker="o", ms=MARKER_SIZE, color=item.color, mec=mixed(item.color, INK, 0.55))
            for item in self.categories
        ]
        legend = sheet.figure.legend(
            markers,
            [""] * len(markers),
            loc="upper left",
            bbox_to_anchor=(x / sheet.width, y / sheet.height),
            ncols=self.num_columns,
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
        for text, category in zip(legend.get_texts(), self.categories, strict=True):
            text.set(parse_math=False, text=category.label)


def _draw_bar(sheet: Sheet, scale: Scale, x: float, y: float) -> None:
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    sheet.write(x, y, scale.label, fontsize=FONT_SIZE, color=INK, va="top")
    left = x + text_width(scale.label, FONT_SIZE) + 0.15
    axes = sheet.axes(left, y - BAR_HEIGHT, BAR_WIDTH, BAR_HEIGHT, label="scale")
    ticks = [scale.low, scale.high] if scale.high > scale.low else [scale.low]
    colors = ScalarMappable(Normalize(scale.low, scale.high if len(ticks) > 1 else scale.low + 1), SCALE)
    bar = sheet.figure.colorbar(colors, cax=axes, orientation="horizontal", ticks=ticks)
    bar.ax.set_xticklabels([f"{tick:.3g}" for tick in ticks])
    for label, side in zip(bar.ax.get_xticklabels(), ("left", "right"), strict=False):
        label.set_horizontalalignment(side)
    bar.ax.tick_params(labelsize=FONT_SIZE - 1, labelcolor=MUTED, length=0, pad=3)
    bar.outline.set_visible(False)
