"""How many tuples of nodes the feature mask leaves."""

from collections import Counter
from collections.abc import Sequence
from math import prod

from torch_geometric.data import Data


def share_left(graphs: Sequence[Data]) -> float:
    """Share of the tuples of nodes, one of each graph, whose features are equal.

    >>> import torch
    >>> share_left([Data(x=torch.tensor([[0], [1]])), Data(x=torch.tensor([[1], [1], [2]]))])
    0.3333333333333333
    """
    kinds = [Counter(map(tuple, graph.x.tolist())) for graph in graphs]
    equal = sum(prod(counts[kind] for counts in kinds) for kind in kinds[0])
    return equal / prod(int(graph.num_nodes or 0) for graph in graphs)
