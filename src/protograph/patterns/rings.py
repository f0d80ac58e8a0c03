r"""The rings of a graph, and what is never cut: rings, and equal leaves of the same node.

Every ring is a sum (exclusive or) of rings of a shortest basis. Which rings of the same length belong to such a basis
is often open. Here every edge is a little longer than the one before it, by less than all differences that count,

.. math:: w(e_i) = 2^m + 2^i, \qquad i = 0, \dots, m - 1

so that no two paths and no two rings are of the same length, and there is one shortest basis. Every ring of it is an
edge with the shortest paths from some node to both its ends (Horton, 1987); those are gone through by length, and one
that is no sum of shorter ones is taken. (NetworkX's minimum_cycle_basis gives the same rings, but of dense graphs takes
a hundred times as long.)
"""

from collections.abc import Iterable, Iterator, Sequence

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
    graph = nx.Graph((*ends, {"number": number}) for number, ends in enumerate(listed))
    graph = nx.k_core(graph, 2)  # leaves lie on no ring
    wanted = graph.number_of_edges() - graph.number_of_nodes() + nx.number_connected_components(graph)
    basis: list[frozenset[Edge]] = []
    reduced: list[tuple[int, int]] = []  # rings that were taken, each with its own highest bit
    for ring in sorted(set(_candidates(graph)), key=lambda ring: (ring.bit_count(), ring)):
        if len(basis) == wanted:
            break
        rest = ring
        for pivot, other in reduced:
            if rest >> pivot & 1:
                rest ^= other
        if rest:
            reduced.append((rest.bit_length() - 1, rest))
            basis.append(frozenset(ends for number, ends in enumerate(listed) if ring >> number & 1))
    return basis


def _candidates(graph: nx.Graph) -> Iterator[int]:
    """Rings as bits: an edge with the shortest paths from a node to both its ends, if these have no edge in common."""
    edges = list(graph.edges(data="number"))
    for root in graph:
        paths = _shortest_paths(root, graph)
        for u, v, number in edges:
            if u in paths and v in paths:
                first, second = paths[u], paths[v]
                if not first & second and not (first | second) >> number & 1:
                    yield first | second | 1 << number


def _shortest_paths(root: int, graph: nx.Graph) -> dict[int, int]:
    """The edges, as bits, of the shortest path to every node that can be reached.

    By steps, since no number of edges outweighs one more; of as many edges the path with the lowest bits is shortest.
    """
    paths, frontier = {root: 0}, [root]
    while frontier:
        reached: dict[int, int] = {}
        for node in frontier:
            for other, held in graph[node].items():
                if other not in paths:
                    path = paths[node] | 1 << held["number"]
                    reached[other] = min(path, reached.get(other, path))
        paths |= reached
        frontier = list(reached)
    return paths


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
