import networkx as nx
import pytest
from hypothesis import given, settings

from protograph.patterns.common import CommonPatterns
from protograph.patterns.pattern import Subgraph
from protograph.patterns.wholes import wholes_of
from tests.page.naive_patterns import is_connected, labelled, path_edges, ring_edges


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


@settings(max_examples=50, deadline=None)
@given(labelled())
def test_wholes_cover_the_pattern_and_are_connected(graph):
    source = CommonPatterns([graph]).source
    part = source.within(source.ordered())
    found = wholes_of(part, graph.x.argmax(dim=1).tolist())
    if len(part) > 1:
        assert frozenset().union(*found) == part.nodes
    assert len(set(found)) == len(found)
    bridges = {frozenset(edge) for edge in nx.bridges(nx.Graph(list(part.edges)))} if part.edges else set()
    for u, v in part.edges:
        assert any({u, v} <= whole for whole in found)
    for whole in found:
        inside = part.within(whole)
        assert is_connected(whole, inside.edges)
        on_no_ring = {frozenset(edge) for edge in inside.edges} <= bridges
        assert on_no_ring or len(inside.edges) >= len(whole)
