r"""The rings of a graph, and what is never cut: rings, and equal leaves of the same node.

Every ring is a sum (exclusive or) of rings of a shortest basis. Which rings of the same length belong to such a basis
is often open. Here every edge is a little longer than the one before it, by less than all differences that count,

.. math:: w(e_i) = 2^m + 2^i, \qquad i = 0, \dots, m - 1

so that no two paths and no two rings are of the same length, and there is one shortest basis.
"""

from collections.abc import Iterable, Sequence

import networkx as nx

from protograph.patterns.pattern import Edge, Subgraph

Whole = frozenset[int]


def ring_basis(edges: Iterable[Edge]) -> list[frozenset[Edge]]:
    """The edges of each ring of the shortest basis, shortest first; an edge of none of them lies on no ring at all.

    Args:
        edges: The edges, each once. Of rings with as many edges, those of earlier edges count as shorter.

    >>> house = [(0, 1), (1, 2), (2, 3), (3, 0), (2, 4), (4, 3)]
    >>> [sorted(ring) for ring in ring_basis(house)]
    [[(2, 3), (2, 4), (4, 3)], [(0, 1), (1, 2), (2, 3), (3, 0)]]
    """
    listed = list(edges)
    number = {frozenset(ends): place for place, ends in enumerate(listed)}
    graph = nx.Graph((*ends, {"length": 2 ** len(listed) + 2**place}) for place, ends in enumerate(listed))
    basis = []
    for ring in nx.minimum_cycle_basis(graph, weight="length"):
        around = sorted(number[frozenset(ends)] for ends in nx.utils.pairwise(ring, cyclic=True))
        basis.append((len(around), around[::-1]))
    return [frozenset(listed[place] for place in around) for _, around in sorted(basis)]


def wholes_of(pattern: Subgraph, kinds: Sequence[int]) -> list[Whole]:
    """Sets of nodes whose connected unions are the parts of a pattern worth looking at, in a fixed order.

    Half a ring is no part that anybody would point at, and nothing tells the two oxygens of NO2 apart. So a pattern is
    put together from wholes: edges that lie on no ring, the rings of a shortest basis, and with a leaf all its equals.

    Args:
        pattern: A connected pattern.
        kinds: Kind of each node of the source; equal where features are.

    >>> triangle_with_tail = Subgraph(frozenset(range(4)), frozenset({(0, 1), (0, 2), (1, 2), (2, 3)}))
    >>> [sorted(whole) for whole in wholes_of(triangle_with_tail, [0, 0, 0, 0])]
    [[0, 1, 2], [2, 3]]
    """
    rings = ring_basis(sorted(pattern.edges))
    bridges = pattern.edges.difference(*rings)
    whole = {_with_equals(pattern, edge, kinds) for edge in bridges}
    whole |= {frozenset(node for edge in ring for node in edge) for ring in rings}
    return sorted(whole, key=sorted)


def _with_equals(pattern: Subgraph, edge: Edge, kinds: Sequence[int]) -> Whole:
    """An edge, and if it ends in a leaf all leaves of the same kind at the same node."""
    found = set(edge)
    for hub, leaf in (edge, edge[::-1]):
        if len(pattern.neighbours[leaf]) == 1:
            equals = (node for node in pattern.neighbours[hub] if kinds[node] == kinds[leaf])
            found.update(node for node in equals if len(pattern.neighbours[node]) == 1)
    return frozenset(found)
