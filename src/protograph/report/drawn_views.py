"""Molecules, superpixels and sentences drawn into a frame of a figure, as they are on a page."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from protograph._base.arrays import Floats
from protograph.molecules.draw import INK as BLACK
from protograph.molecules.draw import Stroke
from protograph.report.depicted_images import FEW_EDGES, Image
from protograph.report.depicted_molecules import MARGIN, RADIUS, PlacedMolecule
from protograph.report.markup import HALO, Marks
from protograph.report.sheet import INK, lines_of

POINTS = 72.0
# Points that a pixel of a page is at most: a bond is no longer than that of a drawing in a paper.
MOST_POINTS = 1.0
HALO_ALPHA = 0.55
WORD_SIZE, WORD_LINE, MOST_LINES = 11.0, 0.26, 9
GAP = "…"
_COMMAND = re.compile(r"([MLQCZ])([^MLQCZ]*)")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")


def draw_placed_molecule(
    axes: Any, frame: tuple[float, float], placed: PlacedMolecule, marks: Marks, shares: Sequence[float] = ()
) -> None:
    """Draw a molecule so that it fills the frame.

    Args:
        axes: matplotlib's axes, which the frame is.
        frame: Its width and height in inches.
        placed: The molecule.
        marks: What of it is marked.
        shares: How strongly each marked node is, from 0 to 1; in full where it is empty.
    """
    drawing = placed.draw()
    scale = _fit(axes, frame, (-MARGIN, -MARGIN, drawing.width + MARGIN, drawing.height + MARGIN))
    points = {node: drawing.points[atom] for node, atom in placed.shown.atoms.items()}
    _draw_halos(axes, points, marks, shares, RADIUS, scale)
    for stroke in drawing.strokes:
        _draw_stroke(axes, stroke, scale)
    from matplotlib.patches import Circle

    for node in marks.closed:
        axes.add_patch(Circle(tuple(points[node]), RADIUS + 2.5, fill=False, ec=INK, lw=1.2, zorder=6, label="rings"))


def _draw_halos(
    axes: Any, points: dict[int, Floats], marks: Marks, shares: Sequence[float], radius: float, scale: float
) -> None:
    from matplotlib.collections import LineCollection
    from matplotlib.patches import Circle

    lines = [[points[u], points[v]] for u, v in marks.edges if u in points and v in points]
    # Mixed with white rather than see-through, so that what lies twice is no darker.
    color = _pale(HALO, HALO_ALPHA)
    style: dict[str, Any] = {"linewidths": 1.2 * radius * scale, "colors": color, "capstyle": "round", "zorder": 1}
    axes.add_collection(LineCollection(lines, label="halo", **style), autolim=False)
    for place, node in enumerate(node for node in marks.nodes if node in points):
        own = _pale(HALO, HALO_ALPHA * (shares[place] if len(shares) == len(marks.nodes) else 1.0))
        axes.add_patch(Circle(tuple(points[node]), radius, fc=own, ec="none", zorder=2, label="halo nodes"))


def _pale(color: str, share: float) -> str:
    from protograph.report.palette import WHITE, mixed

    return mixed(color, WHITE, 1 - share)


def _draw_stroke(axes: Any, stroke: Stroke, scale: float) -> None:
    from matplotlib.patches import PathPatch

    color = INK if stroke.color == BLACK else stroke.color
    dashes = [float(number) * scale for number in _NUMBER.findall(stroke.dashes)]
    axes.add_patch(
        PathPatch(
            svg_path(stroke.path),
            fc=color if stroke.is_filled else "none",
            ec=color if stroke.width else "none",
            lw=stroke.width * scale,
            ls=(0, dashes) if dashes and stroke.width else "-",
            capstyle="round",
            zorder=4,
            label="molecule",
        )
    )


def svg_path(commands: str) -> Any:
    """The path of matplotlib for the commands M, L, Q, C and Z of an SVG path, in absolute coordinates.

    >>> svg_path("M 0,0 L 2,0 Z").vertices.tolist()
    [[0.0, 0.0], [2.0, 0.0], [0.0, 0.0]]
    """
    from matplotlib.path import Path

    codes = {"M": Path.MOVETO, "L": Path.LINETO, "Q": Path.CURVE3, "C": Path.CURVE4}
    vertices: list[tuple[float, float]] = []
    kinds: list[int] = []
    start = (0.0, 0.0)
    for command, numbers in _COMMAND.findall(commands):
        values = [float(number) for number in _NUMBER.findall(numbers)]
        points = list(zip(values[::2], values[1::2], strict=True))
        if command == "Z":
            points, code = [start], Path.CLOSEPOLY
        else:
            code = codes[command]
            start = points[0] if command == "M" else start
        vertices += points
        kinds += [int(code)] * len(points)
    return Path(vertices, kinds) if vertices else Path(np.zeros((0, 2)))


def _fit(axes: Any, frame: tuple[float, float], box: tuple[float, float, float, float]) -> float:
    """Set the limits so that a box lies in the middle of the frame, y downwards; points that a unit of it is."""
    axes.set_axis_off()
    left, top, right, bottom = box
    room = np.array(frame) * POINTS
    scale = float(min(MOST_POINTS, room[0] / (right - left), room[1] / (bottom - top)))
    middle, half = np.array([left + right, top + bottom]) / 2, room / scale / 2
    axes.set(xlim=(middle[0] - half[0], middle[0] + half[0]), ylim=(middle[1] + half[1], middle[1] - half[1]))
    return scale


def draw_image(axes: Any, frame: tuple[float, float], image: Image, marks: Marks, *, is_alone: bool) -> None:
    """Draw superpixels so that they fill the frame; alone, only those that are marked have their grey."""
    from matplotlib.patches import Polygon

    _fit_image(axes, frame, image.box)
    for node, corners in enumerate(image.cells):
        grey = str(float(np.clip(image.greys[node], 0, 1)))
        is_open = is_alone and node not in marks.nodes
        look: dict[str, Any] = (
            {"fc": "none", "ec": "#D0D5DD", "lw": 0.5} if is_open else {"fc": grey, "ec": grey, "lw": 0.4}
        )
        axes.add_patch(Polygon(corners, zorder=2, label="superpixels", **look))
    width = 3 if len(marks.edges) <= FEW_EDGES else 1
    for u, v in marks.edges:
        axes.plot(*image.places[[u, v]].T, color=HALO, lw=width, zorder=4, label="halo")
    for node in marks.nodes:
        corners = image.cells[node]
        inner = corners.mean(axis=0) + 0.9 * (corners - corners.mean(axis=0))
        axes.add_patch(Polygon(inner, fc="none", ec=HALO, lw=2, zorder=5, label="halo nodes"))


def _fit_image(axes: Any, frame: tuple[float, float], box: tuple[float, float, float, float]) -> None:
    left, top, right, bottom = box
    longer = max((right - left) / frame[0], (bottom - top) / frame[1])
    middle, half = np.array([left + right, top + bottom]) / 2, np.array(frame) * longer / 2
    axes.set_axis_off()
    axes.set(xlim=(middle[0] - half[0], middle[0] + half[0]), ylim=(middle[1] + half[1], middle[1] - half[1]))


def draw_words(axes: Any, frame: tuple[float, float], words: Sequence[str], marks: Marks, *, is_alone: bool) -> None:
    """Write a sentence into the frame, the marked words on a ground of their own; alone, only these."""
    from protograph.report.sheet import text_width

    axes.set_axis_off()
    axes.set(xlim=(0, frame[0]), ylim=(frame[1], 0))
    x, y, space = 0.0, 0.2, text_width("n", WORD_SIZE)
    for node, word in _written(words, marks) if is_alone else enumerate(words):
        fitting = lines_of(word, frame[0], WORD_SIZE, 1)[0]
        width = text_width(fitting, WORD_SIZE)
        if x and x + width > frame[0]:
            x, y = 0.0, y + WORD_LINE
        if y > MOST_LINES * WORD_LINE:
            return
        ground = {"boxstyle": "round,pad=0.15", "fc": HALO, "alpha": HALO_ALPHA, "ec": "none"}
        box = {"bbox": ground} if node in marks.nodes else {}
        axes.text(x, y, fitting, fontsize=WORD_SIZE, color=INK, va="center", parse_math=False, zorder=5, **box)
        x += width + space


def _written(words: Sequence[str], marks: Marks) -> list[tuple[int, str]]:
    """The marked words with their nodes, and dots, which are of no node, for what is between them."""
    written, last = list[tuple[int, str]](), -1
    for node in sorted(marks.nodes):
        written += [(-1, GAP)] * (node > last + 1) + [(node, words[node])]
        last = node
    return written + [(-1, GAP)] * (last + 1 < len(words))
