"""Prototypes as plain records: drawn, held against the ground truth, and counted, later."""

from collections.abc import Sequence
from typing import Any

from torch_geometric.data import Data

from protograph.datasets import GraphDataset
from protograph.evaluation.evaluation import accuracy_of
from protograph.explanation import Explanation, Prototype
from protograph.metrics.accuracy import Accuracy
from research.paper.drawings import graph_record, truth_part
from research.paper.motifs import found_shares, motifs_of


def prototype_record(graph: Data, right: Accuracy, data: GraphDataset, target: int) -> dict[str, Any]:
    """A prototype's graph, and what it has of the truth that it is held against and of each motif.

    Args:
        graph: The prototype.
        right: Its accuracy.
        data: The data set.
        target: The class.
    """
    truth = data.ground_truths[target][right.truth]
    return {
        "graph": graph_record(graph, data.colors),
        "accuracy": right.value,
        "truth": right.truth,
        "part": truth_part(graph, truth, right),
        "motifs": found_shares(graph, motifs_of(data, target)),
    }


def explanation_records(explanation: Explanation, data: GraphDataset, graphs: Sequence[Data]) -> list[dict[str, Any]]:
    """The prototypes of an explanation, best first.

    Args:
        explanation: The explanation of a class with a ground truth.
        data: The data set.
        graphs: The graphs that the explainer was fitted to.
    """
    truths = data.ground_truths[explanation.target]

    def record(prototype: Prototype) -> dict[str, Any]:
        right = accuracy_of(prototype, explanation, graphs, truths)
        return {
            **prototype_record(prototype.graph, right, data, explanation.target),
            "probability": prototype.probability,
            "cluster": prototype.cluster,
        }

    return [record(prototype) for prototype in explanation.prototypes]


def truth_records(data: GraphDataset, target: int) -> list[dict[str, Any]]:
    """The ground truths of a class as graphs."""
    return [graph_record(truth, data.colors) for truth in data.ground_truths[target]]
