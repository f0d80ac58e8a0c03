"""The wholes that a pattern is made of, which are never cut: rings, and equal leaves of the same node.

Half a ring is no part that anybody would point at, and nothing tells the two oxygens of NO2 apart. So a pattern is put
together from wholes: edges that lie on no ring, the rings of a shortest basis, and with a leaf all its equals.
"""

from collections.abc import Callable, Sequence

from protograph.patterns.pattern import Subgraph
from protograph.patterns.rings import ring_basis

Whole = frozenset[int]
WholesOf = Callable[[Subgraph, Sequence[int]], list[Whole]]


def wholes_of(pattern: Subgraph, kinds: Sequence[int]) -> list[Whole]:
    """Sets of nodes whose connected unions are the parts of a pattern worth looking at, in a fixed order.

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


def edges_of(pattern: Subgraph, kinds: Sequence[int]) -> list[Whole]:
    """What a pattern is made of where nothing is a whole: its single edges, in a fixed order.

    >>> [sorted(edge) for edge in edges_of(Subgraph(frozenset({0, 1, 2}), frozenset({(0, 2), (0, 1)})), [0, 0, 0])]
    [[0, 1], [0, 2]]
    """
    return [frozenset(edge) for edge in sorted(pattern.edges)]


def _with_equals(pattern: Subgraph, edge: tuple[int, int], kinds: Sequence[int]) -> Whole:
    """An edge, and if it ends in a leaf all leaves of the same kind at the same node."""
    found = set(edge)
    for hub, leaf in (edge, edge[::-1]):
        if len(pattern.neighbours[leaf]) == 1:
            equals = (node for node in pattern.neighbours[hub] if kinds[node] == kinds[leaf])
            found.update(node for node in equals if len(pattern.neighbours[node]) == 1)
    return frozenset(found)
