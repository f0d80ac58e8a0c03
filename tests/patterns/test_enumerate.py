from collections import Counter
from itertools import combinations, permutations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protograph.graphs.encoding import EncodedGraphs
from protograph.patterns.enumerate import fragments_by_reading, graph_codes
from protograph.patterns.subgraph_isomorphism import contained_in, neighbours_of
from tests.metrics.small_graphs import graph_of, grid, path, ring
from tests.page.naive_patterns import groups_of_graphs, undirected
from tests.page.planted import HOUSE


def fragments_of(graphs, chosen=None, **options):
    """The graphs as they are searched, and their fragments."""
    encoded = EncodedGraphs(graphs, match_edges=all(graph.edge_attr is not None for graph in graphs))
    limits = {"max_nodes": 5, "max_ring": 8, "max_sets": 10**6, "min_graphs": 1} | options
    chosen = np.arange(len(graphs)) if chosen is None else np.array(chosen)
    return encoded, fragments_by_reading([encoded], chosen, **limits)[0]


def look(node_kinds, edges, closed=()):
    """What a pattern of up to five nodes looks like, whatever the order of its nodes: the first that an order gives."""
    closed = [node in closed for node in range(len(node_kinds))]
    return min(
        (
            tuple((node_kinds[node], closed[node]) for node in order),
            tuple(edges[order[i]].get(order[j], -1) for i, j in combinations(range(len(order)), 2)),
        )
        for order in permutations(range(len(node_kinds)))
    )


def look_of(fragment, encoded):
    pattern = fragment.pattern.encoded(encoded[fragment.source])
    order = sorted(fragment.pattern.nodes)
    closed = [order.index(node) for node in fragment.closed]
    return look(pattern.node_kinds.tolist(), neighbours_of(pattern), closed)


def places_by_search(fragment, encoded, chosen):
    """In how many places each graph has a fragment, as the counting of everything else tells it."""
    order = sorted(fragment.pattern.nodes)
    places = np.zeros(len(chosen), np.int64)
    for number in range(1, int(fragment.places.max()) + 2):
        places += contained_in(
            fragment.pattern.encoded(encoded[fragment.source]),
            encoded,
            indices=chosen,
            induced=fragment.is_induced,
            closed=[order.index(node) for node in fragment.closed],
            at_least=number,
        )
    return places


@settings(max_examples=25, deadline=None)
@given(groups_of_graphs(max_graphs=3, max_nodes=6, max_edges=9), st.data())
def test_fragments_are_counted_as_they_are_searched_for(graphs, data):
    """Induced, as parts, with closed nodes, and rings: all that is told of each is true, for any number of places."""
    chosen = sorted(data.draw(st.sets(st.integers(0, len(graphs) - 1), min_size=1)))
    encoded, found = fragments_of(graphs, chosen)
    for fragment in found:
        assert fragment.source in fragment.graphs
        assert (fragment.places > 0).all()
        places = places_by_search(fragment, encoded, chosen)
        assert dict(zip(chosen, places.tolist(), strict=True)) == {
            index: dict(zip(fragment.graphs.tolist(), fragment.places.tolist(), strict=True)).get(index, 0)
            for index in chosen
        }


@settings(max_examples=25, deadline=None)
@given(groups_of_graphs(max_graphs=3, max_nodes=7, max_edges=10), st.integers(1, 3))
def test_whatever_lies_induced_in_a_graph_is_there_as_a_part(graphs, min_graphs):
    """Each pattern once; those in too few graphs are left out; induced, too, where that makes a difference."""
    encoded, found = fragments_of(graphs, min_graphs=min_graphs)
    small = [one for one in found if not one.closed and len(one.pattern) <= 5]
    parts = Counter(look_of(one, encoded) for one in small if not one.is_induced)
    induced = {look_of(one, encoded): one for one in small if one.is_induced}
    assert set(parts.values()) <= {1}
    assert all(fragment.graphs.size >= min_graphs for fragment in found)
    expected = Counter()
    for index in range(len(graphs)):
        expected += Counter({(shape, index): number for shape, number in induced_looks(encoded[index]).items()})
    places = {look_of(one, encoded): one.places.sum() for one in small if not one.is_induced}
    for shape in {shape for shape, _ in expected}:
        has = {index: number for (other, index), number in expected.items() if other == shape}
        if len(has) >= min_graphs:
            assert shape in parts
            assert (shape in induced) == (places[shape] > sum(has.values()))
        if shape in induced:
            own = induced[shape]
            assert dict(zip(own.graphs.tolist(), own.places.tolist(), strict=True)) == has


def induced_looks(graph, max_nodes=5):
    """How often each connected pattern lies induced in a graph."""
    edges, kinds = neighbours_of(graph), graph.node_kinds.tolist()
    whole = nx.Graph([(u, v) for u, row in enumerate(edges) for v in row])
    whole.add_nodes_from(range(len(kinds)))
    looks = Counter()
    for size in range(1, max_nodes + 1):
        for nodes in combinations(range(len(kinds)), size):
            if nx.is_connected(whole.subgraph(nodes)):
                place = {node: number for number, node in enumerate(nodes)}
                rows = [{place[v]: kind for v, kind in edges[u].items() if v in place} for u in nodes]
                looks[look([kinds[node] for node in nodes], rows)] += 1
    return looks


@settings(max_examples=25, deadline=None)
@given(groups_of_graphs(max_graphs=2, max_nodes=5, max_edges=7))
def test_all_ways_to_close_nodes_of_up_to_three(graphs):
    encoded, found = fragments_of(graphs)
    looks = Counter(look_of(one, encoded) for one in found if one.closed)
    assert set(looks.values()) <= {1}
    assert set(looks) == {shape for index in range(len(graphs)) for shape in closed_looks(encoded[index])}


def closed_looks(graph):
    """Every connected pattern of up to three nodes of a graph with some nodes that have no other neighbours."""
    edges, kinds = neighbours_of(graph), graph.node_kinds.tolist()
    for size in (1, 2, 3):
        for nodes in combinations(range(len(kinds)), size):
            inner = [(u, v) for u, v in combinations(nodes, 2) if v in edges[u]]
            for number in range(len(inner) + 1):
                for chosen in combinations(inner, number):
                    part = nx.Graph(chosen)
                    part.add_nodes_from(nodes)
                    able = [node for node in nodes if len(edges[node]) == part.degree[node]]
                    if nx.is_connected(part):
                        place = {node: at for at, node in enumerate(nodes)}
                        rows = [{place[v]: edges[u][v] for v in part[u]} for u in nodes]
                        for count in range(1, len(able) + 1):
                            for closed in combinations(able, count):
                                yield look([kinds[n] for n in nodes], rows, [place[node] for node in closed])


# ---- by hand ------------------------------------------------------------------------------------------------------


def told(found):
    """Size, edges, whether induced, whether closed, and places in each graph."""
    return [
        (len(one.pattern), len(one.pattern.edges), one.is_induced, len(one.closed), one.places.tolist())
        for one in found
    ]


@pytest.mark.parametrize("max_nodes", [3, 5])
@pytest.mark.parametrize(
    ("graph", "size", "places", "without_chord"),
    [
        (ring(6), 6, 1, 1),
        (ring(8), 8, 1, 1),
        (graph_of(6, [*((i, (i + 1) % 6) for i in range(6)), (0, 3)]), 6, 1, 0),
        (graph_of(6, [*((i, (i + 1) % 6) for i in range(6)), (0, 3)]), 4, 2, 2),
        (grid(3, 3), 8, 5, 1),  # around the middle, or without a corner
        (grid(3, 3), 6, 4, 0),
        (undirected(5, HOUSE), 5, 1, 0),
        (undirected(5, HOUSE), 4, 1, 1),
    ],
)
def test_rings_with_and_without_chords(graph, size, places, without_chord, max_nodes):
    """Whether they are found as sets of nodes or by going around them."""
    plain = ring(size)  # so that every ring lies induced somewhere
    _, found = fragments_of([graph, plain], max_nodes=max_nodes)
    rings = [one for one in found if one.is_ring and len(one.pattern) == size and not one.closed]
    (part,) = [one for one in rings if not one.is_induced]
    assert (part.graphs.tolist(), part.places.tolist()) == ([0, 1], [places, 1])
    induced = [one for one in rings if one.is_induced]
    assert bool(induced) == (without_chord < places)
    for one in induced:
        expected = ([0, 1], [without_chord, 1]) if without_chord else ([1], [1])
        assert (one.graphs.tolist(), one.places.tolist()) == expected


def test_rings_are_told_apart_by_kinds_whichever_way_they_go():
    kinds, bonds = [0, 0, 1, 0, 1, 1], [0, 1, 0, 0, 1, 1]
    around = [(i, (i + 1) % 6) for i in range(6)]
    one = undirected(6, around, kinds, bonds)
    back = [(5 - i, (5 - i - 1) % 6) for i in range(6)]
    mirrored = undirected(6, back, kinds[::-1], bonds)
    turned = undirected(6, around, kinds[2:] + kinds[:2], bonds[2:] + bonds[:2])
    other = undirected(6, around, kinds, bonds[1:] + bonds[:1])
    _, found = fragments_of([one, mirrored, turned, other])
    rings = [fragment.graphs.tolist() for fragment in found if len(fragment.pattern) == 6]
    assert sorted(rings) == [[0, 1, 2], [3]]


def test_larger_patterns_are_left_out_where_there_would_be_too_many_sets():
    star = graph_of(9, [(0, leaf) for leaf in range(1, 9)])
    for max_sets, largest in ((10**6, 5), (72, 3), (71, 2), (15, 1)):
        _, found = fragments_of([star], max_sets=max_sets)
        assert max(len(fragment.pattern) for fragment in found) == largest


def test_no_edges_and_no_nodes():
    alone, nothing = graph_of(2, []), graph_of(0, [])
    _, found = fragments_of([alone, nothing])
    # Both nodes as they are, and as nodes without neighbours.
    assert told(found) == [(1, 0, False, 0, [2]), (1, 0, False, 1, [2])]
    _, found = fragments_of([nothing])
    assert found == []


def test_readings_without_kinds_are_counted_beside():
    graphs = [ring(3, kinds=[0, 0, 1]), path(3, kinds=[0, 1, 0])]
    readings = [EncodedGraphs(graphs), EncodedGraphs(graphs, match_features=False)]
    limits = {"max_nodes": 3, "max_ring": 3, "max_sets": 10**6, "min_graphs": 2}
    with_kinds, without = fragments_by_reading(readings, np.arange(2), **limits, min_nodes=2)
    # Both have two edges of different kinds, and a path from kind 0 over kind 1 to kind 0.
    assert [one.places.tolist() for one in with_kinds if not one.closed] == [[2, 2], [1, 1]]
    assert (3, 2, False, 0, [1, 1]) in told(without)
    assert all(len(one.pattern) >= 2 for one in without)


# ---- codes of whole graphs ------------------------------------------------------------------------------------------


def encoded_of(graphs):
    return EncodedGraphs(graphs, match_edges=True)


def refined(kinds, edges, num_rounds=3):
    """Colours of nodes as Weisfeiler and Leman refine them, as nested tuples.

    Args:
        kinds: What each node is.
        edges: For each node the kinds of the edges to its neighbours.
        num_rounds: How often.
    """
    colors = [(kind,) for kind in kinds]
    for _ in range(num_rounds):
        colors = [
            (color, tuple(sorted((kind, colors[other]) for other, kind in row.items())))
            for color, row in zip(colors, edges, strict=True)
        ]
    return tuple(sorted(colors))


@settings(max_examples=25, deadline=None)
@given(groups_of_graphs(min_graphs=2, max_graphs=6, max_nodes=5))
def test_codes_of_graphs_are_equal_where_refined_colors_are(graphs):
    whole = encoded_of(graphs)
    codes = graph_codes(whole).tolist()
    encoded = [whole[index] for index in range(len(graphs))]
    looks = [refined(graph.node_kinds.tolist(), neighbours_of(graph)) for graph in encoded]
    for one, other in combinations(range(len(graphs)), 2):
        assert (codes[one] == codes[other]) == (looks[one] == looks[other])
