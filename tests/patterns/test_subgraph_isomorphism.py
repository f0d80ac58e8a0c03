"""Where patterns lie: held against NetworkX, against trying everything, and against cases by hand."""

from itertools import combinations, permutations

import networkx as nx
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch_geometric.data import Data

from protograph.graphs.conditions import Reading
from protograph.graphs.encoding import EncodedGraph, EncodedGraphs
from protograph.graphs.variables import DIRECTION, EDGE, Variable
from protograph.patterns.subgraph_isomorphism import (
    Asked,
    PatternStore,
    contained_in,
    contains,
    is_isomorphic,
    neighbours_of,
    places_of,
    same_graph,
)
from tests.metrics.small_graphs import graph_of, graphs, grid, networkx_contains, path, plain, ring, typed

some = settings(max_examples=25, deadline=None)


@some
@given(st.lists(graphs(max_nodes=8), min_size=1, max_size=4), graphs(max_nodes=5), st.booleans(), st.booleans())
def test_agrees_with_networkx(whole, pattern, induced, match_edges):
    encoded = EncodedGraphs(whole, match_edges=match_edges)
    found = contained_in(pattern, encoded, induced=induced)
    assert found.tolist() == [networkx_contains(graph, pattern, induced, match_edges) for graph in whole]
    part = encoded.encode(pattern)
    assert found.tolist() == [contains(encoded[i], part, induced=induced) for i in range(len(encoded))]


def test_edges_of_another_kind_are_no_match():
    single, double, both = (path(3, bonds=bonds) for bonds in ([0, 0], [1, 1], [0, 1]))
    encoded = EncodedGraphs([single, double, both], match_edges=True)
    assert contained_in(single, encoded).tolist() == [True, False, False]
    assert contained_in(double, encoded).tolist() == [False, True, False]
    assert contained_in(both, encoded, induced=True).tolist() == [False, False, True]


@pytest.mark.parametrize(
    ("graph", "pattern", "expected", "expected_induced"),
    [
        (ring(4), path(4), 1, 0),
        (ring(5), path(4), 1, 1),
        (ring(6), ring(3), 0, 0),
        (grid(3, 3), ring(8), 1, 1),
        (grid(3, 3), ring(6), 1, 0),
        (path(2), Data(num_nodes=0), 1, 1),
        (Data(num_nodes=0), Data(num_nodes=0), 1, 1),
        (Data(num_nodes=0), Data(num_nodes=1), 0, 0),
        (Data(num_nodes=1), Data(num_nodes=1), 1, 1),
        (path(2), Data(num_nodes=2), 1, 0),
        (path(3), Data(num_nodes=2), 1, 1),
        (path(3, kinds=[0, 1, 0]), graph_of(1, [], [2]), 0, 0),  # a label that no graph has
        (path(3), graph_of(2, [(0, 0), (0, 1), (1, 0)]), 1, 1),
        (graph_of(4, [(0, 1), (2, 3)]), path(3), 0, 0),
        (path(5), graph_of(4, [(0, 1), (2, 3)]), 1, 1),
    ],
)
def test_cases_by_hand(graph, pattern, expected, expected_induced):
    encoded = EncodedGraphs([graph])
    assert contained_in(pattern, encoded).tolist() == [expected]
    assert contained_in(pattern, encoded, induced=True).tolist() == [expected_induced]


def test_the_limit():
    # Regular of degree 3 and without triangles, so that no filter helps to see that the one is not in the other.
    whole = graph_of(14, list(nx.heawood_graph().edges))
    pattern = graph_of(10, list(nx.petersen_graph().edges))
    encoded = EncodedGraphs([whole, path(3), pattern])
    assert contained_in(pattern, encoded).tolist() == [0, 0, 1]
    assert contained_in(pattern, encoded, max_calls=5).tolist() == [-1, 0, -1]
    assert contains(encoded[0], encoded.encode(pattern), 5) == -1


def test_what_takes_several_calls_of_the_loop_is_all_answered():
    with_triangle = graph_of(600, [*((i, i + 1) for i in range(599)), (0, 2)])
    encoded, indices = EncodedGraphs([path(600), with_triangle]), [0, 1] * 1000
    assert contained_in(ring(3), encoded, indices=indices).tolist() == indices


def test_a_large_graph_among_small_ones():
    wheel = graph_of(5001, [(0, n) for n in range(1, 5001)] + [(n, n + 1) for n in range(1, 5000)])
    encoded = EncodedGraphs([path(4), wheel, ring(3), wheel])
    assert contained_in(ring(3), encoded).tolist() == [0, 1, 1, 1]
    assert contained_in(ring(3), encoded, at_least=500).tolist() == [0, 1, 0, 1]
    assert contained_in(ring(4), encoded, induced=True).tolist() == [0, 0, 0, 0]
    assert contained_in(ring(5), encoded, indices=[3, 0]).tolist() == [1, 0]


@pytest.mark.parametrize("name", ["max_calls", "at_least"])
def test_options_are_checked(name):
    with pytest.raises(ValueError, match=rf"{name}.*at least 1.*got 0"):
        contained_in(path(2), EncodedGraphs([path(2)]), **{name: 0})


def test_many_equal_leaves_take_few_steps():
    # A star of 12 in one of 11 with a long tail: without the order of equal leaves there are 11! ways to fail.
    star = graph_of(26, [(0, i) for i in range(1, 12)] + [(i, i + 1) for i in range(11, 25)])
    other = graph_of(14, [(0, i) for i in range(1, 12)] + [(11, 12), (10, 13)])
    assert contained_in(other, EncodedGraphs([star]), max_calls=3000).tolist() == [0]


# ---- how it must lie there ------------------------------------------------------------------------------------------


def naive_places(graph, pattern, induced=False, match_edges=False, closed=()):
    """Sets of nodes at which a pattern lies, by trying every way to place its nodes."""
    (kinds, edges), (wanted, joined) = plain(graph), plain(pattern)
    degrees = [sum(node in ends for ends in edges) for node in range(graph.num_nodes)]
    own = [sum(node in ends for ends in joined) for node in range(pattern.num_nodes)]
    places = set()
    for image in permutations(range(graph.num_nodes), pattern.num_nodes):
        ways = {frozenset(pair): frozenset(image[node] for node in pair) for pair in combinations(range(len(image)), 2)}
        if (
            all(kinds[other] == kind for other, kind in zip(image, wanted, strict=True))
            and all(
                way in edges and (not match_edges or edges[way] == joined[e]) for e, way in ways.items() if e in joined
            )
            and not (induced and any(way in edges for e, way in ways.items() if e not in joined))
            and all(degrees[image[node]] == own[node] for node in closed)
        ):
            places.add(frozenset(image))
    return places


@some
@given(
    st.lists(graphs(max_nodes=6), min_size=1, max_size=3),
    graphs(min_nodes=1, max_nodes=4),
    st.booleans(),
    st.booleans(),
    st.integers(1, 4),
    st.data(),
)
def test_every_way_to_ask_is_what_trying_everything_says(whole, pattern, induced, match_edges, at_least, data):
    closed = data.draw(st.sets(st.integers(0, pattern.num_nodes - 1)))
    encoded = EncodedGraphs(whole, match_edges=match_edges)
    expected = [len(naive_places(graph, pattern, induced, match_edges, closed)) >= at_least for graph in whole]
    options = {"induced": induced, "closed": closed, "at_least": at_least}
    assert contained_in(pattern, encoded, **options).tolist() == expected
    part = encoded.encode(pattern)
    assert [contains(graph, part, **options) for graph in encoded] == expected


def test_closed_nodes_are_the_pattern_s():
    encoded = EncodedGraphs([path(3)])
    with pytest.raises(ValueError, match=r"closed.*below 2.*got \[0, 2\]"):
        contained_in(path(2), encoded, closed=[2, 0])


# ---- which nodes ----------------------------------------------------------------------------------------------------


@some
@given(graphs(max_nodes=7), graphs(min_nodes=1, max_nodes=4), st.booleans(), st.data())
def test_places_are_those_of_trying_everything(whole, pattern, induced, data):
    (part,) = EncodedGraphs([pattern])
    if not nx.is_connected(nx.from_dict_of_lists(dict(enumerate(map(list, neighbours_of(part)))))):
        return
    closed = data.draw(st.sets(st.integers(0, pattern.num_nodes - 1)))
    encoded = EncodedGraphs([pattern, whole], match_edges=True)
    places = list(places_of(encoded[0], encoded[1], induced=induced, closed=closed))
    assert set(map(frozenset, places)) == naive_places(whole, pattern, induced, True, closed)
    assert len(set(map(frozenset, places))) == len(places)
    wanted, there = neighbours_of(encoded[0]), neighbours_of(encoded[1])
    for image in places:
        assert all(there[image[u]].get(image[v]) == kind for u, row in enumerate(wanted) for v, kind in row.items())


def test_locating_stops_when_so_many_nodes_have_been_placed():
    encoded = EncodedGraphs([path(2), path(50)])
    assert len(list(places_of(encoded[0], encoded[1]))) == 49
    assert list(places_of(encoded[0], encoded[1], max_calls=2)) == [(0, 1)]
    assert list(places_of(encoded[0], encoded[1], max_calls=0)) == []


# ---- classes of nodes and edges that accept several kinds -----------------------------------------------------------

BOND = Variable(name="bond", key="edge_attr", of=EDGE, places=(0,), values=(0.0, 1.0))
WAY = Variable(name="direction", key="edge_index", of=EDGE, kind=DIRECTION)


def one_way_or_both(rng, size):
    """A graph whose nodes are of three kinds and its edges of two, some of them without a reverse."""
    ends = [(u, v) for u in range(size) for v in range(size) if u < v and rng.random() < 0.6]
    ends = [(v, u) if rng.random() < 0.5 else (u, v) for u, v in ends]
    bonds = rng.integers(2, size=len(ends)).tolist()
    back = [at for at in range(len(ends)) if rng.random() < 0.5]
    edges = torch.tensor([*ends, *(ends[at][::-1] for at in back)], dtype=torch.long).reshape(-1, 2).T
    rows = torch.tensor([*bonds, *(bonds[at] for at in back)], dtype=torch.long)[:, None]
    return Data(x=torch.tensor(rng.integers(3, size=(size, 1))), edge_index=edges, edge_attr=rows)


def asked_at_random(rng, graphs):
    """A connected pattern, whose classes accept some kinds each, in any case all that are seen from the other end."""
    size = int(rng.integers(1, 5))
    pairs = {(int(rng.integers(node)), node) for node in range(1, size)}
    pairs |= {(u, v) for v in range(size) for u in range(v) if rng.random() < 0.2}
    kinds = [tuple(rows[0]) for rows in graphs.edge_table]
    masks = rng.random((len(kinds), 2)) < 0.7
    # Of two classes the one is the other as seen from the other end.
    turned = [kinds.index((bond, -way)) for bond, way in kinds] if graphs.neighbours.size else [0]
    accepts_edges = np.concatenate([masks, masks[turned]], axis=1)
    classes = {}
    for u, v in pairs:
        classes[u, v] = int(rng.integers(4))
        classes[v, u] = (classes[u, v] + 2) % 4
    rows = [sorted(other for one, other in classes if one == node) for node in range(size)]
    shape = EncodedGraph(
        rng.integers(3, size=size).astype(np.int32),
        np.cumsum([0, *map(len, rows)]),
        np.array([other for row in rows for other in row], dtype=np.int32),
        np.array([classes[node, other] for node, row in enumerate(rows) for other in row], dtype=np.int32),
    )
    return Asked(shape, rng.random((graphs.num_kinds, 3)) < 0.6, accepts_edges)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_overlapping_classes_are_what_trying_everything_says(seed):
    rng = np.random.default_rng(seed)
    graphs = [one_way_or_both(rng, int(rng.integers(1, 7))) for _ in range(4)]
    encoded = EncodedGraphs(graphs, match_edges=Reading(variables=(BOND, WAY)))
    asked = asked_at_random(rng, encoded)
    wanted, size = neighbours_of(asked.shape), asked.shape.num_nodes
    closed = set(np.flatnonzero(rng.random(size) < 0.2).tolist())
    lies = {"induced": bool(rng.random() < 0.3), "closed": closed}
    naive = []
    for graph in encoded:
        there = neighbours_of(graph)
        naive.append(
            {
                frozenset(image)
                for image in permutations(range(graph.num_nodes), size)
                if all(
                    asked.accepts[graph.node_kinds[at], asked.shape.node_kinds[node]] for node, at in enumerate(image)
                )
                and all(
                    image[v] in there[image[u]] and asked.accepts_edges[there[image[u]][image[v]], wanted[u][v]]
                    if v in wanted[u]
                    else not (lies["induced"] and image[v] in there[image[u]])
                    for u, v in permutations(range(size), 2)
                )
                and all(len(there[image[node]]) == len(wanted[node]) for node in closed)
            }
        )
        assert set(map(frozenset, places_of(asked, graph, **lies))) == naive[-1]
    for at_least in (1, 2, 3):
        expected = [len(places) >= at_least for places in naive]
        assert contained_in(asked, encoded, at_least=at_least, **lies).tolist() == expected


# ---- the same graph -------------------------------------------------------------------------------------------------


@some
@given(graphs(max_nodes=5), graphs(max_nodes=5), st.booleans(), st.booleans())
def test_isomorphism_agrees_with_networkx(one, other, match_features, match_edges):
    options = {"match_features": match_features, "match_edges": match_edges}
    expected = nx.is_isomorphic(
        typed(one),
        typed(other),
        node_match=(lambda a, b: a == b) if match_features else None,
        edge_match=(lambda a, b: a == b) if match_edges else None,
    )
    assert same_graph(one, other, **options) == same_graph(other, one, **options) == expected


def test_graphs_that_take_too_long_count_as_different():
    (encoded,) = EncodedGraphs([ring(8)])
    assert is_isomorphic(encoded, encoded)
    assert not is_isomorphic(encoded, encoded, max_calls=3)


# ---- remembering ----------------------------------------------------------------------------------------------------


@some
@given(st.lists(graphs(max_nodes=6), min_size=1, max_size=5), st.lists(graphs(max_nodes=4), max_size=4), st.data())
def test_a_store_answers_as_the_search_does(whole, patterns, data):
    encoded = EncodedGraphs(whole, match_edges=True)
    kept = PatternStore(encoded)
    for pattern in [*patterns, *patterns]:
        asked = np.array(sorted(data.draw(st.sets(st.integers(0, len(whole) - 1)))), dtype=np.int64)
        expected = contained_in(pattern, encoded, indices=asked) > 0
        assert (kept.answers(kept.stored(encoded.encode(pattern)), asked) > 0).tolist() == expected.tolist()


def test_each_graph_is_searched_once_for_all_copies_of_a_pattern():
    encoded = EncodedGraphs([ring(6), path(5), ring(3)])
    kept = PatternStore(encoded)
    first, copy = graph_of(4, [(0, 1), (1, 2), (2, 3)]), graph_of(4, [(2, 0), (0, 3), (3, 1)])
    assert kept.answers(kept.stored(encoded.encode(first)), np.array([0, 1])).tolist() == [1, 1]
    assert kept.num_asked == 2
    assert kept.answers(kept.stored(encoded.encode(copy)), np.array([2, 1, 0])).tolist() == [0, 1, 1]
    assert kept.num_asked == 3
    assert kept.stored(encoded.encode(ring(4))) is not kept.stored(encoded.encode(first))


def test_patterns_that_look_alike_are_told_apart():
    two_triangles, hexagon = graph_of(6, [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5)]), ring(6)
    encoded = EncodedGraphs([two_triangles, hexagon])
    kept = PatternStore(encoded)
    assert kept.answers(kept.stored(encoded.encode(two_triangles)), np.arange(2)).tolist() == [1, 0]
    assert kept.answers(kept.stored(encoded.encode(hexagon)), np.arange(2)).tolist() == [0, 1]
