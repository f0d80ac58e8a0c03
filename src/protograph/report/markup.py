"""Pictures as SVG text for a page: colours follow the page's theme, and nothing in them needs an id or a request."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape

from protograph._utils.arrays import Floats
from protograph._utils.words import one_line
from protograph.molecules.draw import ATOM_COLORS

# Okabe and Ito's, without black; the same numbers have the same colours in all pictures of a prototype.
MATCH_COLORS = ("#E69F00", "#56B4E9", "#009E73", "#F0E442", "#0072B2", "#D55E00", "#CC79A7", "#999933")
HALO = "#FFC83D"

# Values of the variables that the colours of pictures come from, on light and on dark paper. A page that has a switch
# sets them where its theme is chosen; without one, :data:`CSS` follows the reader's system.
LIGHT = (
    "--pg-paper:#fff;--pg-halo:.55;--pg-N:#1f5fbf;--pg-O:#c0271a;--pg-S:#7d5c00;--pg-P:#9c4a00;--pg-F:#14713f;"
    "--pg-Cl:#14713f;--pg-Br:#963a1d;--pg-I:#7339ab;--pg-B:#a34534"
)
DARK = (
    "--pg-paper:#15181d;--pg-halo:.4;--pg-N:#9cc4ff;--pg-O:#ff9d93;--pg-S:#ecc94b;--pg-P:#ffb066;--pg-F:#7fe0a8;"
    "--pg-Cl:#7fe0a8;--pg-Br:#f0a58c;--pg-I:#cfa8f5;--pg-B:#f2b3a6"
)
_ELEMENTS = "".join(f".pg-{name}{{color:var(--pg-{name},{color})}}" for name, color in ATOM_COLORS.items())
_MATCHES = "".join(f".pg-sentence .pg-m{number}{{--pg-match:{color}}}" for number, color in enumerate(MATCH_COLORS))
CSS = f"""
:root{{{LIGHT}}}
@media screen and (prefers-color-scheme:dark){{:root:not([data-theme=light]){{{DARK}}}}}
@media screen{{:root[data-theme=dark]{{{DARK}}}}}
.pg-picture{{max-width:100%;height:auto}}
{_ELEMENTS}
{_MATCHES}
.pg-halos{{opacity:var(--pg-halo,.5)}}
.pg-node{{fill:transparent}}
.pg-node.pg-hot{{stroke:currentColor;stroke-width:2px}}
.pg-number{{font:600 9.5px system-ui,sans-serif;fill:currentColor;pointer-events:none}}
.pg-sentence{{line-height:2;margin:0}}
.pg-sentence mark{{color:inherit;background:color-mix(in srgb,var(--pg-match,{HALO}) 50%,transparent);
border-radius:.25em;padding:.12em .25em}}
.pg-sentence mark.pg-hot{{outline:2px solid currentColor}}
.pg-sentence .pg-gap{{opacity:.55}}
"""


@dataclass(frozen=True)
class Marks:
    """What of a graph is marked.

    Attributes:
        nodes: Each marked node, with its number in the pattern; ``None`` where it has none.
        edges: The edges of the pattern, by the nodes of the graph.
        closed: Nodes that must have no other neighbours.
        is_numbered: Whether nodes have their numbers and the colours of these, so that counterparts can be found.
    """

    nodes: Mapping[int, int | None] = field(default_factory=dict)
    edges: Sequence[tuple[int, int]] = ()
    closed: Sequence[int] = ()
    is_numbered: bool = False

    def color(self, node: int) -> str:
        """Colour of a node's halo."""
        number = self.nodes[node]
        return HALO if number is None or not self.is_numbered else MATCH_COLORS[number % len(MATCH_COLORS)]


def match_class(number: int) -> str:
    """The class of a node's colour by its number in the pattern."""
    return f"pg-m{number % len(MATCH_COLORS)}"


def tag(name: str, *children: str, **attributes: object) -> str:
    """An element; children are markup, and attributes are escaped. ``_`` in a name stands for ``-``.

    >>> tag("text", tag("title", text("a < b")), data_node=3, fill="red", stroke=None)
    '<text data-node="3" fill="red"><title>a &lt; b</title></text>'
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_plain(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    inside = "".join(children)
    return f"<{name}{written}>{inside}</{name}>" if inside else f"<{name}{written}/>"


def text(content: str) -> str:
    """Text of the data, escaped, on one line."""
    return escape(one_line(content))


def _plain(value: object) -> str:
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else str(value)


def svg(width: float, height: float, label: str, *parts: str, kind: str, margin: float = 0.0) -> str:
    """A picture of a kind, of a size in pixels to which a margin is added, labelled for those who cannot see it."""
    return tag(
        "svg",
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        class_=f"pg-picture pg-{kind}",
        role="img",
        aria_label=one_line(label),
        viewBox=" ".join(map(_plain, (-margin, -margin, width + 2 * margin, height + 2 * margin))),
        width=width + 2 * margin,
        height=height + 2 * margin,
    )


def halos(points: Floats, marks: Marks, radius: float) -> str:
    """What lies behind the marked part: its edges, and a disc behind each of its nodes."""
    lines = [
        tag(
            "line",
            data_edge=f"{u}-{v}",
            **dict(zip(("x1", "y1", "x2", "y2"), map(float, (*points[u], *points[v])), strict=True)),
            stroke_width=1.2 * radius,
        )
        for u, v in sorted({(min(ends), max(ends)) for ends in marks.edges})
    ]
    if not lines and not marks.nodes:
        return ""
    discs = [
        tag(
            "circle",
            class_=None if number is None else match_class(number),
            data_node=node,
            data_match=number,
            cx=float(points[node][0]),
            cy=float(points[node][1]),
            r=radius,
            fill=None if marks.color(node) == HALO else marks.color(node),
        )
        for node, number in marks.nodes.items()
    ]
    # As one, so that what lies twice is no darker.
    look = {"class_": "pg-halos", "opacity": 0.5, "stroke": HALO, "stroke_linecap": "round", "fill": HALO}
    return tag("g", *lines, tag("g", *discs, stroke="none"), **look)


Points = Mapping[int, tuple[float, float]]


def targets(
    points: Points, edges: Iterable[tuple[int, int]], marks: Marks, radius: float, titles: Mapping[int, str]
) -> str:
    """What is pointed at: a disc over each node that nobody sees, with its title; rings; and numbers beside them."""
    rings = [
        tag(
            "circle",
            cx=points[node][0],
            cy=points[node][1],
            r=radius + 2.5,
            fill="none",
            stroke="currentColor",
            stroke_width=1.2,
        )
        for node in marks.closed
        if node in points
    ]
    discs = [
        tag(
            "circle",
            tag("title", text(titles[node])) if titles.get(node) else "",
            class_="pg-node",
            data_node=node,
            data_match=marks.nodes.get(node),
            cx=x,
            cy=y,
            r=radius,
            fill="transparent",
        )
        for node, (x, y) in points.items()
    ]
    return "".join([*rings, *discs, *_numbers(points, edges, marks, radius)])


def _numbers(points: Points, edges: Iterable[tuple[int, int]], marks: Marks, radius: float) -> list[str]:
    if not marks.is_numbered:
        return []
    near: dict[int, list[int]] = {node: [] for node in points}
    for u, v in edges:
        near[u].append(v)
        near[v].append(u)
    written = []
    for node, number in marks.nodes.items():
        if number is None or node not in points:
            continue
        (x, y), angle = points[node], free_angle(points[node], [points[other] for other in near[node]])
        away = radius + 5.5
        place = {"x": x + away * math.cos(angle), "y": y + away * math.sin(angle) + 3.3}
        look = {"class_": "pg-number", "text_anchor": "middle", "font_size": 9.5, "fill": "currentColor"}
        look |= {"font_family": "system-ui,sans-serif", "font_weight": 600}  # also where the page has no style
        written.append(tag("text", str(number + 1), data_match=number, **place, **look))
    return written


def free_angle(point: tuple[float, float], others: Sequence[tuple[float, float]]) -> float:
    """The middle of the widest angle between the lines from a point to others; up to the right where there are none.

    >>> round(free_angle((0, 0), [(1, 0)]), 2)
    3.14
    """
    if not others:
        return -math.pi / 4
    angles = sorted(math.atan2(y - point[1], x - point[0]) for x, y in others)
    gaps = [
        (after - before) % (2 * math.pi) or 2 * math.pi
        for before, after in zip(angles, [*angles[1:], angles[0]], strict=True)
    ]
    widest = max(range(len(gaps)), key=lambda place: round(gaps[place], 6))
    return angles[widest] + gaps[widest] / 2
