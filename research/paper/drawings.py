"""Graphs as small plain records: kept with a cell's result, and drawn from it later."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch_geometric.data import Data

from protograph.datasets import GraphDataset
from protograph.graphs.names import node_columns, shown_columns
from protograph.metrics.accuracy import Accuracy
from protograph.report.layout import undirected_edges
from protograph.report.palette import Palette, palette_of

# {"kinds": the kind of each node, "edges": each pair of joined nodes once}
GraphRecord = Mapping[str, Any]
# {"names": what each kind is called, "colors": how it is drawn}
KindsRecord = Mapping[str, Any]


def kinds_record(data: GraphDataset) -> dict[str, Any]:
    """Names and colours of the kinds that nodes of a data set are of.

    >>> data = GraphDataset(graphs=[], name="mine", feature_names=("C", "O"), colors=("#4D4D4D", "#D7191C"))
    >>> kinds_record(data)
    {'names': ['C', 'O'], 'colors': ['#4D4D4D', '#D7191C']}
    """
    columns = shown_columns(data.colors) or range(len(data.feature_names))
    return {
        "names": [data.feature_names[column] for column in columns],
        "colors": [data.colors[column] for column in columns] if data.colors else [],
    }


def graph_record(graph: Data, colors: Sequence[str] = ()) -> dict[str, Any]:
    """A graph whose features are one-hot, as a record.

    Args:
        graph: The graph.
        colors: Those of the data set; columns whose colour is the empty text do not count.

    >>> graph_record(Data(x=torch.eye(2)[[1, 0]], edge_index=torch.tensor([[0, 1], [1, 0]])))
    {'kinds': [1, 0], 'edges': [[0, 1]]}
    """
    columns = node_columns(graph, colors)
    if columns is None:
        raise ValueError("graph must have one-hot features in the columns that are shown, got others")
    return {"kinds": columns, "edges": undirected_edges(graph)[0].tolist()}


def graph_of(record: GraphRecord, kinds: KindsRecord) -> Data:
    """The graph of a record, its features one-hot over the kinds.

    >>> graph_of({"kinds": [1, 0], "edges": [[0, 1]]}, {"names": ["C", "O"]}).x
    tensor([[0., 1.],
            [1., 0.]])
    """
    ends = torch.tensor(record["edges"], dtype=torch.long).reshape(-1, 2).T
    # A graph of one kind of nodes only is one-hot all the same.
    width = max(2, len(kinds["names"]))
    return Data(x=torch.eye(width)[record["kinds"]], edge_index=torch.cat([ends, ends.flip(0)], dim=1))


def side_by_side(records: Sequence[GraphRecord]) -> dict[str, Any]:
    """Several graphs as one record, without edges between them.

    >>> side_by_side([{"kinds": [0, 1], "edges": [[0, 1]]}] * 2)
    {'kinds': [0, 1, 0, 1], 'edges': [[0, 1], [2, 3]]}
    """
    kinds: list[int] = []
    edges: list[list[int]] = []
    for record in records:
        edges += [[u + len(kinds), v + len(kinds)] for u, v in record["edges"]]
        kinds += record["kinds"]
    return {"kinds": kinds, "edges": edges}


def palette_of_records(records: Sequence[GraphRecord], kinds: KindsRecord) -> Palette:
    """Colours that mean the same in all pictures of some graphs."""
    return palette_of([graph_of(record, kinds) for record in records], kinds["names"], kinds["colors"])


def truth_part(graph: Data, truth: Data, right: Accuracy) -> dict[str, Any]:
    """The nodes and edges of a prototype that correspond to some of the ground truth.

    Args:
        graph: The prototype.
        truth: The ground truth.
        right: Their accuracy, whose correspondence counts.
    """
    place = dict(right.mapping)
    own = {tuple(edge) for edge in undirected_edges(truth)[0].tolist()}
    edges = [
        [u, v]
        for u, v in undirected_edges(graph)[0].tolist()
        if u in place and v in place and tuple(sorted((place[u], place[v]))) in own
    ]
    return {"nodes": sorted(place), "edges": edges}
