import numpy as np
import pytest
import torch
from torch_geometric.data import Data

from protograph.patterns.joint import JointGraphs

NO_EDGES = torch.empty(2, 0, dtype=torch.long)


def graphs_with(*features):
    return [Data(x=torch.tensor(f), edge_index=NO_EDGES) for f in features]


def agreeing(graphs, rule):
    mask = JointGraphs(graphs, rule).mask()
    return {tuple(map(int, t)) for t in np.argwhere(np.broadcast_to(mask, [g.num_nodes for g in graphs]))}


@pytest.mark.parametrize(
    ("features", "expected"),
    [
        (([[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0]]), {(1, 0)}),
        (([[1, 1, 0], [1, 0, 0]], [[1, 1, 0], [0, 1, 0]]), {(0, 0)}),
        (([6, 8, 6], [8, 6]), {(0, 1), (1, 0), (2, 1)}),
        (([[0.25]], [[0.2500001]]), set()),
    ],
    ids=["one-hot", "multi-hot", "integers", "continuous"],
)
def test_equal_features_agree(features, expected):
    assert agreeing(graphs_with(*features), True) == expected
