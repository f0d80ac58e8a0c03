"""Prototypes of several explainers side by side with the ground truth."""

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

from torch_geometric.data import Data

from protograph.explanation.explanation import Explanations
from protograph.report.figure import save_figure
from protograph.report.layout import layout
from protograph.report.legend import draw_legend, legend_height, shown_categories
from protograph.report.palette import Palette, palette_of
from protograph.report.panel import draw_graph
from protograph.report.style import INK, MUTED, RULE, our_style
from protograph.report.text import shortened

# In inches: a picture with its caption, the margin, and the room of headings.
WIDTH, HEIGHT, CAPTION = 2.1, 2.0, 0.2
MARGIN, TITLE, HEADING = 0.35, 0.8, 0.75

# A column of a class: its heading, and captions with graphs.
Column = tuple[str, list[tuple[str, Data]]]


def plot_comparison(
    path: str | PathLike[str],
    found: Mapping[str, Explanations],
    truths: Mapping[int, Sequence[Data]],
    title: str,
) -> None:
    """Draw, for each class, a column of ground truths and a column of prototypes, best first, of each explainer.

    Args:
        path: Where to save the picture.
        found: What each explainer has found; at least one of them something.
        truths: Ground truths of each class.
        title: What the picture is headed.
    """
    with our_style():
        from matplotlib.figure import Figure

        first = next(explanation for explanations in found.values() for explanation in explanations.values())
        classes = {target: _columns(target, found, truths) for target in _targets(found)}
        graphs = [graph for columns in classes.values() for _, cells in columns for _, graph in cells]
        palette = palette_of(graphs, first.feature_names, first.feature_colors)
        width = 2 * MARGIN + WIDTH * max(len(columns) for columns in classes.values())
        categories = shown_categories(palette, graphs)
        legend = legend_height(palette, categories, width - 2 * MARGIN)
        heights = {target: HEADING + HEIGHT * _depth(columns) for target, columns in classes.items()}
        height = TITLE + legend + sum(heights.values())
        figure = Figure(figsize=(width, height), facecolor="white")
        _write(figure, MARGIN, height - 0.42, title, INK, 15, "bold")
        draw_legend(figure, palette, categories, (MARGIN, height - 0.62), width - 2 * MARGIN)
        top = height - TITLE - legend
        for target, columns in classes.items():
            name = first.class_names[target]
            label = f"class {target}" if name == str(target) else f"class {target}: {shortened(name, 40)}"
            _draw_class(figure, label, columns, top, palette)
            top -= heights[target]
        save_figure(figure, path)


def _targets(found: Mapping[str, Explanations]) -> list[int]:
    return sorted({target for explanations in found.values() for target in explanations})


def _columns(target: int, found: Mapping[str, Explanations], truths: Mapping[int, Sequence[Data]]) -> list[Column]:
    columns: list[Column] = []
    if truths.get(target):
        columns.append(("ground truth", [(_size(graph), graph) for graph in truths[target]]))
    for name, explanations in found.items():
        prototypes = explanations[target].prototypes if target in explanations else []
        cells = [(f"p = {one.probability:.3f}, {_size(one.graph)}", one.graph) for one in prototypes]
        columns.append((shortened(name, 20), cells))
    return columns


def _size(graph: Data) -> str:
    source, target = graph.edge_index
    return f"{graph.num_nodes} nodes, {int((source <= target).sum())} edges"


def _depth(columns: Sequence[Column]) -> int:
    return max(1, *(len(cells) for _, cells in columns))


def _draw_class(figure: Any, label: str, columns: Sequence[Column], top: float, palette: Palette) -> None:
    from matplotlib.lines import Line2D

    width, height = figure.get_size_inches()
    line = [MARGIN / width, 1 - MARGIN / width]
    figure.add_artist(Line2D(line, [(top + 0.05) / height] * 2, color=RULE, linewidth=0.8))
    _write(figure, MARGIN, top - 0.17, label, INK, 11.5, "bold")
    for number, (heading, cells) in enumerate(columns):
        left = MARGIN + number * WIDTH
        _write(figure, left, top - 0.52, heading, INK, 9.5, "bold")
        if not cells:
            _write(figure, left, top - HEADING - CAPTION / 2, "nothing found", MUTED, 8, "normal")
        for row, (caption, graph) in enumerate(cells):
            bottom = top - HEADING - (row + 1) * HEIGHT
            _write(figure, left, bottom + HEIGHT - CAPTION / 2, caption, MUTED, 8, "normal")
            frame = WIDTH - 0.2, HEIGHT - CAPTION - 0.15
            axes = figure.add_axes((left / width, (bottom + 0.1) / height, frame[0] / width, frame[1] / height))
            draw_graph(axes, frame, graph, layout(graph), palette, None)


def _write(figure: Any, x: float, y: float, text: str, color: str, size: float, weight: str) -> None:
    width, height = figure.get_size_inches()
    figure.text(
        x / width, y / height, text, color=color, fontsize=size, fontweight=weight, va="center", parse_math=False
    )
