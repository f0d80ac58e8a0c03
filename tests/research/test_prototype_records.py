import torch
from torch_geometric.data import Data

from protograph.datasets import load
from protograph.explanation import Explanation, Prototype
from research.paper.prototype_records import explanation_records, truth_records


def with_tail(graph):
    """The graph with one more node of the backbone at its first node."""
    num = graph.num_nodes
    edges = torch.cat([graph.edge_index, torch.tensor([[0, num], [num, 0]])], dim=1)
    return Data(x=torch.cat([graph.x, torch.tensor([[0.0, 0.0, 1.0]])]), edge_index=edges)


def test_a_house_with_a_tail():
    data = load("ba-house", random_state=0, num_graphs=40)
    house = data.ground_truths[1][0]
    prototype = Prototype(graph=with_tail(house), probability=0.9, margin=2.2, cluster=1)
    explanation = Explanation(
        target=1,
        prototypes=[prototype],
        explainer="PAGE",
        options={},
        class_names=("no", "yes"),
        num_graphs=1,
        num_predicted=1,
    )
    (record,) = explanation_records(explanation, data, data)
    # 5 nodes and 6 edges of the house, one node and one edge more.
    assert record["accuracy"] == 11 / 13
    assert record["truth"] == 0
    assert record["part"] == {"nodes": [0, 1, 2, 3, 4], "edges": [[0, 1], [0, 2], [1, 2], [1, 3], [2, 4], [3, 4]]}
    assert record["motifs"]["house"] == 1.0
    assert record["graph"]["kinds"] == [0, 1, 1, 1, 1, 2]
    assert (record["probability"], record["cluster"]) == (0.9, 1)
    assert [len(one["kinds"]) for one in truth_records(data, 1)] == [5, 10]
