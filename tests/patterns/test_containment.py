from functools import cache
from itertools import combinations, permutations
from threading import current_thread, main_thread

import networkx as nx
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch_geometric.data import Data
from torch_geometric.utils import subgraph

from protograph.datasets import load
from protograph.graphs.encoding import EncodedGraphs
from protograph.patterns import containment
from protograph.patterns.containment import contained_in, contains, image_of, neighbours_of
from tests.datasets.real_files import needs
from tests.metrics.small_graphs import graph_of, graphs, grid, networkx_contains, path, plain, ring


@settings(max_examples=200, deadline=None)
@given(st.lists(graphs(max_nodes=8), min_size=1, max_size=4), graphs(max_nodes=5), st.booleans(), st.booleans())
def test_agrees_with_networkx(whole, pattern, induced, match_edges):
    encoded = EncodedGraphs(whole, match_edges=match_edges)
    found = contained_in(pattern, encoded, induced=induced)
    assert found.tolist() == [networkx_contains(graph, pattern, induced, match_edges) for graph in whole]
    part = encoded.encode(pattern)
    assert found.tolist() == [contains(encoded[i], part, induced=induced) for i in range(len(encoded))]


@settings(max_examples=150, deadline=None)
@given(graphs(max_nodes=8), graphs(max_nodes=5), st.booleans())
def test_an_image_is_a_way_in_which_the_pattern_lies(whole, pattern, match_edges):
    encoded = EncodedGraphs([whole], match_edges=match_edges)
    part, graph = encoded.encode(pattern), encoded[0]
    image = image_of(part, graph)
    assert (image is not None) == (contains(graph, part) == 1)
    if image is not None:
        assert len(set(image)) == part.num_nodes
        assert graph.node_kinds[image].tolist() == part.node_kinds.tolist()
        there = neighbours_of(graph)
        for node, row in enumerate(neighbours_of(part)):
            assert all(there[image[node]].get(image[other]) == kind for other, kind in row.items())


@settings(max_examples=100, deadline=None)
@given(graphs(min_nodes=2, max_nodes=9), st.data())
def test_a_part_is_found(graph, data):
    chosen = torch.tensor(data.draw(st.permutations(range(graph.num_nodes)))[: graph.num_nodes // 2 + 1])
    edge_index, attr = subgraph(
        chosen, graph.edge_index, graph.edge_attr, relabel_nodes=True, num_nodes=graph.num_nodes
    )
    part = Data(x=graph.x[chosen], edge_index=edge_index, edge_attr=attr)
    assert contained_in(part, EncodedGraphs([graph], match_edges=True), induced=True).tolist() == [1]


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


def test_edges_in_either_direction_and_the_first_of_repeated_ones():
    graph = graph_of(3, [(1, 0), (1, 2), (1, 0)], bonds=[0, 1, 2])
    encoded = EncodedGraphs([graph], match_edges=True)
    assert encoded[0].starts.tolist() == [0, 1, 3, 4]
    assert encoded[0].neighbours.tolist() == [1, 0, 2, 1]
    first, second = encoded[0].edge_kinds[1:3].tolist()
    assert encoded[0].edge_kinds.tolist() == [first, first, second, second]
    for bond, expected in ((0, 1), (1, 1), (2, 0)):
        assert contained_in(path(2, bonds=[bond]), encoded).tolist() == [expected]


def test_a_graph_of_the_set_stands_for_itself():
    encoded = EncodedGraphs([path(3), ring(4), Data(num_nodes=0)])
    assert [(g.num_nodes, g.num_edges) for g in (encoded[0], encoded[1], encoded[2])] == [(3, 2), (4, 4), (0, 0)]
    assert [contains(encoded[1], encoded[i]) for i in range(3)] == [1, 1, 1]
    assert [contains(encoded[0], encoded[i]) for i in range(3)] == [1, 0, 1]
    with pytest.raises(IndexError, match=r"^index must lie in \[0, 3\), got 3$"):
        encoded[3]


def test_no_graphs():
    assert contained_in(path(2), EncodedGraphs([])).tolist() == []


def test_the_order_of_indices_is_kept():
    encoded = EncodedGraphs([path(2), ring(3), path(3)])
    assert contained_in(ring(3), encoded, indices=[1, 0, 1]).tolist() == [1, 0, 1]


def test_the_limit():
    # Regular of degree 3 and without triangles, so that no filter helps to see that the one is not in the other.
    whole = graph_of(14, list(nx.heawood_graph().edges))
    pattern = graph_of(10, list(nx.petersen_graph().edges))
    encoded = EncodedGraphs([whole, path(3), pattern])
    assert contained_in(pattern, encoded).tolist() == [0, 0, 1]
    assert contained_in(pattern, encoded, max_calls=5).tolist() == [-1, 0, -1]
    assert contains(encoded[0], encoded.encode(pattern), 5) == -1


@pytest.mark.parametrize(("size", "times"), [(600, 1000), (700, 3)])  # the latter are searched without bits
@pytest.mark.parametrize("workers", [1, 2])
def test_what_takes_several_calls_of_the_loop_is_all_answered(size, times, workers):
    with_triangle = graph_of(size, [*((i, i + 1) for i in range(size - 1)), (0, 2)])
    encoded, indices = EncodedGraphs([path(size), with_triangle]), [0, 1] * times
    assert contained_in(ring(3), encoded, indices=indices, workers=workers).tolist() == indices


def test_an_interrupt_ends_the_other_threads(monkeypatch):
    ended = []

    def searched(graphs, plan, indices, max_calls, is_over):
        if current_thread() is main_thread():
            raise KeyboardInterrupt
        while not is_over():
            pass
        ended.append(indices.tolist())
        return np.zeros(indices.size, np.int8)

    monkeypatch.setattr(containment, "searched", searched)
    with pytest.raises(KeyboardInterrupt):
        contained_in(path(2), EncodedGraphs([path(2)] * 3), workers=2)
    assert ended == [[1]]


@pytest.mark.parametrize("name", ["max_calls", "workers", "at_least"])
def test_options_are_checked(name):
    with pytest.raises(ValueError, match=rf"^{name} must be at least 1, got 0$"):
        contained_in(path(2), EncodedGraphs([path(2)]), **{name: 0})


def test_a_leaf_may_be_placed_before_the_node_that_it_hangs_on():
    # Of two leaves there are fewer than of what they hang on, so that they are placed first.
    hubs = graph_of(5, [(hub, leaf) for hub in (0, 1, 2) for leaf in (3, 4)], kinds=[0, 0, 0, 1, 1])
    pattern = graph_of(3, [(0, 1), (0, 2)], kinds=[0, 1, 1])
    encoded = EncodedGraphs([hubs, graph_of(3, [(0, 1), (0, 2)], kinds=[1, 0, 0])])
    assert contained_in(pattern, encoded).tolist() == [1, 0]


def test_many_equal_leaves_take_few_steps():
    # A star of 12 in one of 11 with a long tail: without the order of equal leaves there are 11! ways to fail.
    star = graph_of(26, [(0, i) for i in range(1, 12)] + [(i, i + 1) for i in range(11, 25)])
    other = graph_of(14, [(0, i) for i in range(1, 12)] + [(11, 12), (10, 13)])
    assert contained_in(other, EncodedGraphs([star]), max_calls=3000).tolist() == [0]


@pytest.mark.parametrize(
    ("graphs", "message"),
    [
        ([path(2), path(2, kinds=[0, 1])], r"^x must be alike in all graphs; graph 0 has none, graph 1 has 3 columns$"),
        ([Data(x=torch.eye(3), num_nodes=2, edge_index=torch.tensor([[0], [3]]))], r"^edge_index of graph 0 has the"),
    ],
)
def test_graphs_are_checked(graphs, message):
    with pytest.raises(ValueError, match=message):
        EncodedGraphs(graphs)


def test_attributes_of_edges_are_checked():
    graph = Data(edge_index=torch.tensor([[0, 1], [1, 2]]), edge_attr=torch.ones(1, 2), num_nodes=3)
    assert len(EncodedGraphs([graph])) == 1
    with pytest.raises(ValueError, match=r"^edge_attr of graph 0 must have 2 rows, got 1$"):
        EncodedGraphs([graph], match_edges=True)


def test_a_pattern_is_checked():
    with pytest.raises(ValueError, match=r"; graph 0 has 3 columns, the prototype has 4 columns$"):
        EncodedGraphs([path(2, kinds=[0, 1])]).encode(path(2, kinds=[0, 1], num_kinds=4))


# ---- how it must lie there ------------------------------------------------------------------------------------------


def places_of(graph, pattern, induced=False, match_edges=False, closed=()):
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


@settings(max_examples=250, deadline=None)
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
    expected = [len(places_of(graph, pattern, induced, match_edges, closed)) >= at_least for graph in whole]
    options = {"induced": induced, "closed": closed, "at_least": at_least}
    assert contained_in(pattern, encoded, **options).tolist() == expected
    part = encoded.encode(pattern)
    assert contained_in(part, encoded, workers=2, **options).tolist() == expected
    assert [contains(graph, part, **options) for graph in encoded] == expected


@pytest.mark.parametrize(
    ("graph", "pattern", "options", "num_places"),
    [
        (ring(6), path(3), {}, 6),
        (ring(6), path(3), {"closed": [1]}, 6),  # both neighbours of the middle one are there
        (ring(6), path(3), {"closed": [0]}, 0),  # its ends have others besides
        (path(5), path(3), {"closed": [0]}, 2),
        (path(3), path(3), {"closed": [0, 1, 2]}, 1),
        (graph_of(4, [(0, 1), (0, 2), (0, 3)]), path(3), {}, 3),
        (graph_of(4, [(0, 1), (0, 2), (0, 3)]), path(3), {"closed": [0, 2]}, 3),
        (graph_of(4, [(0, 1), (0, 2), (0, 3)]), path(3), {"closed": [1]}, 0),
        (grid(3, 3), ring(4), {}, 4),
        (grid(3, 3), ring(4), {"closed": [0]}, 4),  # each square of a grid has a corner with two neighbours
        (grid(3, 3), ring(4), {"closed": [0, 2]}, 0),
        (ring(4), path(3), {"induced": True}, 4),
        (graph_of(4, [(0, 1), (2, 3)]), path(2), {}, 2),
        (graph_of(3, []), graph_of(2, []), {}, 3),
        (graph_of(3, []), graph_of(2, []), {"closed": [0, 1]}, 3),
        (path(2), graph_of(2, []), {"closed": [0]}, 0),
    ],
)
def test_places_by_hand(graph, pattern, options, num_places):
    encoded = EncodedGraphs([graph])
    assert len(places_of(graph, pattern, **options)) == num_places
    for at_least, expected in ((num_places, 1), (num_places + 1, 0)):
        if at_least:
            assert contained_in(pattern, encoded, at_least=at_least, **options).tolist() == [expected]


def test_a_count_of_places_that_takes_too_long_is_not_decided():
    encoded = EncodedGraphs([ring(12)])
    assert contained_in(path(3), encoded, at_least=12).tolist() == [1]
    assert contained_in(path(3), encoded, at_least=12, max_calls=10).tolist() == [-1]


def test_closed_nodes_are_the_pattern_s():
    encoded = EncodedGraphs([path(3)])
    message = r"^closed must be nodes of the pattern, below 2, got \[0, 2\]$"
    with pytest.raises(ValueError, match=message):
        contained_in(path(2), encoded, closed=[2, 0])
    with pytest.raises(ValueError, match=message):
        contains(encoded[0], encoded.encode(path(2)), closed=[2, 0])


@cache
def real(name):
    dataset = load(name)
    return dataset, EncodedGraphs(dataset)


@needs("benzene/benzene_graphs.npz")
def test_rings_of_benzene():
    dataset, encoded = real("benzene")
    found = contained_in(dataset.ground_truths[1][0], encoded)
    labels = dataset.labels.numpy()
    assert found[labels == 1].all()
    assert np.bincount(labels[found == 1]).tolist() == [854, 6001]
    threaded = contained_in(dataset.ground_truths[1][0], encoded, workers=2)
    assert threaded.tolist() == found.tolist()


@needs("mutagenicity/Mutagenicity_tu_raw.zip")
def test_groups_of_mutagenicity():
    dataset, encoded = real("mutagenicity")
    atoms = [dataset.feature_names.index(atom) for atom in "NHHOO"]
    amine = graph_of(3, [(0, 1), (0, 2)], atoms[:3], num_kinds=14)
    nitro = graph_of(3, [(0, 1), (0, 2)], [atoms[0], *atoms[3:]], num_kinds=14)
    labels = dataset.labels.numpy()
    assert np.bincount(labels[contained_in(amine, encoded) == 1]).tolist() == [502, 254]
    # All 597 and 104 with terminal O, and six whose O has another neighbour.
    assert np.bincount(labels[contained_in(nitro, encoded) == 1]).tolist() == [603, 104]


def grown(graph, size, rng):
    """A connected part with that many nodes, or fewer where there are none."""
    nodes = [int(rng.integers(graph.num_nodes))]
    source, target = graph.edge_index.numpy()
    while len(nodes) < size:
        around = np.setdiff1d(target[np.isin(source, nodes)], nodes)
        if around.size == 0:
            break
        nodes.append(int(rng.choice(around)))
    edge_index, attr = subgraph(torch.tensor(nodes), graph.edge_index, graph.edge_attr, relabel_nodes=True)
    return Data(x=graph.x[nodes], edge_index=edge_index, edge_attr=attr)


@needs("mutagenicity/Mutagenicity_tu_raw.zip")
@pytest.mark.parametrize(("induced", "match_edges"), [(False, False), (True, False), (False, True)])
def test_agrees_with_networkx_on_molecules(induced, match_edges):
    dataset, _ = real("mutagenicity")
    rng = np.random.default_rng(0)
    molecules = [graph for graph in dataset[:400] if graph.num_nodes <= 30][:120]
    encoded = EncodedGraphs(molecules, match_edges=match_edges)
    for _ in range(4):
        source = int(rng.integers(len(molecules)))
        pattern = grown(molecules[source], int(rng.integers(3, 9)), rng)
        found = contained_in(pattern, encoded, induced=induced)
        assert found[source] == 1
        assert found.tolist() == [networkx_contains(graph, pattern, induced, match_edges) for graph in molecules]
