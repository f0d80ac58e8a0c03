"""Where the patterns of a reason lie in graphs that have them."""

from collections.abc import Sequence
from itertools import islice

from torch_geometric.data import Data

from protograph.explanation.pattern import Pattern
from protograph.graphs.encoding import EncodedGraphs
from protograph.patterns.subgraph_isomorphism import places_of

# Nodes to place in one graph before it is given up.
MAX_CALLS = 20_000


def nodes_of(patterns: Sequence[Pattern], graphs: Sequence[Data]) -> list[tuple[int, ...]]:
    """For each graph the nodes of all patterns, each in as many places as it is asked for.

    A graph in which they are not all found, or not in time, has none.

    >>> import torch
    >>> path = Data(edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), num_nodes=3)
    >>> edge = Data(edge_index=torch.tensor([[0, 1], [1, 0]]), num_nodes=2)
    >>> nodes_of([Pattern(graph=edge)], [path, edge]), nodes_of([Pattern(graph=edge, at_least=2)], [path, edge])
    ([(0, 1), (0, 1)], [(0, 1, 2), ()])
    """
    found = [set[int]() for _ in graphs]
    is_whole = [bool(patterns) for _ in graphs]
    for pattern in patterns:
        encoded = EncodedGraphs(graphs, match_features=pattern.match_features, match_edges=pattern.edge_rule)
        for place in range(len(graphs)):
            nodes = _places(pattern, encoded, place) if is_whole[place] else None
            is_whole[place] = nodes is not None
            found[place] |= nodes or set()
    return [tuple(sorted(nodes)) if whole else () for nodes, whole in zip(found, is_whole, strict=True)]


def _places(pattern: Pattern, graphs: EncodedGraphs, index: int) -> set[int] | None:
    wanted = graphs.encode(pattern.graph)
    search = places_of(wanted, graphs[index], induced=pattern.is_induced, closed=pattern.closed, max_calls=MAX_CALLS)
    found = list(islice(search, pattern.at_least))
    return {node for nodes in found for node in nodes} if len(found) == pattern.at_least else None
