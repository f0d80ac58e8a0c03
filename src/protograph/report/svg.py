"""Graphs as SVG within the page: they follow its theme, and a script can find their nodes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from markupsafe import Markup, escape

from protograph._base.arrays import Floats
from protograph._base.words import one_line
from protograph.report.layout import undirected_edges
from protograph.report.palette import COLORS, WHITE, Palette, mixed, readable_on
from protograph.report.views import PALE, THINNEST, View, scale_and_radius

# A graph of more nodes has no text inside them.
MIN_TEXT_RADIUS = 5.0


@dataclass(frozen=True)
class Frame:
    """How a graph is drawn.

    Attributes:
        width: Of the picture, in points.
        height: Of the picture.
        numbers: A number for some nodes, the same for nodes that correspond in other pictures.
        titles: What each node is, said when it is pointed at.
    """

    width: float = 300.0
    height: float = 200.0
    numbers: Mapping[int, int] = field(default_factory=dict)
    titles: Sequence[str] = ()


def svg_of(view: View, palette: Palette, words: str, frame: Frame | None = None) -> Markup:
    """A graph as an SVG element; ``words`` stand in for it."""
    frame = frame or Frame()
    positions = np.asarray(view.positions, dtype=float).reshape(-1, 2)
    edges, loops = undirected_edges(view.graph)
    room = np.array([frame.width, frame.height])
    parts: list[str] = []
    if len(positions):
        scale, radius = scale_and_radius(positions, room, has_loops=False)
        centre = (positions.max(axis=0) + positions.min(axis=0)) / 2
        points = (positions - centre) * [scale, -scale] + room / 2
        drawing = _Drawing(view, palette, frame, points, radius)
        parts = [drawing.halo(), drawing.lines(edges.tolist()), drawing.nodes(), drawing.rings(loops.tolist())]
    box = f"0 0 {frame.width:g} {frame.height:g}"
    return Markup(  # noqa: S704 - all text in it is escaped
        f'<svg class="graph" viewBox="{box}" role="img" aria-label="{escape(one_line(words))}">{"".join(parts)}</svg>'
    )


def number_color(number: int) -> str:
    """The colour that a number has wherever it stands."""
    return COLORS[(number - 1) % len(COLORS)]


class _Drawing:
    """The layers of a picture, from below."""

    def __init__(self, view: View, palette: Palette, frame: Frame, points: Floats, radius: float) -> None:
        self.view, self.frame, self.points, self.radius = view, frame, points, radius
        shares = view.node_shares or [1.0] * len(points)
        looks = palette.looks(view.graph)
        self.insides = [one_line(look.inside) for look in looks]
        # Paler towards white in either theme, so that what stands inside is read as well.
        self.fills = [mixed(look.color, WHITE, PALE * (1 - share)) for look, share in zip(looks, shares, strict=True)]
        self.own = set(range(len(points))) if view.part is None else set(view.part.nodes)
        drawn = None if view.part is None else view.part.edges.tolist()
        self.own_edges = None if drawn is None else {(min(edge), max(edge)) for edge in drawn}
        self.line = float(np.clip(radius / 5.0, 0.6, 2.4))

    def halo(self) -> str:
        if self.view.part is None:
            return ""
        width = 2 * self.radius + 8
        lines = "".join(self._path(u, v) for u, v in sorted(self.own_edges or ()))
        dots = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{width / 2:.1f}"/>' for x, y in self._own_points())
        return f'<g class="halo"><path d="{lines}" stroke-width="{0.7 * width:.1f}"/>{dots}</g>'

    def _own_points(self) -> Floats:
        return self.points[sorted(self.own)] if self.own else np.zeros((0, 2))

    def _path(self, u: int, v: int) -> str:
        (a, b), (c, d) = self.points[u], self.points[v]
        return f"M{a:.1f} {b:.1f}L{c:.1f} {d:.1f}"

    def lines(self, edges: Sequence[Sequence[int]]) -> str:
        pale = [(u, v) for u, v in edges if self.own_edges is not None and (min(u, v), max(u, v)) not in self.own_edges]
        full = [(u, v) for u, v in edges if (u, v) not in set(pale)]
        shares = {edge: self.view.edge_shares.get((min(edge), max(edge)), 1.0) for edge in full}
        widths: dict[str, list[tuple[int, int]]] = {}
        for edge, share in shares.items():
            widths.setdefault(f"{self.line * (THINNEST + (1 - THINNEST) * share):.2f}", []).append(edge)
        drawn = [self._lines("pale", f"{0.7 * self.line:.2f}", pale)]
        return "".join(drawn + [self._lines("full", width, some) for width, some in widths.items()])

    def _lines(self, style: str, width: str, edges: Sequence[tuple[int, int]]) -> str:
        path = "".join(self._path(u, v) for u, v in edges)
        return f'<path class="edge {style}" d="{path}" stroke-width="{width}"/>' if edges else ""

    def nodes(self) -> str:
        pale = [node for node in range(len(self.points)) if node not in self.own]
        return "".join(map(self._node, [*pale, *sorted(self.own)]))

    def _node(self, node: int) -> str:
        (x, y), number = self.points[node], self.frame.numbers.get(node)
        style = "node" if node in self.own else "node pale"
        title = f"<title>{escape(one_line(self.frame.titles[node]))}</title>" if self.frame.titles else ""
        mark = "" if number is None else f' data-m="{number}" tabindex="0"'
        ring = "" if number is None else f' style="stroke:{number_color(number)};stroke-width:{self.line + 1:.1f}"'
        circle = f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{self.radius:.1f}" fill="{self.fills[node]}"{ring}/>'
        return f'<g class="{style}"{mark}>{title}{circle}{self._inside(node)}{self._badge(node, number)}</g>'

    def _inside(self, node: int) -> str:
        (x, y), text = self.points[node], self.insides[node]
        if not text or self.radius < MIN_TEXT_RADIUS:
            return ""
        size = self.radius * (1.15 if len(text) == 1 else 0.9)
        return (
            f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:.1f}" fill="{readable_on(self.fills[node])}">'
            f"{escape(text)}</text>"
        )

    def _badge(self, node: int, number: int | None) -> str:
        if number is None:
            return ""
        color, size = number_color(number), float(np.clip(0.7 * self.radius, 4.5, 7.0))
        x, y = self.points[node] + np.array([0.85, -0.85]) * self.radius
        return (
            f'<circle class="badge" cx="{x:.1f}" cy="{y:.1f}" r="{size:.1f}" fill="{color}"/>'
            f'<text class="badge" x="{x:.1f}" y="{y:.1f}" font-size="{1.35 * size:.1f}" '
            f'fill="{readable_on(color)}">{number}</text>'
        )

    def rings(self, loops: Sequence[int]) -> str:
        around = [(node, self.radius + 3.5) for node in self.view.rings]
        # Where every node has a loop they tell nothing.
        around += [] if len(loops) == len(self.points) else [(node, self.radius + 2.0) for node in loops]
        return "".join(
            f'<circle class="ring" cx="{self.points[node][0]:.1f}" cy="{self.points[node][1]:.1f}" r="{size:.1f}"/>'
            for node, size in around
        )
