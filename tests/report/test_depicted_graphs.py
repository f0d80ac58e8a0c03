import re

import numpy as np
import torch
from torch_geometric.data import Data

from protograph.report.depicted_graphs import graph_markup
from protograph.report.markup import Marks
from protograph.report.palette import palette_of

PATH = Data(x=torch.eye(2)[[0, 1, 1]], edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]))
PLACES = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]])
PALETTE = palette_of([PATH], ["<roof>", "wall"], ["#D55E00", "#56B4E9"])


def test_places_are_those_given_y_upwards():
    markup = graph_markup(PATH, PLACES, PALETTE, Marks(), "a path")
    discs = re.findall(r'<circle class="pg-node" data-node="\d" cx="([\d.]+)" cy="([\d.]+)"', markup)
    (x0, y0), (x1, y1), (x2, y2) = [tuple(map(float, disc)) for disc in discs]
    assert (x1 - x0, y1 - y0) == (44.0, 0.0)
    assert (x2 - x1, y2 - y1) == (0.0, -44.0)


def test_what_is_not_marked_is_pale():
    markup = graph_markup(PATH, PLACES, PALETTE, Marks({0: 0, 1: 1}, [(0, 1)]), "a path")
    assert markup.count('<g opacity="0.4">') == 1
    assert graph_markup(PATH, PLACES, PALETTE, Marks({0: 0, 1: 1, 2: 2}), "all").count('<g opacity="0.4">') == 0
