"""Graphs as pictures: nodes in the colours of their kinds, a pattern highlighted in them or by itself."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np
from torch_geometric.data import Data

from protograph._utils.arrays import Floats
from protograph.report.layout import undirected_edges
from protograph.report.markup import Marks, halos, svg, tag, targets, text
from protograph.report.palette import Category, Palette, mixed, readable_on
from protograph.report.sheet import INK

# Pixels: of an edge, the largest and the smallest node, and the largest picture.
EDGE_PIXELS, MAX_RADIUS, MIN_RADIUS = 44.0, 11.0, 2.5
MAX_SIZE = (420.0, 300.0)
MIN_TEXT_RADIUS = 7.0
PALE = 0.4


def graph_markup(
    graph: Data,
    positions: Floats,
    palette: Palette,
    marks: Marks,
    label: str,
    titles: Mapping[int, str] = MappingProxyType({}),
) -> str:
    """A graph as SVG text, what is not marked pale where something is.

    Args:
        graph: The graph, whose columns are told by names.
        positions: Where its nodes are, an edge being about 1 long, y upwards.
        palette: How its nodes look.
        marks: What is marked.
        label: What it is, for those who cannot see it.
        titles: What is said of some nodes when they are pointed at; of others their kind and number.
    """
    scale, radius = _scale_and_radius(positions)
    margin = radius + 14
    low = positions.min(axis=0, initial=0.0) if not len(positions) else positions.min(axis=0)
    size = (np.ptp(positions, axis=0) if len(positions) else np.zeros(2)) * scale + 2 * margin
    points = (positions - low) * scale + margin
    points[:, 1] = size[1] - points[:, 1]
    edges = [(int(u), int(v)) for u, v in undirected_edges(graph)[0]]
    looks = palette.looks(graph)
    own = {(min(ends), max(ends)) for ends in marks.edges}
    is_marked = 0 < len(marks.nodes) < len(looks)
    return svg(
        float(size[0]),
        float(size[1]),
        label,
        halos(points, marks, radius + 4),
        _lines(points, [ends for ends in edges if ends not in own], radius, is_pale=is_marked),
        _lines(points, [ends for ends in edges if ends in own], radius),
        *(_node(points[node], look, radius, is_marked and node not in marks.nodes) for node, look in enumerate(looks)),
        targets(
            {node: (float(x), float(y)) for node, (x, y) in enumerate(points.tolist())},
            edges,
            marks,
            radius,
            {node: titles.get(node) or _title(look, node) for node, look in enumerate(looks)},
        ),
        kind="graph",
    )


def _scale_and_radius(positions: Floats) -> tuple[float, float]:
    """Pixels of an edge, and of a node such that neighbours do not touch."""
    if len(positions) < 2:
        return EDGE_PIXELS, MAX_RADIUS
    extent = np.maximum(np.ptp(positions, axis=0), 1e-9)
    room = np.array(MAX_SIZE) * max(1.0, np.sqrt(len(positions) / 60))
    scale = float(min(EDGE_PIXELS, *(room / extent)))
    gaps = np.linalg.norm(positions[:, None] - positions[None], axis=2)
    np.fill_diagonal(gaps, np.inf)
    close = float(np.percentile(gaps.min(axis=1), 10))
    return scale, float(np.clip(0.42 * close * scale, MIN_RADIUS, MAX_RADIUS))


def _lines(points: Floats, edges: Sequence[tuple[int, int]], radius: float, *, is_pale: bool = False) -> str:
    if not edges:
        return ""
    path = "".join(f"M{points[u][0]:.1f},{points[u][1]:.1f}L{points[v][0]:.1f},{points[v][1]:.1f}" for u, v in edges)
    width = float(np.clip(radius / 5.5, 0.7, 2.0))
    look = {"stroke": "currentColor", "stroke_width": width, "fill": "none"}
    return tag("path", d=path, opacity=PALE if is_pale else 0.85, **look)


def _node(point: Floats, look: Category, radius: float, is_pale: bool) -> str:
    x, y = map(float, point)
    disc = tag("circle", cx=x, cy=y, r=radius, fill=look.color, stroke=mixed(look.color, INK, 0.55))
    inside = look.inside.strip()
    letters = (
        tag(
            "text",
            text(inside),
            x=x,
            y=y + 0.36 * radius,
            text_anchor="middle",
            font_family="system-ui,sans-serif",
            font_weight=600,
            font_size=radius * (1.05 if len(inside) == 1 else 0.85),
            fill=readable_on(look.color),
        )
        if inside and radius >= MIN_TEXT_RADIUS
        else ""
    )
    return tag("g", disc, letters, opacity=PALE if is_pale else None)


def _title(look: Category, node: int) -> str:
    return f"{look.label}, node {node}" if look.label else f"node {node}"
