"""Rings of a shortest basis, against networkx's and against brute force."""

from itertools import combinations

import networkx
from hypothesis import given
from hypothesis import strategies as st

from protograph.patterns.pattern import Edge
from protograph.patterns.rings import ring_basis


@st.composite
def graphs(draw: st.DrawFn, most: int = 9) -> list[Edge]:
    size = draw(st.integers(2, most))
    pairs = list(combinations(range(size), 2))
    return sorted(draw(st.sets(st.sampled_from(pairs), min_size=1)))


@given(graphs())
def test_the_basis_is_as_short_as_that_of_networkx(edges: list[Edge]) -> None:
    expected = networkx.minimum_cycle_basis(networkx.Graph(edges))
    assert [len(ring) for ring in ring_basis(edges)] == sorted(map(len, expected))


@given(graphs())
def test_each_is_a_ring_and_edges_of_none_are_bridges(edges: list[Edge]) -> None:
    rings = ring_basis(edges)
    for ring in rings:
        graph = networkx.Graph(list(ring))
        assert networkx.is_connected(graph)
        assert {degree for _, degree in graph.degree} == {2}
    bridges = {tuple(sorted(edge)) for edge in networkx.bridges(networkx.Graph(edges))}
    assert set(edges).difference(*rings) == bridges


@given(graphs(most=6))
def test_of_bases_as_short_the_one_of_the_earliest_edges_is_taken(edges: list[Edge]) -> None:
    """Greedily from all simple rings, by length and then by the bits of their edges."""
    graph = networkx.Graph(edges)
    bits = {edge: 1 << number for number, edge in enumerate(edges)}
    rings = []
    for nodes in networkx.simple_cycles(graph):
        ring = frozenset(tuple(sorted(pair)) for pair in zip(nodes, [*nodes[1:], nodes[0]], strict=True))
        rings.append((len(ring), sum(bits[edge] for edge in ring), ring))
    taken: list[int] = []
    expected = []
    for _, mask, ring in sorted(rings, key=lambda one: one[:2]):
        spanned = {0}
        for other in taken:
            spanned |= {one ^ other for one in spanned}
        if mask not in spanned:
            taken.append(mask)
            expected.append(ring)
    assert ring_basis(edges) == expected


def test_a_grid_is_its_squares() -> None:
    edges = [(0, 1), (1, 2), (3, 4), (4, 5), (0, 3), (1, 4), (2, 5)]
    nodes = [sorted({node for edge in ring for node in edge}) for ring in ring_basis(edges)]
    assert nodes == [[0, 1, 3, 4], [1, 2, 4, 5]]
