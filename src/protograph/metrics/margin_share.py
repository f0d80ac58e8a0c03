"""Margin share: how much of its source graph's class margin a prototype's nodes carry."""

import math
from collections.abc import Sequence

import torch
from torch_geometric.data import Data

from protograph._base.randomness import preserved_random_state
from protograph.explanation import Explanation, Prototype
from protograph.metrics.judging import Model
from protograph.models.classifier import as_classifier
from protograph.models.judging import check_target, checked_outputs, decided_type
from protograph.models.leaving_out import check_readout, classified_without
from protograph.models.outputs import log_scores, margins


def margin_share(
    prototype: Prototype,
    explanation: Explanation,
    model: Model,
    target: int | None = None,
    *,
    reference_graphs: Sequence[Data] | None = None,
) -> float:
    r"""Share of the class margin of its source graph that a prototype's nodes carry.

    .. math:: \frac{m(V) - m(V \setminus V_p)}{m(V) - m(\emptyset)}

    with :math:`m(S)` the margin (log-odds) of the class when only the embeddings :math:`h_v, v \in S` enter the
    readout, all embeddings being those of the whole graph, and the rest of the model running on as it is. A sum
    leaves out the other nodes' terms, and so does a mean, which still divides by all nodes: with a linear head of two
    classes the share is then exactly :math:`\sum_{v \in V_p} w \cdot h_v / \sum_{v \in V} w \cdot h_v`, and shares of
    disjoint sets of nodes add up. Any other readout (maximum, attention, Set2Set) is applied to the nodes left;
    what it gives for no nodes is the baseline :math:`m(\emptyset)`, usually zeros.

    Higher says that the decision rests more on these nodes, and the nodes of the whole graph have 1. It can lie
    outside [0, 1] where some nodes speak against the class. NaN where the readout makes no difference to the margin.

    Args:
        prototype: A prototype that was cut from a graph.
        explanation: The explanation it is from.
        model: The model that was explained.
        target: The class; the explanation's by default.
        reference_graphs: Further graphs by whose outputs the kind of output is told, beside the explanation's.

    Raises:
        ValueError: If the prototype was cut from no graph, or nodes cannot be left out of the model's readout.
    """
    target = explanation.target if target is None else target
    graph = _source_of(prototype, explanation)
    classifier = as_classifier(model)
    sources = [*explanation.source_graphs.values()]
    with preserved_random_state():
        running = classifier.start([graph])
        kind, _ = decided_type(checked_outputs(running, [*sources, *(reference_graphs or ())]), classifier.return_type)
        check_readout(running)
        keeps = torch.ones(3, int(graph.num_nodes or 0), dtype=torch.bool)
        keeps[1, prototype.nodes] = False
        keeps[2] = False
        outputs = torch.cat([classified_without(running, [graph], keep) for keep in keeps])
    scores = log_scores(outputs, kind)
    check_target(target, scores.size(1))
    whole, without, none = margins(scores, target).tolist()
    is_no_difference = abs(whole - none) <= running.resolution * max(1.0, abs(whole))
    return math.nan if is_no_difference else (whole - without) / (whole - none)


def _source_of(prototype: Prototype, explanation: Explanation) -> Data:
    if prototype.source is None or prototype.nodes is None:
        raise ValueError(
            "prototype must be cut from a graph, got one without source and nodes, such as a generated one"
        )
    if prototype.source not in explanation.source_graphs:
        raise ValueError(
            f"prototype must be of this explanation, whose source graphs are {sorted(explanation.source_graphs)}, "
            f"got one cut from graph {prototype.source}"
        )
    return explanation.source_graphs[prototype.source]
