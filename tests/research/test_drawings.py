import pytest
import torch
from torch_geometric.data import Data

from protograph.datasets import GraphDataset
from protograph.metrics.accuracy import accuracy
from research.paper.drawings import graph_of, graph_record, kinds_record, palette_of_records, truth_part

KINDS = {"names": ["C", "O"], "colors": ["#4D4D4D", "#D55E00"]}


def graph(kinds, edges, width=2):
    ends = torch.tensor(edges).T
    return Data(x=torch.eye(width)[kinds], edge_index=torch.cat([ends, ends.flip(0)], dim=1))


def test_a_graph_comes_back_from_its_record():
    path = graph([0, 1, 0], [(0, 1), (1, 2)])
    record = graph_record(path)
    assert record == {"kinds": [0, 1, 0], "edges": [[0, 1], [1, 2]]}
    back = graph_of(record, KINDS)
    assert torch.equal(back.x, path.x)
    assert sorted(back.edge_index.T.tolist()) == sorted(path.edge_index.T.tolist())


def test_a_single_node_has_no_edges():
    record = {"kinds": [1], "edges": []}
    assert graph_of(record, KINDS).edge_index.shape == (2, 0)


def test_columns_without_a_colour_are_not_drawn():
    two_hot = Data(x=torch.tensor([[1.0, 0, 0, 1], [0, 1.0, 1, 0]]), edge_index=torch.empty(2, 0, dtype=torch.long))
    colors = ("#000000", "#FFFFFF", "", "")
    assert graph_record(two_hot, colors) == {"kinds": [0, 1], "edges": []}
    data = GraphDataset(graphs=[], name="mine", feature_names=("black", "white", "left", "right"), colors=colors)
    assert kinds_record(data) == {"names": ["black", "white"], "colors": ["#000000", "#FFFFFF"]}


def test_features_that_are_not_one_hot_have_no_record():
    with pytest.raises(
        ValueError, match=r"^graph must have one-hot features in the columns that are shown, got others$"
    ):
        graph_record(Data(x=torch.tensor([[0.5, 0.5]]), edge_index=torch.empty(2, 0, dtype=torch.long)))


def test_kinds_keep_their_colours():
    palette = palette_of_records([{"kinds": [1, 0], "edges": [[0, 1]]}], KINDS)
    assert {one.label: one.color for one in palette.categories} == {"C": "#4d4d4d", "O": "#d55e00"}


def test_the_part_of_the_truth_has_the_corresponding_edges_only():
    # A triangle C-C-O with a tail of C; the truth is the path C-O-C.
    prototype = graph([0, 0, 1, 0], [(0, 1), (1, 2), (0, 2), (0, 3)])
    truth = graph([0, 1, 0], [(0, 1), (1, 2)])
    part = truth_part(prototype, truth, accuracy(prototype, truth))
    assert part == {"nodes": [0, 1, 2], "edges": [[0, 2], [1, 2]]}
