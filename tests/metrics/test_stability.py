import math

import pytest
import torch
from torch_geometric.data import Data

import protograph as pg
from protograph.metrics.sanity import stability
from tests.made import made_explanation

PATH = Data(edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), num_nodes=3)
RING = Data(edge_index=torch.tensor([[0, 1, 2, 1, 2, 0], [1, 2, 0, 0, 1, 2]]), num_nodes=3)


def explanation(*graphs):
    prototypes = [pg.Prototype(graph=graph, probability=0.9, margin=2.2) for graph in graphs]
    facts = {"explainer": "PAGE", "options": {}, "num_graphs": 2, "num_predicted": 1, "class_names": ("0", "1")}
    return made_explanation(target=1, prototypes=prototypes, **facts)


def test_by_hand():
    # A path has 3 nodes and 2 edges of a ring's 3 and 3: accuracy 5 / 6.
    found = stability([explanation(RING), explanation(PATH), explanation(RING, PATH)])
    assert found.pairs == pytest.approx((5 / 6, (1 + (1 + 5 / 6) / 2) / 2, (1 + (1 + 5 / 6) / 2) / 2))
    assert float(found) == pytest.approx(sum(found.pairs) / 3)
    assert stability([explanation(RING), explanation(RING)]).value == 1.0


def test_without_prototypes():
    assert stability([explanation(), explanation()]).value == 1.0
    assert stability([explanation(RING), explanation()]).value == 0.0
    assert math.isnan(stability([explanation(RING)]).value)
