from itertools import product

import networkx as nx
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch_geometric.data import Data

from protograph.patterns.canonical import canonical_graph
from tests.metrics.small_graphs import path
from tests.page.naive_patterns import labelled, undirected


def with_both_directions(graph):
    """A NetworkX graph as one of ours, without features."""
    return undirected(graph.number_of_nodes(), nx.convert_node_labels_to_integers(graph).edges)


def renumbered(graph, rng):
    """The same graph with its nodes and its edges in another order, and the new number of each node."""
    size, num_edges = graph.num_nodes, graph.edge_index.size(1)
    order, edges = torch.from_numpy(rng.permutation(size)), torch.from_numpy(rng.permutation(num_edges))
    place = torch.empty_like(order)
    place[order] = torch.arange(size)
    other = Data(num_nodes=size)
    for key, value in graph.to_dict().items():
        if key == "edge_index":
            other.edge_index = place[value[:, edges]]
        elif graph.is_node_attr(key):
            other[key] = value[order]
        elif graph.is_edge_attr(key):
            other[key] = value[edges]
        else:
            other[key] = value
    return other, place


def as_networkx(graph):
    """Directed, so that attributes may differ by direction."""
    result = nx.DiGraph()
    rows = [()] * graph.num_nodes if graph.x is None else [tuple(row) for row in graph.x.tolist()]
    attributes = [()] * graph.edge_index.size(1) if graph.edge_attr is None else map(tuple, graph.edge_attr.tolist())
    result.add_nodes_from((node, {"x": row}) for node, row in enumerate(rows))
    result.add_edges_from(
        (u, v, {"x": row}) for (u, v), row in zip(graph.edge_index.T.tolist(), attributes, strict=True)
    )
    return result


def is_isomorphic(one, other):
    def same(a, b):
        return a["x"] == b["x"]

    return nx.is_isomorphic(as_networkx(one), as_networkx(other), node_match=same, edge_match=same)


def same_tensors(one, other):
    first, second = one.to_dict(), other.to_dict()
    return first.keys() == second.keys() and all(
        torch.equal(value, second[key]) if isinstance(value, torch.Tensor) else value == second[key]
        for key, value in first.items()
    )


def check_maps_back(graph, canonical):
    """``nodes`` says which node of the graph each canonical one is, and edges are in the order of their ends."""
    nodes = torch.from_numpy(canonical.nodes)
    assert sorted(nodes.tolist()) == list(range(graph.num_nodes))
    if graph.x is not None:
        assert torch.equal(canonical.graph.x, graph.x[nodes])
    ends = canonical.graph.edge_index.T.tolist()
    assert ends == sorted(ends)

    def edges(edge_index, rows):
        held = [None] * edge_index.size(1) if rows is None else map(tuple, rows.tolist())
        return dict(zip(map(tuple, edge_index.T.tolist()), held, strict=True))

    assert edges(nodes[canonical.graph.edge_index], canonical.graph.edge_attr) == edges(
        graph.edge_index, graph.edge_attr
    )


def check_renumbered(graph, rng, times=3):
    expected = canonical_graph(graph)
    assert expected.is_canonical
    check_maps_back(graph, expected)
    for _ in range(times):
        other, _ = renumbered(graph, rng)
        found = canonical_graph(other)
        assert found.is_canonical
        assert found.key == expected.key
        assert same_tensors(found.graph, expected.graph)
        check_maps_back(other, found)


# ---- the same graph -------------------------------------------------------------------------------------------------


@settings(max_examples=25, deadline=None)
@given(labelled(max_nodes=9, max_edges=16), st.integers(0, 2**32 - 1))
def test_other_numbers_the_same_graph(graph, seed):
    check_renumbered(graph, np.random.default_rng(seed), times=1)


@st.composite
def directional(draw):
    """Graphs with loops, and attributes that may differ there and back."""
    size = draw(st.integers(1, 5))
    pairs = draw(st.sets(st.sampled_from(list(product(range(size), repeat=2))), max_size=8))
    both = sorted({*pairs, *((v, u) for u, v in pairs)})
    rows = draw(st.lists(st.sampled_from([[1.0], [2.0]]), min_size=len(both), max_size=len(both)))
    edge_index = torch.tensor(both, dtype=torch.long).reshape(-1, 2).T
    return Data(num_nodes=size, edge_index=edge_index, edge_attr=torch.tensor(rows).reshape(-1, 1))


@settings(max_examples=25, deadline=None)
@given(directional(), st.integers(0, 2**32 - 1))
def test_loops_and_edges_with_a_direction(graph, seed):
    check_renumbered(graph, np.random.default_rng(seed), times=1)


@st.composite
def multigraphs(draw):
    """Graphs whose edges go any way, any number of times."""
    size = draw(st.integers(1, 5))
    ends = draw(st.lists(st.tuples(st.integers(0, size - 1), st.integers(0, size - 1)), max_size=9))
    return Data(num_nodes=size, edge_index=torch.tensor(ends, dtype=torch.long).reshape(-1, 2).T)


@settings(max_examples=25, deadline=None)
@given(multigraphs(), st.integers(0, 2**32 - 1))
def test_repeated_edges(graph, seed):
    check_renumbered(graph, np.random.default_rng(seed), times=1)


def test_repeated_edges_and_loops_tell_nodes_apart():
    ends = [(0, 1), (1, 2), (2, 3), (3, 0)]
    for more in ([(2, 3)], [(3, 2)], [(1, 1)], [(1, 1), (1, 1), (2, 2)]):
        graph = Data(num_nodes=4, edge_index=torch.tensor([*ends, *more]).T)
        check_renumbered(graph, np.random.default_rng(0))


def shrikhande():
    """Strongly regular with the numbers of the 4 x 4 rook's graph, and another graph."""
    steps = [(0, 1), (0, 3), (1, 0), (3, 0), (1, 1), (3, 3)]
    cells = list(product(range(4), repeat=2))
    return nx.Graph(((a, b), ((a + c) % 4, (b + d) % 4)) for a, b in cells for c, d in steps)


def rook():
    return nx.line_graph(nx.complete_bipartite_graph(4, 4))


REGULAR = {
    "nothing": nx.empty_graph(5),
    "cycle": nx.cycle_graph(12),
    "two cycles": nx.disjoint_union(nx.cycle_graph(6), nx.cycle_graph(6)),
    "three triangles": nx.disjoint_union_all([nx.cycle_graph(3)] * 3),
    "hexagon and triangles": nx.disjoint_union_all([nx.cycle_graph(6), nx.cycle_graph(3), nx.cycle_graph(3)]),
    "cube": nx.hypercube_graph(3),
    "tesseract": nx.hypercube_graph(4),
    "Petersen": nx.petersen_graph(),
    "dodecahedron": nx.dodecahedral_graph(),
    "Heawood": nx.heawood_graph(),
    "complete": nx.complete_graph(7),
    "bipartite": nx.complete_bipartite_graph(4, 4),
    "star": nx.star_graph(9),
    "tree": nx.balanced_tree(2, 3),
    "rook": rook(),
    "Shrikhande": shrikhande(),
}


@pytest.mark.parametrize("name", REGULAR)
def test_graphs_full_of_symmetry(name):
    check_renumbered(with_both_directions(REGULAR[name]), np.random.default_rng(7))


def test_rook_and_shrikhande_differ_though_refinement_cannot_tell():
    # Distance regular with the same numbers: 6 neighbours each, 2 in common of any two nodes.
    assert nx.intersection_array(rook()) == nx.intersection_array(shrikhande()) == ([6, 3], [1, 2])
    one, other = (with_both_directions(graph) for graph in (rook(), shrikhande()))
    assert canonical_graph(one).key != canonical_graph(other).key


# ---- other graphs ---------------------------------------------------------------------------------------------------


@settings(max_examples=25, deadline=None)
@given(labelled(max_nodes=4), labelled(max_nodes=4))
def test_keys_are_equal_exactly_where_graphs_are_isomorphic(one, other):
    assert (canonical_graph(one).key == canonical_graph(other).key) == is_isomorphic(one, other)


# ---- all that a graph knows -----------------------------------------------------------------------------------------


def square(**tensors):
    return undirected(4, [(0, 1), (1, 2), (2, 3), (0, 3)]).update(tensors)


EXTRA = {
    "a tensor of nodes": {"charge": torch.tensor([0, 0, 0, 1])},
    "positions": {"pos": torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.5]])},
    "complex numbers": {"phase": torch.tensor([1j, 1, 1, 1])},
    "booleans": {"is_marked": torch.tensor([True, False, False, False])},
    "three axes": {"frame": torch.arange(4.0).reshape(4, 1, 1).expand(4, 2, 2).clone()},
    "a tensor of edges": {"edge_weight": torch.tensor([1.0, 2.0, 1.0, 1.0, 1.0, 2.0, 1.0, 1.0])},
    "edges by direction": {"edge_attr": torch.arange(8.0).reshape(8, 1)},
    "a tensor of the graph": {"temperature": torch.tensor([[3.0, 4.0]])},
}


@pytest.mark.parametrize("name", EXTRA)
def test_extra_tensors_are_respected(name):
    graph, rng = square(**EXTRA[name]), np.random.default_rng(0)
    check_renumbered(graph, rng)
    (key,) = EXTRA[name]
    assert canonical_graph(graph).key != canonical_graph(square()).key
    other = graph.clone()
    other[key] = ~graph[key] if graph[key].dtype is torch.bool else graph[key] * 2 + 1
    assert canonical_graph(other).key != canonical_graph(graph).key
    found = canonical_graph(graph)
    if graph.is_node_attr(key):
        assert torch.equal(found.graph[key], graph[key][torch.from_numpy(found.nodes)])
    elif not graph.is_edge_attr(key):
        assert torch.equal(found.graph[key], graph[key])


def test_the_label_is_not_what_a_graph_is():
    one, other = path(3), path(3)
    one.y, other.y = torch.tensor([0]), torch.tensor([1])
    assert canonical_graph(one).key == canonical_graph(other).key


# ---- giving up ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("graph", [REGULAR["dodecahedron"], REGULAR["rook"], REGULAR["two cycles"]], ids=str)
@pytest.mark.parametrize("max_work", [0, 100])
def test_a_search_that_is_given_up_says_so_and_gives_an_order(graph, max_work):
    graph = with_both_directions(graph)
    found = canonical_graph(graph, max_work=max_work)
    assert not found.is_canonical
    check_maps_back(graph, found)
    assert canonical_graph(graph, max_work=max_work).key == found.key  # the same numbers, the same order
    assert is_isomorphic(found.graph, graph)
