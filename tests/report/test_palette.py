import math

import pytest
import torch
from torch_geometric.data import Data

from protograph.report.palette import COLORS, OTHER_COLOR, palette_of


def labels(palette):
    return [category.label for category in palette.categories]


def colors(palette, graph):
    return [node.color for node in palette.looks(graph)]


def insides(palette, graph):
    return [node.inside for node in palette.looks(graph)]


def test_one_hot_features_have_their_names_and_colours():
    graph = Data(x=torch.eye(4)[[2, 0, 2]])
    palette = palette_of([graph], ["C", "N", "Cl", "Na+"], ["#111111", "red", "#333333", "#444444"])
    assert labels(palette) == ["C", "Cl"]
    assert colors(palette, graph) == ["#333333", "#111111", "#333333"]
    assert insides(palette, graph) == ["Cl", "C", "Cl"]


def test_past_ten_kinds_the_rarest_are_others():
    graph = Data(x=torch.eye(13)[[*range(13), *range(3, 13)]])
    palette = palette_of([graph])
    assert labels(palette) == [*(f"feature {column}" for column in range(3, 13)), "other (3 kinds)"]
    assert colors(palette, graph)[:4] == [OTHER_COLOR, OTHER_COLOR, OTHER_COLOR, COLORS[0]]
    assert len(set(colors(palette, graph))) == 11


def test_multi_hot_rows_are_named_by_what_they_have():
    graph = Data(x=torch.tensor([[1.0, 1.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 1.0]]))
    assert labels(palette_of([graph], ["ring", "polar", "acid"])) == ["none", "acid", "ring + polar"]
    assert labels(palette_of([graph])) == ["no feature", "feature 2", "features 0, 1"]


def test_columns_without_a_colour_do_not_count():
    graph = Data(x=torch.tensor([[1.0, 0.0, 1.0, 0.0], [0.0, 1.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0]]))
    palette = palette_of([graph], ["dark", "bright", "left", "right"], ["#111111", "#EEEEEE", "", ""])
    assert labels(palette) == ["dark", "bright"]
    assert colors(palette, graph) == ["#111111", "#eeeeee", "#eeeeee"]
    narrow = Data(x=torch.ones(2, 1))
    assert len(colors(palette, narrow)) == 2


def test_whole_numbers_have_one_colour_a_row():
    graph = Data(x=torch.tensor([[3], [1], [3], [12]]))
    palette = palette_of([graph], ["degree"])
    assert labels(palette) == ["degree 1", "degree 3", "degree 12"]
    assert colors(palette, graph) == [COLORS[1], COLORS[0], COLORS[1], COLORS[2]]
    assert insides(palette, graph) == ["3", "1", "3", "12"]
    assert labels(palette_of([graph])) == ["x = 1", "x = 3", "x = 12"]


def test_long_labels_that_become_equal_are_numbered():
    x = torch.full((2, 30), 7.0)
    x[1, 15] = 0
    assert labels(palette_of([Data(x=x)])) == [
        "(7, 7, 7, 7, …, 7, 7, 7, 7) #1",
        "(7, 7, 7, 7, …, 7, 7, 7, 7) #2",
    ]


def test_continuous_features_have_a_scale():
    graph = Data(x=torch.tensor([[0.25], [2.0], [math.nan], [1.125]]))
    palette = palette_of([graph], ["brightness"])
    assert palette.categories == ()
    assert (palette.scale.label, palette.scale.low, palette.scale.high) == ("brightness", 0.25, 2.0)
    low, high, unknown, middle = colors(palette, graph)
    assert (low, high, unknown) == ("#00224e", "#fee838", OTHER_COLOR)
    assert middle not in {low, high, unknown}
    assert insides(palette, graph) == [""] * 4


@pytest.mark.parametrize(
    "graph",
    [
        Data(num_nodes=2, edge_index=torch.tensor([[0], [1]])),
        Data(x=torch.ones(2, 1)),
        Data(x=torch.ones(2, 0)),
        Data(x=torch.zeros(2, 3)),
    ],
    ids=["no x", "constant", "no columns", "zeros"],
)
def test_nodes_that_are_all_alike_have_one_colour(graph):
    palette = palette_of([graph])
    assert labels(palette) == ["node"]
    assert colors(palette, graph) == [COLORS[0]] * 2
