"""The look that charts share: thin axes, quiet grids, one colour a method, nothing that belongs to no data."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito's, told apart under every colour blindness.
COLOURS = {
    "walk": "#0072B2",
    "page": "#D55E00",
    "page with reasons": "#E69F00",
    "xgnn": "#009E73",
    "gnninterpreter": "#CC79A7",
    "random": "#7F7F7F",
}
# For data sets, in the order of the paper.
SERIES = ("#0072B2", "#56B4E9", "#009E73", "#D55E00", "#E69F00", "#CC79A7")
INK, MUTED, GRID = "#1b1f24", "#57606a", "#e4e8ec"


def new_figure(width: float, height: float, columns: int = 1, rows: int = 1, **options: Any) -> tuple["Figure", Any]:
    """A figure in inches and its axes, as an array where there are several; no window is opened."""
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.subplots(rows, columns, **options)
    for one in [axes] if isinstance(axes, Axes) else axes.flat:
        _style(one)
    return figure, axes


def _style(axes: "Axes") -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color("#8c959f")
    axes.tick_params(colors=MUTED, labelsize=8.5, length=3)
    axes.xaxis.label.set(color=INK, fontsize=9.5)
    axes.yaxis.label.set(color=INK, fontsize=9.5)
    axes.title.set(color=INK, fontsize=10.5)
    axes.grid(visible=True, color=GRID, linewidth=0.8)
    axes.set_axisbelow(True)


def legend(axes: "Axes", **options: Any) -> None:
    """A legend without a frame."""
    axes.legend(frameon=False, fontsize=8.5, labelcolor=INK, **options)
