"""The pictures of "How it works", made by the library: `make drawings` writes them to docs/images anew.

Each shows one step of one explanation: BA-house by the paper's GCN, and for rules a model that is known.
The same versions of the libraries give the same files.
"""

import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch_geometric.data import Data
from torch_geometric.nn import global_add_pool

import protograph as pg
from protograph.report.layout import layout, undirected_edges
from protograph.report.palette import COLORS, Palette, palette_of
from protograph.report.sheet import INK, MUTED, RULE, Sheet, our_style, save_figure
from protograph.report.views import Highlight, View, draw_view

IMAGES = Path(__file__).parent / "images"
WIDTH, MARGIN, GAP = 10.0, 0.3, 0.35  # inches, as all sizes here
CAPTION, PANEL = 0.32, 2.1
GREY, LESS, MORE = "#B8BFCA", "#2B6CB0", "#C2410C"  # other graphs; what takes away from the margin, what adds to it


def main() -> None:
    """Make them all."""
    warnings.simplefilter("ignore", pg.ProtographWarning)
    data = pg.datasets.load("ba-house")
    trained = pg.train(data, hidden=data.hidden)
    explainer = pg.PAGE().fit(trained.model, data[trained.split.train])
    house = explainer.explain(target=1)
    one = min(house.prototypes, key=lambda prototype: prototype.graph.num_nodes)  # a single house
    write("map", lambda: map_figure(explainer, house))
    write("representatives", lambda: representatives_figure(house, one))
    write("contributions", lambda: contributions_figure(trained.model, house, one))
    write("consensus", lambda: consensus_figure(house, one))
    write("rule", lambda: rule_figure(explained_rings()))


def write(name: str, draw: Callable[[], Any]) -> None:
    """Keep a picture under its name."""
    with our_style():
        save_figure(draw(), IMAGES / f"how-{name}.png")


class RingModel(torch.nn.Module):
    """Says class 1 of a tree with one ring and class 0 of a tree, which has one edge fewer than nodes."""

    def forward(self, x: torch.Tensor, edge_index: torch.Tensor, batch: torch.Tensor) -> torch.Tensor:
        """Scores of the two classes."""
        degree = torch.zeros(len(x), 1, dtype=x.dtype).index_add(0, edge_index[0], x.new_ones(edge_index.size(1), 1))
        excess = global_add_pool(degree - 2 * x, batch) + 1
        return torch.cat([-excess, excess], dim=1)


def tree(generator: torch.Generator, ring: int) -> Data:
    """A random tree, with a ring of so many nodes at its root."""
    size = int(torch.randint(8, 14, (), generator=generator))
    edges = [(node, int(torch.randint(node, (), generator=generator))) for node in range(1, size)]
    around = [0, *range(size, size + ring - 1)] if ring else []
    edges += list(zip(around, [*around[1:], 0], strict=True)) if ring else []
    ends = torch.tensor(edges).T
    label = torch.tensor([int(ring > 0)])
    return Data(x=torch.ones(int(ends.max()) + 1, 1), edge_index=torch.cat([ends, ends.flip(0)], dim=1), y=label)


def explained_rings() -> Any:
    """A class with two reasons: a triangle, or a ring of five; the model is known, and so is the answer."""
    generator = torch.Generator().manual_seed(0)
    graphs = [tree(generator, (0, 3, 0, 5)[number % 4]) for number in range(400)]
    return pg.PAGE().fit(RingModel(), graphs, class_names=["tree", "ring"]).explain(target=1)


def sheet_of(captions: Sequence[str], height: float = PANEL) -> tuple[Sheet, list[tuple[Any, tuple[float, float]]]]:
    """A sheet with frames beside each other, each below its caption, and the frames' sizes."""
    from matplotlib.figure import Figure

    sheet = Sheet(Figure(figsize=(WIDTH, height + CAPTION + 2 * MARGIN), facecolor="white"), MARGIN)
    width = (WIDTH - 2 * MARGIN - GAP * (len(captions) - 1)) / len(captions)
    frames = []
    for number, caption in enumerate(captions):
        left = MARGIN + number * (width + GAP)
        sheet.say(left, 0, caption, 10, MUTED, width=width)
        frames.append((sheet.axes(left, MARGIN, width, height), (width, height)))
    return sheet, frames


def map_figure(explainer: Any, house: Any) -> Any:
    """All graphs by their embeddings: the class with its clusters and representatives, the others grey."""
    places = principal_components(explainer.embeddings_)
    clusters = explainer.representatives(target=1)
    sheet, ((axes, _),) = sheet_of(["Every graph is a point: its embedding, seen along two principal components"], 3.6)
    rest = explainer.predictions_ != 1
    axes.scatter(*places[rest].T, c=GREY, s=14, linewidths=0, label=f"predicted as {house.class_names[0]}")
    for number, (cluster, color) in enumerate(zip(clusters, COLORS[1:], strict=False), start=1):
        points = places[list(cluster.members)]
        label = f"predicted as house, cluster {number}: {len(points)} graphs"
        axes.scatter(*points.T, c=color, s=14, linewidths=0, label=label)
    chosen = [index for cluster in clusters for index in cluster.representatives]
    axes.scatter(*places[chosen].T, facecolors="none", edgecolors=INK, s=80, linewidths=1.4, label="representatives")
    axes.legend(loc="best", frameon=False, fontsize=9.5, labelcolor=INK, handletextpad=0.4)
    axes.set(xticks=[], yticks=[])
    for spine in axes.spines.values():
        spine.set_color(RULE)
    return sheet.figure


def principal_components(embeddings: Any) -> Any:
    """The first two, the larger side of each upwards, so that the picture does not depend on a sign."""
    centred = embeddings - embeddings.mean(axis=0)
    directions = np.linalg.svd(centred, full_matrices=False)[2][:2]
    places = centred @ directions.T
    return places * np.where(places.max(axis=0) < -places.min(axis=0), -1, 1)


def representatives_figure(house: Any, one: Any) -> Any:
    """The k graphs that stand for a cluster."""
    sheet, frames = sheet_of([house.graph_label(source) for source in one.sources])
    for source, part, (axes, frame) in zip(one.sources, parts_of(house, one), frames, strict=True):
        view = view_of(house, source, part)
        draw_view(axes, frame, View(view.graph, view.positions), colours_of(house))
    return sheet.figure


def consensus_figure(house: Any, one: Any) -> Any:
    """The prototype, and where it lies in each of the k graphs."""
    captions = ["the prototype", *(f"in {house.graph_label(source)}" for source in one.sources)]
    sheet, frames = sheet_of(captions)
    index = list(one.nodes)
    own = parts_of(house, one)[list(one.sources).index(one.source)]
    alone = View(one.graph, view_of(house, one.source, own).positions[index])
    views = [alone, *(view_of(house, *pair) for pair in zip(one.sources, parts_of(house, one), strict=True))]
    for view, (axes, frame) in zip(views, frames, strict=True):
        draw_view(axes, frame, view, colours_of(house))
    return sheet.figure


def parts_of(house: Any, one: Any) -> list[Highlight]:
    """Which nodes and edges of each source the prototype is."""
    edges, loops = undirected_edges(one.graph)
    columns = np.asarray(one.matches).T
    return [Highlight(column.tolist(), column[edges], column[loops]) for column in columns]


def view_of(explanation: Any, source: int, part: Highlight) -> View:
    """A source graph with a part of it highlighted."""
    graph = explanation.source_graphs[source]
    return View(graph, layout(graph, part.nodes, part.edges), part)


def colours_of(explanation: Any) -> Palette:
    """Colours of the kinds of nodes, the same in all pictures of a class."""
    graphs = list(explanation.source_graphs.values())
    return palette_of(graphs, explanation.feature_names, explanation.feature_colors)


def contributions_figure(model: Any, house: Any, one: Any) -> Any:
    """What each node of the source adds to the margin: of a linear head on a sum, its share of the difference."""
    from matplotlib.colors import LinearSegmentedColormap, TwoSlopeNorm

    graph, x = house.source_graphs[one.source], house.source_graphs[one.source].x
    with torch.no_grad():
        for conv in model.convs:
            x = conv(x, graph.edge_index).relu()
        added = (x @ (model.head.weight[1] - model.head.weight[0])).tolist()
    view = view_of(house, one.source, parts_of(house, one)[list(one.sources).index(one.source)])
    sheet, frames = sheet_of([f"the nodes of {house.graph_label(one.source)}", "what each adds to the margin of house"])
    draw_view(*frames[0], View(view.graph, view.positions), colours_of(house))
    axes, most = frames[1][0], max(map(abs, added))
    axes.set_axis_off()
    axes.set_aspect("equal")
    colors = LinearSegmentedColormap.from_list("margin", [LESS, "#F2F4F7", MORE])
    for start, end in view.positions[undirected_edges(view.graph)[0]]:
        axes.plot(*np.array([start, end]).T, color="#98A2B3", linewidth=1.6, zorder=1)
    norm = TwoSlopeNorm(0.0, -most, most)
    axes.scatter(*view.positions.T, c=added, cmap=colors, norm=norm, s=620, edgecolors=INK, linewidths=0.8, zorder=2)
    for place, value in zip(view.positions, added, strict=True):
        color = "white" if abs(value) > 0.6 * most else INK
        axes.text(*place, f"{value:+.1f}", ha="center", va="center", fontsize=8, color=color, zorder=3)
    axes.margins(0.12)
    return sheet.figure


def rule_figure(explanation: Any) -> Any:
    """Each reason of a class: its pattern, and in how many graphs it holds."""
    sheet, frames = sheet_of(
        [f"reason {number}, in graphs kept apart" for number in range(1, len(explanation.reasons) + 1)], 3.2
    )
    for reason, (axes, (width, height)) in zip(explanation.reasons, frames, strict=True):
        graph = reason.has[0].graph
        box = axes.get_position()
        axes.set_position([box.x0, box.y0 + 0.36 * box.height, box.width, 0.64 * box.height])
        view = View(graph, layout(graph))
        draw_view(axes, (width, 0.64 * height), view, palette_of([graph]))
        bars = sheet.figure.add_axes((box.x0 + 0.38 * box.width, box.y0, 0.5 * box.width, 0.24 * box.height))
        kept = reason.kept_apart
        shares = [kept.num_elsewhere / kept.num_others, kept.num_in_class / kept.num_class]
        bars.barh(range(2), shares, color=[GREY, COLORS[0]], height=0.55)
        counts = [(kept.num_elsewhere, kept.num_others), (kept.num_in_class, kept.num_class)]
        for row, (count, total) in enumerate(counts):
            bars.text(shares[row] + 0.02, row, f"{count} of {total}", va="center", fontsize=9.5, color=INK)
        bars.set(xlim=(0, 1), ylim=(-0.5, 1.5), xticks=[], yticks=range(2))
        bars.set_yticklabels(["elsewhere", "in its class"], fontsize=9.5, color=INK)
        bars.tick_params(length=0)
        for side, spine in bars.spines.items():
            spine.set(visible=side == "left", color=RULE)
    return sheet.figure


if __name__ == "__main__":
    main()
