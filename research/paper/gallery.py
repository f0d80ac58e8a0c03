"""Figures of many small graphs: rows and columns of pictures under headings, with one legend."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from torch_geometric.data import Data

from protograph._base.arrays import Floats
from protograph.report.layout import layout, undirected_edges
from protograph.report.palette import Category, Legend, Palette, mixed
from protograph.report.sheet import INK, MUTED, Sheet, lines_of, our_style
from protograph.report.views import Highlight, View, draw_view

# In inches: a picture, the room of its caption, and of headings.
WIDTH, HEIGHT, CAPTION_LINE = 2.1, 1.75, 0.165
MARGIN, TITLE, HEADING, ROW_HEADING = 0.35, 0.5, 0.32, 0.3
CAPTION_SIZE = 7.5
# White where nothing is attributed, this where all is.
ATTRIBUTION = "#B2182B"


@dataclass(frozen=True, kw_only=True)
class Picture:
    """One graph of a gallery.

    Attributes:
        graph: The graph, one-hot.
        caption: What is said below it, in at most two lines.
        part: Nodes and edges that are underlaid: what it has of the ground truth.
        shares: Where there are some, nodes are coloured by them, the largest in full, instead of by their kind.
    """

    graph: Data
    caption: str = ""
    part: dict[str, Any] = field(default_factory=dict)
    shares: Sequence[float] = ()


@dataclass(frozen=True, kw_only=True)
class Row:
    """Pictures side by side.

    Attributes:
        cells: One entry a column: the picture, or words where there is none.
        heading: What stands above the row, below a line; empty for none.
    """

    cells: Sequence[Picture | str]
    heading: str = ""


@dataclass(frozen=True)
class _BySize(Palette):
    """The kinds of a palette, coloured by a number a node."""

    shares: tuple[float, ...] = ()

    def looks(self, graph: Data) -> list[Category]:
        most = max(self.shares, default=0.0) or 1.0
        return [
            replace(kind, color=mixed("#FFFFFF", ATTRIBUTION, share / most))
            for kind, share in zip(super().looks(graph), self.shares, strict=True)
        ]


def gallery(title: str, columns: Sequence[str], rows: Sequence[Row], palette: Palette, note: str = "") -> Any:
    """Draw rows of pictures.

    Args:
        title: What the figure is headed.
        columns: What each column is headed.
        rows: The pictures.
        palette: How nodes look; its legend stands below the title.
        note: What else the legend is to say.

    Returns:
        A matplotlib ``Figure``.
    """
    with our_style():
        from matplotlib.figure import Figure

        by_kind = [cell.graph for row in rows for cell in row.cells if isinstance(cell, Picture)]
        width = 2 * MARGIN + WIDTH * len(columns)
        legend = Legend(palette, by_kind, width - 2 * MARGIN)
        note_lines = lines_of(note, width - 2 * MARGIN, 8.5, 3) if note else []
        top_room = TITLE + legend.height + 0.17 * len(note_lines) + HEADING
        height = 2 * MARGIN + top_room + sum(map(_row_height, rows))
        sheet = Sheet(Figure(figsize=(width, height), facecolor="white"), MARGIN)
        sheet.say(MARGIN, 0.0, title, 13, INK, "bold")
        legend.draw(sheet, MARGIN, sheet.top - 0.36)
        sheet.top -= 0.36 + legend.height
        for line in note_lines:
            sheet.say(MARGIN, 0.0, line, 8.5, MUTED)
            sheet.top -= 0.17
        sheet.top -= TITLE - 0.36
        for number, name in enumerate(columns):
            sheet.say(MARGIN + number * WIDTH, 0.06, name, 9.5, INK, "bold", width=WIDTH - 0.1)
        sheet.top -= HEADING
        for number, row in enumerate(rows):
            if row.heading or number == 0:
                sheet.rule(sheet.top)
            _draw_row(sheet, row, palette)
        return sheet.figure


def _num_lines(row: Row) -> int:
    return max((len(_caption_lines(cell)) for cell in row.cells if isinstance(cell, Picture)), default=0)


def _caption_lines(picture: Picture) -> list[str]:
    return lines_of(picture.caption, WIDTH - 0.15, CAPTION_SIZE, 2) if picture.caption else []


def _row_height(row: Row) -> float:
    return HEIGHT + CAPTION_LINE * _num_lines(row) + 0.12 + (ROW_HEADING if row.heading else 0)


def _draw_row(sheet: Sheet, row: Row, palette: Palette) -> None:
    bottom = sheet.top - _row_height(row)
    if row.heading:
        sheet.say(MARGIN, 0.09, row.heading, 9, MUTED, "bold")
        sheet.top -= ROW_HEADING
    places: dict[int, Floats] = {}
    for number, cell in enumerate(row.cells):
        left = MARGIN + number * WIDTH
        if isinstance(cell, str):
            sheet.say(left, HEIGHT / 2, cell, 8.5, MUTED, width=WIDTH - 0.15)
        else:
            if id(cell.graph) not in places:  # one graph, in one row, always looks the same
                part = _highlight(cell)
                places[id(cell.graph)] = layout(cell.graph, part.nodes if part else (), part.edges if part else None)
            _draw_picture(sheet, left, cell, places[id(cell.graph)], palette)
    sheet.top = bottom


def _draw_picture(sheet: Sheet, left: float, picture: Picture, places: Floats, palette: Palette) -> None:
    frame = WIDTH - 0.2, HEIGHT - 0.12
    view = View(picture.graph, places, halo=_highlight(picture))
    looks = palette
    if picture.shares:
        looks = _BySize(palette.categories, palette.members, None, palette.columns, tuple(picture.shares))
    draw_view(sheet.axes(left, sheet.top - HEIGHT + 0.03, *frame), frame, view, looks)
    for number, line in enumerate(_caption_lines(picture)):
        sheet.say(left, HEIGHT + CAPTION_LINE * number, line, CAPTION_SIZE, MUTED)


def _highlight(picture: Picture) -> Highlight | None:
    if not picture.part or not picture.part["nodes"]:
        return None
    edges = np.array(picture.part["edges"], dtype=np.int64).reshape(-1, 2)
    loops = undirected_edges(picture.graph)[1]
    return Highlight(picture.part["nodes"], edges, loops[:0])
