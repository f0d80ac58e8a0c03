"""Superpixels as pictures: the image that they were cut from, as far as the graph knows it, and a pattern in it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from torch import Tensor
from torch_geometric.data import Data

from protograph._utils.arrays import Floats
from protograph.graphs.validate import node_count
from protograph.report.markup import Marks, halos, svg, tag, targets

# Pixels that the longer side of an image has on the page.
SIDE_PIXELS = 190.0
# Greys of the levels that a data set names.
LEVELS: Mapping[str, float] = {"black": 0.07, "dark": 0.5, "bright": 0.97}
_CELL = re.compile(r"row (\d+), column (\d+)")
# Fewer are no image.
MIN_NODES = 9
RADIUS = 5.0
# Superpixels are joined to all around them: more lines than these are thin, or they would hide the image.
FEW_EDGES = 20
# Correlation from which a column is a coordinate again.
_SAME_PLACE = 1 - 1e-6


@dataclass(frozen=True)
class Image:
    """Superpixels on paper.

    Attributes:
        places: Centre of each, ``[num_nodes, 2]``, y downwards.
        greys: Of each, 0 for black and 1 for white.
        box: Least x and y, and greatest x and y, of the image.
        cells: Corners of each, ``[num_corners, 2]``.
    """

    places: Floats
    greys: Floats
    box: tuple[float, float, float, float]
    cells: tuple[Floats, ...]


def image_of(graph: Data, feature_names: Sequence[str]) -> Image | None:
    """The image of a graph of superpixels; ``None`` where it is none.

    It is one where nodes have places in the plane (``pos``) and a grey: a level that the first columns name, or a
    single column in [0, 1] beside such as repeat the places. The cells are what lies nearest to each centre, since
    graphs do not keep the regions.

    Args:
        graph: The graph.
        feature_names: Names of the columns of ``x``.
    """
    greys, pos = _greys(graph, feature_names), graph.get("pos")
    size = node_count(graph)
    if greys is None or size < MIN_NODES or not isinstance(pos, Tensor) or tuple(pos.shape) != (size, 2):
        return None
    places = pos.detach().cpu().double().numpy() * [1, -1]
    if not np.isfinite(places).all() or len(np.unique(places, axis=0)) < size:
        return None
    gap = float(np.sqrt(np.prod(np.maximum(np.ptp(places, axis=0), 1e-9)) / size))
    (left, top), (right, bottom) = places.min(axis=0) - gap / 2, places.max(axis=0) + gap / 2
    box = (float(left), float(top), float(right), float(bottom))
    return Image(places, greys, box, _cells(places, box))


def fragment_image(graph: Data, feature_names: Sequence[str]) -> Image | None:
    """A pattern of superpixels whose columns name the row and column of each, as squares there; else ``None``."""
    named = enumerate(map(_CELL.fullmatch, feature_names))
    cells = {column: tuple(map(int, found.groups())) for column, found in named if found}
    greys = _greys(graph, feature_names)
    if greys is None or not cells or graph.x.dim() != 2 or graph.x.size(1) != len(feature_names):
        return None
    own = graph.x[:, list(cells)]
    if not bool((own.sum(dim=1) == 1).all()):
        return None
    numbers = np.array(list(cells.values()), dtype=np.float64)
    height, width = numbers.max(axis=0) + 0.5
    places = numbers[own.argmax(dim=1).tolist()][:, ::-1]
    corners = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])
    return Image(places, greys, (-0.5, -0.5, float(width), float(height)), tuple(place + corners for place in places))


def _greys(graph: Data, names: Sequence[str]) -> Floats | None:
    x = graph.x
    if not isinstance(x, Tensor) or x.dim() > 2 or not x.numel():
        return None
    rows = x.detach().cpu().double().reshape(len(x), -1).numpy()
    if tuple(names[: len(LEVELS)]) == tuple(LEVELS) and rows.shape[1] == len(names):
        return np.asarray(rows[:, : len(LEVELS)] @ np.array(list(LEVELS.values())))
    own = [column for column in rows.T if not _is_place(column, graph.get("pos"))]
    is_grey = len(own) == 1 and own[0].min() >= 0 and own[0].max() <= 1 and len(np.unique(own[0])) > 2
    return own[0] if is_grey else None


def _is_place(column: Floats, pos: object) -> bool:
    """Whether a column of features is a coordinate again, however scaled and shifted: models are often given both."""
    if not isinstance(pos, Tensor) or pos.dim() != 2 or len(pos) != len(column):
        return False
    places = pos.detach().cpu().double().numpy()
    spreads = places.std(axis=0) * column.std()
    if not np.isfinite(spreads).all():
        return False
    alike = ((places - places.mean(axis=0)) * (column - column.mean())[:, None]).mean(axis=0)
    return bool((np.abs(alike) > _SAME_PLACE * spreads)[spreads > 0].any())


def _cells(places: Floats, box: tuple[float, float, float, float]) -> tuple[Floats, ...]:
    """What is nearest to each place, inside the box: centres mirrored in its sides make the sides borders."""
    from scipy.spatial import Voronoi

    left, top, right, bottom = box
    across, down = np.array([-1.0, 1.0]), np.array([1.0, -1.0])
    sides = [(across, (2 * left, 0)), (across, (2 * right, 0)), (down, (0, 2 * top)), (down, (0, 2 * bottom))]
    diagram = Voronoi(np.concatenate([places, *(places * sign + np.array(offset) for sign, offset in sides)]))
    cells = []
    for place in range(len(places)):
        corners = diagram.vertices[diagram.regions[diagram.point_region[place]]]
        away = corners - corners.mean(axis=0)
        cells.append(corners[np.arctan2(away[:, 1], away[:, 0]).argsort(kind="stable")])
    return tuple(cells)


def drawn_places(image: Image) -> Floats:
    """Where the centres of superpixels are drawn, in pixels."""
    places: Floats = (image.places - np.array(image.box[:2])) * _scale(image)
    return places


def _scale(image: Image) -> float:
    left, top, right, bottom = image.box
    return SIDE_PIXELS / max(right - left, bottom - top)


def image_markup(image: Image, marks: Marks, label: str, *, is_alone: bool = False) -> str:
    """Superpixels as SVG text.

    Args:
        image: The superpixels.
        marks: What is marked.
        label: What it is, for those who cannot see it.
        is_alone: Whether only what is marked has its grey, and the rest is left open.
    """
    left, top, right, bottom = image.box
    scale, corner, points = _scale(image), np.array([left, top]), drawn_places(image)
    cells = [(corners - corner) * scale for corners in image.cells]
    titles = {node: f"grey {image.greys[node]:.2f}, node {node}" for node in marks.nodes}
    width, height = (right - left) * scale, (bottom - top) * scale
    return svg(
        width,
        height,
        label,
        tag("rect", width=width, height=height, fill="none", stroke="currentColor", stroke_width=0.8, opacity=0.3),
        *_filled(cells, image.greys, marks, is_alone=is_alone),
        halos(points, Marks({}, marks.edges), RADIUS if len(marks.edges) <= FEW_EDGES else RADIUS / 3),
        *(_outline(cells[node], marks.color(node)) for node in marks.nodes),
        targets(
            {node: (float(points[node][0]), float(points[node][1])) for node in marks.nodes},
            [],
            Marks(marks.nodes),
            RADIUS + 1,
            titles,
        ),
        kind="superpixels",
    )


def _filled(cells: Sequence[Floats], greys: Floats, marks: Marks, *, is_alone: bool) -> list[str]:
    """All cells of one grey as one path, which is shorter to write."""
    by_level: dict[str, list[str]] = {}
    for node, corners in enumerate(cells):
        byte = round(255 * float(np.clip(greys[node], 0, 1)))
        level = "none" if is_alone and node not in marks.nodes else f"#{byte:02x}{byte:02x}{byte:02x}"
        by_level.setdefault(level, []).append(_path(corners))
    # A cell's own stroke closes the hairlines between neighbours; an open one is only outlined.
    return [
        tag("path", d="".join(paths), fill="none", stroke="currentColor", stroke_width=0.5, opacity=0.25)
        if level == "none"
        else tag("path", d="".join(paths), fill=level, stroke=level, stroke_width=0.6)
        for level, paths in by_level.items()
    ]


def _path(corners: Floats) -> str:
    return "M" + "L".join(f"{x:.1f},{y:.1f}" for x, y in corners.tolist()) + "Z"


def _outline(corners: Floats, color: str) -> str:
    return tag("path", d=_path(inner(corners)), fill=color, fill_opacity=0.35, stroke=color, stroke_width=2.0)


def inner(corners: Floats) -> Floats:
    """Corners of a cell drawn in a little, where its outline lies."""
    middle = corners.mean(axis=0)
    drawn: Floats = middle + 0.9 * (corners - middle)
    return drawn
