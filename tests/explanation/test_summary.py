import torch
from torch_geometric.data import Data

import protograph as pg
from protograph.explanation.summary import describe_composition, figures_of, smiles_of

PATH = Data(x=torch.eye(2)[[0, 1, 1]], edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]))


def test_figures_of_a_prototype():
    prototype = pg.Prototype(graph=PATH, probability=0.98765, margin=4.3825, source=7, feature_names=("C", "N"))
    assert figures_of(prototype) == "3 nodes, 2 edges (2 N, 1 C); p = 0.9877, margin 4.38; cut from graph 7"


def test_one_node_is_singular_and_nothing_is_said_of_what_is_not_known():
    alone = Data(x=torch.rand(1, 2), edge_index=torch.tensor([[0], [0]]))
    prototype = pg.Prototype(graph=alone, probability=1.0, margin=float("inf"))
    assert figures_of(prototype) == "1 node, 1 edge; p = 1.0000, margin inf"
    assert smiles_of(prototype) is None


def test_names_stay_on_one_line():
    assert describe_composition(PATH, ("a\n\x1b[2J", "b" * 50)) == f"2 {'b' * 37}..., 1 a [2J"


def test_features_that_are_not_one_hot_have_no_composition():
    assert describe_composition(Data(x=torch.rand(3, 2)), ()) == ""
    assert describe_composition(Data(num_nodes=3), ()) == ""
