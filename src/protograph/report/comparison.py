"""Prototypes of several explainers side by side with the ground truth."""

from collections.abc import Mapping, Sequence
from os import PathLike

from torch_geometric.data import Data

from protograph.explanation import Explanation, Explanations
from protograph.explanation.describing.sentences import taken_for
from protograph.report.layout import layout
from protograph.report.palette import Legend, Palette, palette_of
from protograph.report.sheet import INK, MUTED, Sheet, our_style, save_figure
from protograph.report.views import View, draw_view
from protograph.report.words import shortened, size

# In inches: a picture with its caption, the margin, and the room of headings.
WIDTH, HEIGHT, CAPTION = 2.1, 2.0, 0.2
MARGIN, TITLE, HEADING = 0.35, 0.8, 0.75

BOLD = {"color": INK, "fontweight": "bold", "va": "center"}
PLAIN = {"color": MUTED, "fontweight": "normal", "va": "center"}

# A column of a class: its heading, and captions with graphs.
Column = tuple[str, list[tuple[str, Data]]]


def plot_comparison(
    path: str | PathLike[str],
    explained: Mapping[str, Explanations],
    truths: Mapping[int, Sequence[Data]],
    title: str,
) -> None:
    """Draw, for each class, a column of ground truths and a column of prototypes, best first, of each explainer.

    Args:
        path: Where to save the picture.
        explained: The explanations of each explainer; at least one of them has some.
        truths: Ground truths of each class.
        title: What the picture is headed.
    """
    with our_style():
        from matplotlib.figure import Figure

        targets = sorted({target for explanations in explained.values() for target in explanations})
        first = next(explanation for explanations in explained.values() for explanation in explanations.values())
        classes = {target: _columns(first, target, explained, truths.get(target, ())) for target in targets}
        graphs = [graph for columns in classes.values() for _, cells in columns for _, graph in cells]
        names = first.named(graphs[0]).feature_names if graphs else ()
        palette = palette_of(graphs, names, first.feature_colors)
        width = 2 * MARGIN + WIDTH * max(len(columns) for columns in classes.values())
        legend = Legend(palette, graphs, width - 2 * MARGIN)
        heights = {
            target: HEADING + HEIGHT * max(1, *(len(cells) for _, cells in columns))
            for target, columns in classes.items()
        }
        height = TITLE + legend.height + sum(heights.values())
        sheet = Sheet(Figure(figsize=(width, height), facecolor="white"), MARGIN)
        sheet.write(MARGIN, height - 0.42, title, fontsize=15, **BOLD)
        legend.draw(sheet, MARGIN, height - 0.62)
        top = height - TITLE - legend.height
        for target, columns in classes.items():
            name = first.class_names[target]
            label = f"class {target}" if name == str(target) else f"class {target}: {shortened(name, 40)}"
            _draw_class(sheet, label, columns, top, palette)
            top -= heights[target]
        save_figure(sheet.figure, path)


def _columns(
    names: Explanation, target: int, explained: Mapping[str, Explanations], truths: Sequence[Data]
) -> list[Column]:
    """Graphs of a class under their headings, as the names of an explanation tell them."""
    columns: list[Column] = (
        [("ground truth", [(size(graph), names.named(graph).graph) for graph in truths])] if truths else []
    )
    for name, explanations in explained.items():
        prototypes = explanations[target].prototypes if target in explanations else []
        cells = []
        for one in prototypes:
            rest = f"taken for class {one.predicted}" if taken_for(one) else size(one.graph)
            cells.append((f"p = {one.probability:.3f}, {rest}", names.named(one.graph).graph))
        columns.append((shortened(name, 20), cells))
    return columns


def _draw_class(sheet: Sheet, label: str, columns: Sequence[Column], top: float, palette: Palette) -> None:
    sheet.rule(top + 0.05)
    sheet.write(MARGIN, top - 0.17, label, fontsize=11.5, **BOLD)
    for number, (heading, cells) in enumerate(columns):
        left = MARGIN + number * WIDTH
        sheet.write(left, top - 0.52, heading, fontsize=9.5, **BOLD)
        if not cells:
            sheet.write(left, top - HEADING - CAPTION / 2, "nothing found", fontsize=8, **PLAIN)
        for row, (caption, graph) in enumerate(cells):
            bottom = top - HEADING - (row + 1) * HEIGHT
            sheet.write(left, bottom + HEIGHT - CAPTION / 2, caption, fontsize=8, **PLAIN)
            frame = WIDTH - 0.2, HEIGHT - CAPTION - 0.15
            draw_view(sheet.axes(left, bottom + 0.1, *frame), frame, View(graph, layout(graph)), palette)
