"""The wholes that a pattern is made of, which are never cut: rings, and equal leaves of the same node.

Half a ring is no part that anybody would point at, and nothing tells the two oxygens of NO2 apart. So a pattern is put
together from units: edges that lie on no ring, the rings of a shortest basis, and with a leaf all its equals.
"""

from collections.abc import Sequence

from protograph.patterns.common import Pattern

Unit = frozenset[int]
# Patterns are looked at as far as this from where they start: prototypes are small, and a basis of shortest rings takes
# long on what is large and dense.
MAX_NODES, MAX_EDGES = 40, 60


def units_of(pattern: Pattern, labels: Sequence[int]) -> list[Unit]:
    """Sets of nodes whose connected unions are the parts of a pattern worth looking at, in a fixed order.

    Args:
        pattern: A connected pattern.
        labels: Label of each node of the source; equal where features are.

    >>> triangle_with_tail = Pattern(frozenset(range(4)), frozenset({(0, 1), (0, 2), (1, 2), (2, 3)}))
    >>> [sorted(unit) for unit in units_of(triangle_with_tail, [0, 0, 0, 0])]
    [[0, 1, 2], [2, 3]]
    """
    import networkx

    graph = networkx.Graph(sorted(pattern.edges))
    bridges, rings = networkx.bridges(graph), networkx.minimum_cycle_basis(graph)
    whole = {_with_equals(pattern, edge, labels) for edge in bridges} | {frozenset(ring) for ring in rings}
    return sorted(whole, key=sorted)


def _with_equals(pattern: Pattern, edge: tuple[int, int], labels: Sequence[int]) -> Unit:
    """An edge, and if it ends in a leaf all leaves with the same label at the same node."""
    found = set(edge)
    for hub, leaf in (edge, edge[::-1]):
        if len(pattern.neighbours[leaf]) == 1:
            equals = (node for node in pattern.neighbours[hub] if labels[node] == labels[leaf])
            found.update(node for node in equals if len(pattern.neighbours[node]) == 1)
    return frozenset(found)
