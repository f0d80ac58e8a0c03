import networkx as nx
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch_geometric.data import Data

from protograph.explanation.describing.motifs import (
    compose,
    find_motif,
    fused_rings,
    ring_sizes,
    simple_graph,
)

HOUSE = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 4), (1, 4)]


def joined(first, second=None, ends=(0, 0)):
    """Two graphs, the first twice where there is no second, and an edge from one to the other."""
    first = nx.convert_node_labels_to_integers(first)
    both = nx.disjoint_union(first, first if second is None else second)
    both.add_edge(ends[0], len(first) + ends[1])
    return both


def fused(first, second):
    """Two rings that share the edge between nodes 0 and 1."""
    graph = nx.cycle_graph(first)
    nx.add_path(graph, [0, *range(first, first + second - 2), 1])
    return graph


def in_a_row(number):
    """So many rings of six, each fused to the next at opposite edges, as in anthracene."""
    graph = nx.ladder_graph(number + 1)
    for u, v in [(u, v) for u, v in graph.edges if abs(u - v) == 1]:
        nx.add_path(graph, [u, len(graph), v])
        graph.remove_edge(u, v)
    return graph


PHENALENE = nx.Graph([(0, 1), (0, 2), (0, 3)])
for _first, _second in ((1, 2), (2, 3), (3, 1)):
    _new = len(PHENALENE)
    nx.add_path(PHENALENE, [_first, _new, _new + 1, _new + 2, _second])

NAMED = {
    "a single node": nx.path_graph(1),
    "two joined nodes": nx.path_graph(2),
    "a path of three nodes": nx.star_graph(2),
    "a path of 13 nodes": nx.path_graph(13),
    "a ring of three nodes": nx.complete_graph(3),
    "a ring of four nodes": nx.grid_2d_graph(2, 2),
    "a star with three leaves": nx.star_graph(3),
    "a clique of four nodes": nx.wheel_graph(4),
    "a house": nx.Graph(HOUSE),
    "a wheel with four spokes": nx.wheel_graph(5),
    "a grid of two by three nodes": nx.ladder_graph(3),
    "a grid of three by three nodes": nx.grid_2d_graph(3, 3),
    "a grid of three by four nodes": nx.grid_2d_graph(4, 3),
    "a tree of seven nodes": nx.balanced_tree(2, 2),
    "two fused rings of three": nx.Graph([(0, 1), (1, 2), (2, 0), (1, 3), (2, 3)]),
    "two fused rings of six": fused(6, 6),
    "two fused rings of five and six": fused(6, 5),
    "three fused rings of six": in_a_row(3),
    "two houses joined by an edge": joined(nx.Graph(HOUSE), ends=(4, 0)),
    "two rings of six nodes joined by an edge": joined(nx.cycle_graph(6)),
    "two paths of three nodes joined by an edge": joined(nx.path_graph(3), ends=(1, 1)),
    "two pairs of fused rings of six joined by an edge": joined(fused(6, 6)),
    "two sets of three fused rings of six joined by an edge": joined(PHENALENE, ends=(5, 5)),
}

NEAR_MISSES = {
    "a ring of four and a node that hangs on it": nx.Graph(HOUSE[:-1]),
    "a house with a chimney": nx.Graph([*HOUSE, (2, 5)]),
    "a house with a brace": nx.Graph([*HOUSE, (0, 2)]),
    "a clique of five without an edge": nx.Graph([e for e in nx.complete_graph(5).edges if e != (0, 1)]),
    "a wheel without a spoke": nx.Graph([e for e in nx.wheel_graph(6).edges if e != (0, 1)]),
    "a ladder whose ends are crossed": nx.circulant_graph(6, [1, 3]),
    "two rings that share a node": nx.Graph([(0, 1), (1, 2), (2, 0), (0, 3), (3, 4), (4, 0)]),
    "two rings that share two edges": nx.complete_bipartite_graph(2, 3),
    "a house and a ring of five": joined(nx.Graph(HOUSE), nx.cycle_graph(5)),
    "three rings in a row and three around a node": joined(in_a_row(3), PHENALENE),
    "two houses, apart": nx.disjoint_union(nx.Graph(HOUSE), nx.Graph(HOUSE)),
    "a cube": nx.hypercube_graph(3),
    "nothing": nx.Graph(),
    "a ring that is too large": nx.cycle_graph(61),
}


@pytest.mark.parametrize("name", NAMED)
def test_motifs_are_named(name):
    assert find_motif(NAMED[name]).name == name


@pytest.mark.parametrize("name", NEAR_MISSES)
def test_near_misses_have_no_name(name):
    assert find_motif(NEAR_MISSES[name]) is None


@pytest.mark.parametrize("name", [*NAMED, *NEAR_MISSES])
@settings(max_examples=4, deadline=None)
@given(random=st.randoms(use_true_random=False))
def test_the_order_of_nodes_does_not_matter(name, random):
    graph = nx.convert_node_labels_to_integers(NAMED.get(name) or NEAR_MISSES[name])
    order = random.sample(range(len(graph)), len(graph))
    edges = [(order[u], order[v]) for u, v in graph.edges]
    shuffled = nx.empty_graph(len(graph))
    shuffled.add_edges_from(random.sample(edges, len(edges)))
    assert find_motif(shuffled) == find_motif(graph)


def test_the_sizes_of_fused_rings():
    assert fused_rings(PHENALENE) == (6, 6, 6)
    assert fused_rings(fused(5, 7)) == (5, 7)
    assert fused_rings(nx.cycle_graph(6)) is None
    assert fused_rings(joined(nx.cycle_graph(3))) is None
    assert fused_rings(in_a_row(12)) == (6,) * 12
    assert fused_rings(in_a_row(13)) is None
    assert ring_sizes((5, 5, 6)) == "five and six"


def test_self_loops_and_second_directions_do_not_count():
    edges = torch.tensor([*HOUSE, *[(v, u) for u, v in HOUSE[:3]], HOUSE[0], (2, 2)]).T
    graph = simple_graph(Data(edge_index=edges, num_nodes=5))
    assert sorted(tuple(sorted(edge)) for edge in graph.edges) == sorted(tuple(sorted(edge)) for edge in HOUSE)
    assert find_motif(graph).name == "a house"


PARTS = ("head", "body", "backbone")
ATOMS = ("C", "N", "O", "H")
BULL = nx.Graph([(0, 1), (1, 2), (2, 0), (0, 3), (1, 4)])


@pytest.mark.parametrize(
    ("graph", "kinds", "text"),
    [
        (nx.house_graph(), [1, 1, 1, 1, 0], "a house of four body nodes and one head node"),
        (nx.path_graph(1), [0], "one head node"),
        (nx.path_graph(2), [1, 1], "two joined body nodes"),
        (nx.path_graph(2), [1, 0], "one head node joined to one body node"),
        (nx.path_graph(3), [1, 1, 0], "two body nodes and one head node in a path"),
        (nx.cycle_graph(6), [2] * 6, "six backbone nodes in a ring"),
        (nx.star_graph(3), [0, 1, 1, 1], "a star of three body nodes and one head node"),
        (nx.ladder_graph(3), [1] * 6, "a two by three grid of six body nodes"),
        (nx.balanced_tree(2, 2), [1] * 7, "a tree of seven body nodes"),
        (BULL, [1, 1, 1, 0, 0], "three body nodes in a ring, with two head nodes"),
        (BULL, [1, 0, 1, 0, 1], "three body and two head nodes (five nodes, five edges, of which one closes a ring)"),
        (
            nx.petersen_graph(),
            [1] * 9 + [0],
            "nine body and one head node (ten nodes, 15 edges, of which six close rings)",
        ),
    ],
)
def test_named_nodes_stand_with_their_structure(graph, kinds, text):
    assert compose(graph, kinds, PARTS) == text


@pytest.mark.parametrize(
    ("graph", "kinds", "text"),
    [
        (nx.cycle_graph(6), [0] * 6, "six carbons in a ring"),
        (nx.path_graph(2), [2, 0], "carbon joined to oxygen"),
        (nx.path_graph(2), [0, 0], "two joined carbons"),
        (BULL, [0, 0, 1, 0, 1], "three carbons, two nitrogens (five nodes, five edges, of which one closes a ring)"),
        (nx.empty_graph(2), [0, 0], "two carbons (two nodes, no edges, in two parts)"),
    ],
)
def test_atoms_have_their_english_names(graph, kinds, text):
    assert compose(graph, kinds, ATOMS) == text


def test_without_names_only_the_structure_is_said():
    assert compose(nx.house_graph(), None, PARTS) == "a house"
    assert compose(nx.house_graph(), [1, 1, 1, 1, 0], ()) == "a house"
    assert compose(BULL, None, ()) == "five nodes, five edges, of which one closes a ring"
    assert compose(nx.Graph(), [], PARTS) == "an empty graph"


def test_motifs_are_seen_without_the_nodes_of_one_other_kind():
    houses = nx.disjoint_union_all([nx.house_graph(), nx.house_graph(), nx.path_graph(3)])
    kinds = [1, 1, 1, 1, 0] * 2 + [2] * 3
    houses.add_edges_from([(0, 10), (1, 11), (5, 11), (6, 12)])
    assert compose(houses, kinds, PARTS) == (
        "two houses (eight body nodes and two head nodes), with three backbone nodes"
    )
    houses.remove_edge(0, 1)
    # A ring of five and a house are not equal, and no longer one motif.
    assert compose(houses, kinds, PARTS) == (
        "eight body, three backbone and two head nodes (13 nodes, 17 edges, of which five close rings)"
    )
