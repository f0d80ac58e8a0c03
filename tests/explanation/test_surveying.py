import warnings

import numpy as np
import torch
from torch import nn
from torch_geometric.nn import global_add_pool

import protograph as pg
from protograph.explanation.surveying import chosen_graphs
from tests.metrics.small_graphs import path, ring


def test_wrong_graphs_come_first_and_all_classes_in_turn():
    predictions, labels = np.array([0, 0, 0, 1, 1, 1]), np.array([0, 1, 0, 1, 1, 0])
    assert chosen_graphs(predictions, labels, 4) == [1, 5, 0, 3]
    assert sorted(chosen_graphs(predictions, labels, 99)) == [0, 1, 2, 3, 4, 5]


def test_few_of_many_are_spread():
    assert chosen_graphs(np.zeros(16, np.int64), None, 4) == [0, 8, 4, 12]


class NumEdges(nn.Module):
    """Class 1 for graphs of at least as many edges as nodes; the sum of degrees less 2 a node decides."""

    def forward(self, x, edge_index, batch):
        degrees = torch.zeros(len(batch)).index_add(0, edge_index[0], torch.ones(edge_index.size(1)))
        pooled = global_add_pool(x * (degrees - 1.9)[:, None], batch)
        return torch.cat([-pooled, pooled], dim=1)


def test_all_graphs_are_looked_over_once_and_patterns_taken_out():
    graphs = [ring(3 + index % 3) for index in range(12)] + [path(3 + index % 3) for index in range(12)]
    for index, graph in enumerate(graphs):
        graph.x, graph.name, graph.y = torch.ones(graph.num_nodes, 1), f"g{index}", int(index < 12)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        explainer = pg.PAGE(num_clusters=1).fit(NumEdges(), graphs)
        both = explainer.explain_all()
    survey = both[0].survey
    assert survey is both[1].survey
    assert survey.names == tuple(f"g{index}" for index in range(24))
    assert survey.labels == survey.predictions == (1,) * 12 + (0,) * 12
    assert len(survey.graphs) == 24
    assert set(survey.graphs[0].keys()) == {"x", "edge_index", "num_nodes"}
    for one in both.values():
        assert len(one.prototypes_taken_out) == len(one.prototypes)
        assert len(one.reasons_taken_out) == len(one.reasons)
        assert one.about["model"] == "NumEdges"
