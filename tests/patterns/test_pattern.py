import networkx as nx
from hypothesis import given, settings
from hypothesis import strategies as st

from protograph.graphs.encoding import EncodedGraphs
from protograph.patterns.common_subgraph import CommonPatterns
from protograph.patterns.pattern import Subgraph
from protograph.patterns.subgraph_isomorphism import contains, is_isomorphic
from tests.page.naive_patterns import edges_of, labelled, undirected


def test_parts_of_a_pattern():
    pattern = Subgraph(frozenset(range(5)), frozenset([(0, 1), (1, 2), (3, 4)]))
    assert len(pattern) == 5
    assert not pattern.is_connected
    assert pattern.within([1, 2, 3, 9]) == Subgraph(frozenset([1, 2, 3]), frozenset([(1, 2)]))
    assert pattern.within([0, 1, 2]).is_connected
    assert pattern.neighbours[1] == {0, 2}
    assert pattern.ordered() == [0, 1, 2]
    assert Subgraph(frozenset([7]), frozenset()).is_connected


def test_what_lies_around_a_node():
    path_with_triangle = Subgraph(frozenset(range(6)), frozenset({(0, 1), (1, 2), (2, 3), (3, 4), (3, 5), (4, 5)}))
    assert path_with_triangle.around(0, 3, 9).nodes == {0, 1, 2}
    assert path_with_triangle.around(3, 6, 9) == path_with_triangle
    assert path_with_triangle.around(3, 4, 9).nodes == {2, 3, 4, 5}
    assert path_with_triangle.around(3, 4, 3).edges == {(2, 3), (3, 4)}  # all four have 4 edges


@settings(max_examples=20, deadline=None)
@given(labelled(max_nodes=7), st.data())
def test_the_nodes_that_can_be_reached(graph, data):
    pattern, start = CommonPatterns([graph]).source, data.draw(st.integers(0, graph.num_nodes - 1))
    own = nx.Graph(list(edges_of(graph)))
    own.add_nodes_from(range(graph.num_nodes))
    order = pattern.reached_from(start)
    assert order[0] == start
    assert len(set(order)) == len(order)
    assert set(order) == nx.node_connected_component(own, start)
    distances = nx.single_source_shortest_path_length(own, start)
    assert [distances[node] for node in order] == sorted(distances[node] for node in order)  # the nearest first
    for place, node in enumerate(order[1:], start=1):
        assert pattern.neighbours[node] & set(order[:place])
    assert pattern.is_connected == nx.is_connected(own)


@settings(max_examples=20, deadline=None)
@given(labelled(max_nodes=6), st.data())
def test_a_pattern_by_itself_is_the_part_of_its_graph(graph, data):
    """Its nodes keep their order, its kinds are the source's, and edges that it leaves out are gone."""
    nodes = sorted(data.draw(st.sets(st.integers(0, graph.num_nodes - 1), min_size=1)))
    encoded = EncodedGraphs([graph], match_edges=True)
    inside = CommonPatterns([graph]).source.within(nodes)
    kept = data.draw(st.sets(st.sampled_from(sorted(inside.edges)))) if inside.edges else set()
    pattern = Subgraph(frozenset(nodes), frozenset(kept))
    place, rows = {node: n for n, node in enumerate(nodes)}, edges_of(graph, match_edges=True)
    by_hand = undirected(
        len(nodes),
        [(place[u], place[v]) for u, v in sorted(kept)],
        graph.x.argmax(dim=1)[nodes].tolist(),
        [rows[ends].index(1.0) for ends in sorted(kept)],
    )
    found, expected = pattern.encoded(encoded[0]), encoded.encode(by_hand)
    assert all(one.tolist() == other.tolist() for one, other in zip(found, expected, strict=True))
    assert is_isomorphic(found, expected)
    assert contains(encoded[0], found) == 1
