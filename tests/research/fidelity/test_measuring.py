import math

import numpy as np
import pytest
import torch
from torch import nn
from torch_geometric.data import Data

from protograph.datasets import load
from protograph.explanation import Explanation, Explanations, Prototype
from protograph.metrics.fidelity import fidelity
from research.paper.fidelity import measuring
from research.paper.fidelity.measuring import agreement, measure_rules
from research.paper.worlds.nets import predicted


class CountsHeads(nn.Module):
    """Scores of class 1 by the number of heads: a house has one."""

    def forward(self, x, edge_index, batch=None):
        batch = torch.zeros(len(x), dtype=torch.long) if batch is None else batch
        heads = torch.zeros(int(batch.max()) + 1, x.shape[1]).index_add_(0, batch, x)
        return torch.stack([1 - heads[:, self.column], heads[:, self.column] - 1], dim=1)


@pytest.mark.filterwarnings("ignore::protograph.ProtographWarning")
def test_rules_are_held_against_the_model_on_graphs_kept_apart(monkeypatch):
    seconds = iter([0.5, 20.0])  # of a forward pass, and of explaining
    monkeypatch.setattr(measuring, "_timed", lambda work: (next(seconds), work()))
    data = load("ba-house", random_state=0, num_graphs=200)
    graphs = [Data(x=one.x, edge_index=one.edge_index, y=one.y) for one in data]
    model = CountsHeads()
    model.column = data.feature_names.index("head")
    inside, outside = graphs[:150], graphs[150:]
    row, explanations = measure_rules(
        model, inside, outside, 0, feature_names=data.feature_names, class_names=data.class_names, colors=()
    )
    predictions = predicted(model, outside)
    assert row["fidelity"] == fidelity(explanations, outside, predictions)
    assert row["num_reasons"] == [len(one.reasons) for one in explanations.values()]
    assert row["rules"] == {str(target): one.rule for target, one in explanations.items()}
    assert row["num_patterns"] == len(row["patterns"]) == len(set(row["patterns"]))
    assert row["majority"] == 1 / len(set(predictions.tolist()))
    assert (row["seconds"], row["forward_seconds"], row["ratio"]) == (20.0, 0.5, 40.0)
    assert explanations[1].class_names == data.class_names


def test_a_class_that_is_not_predicted_has_no_share():
    edge, node = Data(edge_index=torch.tensor([[0], [1]]), num_nodes=2), Data(num_nodes=1)
    facts = {"explainer": "PAGE", "options": {}, "num_graphs": 2, "num_predicted": 1, "class_names": ("0", "1")}
    prototype = Prototype(graph=edge, probability=0.9, margin=2.2)
    explained = Explanations({1: Explanation(target=1, prototypes=[prototype], **facts)})
    found = agreement(explained, [edge, node], np.array([1, 1]))
    assert (found["fidelity"], found["by_class"]) == (0.5, [None, 0.5])
    assert math.isfinite(found["low"])
    assert (found["printed"], found["printed_without_rest"]) == (None, None)
