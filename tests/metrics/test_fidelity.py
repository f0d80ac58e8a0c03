import re

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from protograph.explanation import Explanations, Pattern
from protograph.metrics import fidelity
from tests.explanation.by_hand import explained, house, naive_fidelity, naive_reason, reason, reasons
from tests.metrics.small_graphs import graphs, path, ring

TRIANGLE = reason(has=(Pattern(graph=ring(3)),))
REST = reason(unless=(TRIANGLE,))
WHOLE, PREDICTIONS = [house(), ring(3), ring(4), path(3)], [0, 0, 1, 1]


def both(parts=(0, 0, 0, 0)):
    rules = {0: [TRIANGLE], 1: [REST]}
    return Explanations({t: explained(t, some, WHOLE, PREDICTIONS, list(parts)) for t, some in rules.items()})


@settings(max_examples=30, deadline=None)
@given(st.data(), st.lists(graphs(min_nodes=1, max_nodes=5), min_size=1, max_size=6))
def test_it_is_what_plain_loops_count(data, whole):
    size, num_classes = len(whole), 3
    predictions = data.draw(st.lists(st.integers(0, num_classes - 1), min_size=size, max_size=size))
    rules = {target: data.draw(st.lists(reasons(), max_size=2)) for target in range(num_classes)}
    found = Explanations(
        {target: explained(target, some, whole, predictions, [0] * size, 3) for target, some in rules.items()}
    )
    holds = [[any(naive_reason(r, g) for r in rules[c]) for c in range(num_classes)] for g in whole]
    naive = naive_fidelity(holds, predictions, num_classes)
    assert fidelity(found, whole, predictions) == pytest.approx(naive, abs=1e-12)


def test_on_the_graphs_kept_apart_it_is_the_printed_one():
    found = both((2, 0, 2, 2))
    chosen = [0, 2, 3]
    again = fidelity(found, [WHOLE[n] for n in chosen], [PREDICTIONS[n] for n in chosen])
    assert (again, again.low, again.high, again.counts) == (
        found.fidelity,
        found.fidelity.low,
        found.fidelity.high,
        found.fidelity.counts,
    )


def test_by_hand_for_all_classes_and_for_one():
    assert fidelity(both(), WHOLE, np.array([0, 1, 1, 1])) == pytest.approx((1 + 2 / 3) / 2)
    assert fidelity(both()[0], WHOLE, torch.tensor([0, 1, 1, 1])) == pytest.approx((1 + 2 / 3) / 2)
    one = fidelity(both()[1], WHOLE, [1, 1, 1, 0])
    assert one.counts == ((1, 3), (0, 1))


class Triangles(nn.Module):
    """Class 0 for a graph with as many edges as nodes; its features are not looked at."""

    def forward(self, x, edge_index, batch):
        sizes = torch.bincount(batch)
        edges = torch.bincount(batch[edge_index[0]], minlength=len(sizes))
        return torch.stack([edges - sizes + 0.5, sizes - edges - 0.5], dim=1)


def test_a_model_is_asked_for_its_predictions():
    whole = [graph.clone() for graph in WHOLE]
    for graph in whole:
        graph.x = torch.ones(graph.num_nodes, 1)
    # It takes the ring of four for class 0, where no rule of that class holds.
    assert fidelity(both(), whole, Triangles()) == pytest.approx((2 / 3 + 1) / 2)


def test_without_graphs_it_is_nan():
    assert np.isnan(fidelity(both(), [], []))
    assert np.isnan(fidelity(both(), [], Triangles()))


def test_predictions_of_other_classes_are_refused():
    message = "predictions must be in [0, 2), the classes of the model, got 2"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        fidelity(both(), WHOLE, [0, 1, 2, 0])
