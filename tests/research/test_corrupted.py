import numpy as np
import torch
from torch_geometric.data import Data

from research.paper.corrupted import corrupted


def labels(graphs):
    return [int(graph.y) for graph in graphs]


def test_exactly_that_many_labels_are_wrong_and_shares_nest():
    graphs = [Data(x=torch.ones(1, 1), y=torch.tensor([i % 3])) for i in range(40)]
    right, train = labels(graphs), torch.arange(20, 40)
    few, many, other = (
        labels(corrupted(graphs, share, seed, among=train)) for share, seed in ((0.25, 1), (0.5, 1), (0.25, 2))
    )
    wrong = [{place for place in range(40) if found[place] != right[place]} for found in (few, many, other)]
    assert [len(one) for one in wrong] == [5, 10, 5]
    assert wrong[0] < wrong[1]
    assert wrong[0] != wrong[2]
    assert min(wrong[1]) >= 20
    assert labels(graphs) == right
    assert corrupted(graphs, 1.0, 0, among=train)[39].x is graphs[39].x


def test_wrong_labels_are_uniform_over_the_other_classes():
    graphs = [Data(y=torch.tensor([0])) for _ in range(3000)] + [Data(y=torch.tensor([c])) for c in (1, 2, 3)]
    counts = np.bincount(labels(corrupted(graphs, 1.0, 0, among=range(3000)))[:3000], minlength=4)
    assert counts[0] == 0
    assert (abs(counts[1:] - 1000) < 100).all()
