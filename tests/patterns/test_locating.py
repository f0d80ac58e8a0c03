from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protograph.graphs.encoding import EncodedGraphs
from protograph.patterns.containment import contained_in, neighbours_of
from protograph.patterns.locating import places_of
from tests.metrics.small_graphs import graph_of, grid, path, ring
from tests.page.naive_patterns import labelled


def naive_images(pattern, graph, induced, closed):
    """All images of a pattern, by trying every choice of nodes."""
    wanted, there = neighbours_of(pattern), neighbours_of(graph)
    for image in permutations(range(graph.num_nodes), pattern.num_nodes):
        if any(graph.node_kinds[node] != pattern.node_kinds[at] for at, node in enumerate(image)):
            continue
        edges = {(u, v): kind for u, row in enumerate(wanted) for v, kind in row.items()}
        own = {
            (u, v): there[image[u]][image[v]]
            for u in range(len(image))
            for v in range(len(image))
            if image[v] in there[image[u]]
        }
        is_part = all(own.get(pair) == kind for pair, kind in edges.items())
        are_closed = all(len(there[image[node]]) == len(wanted[node]) for node in closed)
        if is_part and are_closed and (not induced or own.keys() == edges.keys()):
            yield image


@settings(max_examples=80, deadline=None)
@given(labelled(max_nodes=4, max_edges=6), labelled(max_nodes=6, max_edges=9), st.booleans(), st.data())
def test_each_set_of_nodes_once_and_each_image_true(pattern, graph, induced, data):
    encoded = EncodedGraphs([pattern, graph], match_edges=True)
    part, whole = encoded[0], encoded[1]
    reached, fresh = set(), {0}
    while fresh:
        reached |= fresh
        fresh = {other for node in fresh for other in neighbours_of(part)[node]} - reached
    if len(reached) < part.num_nodes:
        return  # patterns are connected
    closed = data.draw(st.sets(st.integers(0, part.num_nodes - 1)))
    images = set(naive_images(part, whole, induced, closed))
    places = list(places_of(part, whole, induced=induced, closed=closed))
    assert set(places) <= images
    assert sorted(map(sorted, places)) == sorted(map(sorted, {frozenset(image) for image in images}))
    for number in (len(places), len(places) + 1):
        answer = contained_in(part, encoded, indices=[1], induced=induced, closed=closed, at_least=max(number, 1))
        assert answer.tolist() == [int(0 < number <= len(places))]


@pytest.mark.parametrize(
    ("pattern", "graph", "options", "number"),
    [
        (ring(4), grid(3, 3), {}, 4),
        (ring(6), grid(3, 3), {}, 4),
        (ring(6), grid(3, 3), {"induced": True}, 0),
        (path(3), ring(3), {}, 1),
        (path(3), ring(3), {"induced": True}, 0),
        (path(2), graph_of(5, [(0, leaf) for leaf in range(1, 5)]), {"closed": [0]}, 4),
        (path(3), graph_of(5, [(0, leaf) for leaf in range(1, 5)]), {"closed": [1]}, 0),
        (path(1), path(4), {}, 4),
        (path(1), graph_of(4, [(0, 1)]), {"closed": [0]}, 2),
        (path(3), path(2), {}, 0),
    ],
)
def test_by_hand(pattern, graph, options, number):
    encoded = EncodedGraphs([pattern, graph])
    assert len(list(places_of(encoded[0], encoded[1], **options))) == number


def test_it_stops_when_so_many_nodes_have_been_placed():
    encoded = EncodedGraphs([path(2), path(50)])
    assert len(list(places_of(encoded[0], encoded[1]))) == 49
    # Each of the first places takes a node of 50 and one of its neighbours, and each neighbour is tried once.
    assert list(places_of(encoded[0], encoded[1], max_calls=2)) == [(0, 1)]
    assert list(places_of(encoded[0], encoded[1], max_calls=0)) == []
