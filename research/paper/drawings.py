"""Graphs as small plain records, which are kept with a cell's result, and the figures that are made of them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import networkx as nx
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from torch_geometric.data import Data

import protograph as pg

# {"kinds": the kind of each node, "edges": each pair of joined nodes once}
GraphRecord = Mapping[str, Any]
# Okabe and Ito's, told apart under every colour blindness.
COLOURS = {
    "walk": "#0072B2",
    "page": "#D55E00",
    "page with reasons": "#E69F00",
    "xgnn": "#009E73",
    "gnninterpreter": "#CC79A7",
    "random": "#7F7F7F",
}
SERIES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7F7F7F")
INK, MUTED, TRUTH = "#1b1f24", "#57606a", "#FFE08A"
REDS = LinearSegmentedColormap.from_list("attribution", ["#FFFFFF", "#B2182B"])
SIZE = 2.0  # inches of a picture of a gallery


def new_figure(
    width: float, height: float, rows: int = 1, columns: int = 1, **options: Any
) -> tuple[Figure, np.ndarray]:
    """A figure in inches with an array of axes; no window is opened."""
    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False, **options)
    for one in axes.flat:
        one.spines[["top", "right"]].set_visible(False)
        one.grid(visible=True, color="#e4e8ec", linewidth=0.8)
        one.set_axisbelow(True)
    return figure, axes


def kinds_record(data: pg.datasets.GraphDataset) -> dict[str, Any]:
    """Names and colours of the kinds that nodes of a data set are of; columns without a colour do not count.

    >>> data = pg.datasets.GraphDataset(graphs=[], name="mine", feature_names=("C", "O"), colors=("#4D4D4D", "#D7191C"))
    >>> kinds_record(data)
    {'columns': [0, 1], 'names': ['C', 'O'], 'colors': ['#4D4D4D', '#D7191C']}
    """
    columns = [n for n in range(len(data.feature_names)) if not data.colors or data.colors[n]]
    colours = data.colors or [SERIES[n % len(SERIES)] for n in range(len(data.feature_names))]
    return {
        "columns": columns,
        "names": [data.feature_names[n] for n in columns],
        "colors": [colours[n] for n in columns],
    }


def graph_record(graph: Data, kinds: Mapping[str, Any]) -> dict[str, Any]:
    """A graph whose features are one-hot in the columns of its kinds, as a record.

    >>> import torch
    >>> graph = Data(x=torch.eye(2)[[1, 0]], edge_index=torch.tensor([[0, 1], [1, 0]]))
    >>> graph_record(graph, {"columns": [0, 1]})
    {'kinds': [1, 0], 'edges': [[0, 1]]}
    """
    of_nodes = graph.x[:, kinds["columns"]].argmax(dim=1) if kinds["columns"] and graph.x is not None else []
    return {"kinds": [int(kind) for kind in of_nodes] or [0] * graph.num_nodes, "edges": undirected(graph)}


def undirected(graph: Data) -> list[list[int]]:
    """Each pair of different joined nodes once."""
    return [
        list(pair)
        for pair in sorted({(min(pair), max(pair)) for pair in graph.edge_index.T.tolist() if pair[0] != pair[1]})
    ]


def picture(
    record: GraphRecord, caption: str = "", part: Mapping[str, Any] | None = None, shares: Sequence[float] = ()
) -> dict[str, Any]:
    """A graph of a gallery.

    Args:
        record: The graph.
        caption: What is said below it.
        part: Nodes and edges that are underlaid: what it has of the ground truth.
        shares: Where there are some, nodes are coloured by them instead of by their kind.
    """
    return {"record": record, "caption": caption, "part": part or {"nodes": [], "edges": []}, "shares": shares}


def gallery(
    title: str, columns: Sequence[str], rows: Iterable[tuple[str, Sequence[Any]]], kinds: Mapping[str, Any]
) -> Figure:
    """Rows of pictures, each row with what stands beside it; text stands where there is no picture.

    What corresponds to the ground truth is underlaid in yellow.
    """
    rows = list(rows)
    figure, axes = new_figure(SIZE * len(columns), SIZE * 1.25 * len(rows) + 0.8, len(rows), len(columns))
    figure.suptitle(title, color=INK)
    used: set[int] = set()
    for line, (heading, cells) in zip(axes, rows, strict=True):
        for one, cell in zip(line, [*cells, *[""] * (len(columns) - len(cells))], strict=True):
            one.set_axis_off()
            if isinstance(cell, str):
                one.text(0.5, 0.5, cell, ha="center", va="center", color=MUTED, transform=one.transAxes)
                continue
            used.update(cell["record"]["kinds"])
            draw_graph(one, cell, kinds)
        line[0].text(
            -0.05, 0.5, heading, rotation=90, ha="right", va="center", transform=line[0].transAxes, color=MUTED
        )
    for one, name in zip(axes[0], columns, strict=True):
        one.set_title(name, fontsize=9, color=INK)
    handles = [
        Line2D([], [], marker="o", linestyle="", color=kinds["colors"][kind], label=kinds["names"][kind])
        for kind in sorted(used)
        if kind < len(kinds["names"])
    ]
    if handles:
        figure.legend(handles=handles, loc="outside lower center", ncols=8, frameon=False, fontsize=8)
    return figure


def draw_graph(axes: Axes, cell: Mapping[str, Any], kinds: Mapping[str, Any]) -> None:
    """A picture of a gallery."""
    record, part = cell["record"], cell["part"]
    graph = nx.Graph(record["edges"])
    graph.add_nodes_from(range(len(record["kinds"])))
    places = nx.kamada_kawai_layout(graph) if len(graph) > 1 else {0: (0.0, 0.0)}
    nx.draw_networkx_nodes(graph, places, part["nodes"], 130, TRUTH, ax=axes)
    nx.draw_networkx_edges(graph, places, part["edges"], 9, TRUTH, ax=axes)
    nx.draw_networkx_edges(graph, places, ax=axes, edge_color=MUTED, width=1.0)
    colours: Any = [kinds["colors"][kind] if kinds["colors"] else MUTED for kind in record["kinds"]]
    if cell["shares"]:
        colours = REDS(np.array(cell["shares"]) / (max(cell["shares"]) or 1.0))
    nodes = range(len(record["kinds"]))
    nx.draw_networkx_nodes(graph, places, nodes, 45, list(colours), ax=axes, edgecolors=INK, linewidths=0.5)
    axes.set_xlabel(cell["caption"], fontsize=7)
    axes.text(0.5, -0.08, cell["caption"], ha="center", va="top", fontsize=6.5, color=MUTED, transform=axes.transAxes)


def heat_map(
    axes: Axes, title: str, rows: Sequence[str], values: np.ndarray, form: str, marked: Iterable[tuple[int, int]] = ()
) -> None:
    """A table of numbers as coloured squares, some in a red box; columns are counted from 1."""
    axes.imshow(values, cmap="viridis", vmin=0, aspect="auto")
    middle = np.nanmax(values) / 2
    for row, column in np.argwhere(np.isfinite(values)).tolist():
        number = values[row, column]
        colour = "black" if number > middle else "white"
        axes.text(column, row, form.format(number), ha="center", va="center", fontsize=8, color=colour)
    for row, column in marked:
        axes.plot(np.array([-0.47, 0.47, 0.47, -0.47, -0.47]) + column, np.array([-1, -1, 1, 1, -1]) * 0.45 + row, "r-")
    axes.set_title(title, loc="left", fontsize=9.5)
    axes.set_xticks(range(values.shape[1]), range(1, values.shape[1] + 1))
    axes.set_yticks(range(len(rows)), rows)
    axes.grid(visible=False)
