import numpy as np
import pytest
import torch
from torch_geometric.data import Data

from protograph.patterns.agreement import Agreement
from protograph.patterns.structure import build_structure, reachable_counts


def graphs_with(*features):
    return [Data(x=torch.tensor(f), edge_index=torch.empty(2, 0, dtype=torch.long)) for f in features]


def agreeing(graphs, rule):
    mask = Agreement(graphs, rule).mask([np.arange(g.num_nodes) for g in graphs])
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


def test_without_features_or_rule_all_agree():
    graphs = graphs_with([[1.0]], [[2.0]])
    assert agreeing(graphs, False) == {(0, 0)}
    bare = [Data(num_nodes=1, edge_index=torch.empty(2, 0, dtype=torch.long))] * 2
    assert agreeing(bare, True) == {(0, 0)}


def test_splitting_loses_no_tuple_that_agrees():
    graphs = graphs_with([6, 8, 6, 1], [8, 6, 7], [6, 8, 8])
    agreement = Agreement(graphs, True)
    everything = [np.arange(g.num_nodes) for g in graphs]
    found = set()
    for rows in agreement.split(everything):
        found |= {tuple(int(r[i]) for r, i in zip(rows, t, strict=True)) for t in np.argwhere(agreement.mask(rows))}
    assert found == agreeing(graphs, True)


def test_what_a_walk_can_reach_is_bounded_by_components_and_features():
    path = torch.tensor([[0, 1, 1, 2, 2, 3], [1, 0, 2, 1, 3, 2]])
    first = Data(x=torch.tensor([0, 0, 1, 0]), edge_index=path)
    second = Data(x=torch.tensor([0, 0, 0, 0]), edge_index=path[:, :2])
    structure = build_structure([first, second])
    # node 2 of the first graph has no partner and cuts off node 3; nodes 2 and 3 of the second are not connected
    assert reachable_counts(structure, Agreement([first, second], True), (0, 0)).tolist() == [2, 2]
    assert reachable_counts(structure, Agreement([first, second], False), (0, 0)).tolist() == [4, 2]


def test_neighbours_are_sorted_without_the_node_itself():
    graph = Data(num_nodes=3, edge_index=torch.tensor([[0, 0, 2, 0, 1], [2, 0, 0, 1, 0]]))
    structure = build_structure([graph, graph])
    assert structure.of(1, 0)[0].tolist() == [1, 2]
    assert structure.of(0, 1)[0].tolist() == [0]


def test_matching_edges_needs_attributes():
    graph = Data(num_nodes=2, edge_index=torch.tensor([[0, 1], [1, 0]]))
    with pytest.raises(ValueError, match=r"^match_edges=True needs edge_attr on every graph; the graphs have none$"):
        build_structure([graph], match_edges=True)
