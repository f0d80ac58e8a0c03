"""Which colour a node has, and the legend that says what it means."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch_geometric.data import Data

from protograph._utils.arrays import Floats
from protograph._utils.words import one_line
from protograph.graphs.names import is_one_hot, shown_columns
from protograph.graphs.validate import node_count
from protograph.report.sheet import INK, MUTED, Sheet, text_width
from protograph.report.words import shortened

# Okabe and Ito's colours, told apart under every colour blindness, without their black; then three of Tol's.
COLORS = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#CC79A7",
    "#56B4E9",
    "#D55E00",
    "#F0E442",
    "#332288",
    "#882255",
    "#999933",
)
WHITE = "#FFFFFF"
OTHER_COLOR = "#C4C4C4"
SCALE = "cividis"  # reads the same under every colour blindness, and in grey

# A single column of whole numbers with more values than this is drawn as a scale.
MAX_KINDS = 20
MAX_LABEL = 28
MAX_INSIDE = 2

# Of the legend: points of letters and markers, and in inches the height of a line, the room of a marker with the gap
# to the next column, and the bar of a scale with the room that it takes.
FONT_SIZE, MARKER_SIZE = 9.0, 8.5
LINE, COLUMN_GAP = 0.215, 0.62
BAR_WIDTH, BAR_HEIGHT, BAR_ROOM = 2.0, 0.12, 0.5

Row = tuple[float, ...]


@dataclass(frozen=True)
class Category:
    """Nodes that look alike: the legend's label, the colour, and the text inside the node where it is short."""

    label: str
    color: str
    inside: str = ""


@dataclass(frozen=True)
class Scale:
    """Colours for a number: what it is, and its lowest and highest value."""

    label: str
    low: float
    high: float


@dataclass(frozen=True)
class Palette:
    """How nodes look in all pictures of a figure.

    Attributes:
        categories: What the legend lists, in its order.
        members: The category of each row of features; rows that are not in it belong to the last one.
        scale: The colour scale where features are continuous; then there are no categories.
        columns: The columns of ``x`` that decide how a node looks; all of them if ``None``.
    """

    categories: tuple[Category, ...]
    members: dict[Row, int]
    scale: Scale | None = None
    columns: tuple[int, ...] | None = None

    def looks(self, graph: Data) -> list[Category]:
        """How each node of a graph looks."""
        x = _features(graph, self.columns)
        if not x.size(1) and (self.members or self.scale is not None):
            return [ANY_NODE] * len(x)
        if self.scale is not None:
            from matplotlib import colormaps
            from matplotlib.colors import to_hex

            numbers, low, span = _numbers(x), self.scale.low, self.scale.high - self.scale.low
            shares = np.full(len(numbers), 0.5) if span == 0 else (numbers - low) / span
            colors = map(to_hex, colormaps[SCALE](np.nan_to_num(shares).clip(0, 1)))
            is_known = np.isfinite(numbers).tolist()
            return [
                Category("", color if known else OTHER_COLOR) for color, known in zip(colors, is_known, strict=True)
            ]
        return [self.categories[self.members.get(tuple(row), -1)] for row in x.tolist()]


# A node of a pattern where any features will do, among nodes that have some.
ANY_NODE = Category("any node", "#EEF1F5")
ALL_ALIKE = Palette((Category("node", COLORS[0]),), {})


def palette_of(graphs: Sequence[Data], feature_names: Sequence[str] = (), colors: Sequence[str] = ()) -> Palette:
    """Choose colours for the nodes of some graphs by their features.

    One-hot features have their own name and colour; rows of whole numbers one colour a distinct row; other features
    a colour scale over the single column, or over the rows' norm. Past ten kinds the rarest share a grey.

    Args:
        graphs: All graphs that are to be drawn.
        feature_names: Names of the columns of ``x``; may be empty.
        colors: Colours of the columns of ``x``; may be empty. A column whose colour is the empty text does not count.

    >>> roofs = Data(x=torch.eye(2))
    >>> [category.label for category in palette_of([roofs], ["roof", "wall"]).categories]
    ['roof', 'wall']
    """
    columns = shown_columns(colors)
    features = [_features(graph, columns) for graph in graphs]
    if columns is not None:
        feature_names = [feature_names[column] for column in columns if column < len(feature_names)]
        colors = [colors[column] for column in columns]
    if len({x.size(1) for x in features}) != 1:
        return ALL_ALIKE
    x = torch.cat(features)
    counts: Counter[Row] = Counter(map(tuple, x.tolist()))
    if is_one_hot(x):
        labels = {row: _column_name(row.index(1), feature_names) for row in sorted(counts, reverse=True)}
        from matplotlib.colors import is_color_like, to_hex

        is_usable = len(colors) == x.size(1) and all(map(is_color_like, colors))
        own = {row: to_hex(colors[row.index(1)]) for row in labels} if is_usable else {}
        return _chosen(labels, labels, counts, own, columns)
    if len(counts) <= 1:
        return ALL_ALIKE
    is_whole = bool((torch.isfinite(x) & (x == x.round())).all())
    if not is_whole or (x.size(1) == 1 and len(counts) > MAX_KINDS):
        return Palette((), {}, _scale(x, feature_names), columns)
    describe = _set_label if bool(((x == 0) | (x == 1)).all()) and x.size(1) > 1 else _number_label
    labels = {row: describe(row, feature_names) for row in sorted(counts)}
    insides = {row: f"{row[0]:.0f}" if x.size(1) == 1 else "" for row in labels}
    return _chosen(labels, insides, counts, {}, columns)


def _features(graph: Data, columns: Sequence[int] | None = None) -> Tensor:
    """Features as ``[num_nodes, num_columns]`` in double precision, without columns where there are none to show."""
    x = graph.x
    if not isinstance(x, Tensor) or x.dim() == 0 or x.is_complex():
        return torch.empty(node_count(graph), 0, dtype=torch.double)
    x = x.detach().cpu().double()
    x = x[:, None] if x.dim() == 1 else x.flatten(1)
    return x if columns is None or max(columns) >= x.size(1) else x[:, list(columns)]


def _chosen(
    labels: dict[Row, str],
    insides: dict[Row, str],
    counts: Counter[Row],
    own_colors: dict[Row, str],
    columns: tuple[int, ...] | None,
) -> Palette:
    """One category for each of the most frequent rows, in the given order, and one for all others."""
    frequent = set(sorted(labels, key=lambda row: -counts[row])[: len(COLORS)])
    chosen = [row for row in labels if row in frequent]
    categories = [
        Category(label, own_colors.get(row, color), _inside(insides[row]))
        for row, label, color in zip(chosen, _distinct([labels[row] for row in chosen]), COLORS, strict=False)
    ]
    if len(labels) > len(chosen):
        categories.append(Category(f"other ({len(labels) - len(chosen)} kinds)", OTHER_COLOR))
    return Palette(tuple(categories), {row: index for index, row in enumerate(chosen)}, None, columns)


def _inside(text: str) -> str:
    short = shortened(text, MAX_INSIDE + 1)
    return short if len(short) <= MAX_INSIDE else ""


def _distinct(labels: Sequence[str]) -> list[str]:
    """Labels, shortened at their end, or in their middle where that makes them equal; what is equal then is numbered.

    >>> _distinct(["electronegativity 0.5 to 1.4, low charge", "electronegativity 0.5 to 1.4, high charge", "other"])
    ['electronegati…4, low charge', 'electronegati…, high charge', 'other']
    """
    short = [shortened(label, MAX_LABEL) for label in labels]
    totals, half = Counter(short), (MAX_LABEL - 1) // 2
    for place, line in enumerate(map(one_line, labels)):
        # Names of several columns begin alike and end in what tells them apart.
        if totals[short[place]] > 1 and len(line) > MAX_LABEL:
            short[place] = f"{line[:half]}…{line[-half:]}"
    totals = Counter(short)
    return [
        label if totals[label] == 1 else f"{label} #{short[: place + 1].count(label)}"
        for place, label in enumerate(short)
    ]


def _column_name(column: int, names: Sequence[str]) -> str:
    return names[column] if column < len(names) else f"feature {column}"


def _set_label(row: Row, names: Sequence[str]) -> str:
    """The columns that a row of zeros and ones has.

    >>> _set_label((1.0, 0.0, 1.0), ["ring", "charged", "chiral"]), _set_label((1.0, 0.0, 1.0), ())
    ('ring + chiral', 'features 0, 2')
    """
    present = [column for column, value in enumerate(row) if value]
    if names:
        return " + ".join(_column_name(column, names) for column in present) or "none"
    noun = "feature" if len(present) == 1 else "features"
    return f"{noun} {', '.join(map(str, present))}" if present else "no feature"


def _number_label(row: Row, names: Sequence[str]) -> str:
    """The values of a row of whole numbers.

    >>> _number_label((3.0,), ["degree"]), _number_label((3.0, -1.0), ())
    ('degree 3', '(3, -1)')
    """
    whole = [int(value) for value in row]
    if len(row) == 1:
        return f"{names[0] if names else 'x ='} {whole[0]}"
    if len(names) == len(row):
        return ", ".join(f"{name} {value}" for name, value in zip(names, whole, strict=True) if value) or "all 0"
    return f"({', '.join(map(str, whole))})"


def _scale(x: Tensor, names: Sequence[str]) -> Scale:
    numbers = _numbers(x)
    finite = numbers[np.isfinite(numbers)] if np.isfinite(numbers).any() else np.array([0.0, 1.0])
    label = shortened(names[0] if names else "x", MAX_LABEL) if x.size(1) == 1 else f"norm of the {x.size(1)} features"
    return Scale(label, float(finite.min()), float(finite.max()))


def _numbers(x: Tensor) -> Floats:
    return np.asarray(x[:, 0] if x.size(1) == 1 else x.norm(dim=1))


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
    return INK if luminance > 0.30 else WHITE


class Legend:
    """What the colours of some graphs mean.

    Args:
        palette: How nodes look.
        graphs: The graphs that are drawn; what occurs in none of them is left out.
        width: Inches that the legend has from left to right.
    """

    def __init__(self, palette: Palette, graphs: Sequence[Data], width: float) -> None:
        self.scale = palette.scale
        present = {node.color for graph in graphs for node in palette.looks(graph)}
        self.categories = [one for one in (*palette.categories, ANY_NODE) if one.color in present]
        widest = max((text_width(category.label, FONT_SIZE) for category in self.categories), default=0.0)
        self.num_columns = max(1, min(len(self.categories), int(width / (widest + COLUMN_GAP))))

    @property
    def height(self) -> float:
        """Inches that it needs from top to bottom."""
        return BAR_ROOM if self.scale is not None else LINE * -(-len(self.categories) // self.num_columns) + 0.16

    def draw(self, sheet: Sheet, x: float, y: float) -> None:
        """Draw it with its upper left corner there."""
        if self.scale is not None:
            _draw_bar(sheet, self.scale, x, y)
            return
        from matplotlib.lines import Line2D

        markers = [
            Line2D([], [], ls="", marker="o", ms=MARKER_SIZE, color=item.color, mec=mixed(item.color, INK, 0.55))
            for item in self.categories
        ]
        legend = sheet.figure.legend(
            markers,
            [""] * len(markers),
            loc="upper left",
            bbox_to_anchor=(x / sheet.width, y / sheet.height),
            ncols=self.num_columns,
            fontsize=FONT_SIZE,
            labelcolor=INK,
            frameon=False,
            borderpad=0,
            borderaxespad=0,
            handlelength=1.0,
            handletextpad=0.5,
            columnspacing=1.6,
        )
        # Set afterwards: a label may begin with an underscore or hold dollar signs, which matplotlib gives a meaning.
        for text, category in zip(legend.get_texts(), self.categories, strict=True):
            text.set(parse_math=False, text=category.label)


def _draw_bar(sheet: Sheet, scale: Scale, x: float, y: float) -> None:
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    sheet.write(x, y, scale.label, fontsize=FONT_SIZE, color=INK, va="top")
    left = x + text_width(scale.label, FONT_SIZE) + 0.15
    axes = sheet.axes(left, y - BAR_HEIGHT, BAR_WIDTH, BAR_HEIGHT, label="scale")
    ticks = [scale.low, scale.high] if scale.high > scale.low else [scale.low]
    colors = ScalarMappable(Normalize(scale.low, scale.high if len(ticks) > 1 else scale.low + 1), SCALE)
    bar = sheet.figure.colorbar(colors, cax=axes, orientation="horizontal", ticks=ticks)
    bar.ax.set_xticklabels([f"{tick:.3g}" for tick in ticks])
    for label, side in zip(bar.ax.get_xticklabels(), ("left", "right"), strict=False):
        label.set_horizontalalignment(side)
    bar.ax.tick_params(labelsize=FONT_SIZE - 1, labelcolor=MUTED, length=0, pad=3)
    bar.outline.set_visible(False)
