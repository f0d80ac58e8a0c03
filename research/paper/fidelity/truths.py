"""Ground truths beside rules: whether they are among the reasons, and what they say read as a rule themselves."""

from collections.abc import Mapping, Sequence

import numpy as np
from torch_geometric.data import Data

from protograph._base.arrays import Ints
from protograph.evaluation.evaluation import accuracy_of
from protograph.explanation import Explanation
from protograph.graphs.encoding import EncodedGraphs
from protograph.patterns.subgraph_isomorphism import contained_in
from research.paper.fidelity.balanced import balanced
from research.paper.worlds.scores import is_isomorphic, of_graph, reasons_of

Truths = Mapping[int, Sequence[Data]]


def truths_among_reasons(truths: Truths, explanations: Mapping[int, Explanation]) -> list[bool]:
    """For each truth whether a pattern of one of the reasons of its class is the same graph."""
    found = []
    for target, own in truths.items():
        patterns = [one.graph for reason in reasons_of(explanations, target) for one in (*reason.has, *reason.lacks)]
        found += [any(_is_same(truth, pattern) for pattern in patterns) for truth in own]
    return found


def _is_same(truth: Data, pattern: Data) -> bool:
    """Whether two graphs are the same; in kinds too, unless the pattern is one by its shape alone."""
    has_kinds = pattern.x is not None
    return is_isomorphic(of_graph(truth, has_kinds, False), of_graph(pattern, has_kinds, False))


def prototypes_accuracy(
    truths: Truths, explanations: Mapping[int, Explanation], graphs: Sequence[Data]
) -> float | None:
    """Mean accuracy of the prototypes of a class, and then of the classes with truths; ``None`` without prototypes."""
    by_class = [
        np.mean([accuracy_of(one, explanations[target], graphs, own).value for one in explanations[target].prototypes])
        for target, own in truths.items()
        if target in explanations and explanations[target].prototypes
    ]
    return float(np.mean(by_class)) if by_class else None


def truth_fidelity(truths: Truths, graphs: Sequence[Data], predictions: Ints) -> float:
    """Fidelity of "contains a truth of the class"; a class without truths is that of graphs without any.

    Args:
        truths: Of each class that has some.
        graphs: Graphs that were kept apart.
        predictions: What the model predicts for each.
    """
    num_classes = 1 + max(*truths, int(predictions.max()))
    encoded = EncodedGraphs([Data(x=one.x, edge_index=one.edge_index) for one in graphs])
    holds = np.zeros((len(graphs), num_classes), dtype=bool)
    for target, own in truths.items():
        for truth in own:
            holds[:, target] |= contained_in(Data(x=truth.x, edge_index=truth.edge_index), encoded) == 1
    for target in set(range(num_classes)) - set(truths):
        holds[:, target] = ~holds[:, list(truths)].any(axis=1)
    is_right = holds[np.arange(len(graphs)), predictions] & (holds.sum(axis=1) == 1)
    return balanced(is_right, predictions)
