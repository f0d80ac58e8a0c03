"""Training labels of which some are wrong, as the paper has them for its sweep of faithfulness."""

import copy
from collections.abc import Sequence

import numpy as np
import torch
from torch_geometric.data import Data


def corrupted(graphs: Sequence[Data], share: float, random_state: int, *, among: Sequence[int]) -> list[Data]:
    """Copies of graphs of which a share has wrong labels, each another of the labels that occur, uniformly.

    Exactly ``round(share * n)`` labels change. The graphs themselves are left alone, and the copies share all their
    tensors but the label. With the same seed a larger share keeps the wrong labels of a smaller one and adds more.

    Args:
        graphs: Graphs with one whole number ``y`` each, of at least two classes.
        share: Which part of the labels to change, in [0, 1].
        random_state: Seed of the choice of graphs and of labels.
        among: Indices of the n graphs that may be changed, such as those trained on.

    >>> graphs = [Data(y=torch.tensor([i % 2])) for i in range(4)]
    >>> [int(graph.y) for graph in corrupted(graphs, 1.0, 0, among=[1, 2, 3])]
    [0, 0, 1, 0]
    """
    copies = [copy.copy(graphs[index]) for index in range(len(graphs))]
    classes = sorted({int(graph.y) for graph in copies})
    candidates = np.unique(np.asarray(among, dtype=np.int64))
    # All that could be needed is drawn, so that shares nest.
    generator = np.random.default_rng(random_state)
    order = generator.permutation(len(candidates))
    shifts = generator.integers(1, len(classes), size=len(candidates))
    for position in order[: round(share * len(candidates))].tolist():
        graph = copies[candidates[position]]
        place = classes.index(int(graph.y)) + int(shifts[position])
        graph.y = torch.full_like(graph.y, classes[place % len(classes)])
    return copies
