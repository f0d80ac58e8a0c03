"""Which ground truth a prototype is held against."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from torch_geometric.data import Data

from protograph.explanation import Explanation, Prototype
from protograph.metrics.accuracy import Accuracy, accuracy, best_accuracy


def accuracy_of(
    prototype: Prototype, explanation: Explanation, graphs: Sequence[Data], truths: Sequence[Data]
) -> Accuracy:
    """Accuracy of a prototype against the truth that counts.

    Where graphs carry the motif that was planted in them, a prototype that stands for a cluster is held against the
    truth that most of its graphs have; every other prototype against the one that it is closest to.

    Args:
        prototype: The prototype.
        explanation: The explanation it is from.
        graphs: The graphs that the explainer was fitted to.
        truths: Ground truths of the class.
    """
    if len(truths) > 1:
        number = planted_truth(prototype, explanation, graphs, truths)
        if number is not None:
            return replace(accuracy(prototype.graph, truths[number]), truth=number)
    return best_accuracy(prototype.graph, truths)


def planted_truth(
    prototype: Prototype, explanation: Explanation, graphs: Sequence[Data], truths: Sequence[Data]
) -> int | None:
    """Number of the truth that most graphs of the prototype's cluster have; ``None`` where that is not known."""
    places = explanation.embedding_map
    if places is None or prototype.cluster is None:
        return None
    members = [
        index for index, cluster in zip(places.indices, places.clusters, strict=True) if cluster == prototype.cluster
    ]
    sizes = [_size(truth) for truth in truths]
    motifs = [graphs[index].get("motif") for index in members]
    numbers = [sizes.index(_size(motif)) for motif in motifs if isinstance(motif, Data) and _size(motif) in sizes]
    # Of equally many, the first truth.
    return min(Counter(numbers).items(), key=lambda item: (-item[1], item[0]))[0] if numbers else None


def _size(graph: Data) -> tuple[int, int]:
    return int(graph.num_nodes or 0), graph.num_edges
