r"""A shortest basis of the rings of a graph: every ring is a sum (exclusive or) of some of them.

Which rings of the same length belong to such a basis is often open. Here every edge is a little longer than the one
before it, by less than all differences that count,

.. math:: w(e_i) = 2^m + 2^i, \qquad i = 0, \dots, m - 1

so that no two paths and no two rings are of the same length, and there is one shortest basis. Every ring of it is an
edge with the shortest paths from some node to both its ends (Horton, 1987); those are gone through by length, and one
that is no sum of shorter ones is taken.
"""

from collections.abc import Iterable
from typing import NamedTuple

from protograph.patterns.pattern import Edge


class _Path(NamedTuple):
    """The shortest path from a root: its length, and its edges as bits."""

    length: int
    edges: int


def ring_basis(edges: Iterable[Edge]) -> list[frozenset[Edge]]:
    """The edges of each ring of the shortest basis, shortest first; an edge of none of them lies on no ring at all.

    Args:
        edges: The edges, each once. Of rings with as many edges, those of earlier edges count as shorter.

    >>> house = [(0, 1), (1, 2), (2, 3), (3, 0), (2, 4), (4, 3)]
    >>> [sorted(ring) for ring in ring_basis(house)]
    [[(2, 3), (2, 4), (4, 3)], [(0, 1), (1, 2), (2, 3), (3, 0)]]
    """
    listed = list(edges)
    neighbours = _core(listed)
    wanted = sum(map(len, neighbours.values())) // 2 - len(neighbours) + _num_components(neighbours)
    basis: list[frozenset[Edge]] = []
    reduced: list[tuple[int, int]] = []  # rings that were taken, each with its own highest bit
    for ring in sorted(_candidates(listed, neighbours), key=lambda ring: _length(ring, len(listed))):
        if len(basis) == wanted:
            break
        rest = ring
        for pivot, other in reduced:
            if rest >> pivot & 1:
                rest ^= other
        if rest:
            reduced.append((rest.bit_length() - 1, rest))
            basis.append(frozenset(listed[number] for number in _bits(ring)))
    return basis


def _core(edges: list[Edge]) -> dict[int, dict[int, int]]:
    """For each node its neighbours with the numbers of the edges, without what lies on no ring for being a leaf."""
    neighbours: dict[int, dict[int, int]] = {}
    for number, (u, v) in enumerate(edges):
        neighbours.setdefault(u, {})[v] = number
        neighbours.setdefault(v, {})[u] = number
    leaves = [node for node, others in neighbours.items() if len(others) == 1]
    while leaves:
        leaf = leaves.pop()
        for other in neighbours.pop(leaf):
            del neighbours[other][leaf]
            if len(neighbours[other]) == 1:
                leaves.append(other)
    return {node: others for node, others in neighbours.items() if others}


def _num_components(neighbours: dict[int, dict[int, int]]) -> int:
    left, number = set(neighbours), 0
    while left:
        number += 1
        frontier = {left.pop()}
        while frontier:
            frontier = {other for node in frontier for other in neighbours[node]} & left
            left -= frontier
    return number


def _candidates(edges: list[Edge], neighbours: dict[int, dict[int, int]]) -> set[int]:
    """Rings as bits: an edge with the shortest paths from a node to both its ends, if these have no edge in common."""
    rings = set()
    inside = {number for others in neighbours.values() for number in others.values()}
    for root in neighbours:
        paths = _shortest_paths(root, neighbours, len(edges))
        for number in inside:
            u, v = edges[number]
            if u in paths and v in paths:
                first, second = paths[u].edges, paths[v].edges
                if not first & second and not (first | second) >> number & 1:
                    rings.add(first | second | 1 << number)
    return rings


def _shortest_paths(root: int, neighbours: dict[int, dict[int, int]], num_edges: int) -> dict[int, _Path]:
    """The shortest path to every node that can be reached; by steps, since no number of edges outweighs one more."""
    paths, frontier = {root: _Path(0, 0)}, [root]
    while frontier:
        reached: dict[int, _Path] = {}
        for node in frontier:
            length, taken = paths[node]
            for other, number in neighbours[node].items():
                if other not in paths:
                    path = _Path(length + (1 << num_edges) + (1 << number), taken | 1 << number)
                    if other not in reached or path.length < reached[other].length:
                        reached[other] = path
        paths |= reached
        frontier = list(reached)
    return paths


def _length(ring: int, num_edges: int) -> int:
    return (ring.bit_count() << num_edges) + ring


def _bits(number: int) -> list[int]:
    return [place for place in range(number.bit_length()) if number >> place & 1]
