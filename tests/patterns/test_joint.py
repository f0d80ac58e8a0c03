import numpy as np
import pytest
import torch
from torch_geometric.data import Data

from protograph.patterns.joint import JointGraphs, counted_kinds

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


def test_a_tolerance_is_for_every_two_of_a_tuple():
    graphs = graphs_with([[0.0]], [[0.1]], [[0.2]])
    assert agreeing(graphs, 0.25) == {(0, 0, 0)}
    assert agreeing(graphs, 0.15) == set()


def test_a_function_decides():
    graphs = graphs_with([[1.0, 5.0], [2.0, 0.0]], [[9.0, 5.0]])
    assert agreeing(graphs, lambda a, b: bool(a[1] == b[1])) == {(0, 0)}


@pytest.mark.parametrize("rule", [True, 0.0, False, 0.15, lambda a, b: bool(a[0] <= b[0])])
def test_two_graphs_agree_as_the_mask_says(rule):
    graphs = graphs_with([[0.0], [0.1], [0.2]], [[0.1], [0.4]], [[0.2], [0.1], [0.0], [0.5]])
    joint = JointGraphs(graphs, rule)
    for q, r in [(0, 1), (0, 2), (1, 2), (1, 1)]:
        expected = JointGraphs([graphs[q], graphs[r]], rule).mask()
        if q != r:
            assert joint.agree(q, r).tolist() == expected.tolist()
        assert joint.agree(r, q).tolist() == joint.agree(q, r).T.tolist()


@pytest.mark.parametrize(
    ("rule", "expected"),
    [(True, True), (0, True), (0.0, True), (False, False), (0.5, False), (1, False), (torch.equal, False)],
)
def test_features_counted_kinds_or_need_not(rule, expected):
    assert counted_kinds(rule) is expected


def test_neighbours_are_sorted_without_the_node_itself():
    graph = Data(num_nodes=3, edge_index=torch.tensor([[0, 0, 2, 0, 1], [2, 0, 0, 1, 0]]))
    joint = JointGraphs([graph, graph])
    assert joint.sizes == (3, 3)
    assert joint.offsets.tolist() == [0, 3, 6]
    assert [nodes.tolist() for nodes in joint.around(1, 0)] == [[1, 2], [0, 0]]
    assert [nodes.tolist() for nodes in joint.around(0, 1)] == [[0], [0]]
