"""How many edges a graph has for its nodes."""

from torch_geometric.data import Data

from protograph.graphs.encoding import EncodedGraphs


def density(graph: Data) -> float:
    r"""Undirected edges over nodes squared: how simple a prototype is.

    .. math:: \mathrm{density}(g) = |E| / |V|^2

    In [0, 0.5). The paper takes lower for better, since fewer edges are less to take in; but a perfect prototype has
    the density of its ground truth, so read it beside that. Self-loops and repeated edges do not count. The
    paper (section "Quantitative Analysis") gives the formula in words; that it counts each edge once follows from its
    published figures, such as 12 / 81 for BA-house.

    Args:
        graph: A prototype's graph; without nodes the density is 0.

    >>> import torch
    >>> density(Data(edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), num_nodes=4))
    0.125
    """
    arrays = EncodedGraphs([graph], names=["graph"])[0]
    return arrays.num_edges / arrays.num_nodes**2 if arrays.num_nodes else 0.0
