import numpy as np
import pytest
import torch
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from torch_geometric.data import Data

from protograph.report.layout import layout
from protograph.report.palette import ANY_NODE, palette_of
from protograph.report.views import View, draw_view, nearest_nodes


@pytest.mark.parametrize(
    ("nodes", "limit", "nearest"),
    [
        ([2], 3, [2, 1, 3]),
        ([4, 0], 1, [4, 0]),
        ([], 3, []),
    ],
)
def test_nearest_nodes(graph_of, nodes, limit, nearest):
    path = graph_of([(0, 1), (1, 2), (2, 3), (3, 4)], num_nodes=6)
    assert nearest_nodes(path, nodes, limit) == nearest


def test_loops_of_every_node_are_not_drawn():
    path = torch.tensor([[0, 1, 1, 2, 0, 1, 2], [1, 0, 2, 1, 0, 1, 2]])
    for edge_index, num_loops in ((path, 0), (path[:, :-1], 2)):
        graph = Data(x=torch.ones(3, 1), edge_index=edge_index)
        axes = Figure().add_axes((0, 0, 1, 1))
        draw_view(axes, (3.0, 3.0), View(graph, layout(graph)), palette_of([graph]))
        assert len(axes.patches) == num_loops


def test_some_nodes_are_ringed():
    graph = Data(edge_index=torch.tensor([[0, 1], [1, 2]]), num_nodes=3)
    axes, places = Figure().add_axes((0, 0, 1, 1)), layout(graph)
    draw_view(axes, (3.0, 3.0), View(graph, places, rings=(0, 2)), palette_of([graph]))
    (rings,) = [one for one in axes.collections if one.get_label() == "rings"]
    assert np.array_equal(rings.get_offsets(), places[[0, 2]])


def test_nodes_of_any_features_look_like_no_kind():
    kinds, plain = Data(x=torch.eye(2)), Data(num_nodes=2)
    axes = Figure().add_axes((0, 0, 1, 1))
    draw_view(axes, (3.0, 3.0), View(plain, np.array([[0.0, 0.0], [1.0, 0.0]])), palette_of([kinds]))
    (nodes,) = [one for one in axes.collections if one.get_label() == "nodes"]
    assert {to_hex(color).upper() for color in nodes.get_facecolors()} == {ANY_NODE.color}
