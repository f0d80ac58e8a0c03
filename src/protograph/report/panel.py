"""One graph in one frame."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch_geometric.data import Data

from protograph.report.layout import Edges, Positions, pairwise_gaps, undirected_edges
from protograph.report.palette import Palette
from protograph.report.style import INK

EDGE = "#3F4757"
PALE_EDGE = "#D0D5DD"
HALO = "#FFE9A8"

# In points. An edge is never drawn longer than this: two nodes must not stretch over the whole frame.
MAX_EDGE = 78.0
MIN_RADIUS, MAX_LEAST_RADIUS, MAX_RADIUS = 1.6, 6.0, 13.0
MIN_TEXT_RADIUS = 5.0
POINTS = 72.0
MANY_EDGES = 3
PALE = 0.72
# Width of an edge that no other graph has, as a share of that of one that all have.
THINNEST = 0.35


@dataclass(frozen=True)
class Highlight:
    """The part of a graph that is drawn in full colour, everything else pale.

    Attributes:
        nodes: Its nodes.
        edges: Its edges, ``[num_edges, 2]``.
        loops: Its nodes that are joined to themselves.
    """

    nodes: Sequence[int]
    edges: Edges
    loops: Edges = field(default_factory=lambda: np.empty(0, dtype=np.int64))


@dataclass(frozen=True)
class Shares:
    """How strongly nodes and edges are drawn: 1 in full, less paler and thinner. What has no share is drawn in full.

    Attributes:
        nodes: Share of each node; may be empty.
        edges: Shares by the two nodes, the lower one first.
    """

    nodes: Sequence[float] = ()
    edges: Mapping[tuple[int, int], float] = field(default_factory=dict)

    def of_edges(self, edges: Edges) -> NDArray[np.float64]:
        """Share of each edge, ``[num_edges]``."""
        return np.array([self.edges.get((u, v), 1.0) for u, v in edges.tolist()], dtype=np.float64)

    def of_nodes(self, nodes: Sequence[int]) -> list[float]:
        """Share of each node."""
        return [self.nodes[node] if self.nodes else 1.0 for node in nodes]


@dataclass(frozen=True)
class _Sizes:
    """In points: what an edge's length of 1 becomes, the radius of a node, and the width of an edge."""

    scale: float
    radius: float
    width: float


def draw_graph(
    axes: Any,
    frame: tuple[float, float],
    graph: Data,
    positions: Positions,
    palette: Palette,
    part: Highlight | None,
    shares: Shares | None = None,
) -> None:
    """Draw a graph so that it fills the frame.

    Args:
        axes: matplotlib's axes, which the frame is.
        frame: Its width and height in inches.
        graph: The graph.
        positions: Where its nodes are.
        palette: How its nodes look.
        part: What to highlight; ``None`` draws everything in full colour.
        shares: What to draw paler and thinner; ``None`` nothing.
    """
    axes.set_axis_off()
    if not len(positions):
        return
    edges, loops = undirected_edges(graph)
    if len(loops) == len(positions) > 2:  # where every node has one they tell nothing, and hide the rest
        loops = loops[:0]
        part = None if part is None else replace(part, loops=loops)
    sizes = _sizes(positions, frame, len(edges), has_loops=len(loops) > 0)
    colors, insides = palette.colors(graph), palette.insides(graph)
    nodes = range(len(positions))
    directions = {int(node): _free_direction(positions, edges, node) for node in loops}
    if part is None:
        part = Highlight(nodes, edges, loops)
    else:
        _draw_halo(axes, positions, part, sizes)
        others = {node: direction for node, direction in directions.items() if node not in part.loops}
        _draw_edges(axes, positions, _without(edges, part.edges), others, sizes, is_pale=True)
        rest = sorted(set(nodes) - set(part.nodes))
        _draw_nodes(axes, positions, rest, colors, insides, sizes, is_pale=True)
    own = {int(node): directions[node] for node in part.loops}
    shares = shares or Shares()
    _draw_edges(axes, positions, part.edges, own, sizes, is_pale=False, shares=shares)
    weakened = [
        mixed(color, "#FFFFFF", PALE * (1 - share)) for color, share in zip(colors, shares.of_nodes(nodes), strict=True)
    ]
    _draw_nodes(axes, positions, part.nodes, weakened, insides, sizes, is_pale=False)
    _fit(axes, positions, frame, sizes)


def _sizes(positions: Positions, frame: tuple[float, float], num_edges: int, *, has_loops: bool) -> _Sizes:
    room = np.array(frame) * POINTS
    extent = np.maximum(np.ptp(positions, axis=0), 1e-9)
    gaps = _gaps(positions)
    # Where a few nodes are very close, the others stay large enough to be seen.
    least = float(np.clip(0.13 * np.sqrt(room.prod() / len(positions)), MIN_RADIUS, MAX_LEAST_RADIUS))
    radius, scale = MAX_RADIUS, MAX_EDGE
    for _ in range(3):
        rim = radius * (3 if has_loops else 1) + 5
        scale = float(min(MAX_EDGE, *((room - 2 * rim) / extent)))
        radius = max(
            min(0.27, 0.46 * float(np.percentile(gaps, 10))), min(least / scale, 0.42 * float(np.median(gaps)))
        )
        radius = float(np.clip(radius * scale, MIN_RADIUS, MAX_RADIUS))
    # Where there are many edges to a node, thick ones would run into each other.
    thinness = min(1.0, MANY_EDGES * len(positions) / max(num_edges, 1))
    return _Sizes(scale, radius, thinness * float(np.clip(radius / 5.5, 0.5, 2.2)))


def _gaps(positions: Positions) -> NDArray[np.float64]:
    """Distance of each node to the nearest other one."""
    gaps = pairwise_gaps(positions)
    np.fill_diagonal(gaps, np.inf)
    return gaps.min(axis=1) if len(positions) > 1 else np.ones(1)


def _fit(axes: Any, positions: Positions, frame: tuple[float, float], sizes: _Sizes) -> None:
    centre = (positions.max(axis=0) + positions.min(axis=0)) / 2
    half = np.array(frame) * POINTS / sizes.scale / 2
    axes.set_xlim(centre[0] - half[0], centre[0] + half[0])
    axes.set_ylim(centre[1] - half[1], centre[1] + half[1])


def _without(edges: Edges, others: Edges) -> Edges:
    gone = {(min(edge), max(edge)) for edge in others.tolist()}
    return np.array([edge for edge in edges.tolist() if tuple(edge) not in gone], dtype=np.int64).reshape(-1, 2)


def _draw_halo(axes: Any, positions: Positions, part: Highlight, sizes: _Sizes) -> None:
    from matplotlib.collections import LineCollection

    width = 2 * sizes.radius + 9
    lines = LineCollection(list(positions[part.edges]), colors=HALO, linewidths=0.7 * width, capstyle="round", zorder=1)
    lines.set_label("halo")
    axes.add_collection(lines, autolim=False)
    place = positions[list(part.nodes)]
    axes.scatter(place[:, 0], place[:, 1], s=width**2, c=HALO, linewidths=0, zorder=1, label="halo nodes")


def _draw_edges(
    axes: Any,
    positions: Positions,
    edges: Edges,
    loops: dict[int, Positions],
    sizes: _Sizes,
    *,
    is_pale: bool,
    shares: Shares | None = None,
) -> None:
    from matplotlib.collections import LineCollection
    from matplotlib.patches import Circle

    color, width, order = (PALE_EDGE, 0.7 * sizes.width, 2) if is_pale else (EDGE, sizes.width, 4)
    strengths = (shares or Shares()).of_edges(edges)
    colors = [mixed(color, PALE_EDGE, 1 - strength) for strength in strengths]
    widths = width * (THINNEST + (1 - THINNEST) * strengths)
    lines = LineCollection(list(positions[edges]), colors=colors, linewidths=widths, capstyle="round", zorder=order)
    lines.set_label("pale edges" if is_pale else "edges")
    axes.add_collection(lines, autolim=False)
    for node, direction in loops.items():
        middle = positions[node] + direction * 1.2 * sizes.radius / sizes.scale
        radius = 0.8 * sizes.radius / sizes.scale
        loop = Circle(middle, radius, fill=False, edgecolor=color, linewidth=width, zorder=order)
        loop.set_label("pale loop" if is_pale else "loop")
        axes.add_patch(loop)


def _free_direction(positions: Positions, edges: Edges, node: int) -> Positions:
    """The middle of the widest angle between a node's edges, upwards where it has none."""
    others = np.concatenate([edges[edges[:, 0] == node, 1], edges[edges[:, 1] == node, 0]])
    if not len(others):
        return np.array([0.0, 1.0])
    away = positions[others] - positions[node]
    angles = np.sort(np.arctan2(away[:, 1], away[:, 0]))
    gaps = np.diff(angles, append=angles[0] + 2 * np.pi)
    middle = angles[gaps.argmax()] + gaps.max() / 2
    return np.array([np.cos(middle), np.sin(middle)])


def _draw_nodes(
    axes: Any,
    positions: Positions,
    nodes: Sequence[int],
    colors: Sequence[str],
    insides: Sequence[str],
    sizes: _Sizes,
    *,
    is_pale: bool,
) -> None:
    fills = [mixed(colors[node], "#FFFFFF", PALE) if is_pale else colors[node] for node in nodes]
    rims = [mixed(fill, "#98A2B3", 0.5) if is_pale else mixed(fill, INK, 0.55) for fill in fills]
    place = positions[np.asarray(nodes, dtype=np.int64)]
    axes.scatter(
        place[:, 0],
        place[:, 1],
        s=(2 * sizes.radius) ** 2,
        c=fills,
        edgecolors=rims,
        linewidths=float(np.clip(sizes.radius / 9, 0.3, 1.1)),
        zorder=3 if is_pale else 5,
        label="pale nodes" if is_pale else "nodes",
    )
    if sizes.radius < MIN_TEXT_RADIUS:
        return
    for node, fill in zip(nodes, fills, strict=True):
        if insides[node].strip():
            _write(axes, positions[node], insides[node], "#98A2B3" if is_pale else readable_on(fill), sizes, is_pale)


def _write(axes: Any, place: Positions, text: str, color: str, sizes: _Sizes, is_pale: bool) -> None:
    axes.text(
        *place,
        text,
        color=color,
        fontsize=sizes.radius * (1.05 if len(text) == 1 else 0.85),
        fontweight="normal" if is_pale else "bold",
        ha="center",
        va="center_baseline",
        zorder=6,
        parse_math=False,
    )


def mixed(color: str, other: str, share: float) -> str:
    """A colour with a share of another one.

    >>> mixed("#000000", "#FFFFFF", 0.2)
    '#333333'
    """
    from matplotlib.colors import to_hex, to_rgb

    return str(to_hex((1 - share) * np.array(to_rgb(color)) + share * np.array(to_rgb(other))))


def readable_on(color: str) -> str:
    """Dark or white, whichever is read better on the colour.

    >>> readable_on("#F0E442"), readable_on("#332288")
    ('#1D2433', '#FFFFFF')
    """
    from matplotlib.colors import to_rgb

    luminance = float(np.dot([0.2126, 0.7152, 0.0722], np.array(to_rgb(color)) ** 2.2))
    return INK if luminance > 0.30 else "#FFFFFF"
