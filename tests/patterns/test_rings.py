"""Rings of a shortest basis, against NetworkX and against brute force, and the wholes made of them."""

from itertools import combinations

import networkx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protograph.patterns.common_subgraph import CommonPatterns
from protograph.patterns.pattern import Edge, Subgraph
from protograph.patterns.rings import ring_basis, wholes_of
from tests.page.naive_patterns import is_connected, labelled, path_edges, ring_edges

some = settings(max_examples=25, deadline=None)


@st.composite
def graphs(draw: st.DrawFn, most: int = 9) -> list[Edge]:
    size = draw(st.integers(2, most))
    pairs = list(combinations(range(size), 2))
    return sorted(draw(st.sets(st.sampled_from(pairs), min_size=1)))


@some
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


def wholes(edges, kinds=None):
    pattern = Subgraph(
        frozenset(node for edge in edges for node in edge), frozenset((min(edge), max(edge)) for edge in edges)
    )
    return [sorted(whole) for whole in wholes_of(pattern, kinds or [0] * (1 + max(pattern.nodes)))]


@pytest.mark.parametrize(
    ("edges", "expected"),
    [
        ([(0, 1)], [[0, 1]]),
        (path_edges(0, 1, 2, 3), [[0, 1], [1, 2], [2, 3]]),
        ([*ring_edges(0, 1, 2), (2, 3)], [[0, 1, 2], [2, 3]]),
        (ring_edges(0, 1, 2, 3, 4, 5), [[0, 1, 2, 3, 4, 5]]),
        # Two rings that share an edge, as in naphthalene, are two, not one and their outline.
        ([*ring_edges(0, 1, 2, 3, 4, 5), *path_edges(4, 6, 7, 8, 9, 5)], [[0, 1, 2, 3, 4, 5], [4, 5, 6, 7, 8, 9]]),
        ([*ring_edges(0, 1, 2, 3), (0, 4), (1, 4)], [[0, 1, 2, 3], [0, 1, 4]]),  # a house
        ([*ring_edges(0, 1, 2), (2, 3), *ring_edges(3, 4, 5)], [[0, 1, 2], [2, 3], [3, 4, 5]]),  # joined by a bridge
        ([*ring_edges(0, 1, 2), *ring_edges(2, 3, 4)], [[0, 1, 2], [2, 3, 4]]),  # joined in a node
        ([(0, 1), (0, 2), (0, 3), (3, 4), (3, 5)], [[0, 1, 2], [0, 3], [3, 4, 5]]),  # a tree with twin leaves
    ],
)
def test_by_hand(edges, expected):
    assert wholes(edges) == expected


def test_both_oxygens_of_a_nitro_group_go_together():
    carbon, nitrogen, oxygen, hydrogen = range(4)
    nitro = [(0, 1), (1, 2), (1, 3)]
    assert wholes(nitro, [carbon, nitrogen, oxygen, oxygen]) == [[0, 1], [1, 2, 3]]
    assert wholes(nitro, [carbon, nitrogen, oxygen, hydrogen]) == [[0, 1], [1, 2], [1, 3]]
    assert wholes(nitro, [oxygen, nitrogen, oxygen, oxygen]) == [[0, 1, 2, 3]]
    methyl = [(0, 1), (1, 2), (1, 3), (1, 4), (0, 5)]
    assert wholes(methyl, [carbon, carbon, hydrogen, hydrogen, hydrogen, hydrogen]) == [[0, 1], [0, 5], [1, 2, 3, 4]]


def test_a_node_alone_has_no_wholes():
    assert wholes_of(Subgraph(frozenset([3]), frozenset()), [0] * 4) == []


@some
@given(labelled())
def test_wholes_cover_the_pattern_and_are_connected(graph):
    source = CommonPatterns([graph]).source
    part = source.within(source.ordered())
    found = wholes_of(part, graph.x.argmax(dim=1).tolist())
    if len(part) > 1:
        assert frozenset().union(*found) == part.nodes
    assert len(set(found)) == len(found)
    bridges = {frozenset(edge) for edge in networkx.bridges(networkx.Graph(list(part.edges)))} if part.edges else set()
    for u, v in part.edges:
        assert any({u, v} <= whole for whole in found)
    for whole in found:
        inside = part.within(whole)
        assert is_connected(whole, inside.edges)
        on_no_ring = {frozenset(edge) for edge in inside.edges} <= bridges
        assert on_no_ring or len(inside.edges) >= len(whole)
