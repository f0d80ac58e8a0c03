"""Prototypes of several explainers side by side with the ground truth."""

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

from torch_geometric.data import Data

from protograph.drawing.figure import save_figure
from protograph.drawing.layout import layout
from protograph.drawing.legend import draw_legend, legend_height, shown_categories
from protograph.drawing.palette import palette_of
from protograph.drawing.panel import draw_graph
from protograph.drawing.style import INK, MUTED, RULE, our_style
from protograph.drawing.text import shortened
from protograph.explanation import Explanations

CELL = 2.6
LEFT, TOP, GAP = 0.35, 0.95, 0.55


def plot_comparison(
    path: str | PathLike[str],
    found: Mapping[str, Explanations],
    truths: Mapping[int, Sequence[Data]],
    title: str,
) -> None:
    """Draw, for each class, the ground truths and each explainer's prototypes, best first.

    Args:
        path: Where to save the picture.
        found: What each explainer has found.
        truths: Ground truths of each class.
        title: What the picture is headed.
    """
    with our_style():
        from matplotlib.figure import Figure

        first = next(explanation for explanations in found.values() for explanation in explanations.values())
        rows = _rows(found, truths)
        graphs = [graph for row in rows for _, graph in row[1]]
        palette = palette_of(graphs, first.feature_names, first.feature_colors)
        columns = max(len(cells) for _, cells in rows)
        width = 2 * LEFT + max(columns, 2) * CELL
        categories = shown_categories(palette, graphs)
        legend = legend_height(palette, categories, width - 2 * LEFT)
        height = TOP + legend + len(rows) * (CELL + GAP)
        figure = Figure(figsize=(width, height), facecolor="white")
        figure.text(LEFT / width, 1 - 0.42 / height, title, color=INK, fontsize=15, fontweight="bold", va="center")
        draw_legend(figure, palette, categories, (LEFT, height - 0.62), width - 2 * LEFT)
        for number, (heading, cells) in enumerate(rows):
            top = height - TOP - legend - number * (CELL + GAP)
            figure.text(LEFT / width, (top + 0.12) / height, heading, color=INK, fontsize=10.5, fontweight="bold")
            figure.add_artist(_line(LEFT / width, 1 - LEFT / width, (top + 0.38) / height))
            for column, (caption, graph) in enumerate(cells):
                x = LEFT + column * CELL
                axes = figure.add_axes(
                    (x / width, (top - CELL) / height, (CELL - 0.15) / width, (CELL - 0.35) / height)
                )
                draw_graph(axes, (CELL - 0.15, CELL - 0.35), graph, layout(graph), palette, None)
                figure.text(x / width, (top - 0.17) / height, caption, color=MUTED, fontsize=8.5)
        save_figure(figure, path)


def _rows(
    found: Mapping[str, Explanations], truths: Mapping[int, Sequence[Data]]
) -> list[tuple[str, list[tuple[str, Data]]]]:
    """A row for each class and explainer, after one with the truths of the class."""
    rows: list[tuple[str, list[tuple[str, Data]]]] = []
    classes = sorted({target for explanations in found.values() for target in explanations})
    for target in classes:
        if truths.get(target):
            cells = [(f"truth {number + 1}", graph) for number, graph in enumerate(truths[target])]
            rows.append((f"class {target}: ground truth", cells))
        for name, explanations in found.items():
            if target in explanations:
                prototypes = explanations[target].prototypes
                cells = [
                    (f"p = {p.probability:.3f}, {p.num_nodes} nodes, {p.num_edges} edges", p.graph) for p in prototypes
                ]
                rows.append((f"class {target}: {shortened(name, 28)}", cells))
    return [row for row in rows if row[1]]


def _line(left: float, right: float, height: float) -> Any:
    from matplotlib.lines import Line2D

    return Line2D([left, right], [height, height], color=RULE, linewidth=0.8)
