"""A graph in a frame: where its nodes are, what of it is pale or ringed, and how it is drawn."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from torch_geometric.data import Data

from protograph._utils.arrays import Floats, Ints
from protograph.graphs.validate import node_count
from protograph.molecules.draw import INK as BLACK
from protograph.report.depicted_images import FEW_EDGES, Image, inner
from protograph.report.depicted_molecules import MARGIN, RADIUS, PlacedMolecule
from protograph.report.layout import graph_distances, pairwise_gaps, undirected_edges
from protograph.report.looks import Look
from protograph.report.markup import HALO, Marks, free_angle
from protograph.report.palette import WHITE, Palette, mixed, readable_on
from protograph.report.sheet import INK, lines_of, text_width

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
    from matplotlib.patches import Circle, PathPatch

    drawing = placed.draw()
    box = (-MARGIN, -MARGIN, drawing.width + MARGIN, drawing.height + MARGIN)
    scale = _fit(axes, frame, box, most=MOST_POINTS)
    points = {node: drawing.points[atom] for node, atom in placed.shown.atoms.items()}
    _draw_halos(axes, points, marks, shares, RADIUS, scale)
    for stroke in drawing.strokes:
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
    for node in marks.closed:
        axes.add_patch(Circle(tuple(points[node]), RADIUS + 2.5, fill=False, ec=INK, lw=1.2, zorder=6, label="rings"))


def _draw_halos(
    axes: Any, points: dict[int, Floats], marks: Marks, shares: Sequence[float], radius: float, scale: float
) -> None:
    from matplotlib.collections import LineCollection
    from matplotlib.patches import Circle

    lines = [[points[u], points[v]] for u, v in marks.edges if u in points and v in points]
    # Mixed with white rather than see-through, so that what lies twice is no darker.
    color = mixed(HALO, WHITE, 1 - HALO_ALPHA)
    style: dict[str, Any] = {"linewidths": 1.2 * radius * scale, "colors": color, "capstyle": "round", "zorder": 1}
    axes.add_collection(LineCollection(lines, label="halo", **style), autolim=False)
    for place, node in enumerate(node for node in marks.nodes if node in points):
        share = shares[place] if len(shares) == len(marks.nodes) else 1.0
        own = mixed(HALO, WHITE, 1 - HALO_ALPHA * share)
        axes.add_patch(Circle(tuple(points[node]), radius, fc=own, ec="none", zorder=2, label="halo nodes"))


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


def _fit(axes: Any, frame: tuple[float, float], box: tuple[float, float, float, float], most: float = np.inf) -> float:
    """Set the limits so that a box lies in the middle of the frame, y downwards; points that a unit of it is."""
    axes.set_axis_off()
    left, top, right, bottom = box
    room = np.array(frame) * POINTS
    scale = float(min(most, room[0] / (right - left), room[1] / (bottom - top)))
    middle, half = np.array([left + right, top + bottom]) / 2, room / scale / 2
    axes.set(xlim=(middle[0] - half[0], middle[0] + half[0]), ylim=(middle[1] + half[1], middle[1] - half[1]))
    return scale


def draw_image(axes: Any, frame: tuple[float, float], image: Image, marks: Marks, *, is_alone: bool) -> None:
    """Draw superpixels so that they fill the frame; alone, only those that are marked have their grey."""
    from matplotlib.patches import Polygon

    _fit(axes, frame, image.box)
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
        axes.add_patch(Polygon(inner(image.cells[node]), fc="none", ec=HALO, lw=2, zorder=5, label="halo nodes"))


def draw_words(axes: Any, frame: tuple[float, float], words: Sequence[str], marks: Marks, *, is_alone: bool) -> None:
    """Write a sentence into the frame, the marked words on a ground of their own; alone, only these."""
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


# Of a larger source graph only the surroundings of the prototype are drawn: more nodes cannot be told apart.
MAX_SOURCE_NODES = 500

GREY = "#98A2B3"
EDGE = "#3F4757"
PALE_EDGE = "#D0D5DD"
GRAPH_HALO = "#FFE9A8"

# In points. An edge is never drawn longer than this: two nodes must not stretch over the whole frame.
MAX_EDGE = 78.0
MIN_RADIUS, MAX_LEAST_RADIUS, MAX_RADIUS = 1.6, 6.0, 13.0
MIN_TEXT_RADIUS = 5.0
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
    edges: Ints
    loops: Ints


@dataclass(frozen=True)
class View:
    """A graph, where its nodes are, and how strongly each part of it is drawn.

    Attributes:
        graph: The graph.
        positions: Where its nodes are.
        part: What is highlighted; ``None`` draws everything in full colour.
        node_shares: 1 draws a node in full, less draws it paler; where it is empty, all are drawn in full.
        edge_shares: The same for edges, by their two nodes, the lower one first; others are drawn in full.
        rings: Nodes with a second ring around them.
        look: What it is drawn as where it is no plain graph: a molecule, superpixels, or the words of a sentence.
        is_alone: Whether of superpixels and sentences only what is highlighted is drawn.
    """

    graph: Data
    positions: Floats
    part: Highlight | None = None
    node_shares: Sequence[float] = ()
    edge_shares: Mapping[tuple[int, int], float] = field(default_factory=dict)
    rings: Sequence[int] = ()
    look: Look = None
    is_alone: bool = False

    @property
    def marks(self) -> Marks:
        """What is highlighted, as pictures for a page have it; all of what is drawn by itself."""
        if self.part is None:
            shown = range(len(self.positions)) if self.node_shares else ()
            return Marks(dict.fromkeys(shown), (), self.rings)
        edges = [(int(u), int(v)) for u, v in self.part.edges]
        return Marks(dict.fromkeys(self.part.nodes), edges, self.rings)


def nearest_nodes(graph: Data, nodes: Sequence[int], limit: int) -> list[int]:
    """The given nodes and those around them, nearest first, at most ``limit``.

    >>> import torch
    >>> path = Data(edge_index=torch.tensor([[0, 1, 2, 3], [1, 2, 3, 4]]), num_nodes=5)
    >>> nearest_nodes(path, [3], 4)
    [3, 2, 4, 1]
    """
    edges, _ = undirected_edges(graph)
    hops = graph_distances(edges, node_count(graph), nodes).min(axis=0, initial=np.inf)
    others = np.setdiff1d(np.flatnonzero(np.isfinite(hops)), nodes)
    nearest = [*dict.fromkeys(nodes), *others[hops[others].argsort(kind="stable")].tolist()]
    return nearest[: max(limit, len(set(nodes)))]


def draw_view(axes: Any, frame: tuple[float, float], view: View, palette: Palette) -> None:
    """Draw a graph so that it fills the frame.

    Args:
        axes: matplotlib's axes, which the frame is.
        frame: Its width and height in inches.
        view: The graph, where its nodes are, and what of it is drawn pale.
        palette: How its nodes look.
    """
    axes.set_axis_off()
    if not len(view.positions):
        return
    if isinstance(view.look, PlacedMolecule):
        draw_placed_molecule(axes, frame, view.look, view.marks, view.node_shares)
    elif isinstance(view.look, Image):
        draw_image(axes, frame, view.look, view.marks, is_alone=view.is_alone)
    elif isinstance(view.look, tuple):
        draw_words(axes, frame, view.look, view.marks, is_alone=view.is_alone)
    else:
        _draw_graph(axes, frame, view, palette)


def _draw_graph(axes: Any, frame: tuple[float, float], view: View, palette: Palette) -> None:
    nodes = range(len(view.positions))
    edges, loops = undirected_edges(view.graph)
    part = view.part
    if len(loops) == len(nodes) > 2:  # where every node has one they tell nothing, and hide the rest
        loops = loops[:0]
        part = None if part is None else replace(part, loops=loops)
    panel = _Panel(axes, frame, view, palette, edges, has_loops=len(loops) > 0)
    if part is None:
        part = Highlight(nodes, edges, loops)
    else:
        panel.draw_halo(part)
        own = {(min(edge), max(edge)) for edge in part.edges.tolist()}
        is_other = np.array([tuple(edge) not in own for edge in edges.tolist()], dtype=bool)
        panel.draw_edges(edges[is_other], np.setdiff1d(loops, part.loops), is_pale=True)
        panel.draw_nodes(sorted(set(nodes) - set(part.nodes)), is_pale=True)
    panel.draw_edges(part.edges, part.loops)
    panel.draw_nodes(part.nodes)
    if view.rings:
        panel.draw_rings(view.rings)


class _Panel:
    """A frame whose limits fit the graph, and how large nodes and edges are in it, in points.

    ``scale`` is what an edge's length of 1 becomes, ``radius`` that of a node, ``width`` that of an edge.
    """

    def __init__(
        self, axes: Any, frame: tuple[float, float], view: View, palette: Palette, edges: Ints, *, has_loops: bool
    ) -> None:
        self.axes, self.positions, self.edges, self.edge_shares = axes, view.positions, edges, view.edge_shares
        shares = view.node_shares or [1.0] * len(view.positions)
        looks = palette.looks(view.graph)
        self.colors = [mixed(node.color, WHITE, PALE * (1 - share)) for node, share in zip(looks, shares, strict=True)]
        self.insides = [node.inside for node in looks]
        room = np.array(frame) * POINTS
        self.scale, self.radius = scale_and_radius(view.positions, room, has_loops=has_loops)
        # Where there are many edges to a node, thick ones would run into each other.
        thinness = min(1.0, MANY_EDGES * len(view.positions) / max(len(edges), 1))
        self.width = thinness * float(np.clip(self.radius / 5.5, 0.5, 2.2))
        centre = (view.positions.max(axis=0) + view.positions.min(axis=0)) / 2
        half = room / self.scale / 2
        axes.set(xlim=(centre[0] - half[0], centre[0] + half[0]), ylim=(centre[1] - half[1], centre[1] + half[1]))

    def draw_halo(self, part: Highlight) -> None:
        width = 2 * self.radius + 9
        self._draw_lines("halo", part.edges, 1, colors=GRAPH_HALO, linewidths=0.7 * width)
        self.axes.scatter(
            *self.positions[list(part.nodes)].T, s=width**2, c=GRAPH_HALO, linewidths=0, zorder=1, label="halo nodes"
        )

    def draw_edges(self, edges: Ints, loops: Ints, *, is_pale: bool = False) -> None:
        from matplotlib.patches import Circle

        name, color, width, order = ("pale ", PALE_EDGE, 0.7 * self.width, 2) if is_pale else ("", EDGE, self.width, 4)
        shares = np.array([self.edge_shares.get((u, v), 1.0) for u, v in edges.tolist()], dtype=np.float64)
        self._draw_lines(
            f"{name}edges",
            edges,
            order,
            colors=[mixed(color, PALE_EDGE, 1 - share) for share in shares],
            linewidths=width * (THINNEST + (1 - THINNEST) * shares),
        )
        all_edges = self.edges
        for node in loops:
            # In the middle of the widest angle between the node's edges, upwards where it has none.
            others = np.concatenate([all_edges[all_edges[:, 0] == node, 1], all_edges[all_edges[:, 1] == node, 0]])
            place = self.positions[node]
            angle = free_angle(place, self.positions[others].tolist()) if len(others) else np.pi / 2
            middle = place + np.array([np.cos(angle), np.sin(angle)]) * 1.2 * self.radius / self.scale
            self.axes.add_patch(
                Circle(
                    middle,
                    0.8 * self.radius / self.scale,
                    fill=False,
                    ec=color,
                    lw=width,
                    zorder=order,
                    label=f"{name}loop",
                )
            )

    def _draw_lines(self, label: str, edges: Ints, order: int, **style: Any) -> None:
        from matplotlib.collections import LineCollection

        lines = LineCollection(list(self.positions[edges]), capstyle="round", zorder=order, label=label, **style)
        self.axes.add_collection(lines, autolim=False)

    def draw_rings(self, nodes: Sequence[int]) -> None:
        self.axes.scatter(
            *self.positions[list(nodes)].T,
            s=(2 * self.radius + 7) ** 2,
            facecolors="none",
            edgecolors=INK,
            linewidths=1.2,
            zorder=6,
            label="rings",
        )

    def draw_nodes(self, nodes: Sequence[int], *, is_pale: bool = False) -> None:
        fills = [mixed(self.colors[node], WHITE, PALE) if is_pale else self.colors[node] for node in nodes]
        self.axes.scatter(
            *self.positions[np.asarray(nodes, dtype=np.int64)].T,
            s=(2 * self.radius) ** 2,
            c=fills,
            edgecolors=[mixed(fill, GREY, 0.5) if is_pale else mixed(fill, INK, 0.55) for fill in fills],
            linewidths=float(np.clip(self.radius / 9, 0.3, 1.1)),
            zorder=3 if is_pale else 5,
            label="pale nodes" if is_pale else "nodes",
        )
        for node, fill in zip(nodes, fills, strict=True):
            text = self.insides[node]
            if text.strip() and self.radius >= MIN_TEXT_RADIUS:
                self.axes.text(
                    *self.positions[node],
                    text,
                    color=GREY if is_pale else readable_on(fill),
                    fontsize=self.radius * (1.05 if len(text) == 1 else 0.85),
                    fontweight="normal" if is_pale else "bold",
                    ha="center",
                    va="center_baseline",
                    zorder=6,
                    parse_math=False,
                )


def scale_and_radius(positions: Floats, room: Floats, *, has_loops: bool) -> tuple[float, float]:
    """What an edge's length of 1 becomes in a room of so many points, and how large nodes are."""
    extent = np.maximum(np.ptp(positions, axis=0), 1e-9)
    gaps = pairwise_gaps(positions)
    np.fill_diagonal(gaps, np.inf)
    nearest = gaps.min(axis=1) if len(positions) > 1 else np.ones(1)
    # Where a few nodes are very close, the others stay large enough to be seen.
    least = float(np.clip(0.13 * np.sqrt(room.prod() / len(positions)), MIN_RADIUS, MAX_LEAST_RADIUS))
    close, usual = float(np.percentile(nearest, 10)), float(np.median(nearest))
    radius, scale = MAX_RADIUS, MAX_EDGE
    for _ in range(3):
        rim = radius * (3 if has_loops else 1) + 5
        scale = float(min(MAX_EDGE, *((room - 2 * rim) / extent)))
        share = max(min(0.27, 0.46 * close), min(least / scale, 0.42 * usual))
        radius = float(np.clip(share * scale, MIN_RADIUS, MAX_RADIUS))
    return scale, radius
