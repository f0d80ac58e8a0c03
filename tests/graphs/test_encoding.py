from itertools import pairwise

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch_geometric.data import Data

from protograph.graphs import dataset, encoding
from protograph.graphs.conditions import Reading
from protograph.graphs.dataset import GraphStore
from protograph.graphs.encoding import EncodedGraphs
from protograph.graphs.variables import CONTINUOUS, DIRECTION, ONE_HOT, Variable
from protograph.patterns import enumerate as enumeration
from protograph.patterns.enumerate import graph_codes
from tests import zoo
from tests.metrics.small_graphs import graph_of, graphs, path, plain


def node_kinds(graph):
    return graph.node_kinds.tolist()


def edge_kinds(graph):
    return graph.edge_kinds.tolist()


def edges_of(graph):
    """Edges of an encoded graph with their kinds, as they are read node by node."""
    return {
        frozenset((node, other)): kind
        for node in range(graph.num_nodes)
        for other, kind in zip(
            graph.neighbours[graph.starts[node] : graph.starts[node + 1]].tolist(),
            edge_kinds(graph)[graph.starts[node] : graph.starts[node + 1]],
            strict=True,
        )
    }


@settings(max_examples=20, deadline=None)
@given(st.lists(graphs(max_nodes=6), max_size=5), st.booleans())
def test_every_graph_is_read_back(originals, match_edges):
    encoded = EncodedGraphs(iter(originals), match_edges=match_edges)
    assert len(encoded) == len(originals)
    kind_of, bond_of = {}, {}
    for original, graph in zip(originals, encoded, strict=True):
        kinds, edges = plain(original)
        # Equal kinds have equal numbers, in all graphs; different ones, as is seen at the end, different numbers.
        assert all(kind_of.setdefault(k, n) == n for k, n in zip(kinds, node_kinds(graph), strict=True))
        found = edges_of(graph)
        assert set(found) == set(edges)
        if match_edges:
            assert all(bond_of.setdefault(edges[pair], kind) == kind for pair, kind in found.items())
        else:
            assert set(found.values()) <= {0}
        assert graph.num_edges == len(edges)
        starts = graph.starts.tolist()
        lists = [graph.neighbours[i:j].tolist() for i, j in pairwise(starts)]
        assert lists == [sorted(neighbours) for neighbours in lists]
    assert sorted(kind_of.values()) == list(range(len(kind_of)))
    assert sorted(bond_of.values()) == list(range(len(bond_of)))


@settings(max_examples=20, deadline=None)
@given(st.lists(graphs(max_nodes=5), min_size=1, max_size=5), st.randoms(use_true_random=False))
def test_kinds_are_numbered_by_content(originals, random):
    """Neither the order of the graphs nor that of their nodes changes a number, and counts are of all graphs."""
    order = list(range(len(originals)))
    random.shuffle(order)
    plain_one, shuffled = (EncodedGraphs(g, match_edges=True) for g in (originals, [originals[i] for i in order]))
    for place, index in enumerate(order):
        assert node_kinds(shuffled[place]) == node_kinds(plain_one[index])
        assert edge_kinds(shuffled[place]) == edge_kinds(plain_one[index])
    counts = plain_one.kind_counts.tolist()
    assert counts == shuffled.kind_counts.tolist()
    assert counts == [sum(node_kinds(graph).count(kind) for graph in plain_one) for kind in range(len(counts))]
    turned = [Data(x=g.x.flip(0), edge_index=g.num_nodes - 1 - g.edge_index, num_nodes=g.num_nodes) for g in originals]
    for one, other in zip(EncodedGraphs(originals), EncodedGraphs(turned), strict=True):
        assert node_kinds(one) == node_kinds(other)[::-1]


def test_without_features_all_nodes_are_of_one_kind():
    mixed = [path(3, kinds=[0, 1, 2]), path(2)]  # not even alike
    encoded = EncodedGraphs(mixed, match_features=False)
    assert [node_kinds(graph) for graph in encoded] == [[0, 0, 0], [0, 0]]
    assert node_kinds(encoded.encode(path(2, kinds=[1, 2], num_kinds=7))) == [0, 0]
    assert encoded.kind_counts.tolist() == [5]
    assert EncodedGraphs([]).kind_counts.tolist() == [0]


def test_loops_are_ignored_and_the_first_of_repeated_edges_counts():
    graph = graph_of(3, [(1, 1), (0, 1), (0, 1), (2, 1)], bonds=[2, 0, 1, 1])
    (encoded,) = EncodedGraphs([graph], match_edges=True)
    assert set(edges_of(encoded)) == {frozenset((0, 1)), frozenset((1, 2))}
    first, second = EncodedGraphs([graph], match_edges=True), path(3, bonds=[0, 1])
    assert edges_of(encoded) == edges_of(first.encode(second))
    assert encoded.num_edges == 2


def test_an_edge_that_holds_something_else_back_is_told_by_both_directions():
    # The first three have kinds 0 there and 1 back, in any order; the fourth has 0 both ways.
    graphs = [graph_of(2, edges, bonds=bonds) for edges, bonds in EDGES_THERE_AND_BACK]
    encoded = EncodedGraphs(graphs, match_edges=True)
    kinds = [edge_kinds(graph) for graph in encoded]
    assert kinds[0] == kinds[1] == kinds[2] == [kinds[0][0]] * 2
    assert len({kinds[0][0], kinds[3][0], kinds[4][0]}) == 3
    assert [edge_kinds(encoded.encode(graph)) for graph in graphs] == kinds
    assert edge_kinds(EncodedGraphs(graphs[3:], match_edges=True).encode(graphs[0])) == [-1, -1]


EDGES_THERE_AND_BACK = [
    ([(0, 1), (1, 0)], [0, 1]),
    ([(0, 1), (1, 0)], [1, 0]),
    ([(1, 0), (0, 1), (0, 1)], [0, 1, 0]),
    ([(0, 1), (1, 0)], [0, 0]),
    ([(1, 0)], [1]),
]


def test_values_between_two_cuts_are_one_kind():
    lengths = Data(
        edge_index=torch.tensor([[0, 1, 2], [1, 2, 3]]), edge_attr=torch.tensor([0.1, 0.4, 0.6]), num_nodes=4
    )
    length = Variable(name="length", key="edge_attr", of="edge", kind=CONTINUOUS, places=(0,), cuts=(0.5,))
    rule = Reading(variables=(length,))
    encoded = EncodedGraphs([lengths], match_edges=rule)
    codes = {pair: encoded.edge_table[kind].item() for pair, kind in edges_of(encoded[0]).items()}
    assert codes == {frozenset((0, 1)): -np.inf, frozenset((1, 2)): -np.inf, frozenset((2, 3)): 0.5}
    assert encoded.edge_rule == rule
    other = Data(edge_index=torch.tensor([[0], [1]]), edge_attr=torch.tensor([9.0]), num_nodes=2)
    assert edge_kinds(encoded.encode(other)) == [edges_of(encoded[0])[frozenset((2, 3))]] * 2


def test_a_pattern_has_the_numbers_of_the_graphs_and_new_ones_below_zero():
    encoded = EncodedGraphs([path(2, kinds=[1, 0])])
    of_1, of_0 = node_kinds(encoded[0])
    assert {of_0, of_1} == {0, 1}
    assert node_kinds(encoded.encode(path(4, kinds=[0, 2, 1, 2]))) == [of_0, -1, of_1, -1]
    # New kinds are forgotten: the next pattern begins anew.
    assert node_kinds(encoded.encode(path(1, kinds=[2]))) == [-1]


def test_numbers_that_are_equal_are_one_kind():
    zeros = Data(x=torch.tensor([[0.0], [-0.0]]), edge_index=torch.empty(2, 0, dtype=torch.long))
    whole = Data(x=torch.tensor([[0], [1]]), edge_index=torch.empty(2, 0, dtype=torch.long))
    short = Data(x=torch.tensor([[0.0], [1.0]], dtype=torch.bfloat16), edge_index=torch.empty(2, 0, dtype=torch.long))
    encoded = EncodedGraphs([zeros, whole, short])
    of_zero, of_one = node_kinds(encoded[1])
    assert of_zero != of_one
    assert [node_kinds(graph) for graph in encoded] == [[of_zero, of_zero], [of_zero, of_one], [of_zero, of_one]]


@pytest.mark.parametrize(
    ("wrong", "match_edges", "kind", "message"),
    [
        (
            "C-O",
            False,
            TypeError,
            "graph 1 must be a torch_geometric.data.Data, got str; of a prototype, pass its graph",
        ),
        (
            graph_of(2, [(0, 2)], [0, 1]),
            False,
            ValueError,
            "edge_index of graph 1 has the edge 0 -> 2, but its nodes are numbered 0 to 1",
        ),
        (path(2), False, ValueError, "x must be alike in all graphs; graph 0 has 3 columns, graph 1 has none"),
        (
            path(2, kinds=[0, 1], num_kinds=2),
            False,
            ValueError,
            "x must be alike in all graphs; graph 0 has 3 columns, graph 1 has 2 columns",
        ),
        (
            path(2, kinds=[0, 1]),
            True,
            ValueError,
            "edge_attr must be alike in all graphs; graph 0 has 3 columns, graph 1 has none",
        ),
        (
            Data(x=torch.eye(3), edge_index=torch.tensor([[0, 1], [1, 2]]), edge_attr=torch.eye(3)[:1]),
            True,
            ValueError,
            "edge_attr of graph 1 must have 2 rows, got 1",
        ),
    ],
)
def test_a_graph_that_does_not_fit_is_named(wrong, match_edges, kind, message):
    right = path(2, kinds=[0, 1], bonds=[0])
    with pytest.raises(kind) as caught:
        EncodedGraphs([right, wrong], match_edges=match_edges)
    assert str(caught.value) == message
    with pytest.raises(kind) as caught:
        EncodedGraphs([right, wrong], match_edges=match_edges, names=["the first", "the second"])
    assert str(caught.value) == message.replace("graph 0", "the first").replace("graph 1", "the second")


@pytest.mark.parametrize("match_edges", [False, True])
def test_a_store_is_encoded_as_its_graphs_are(match_edges, monkeypatch):
    several = zoo.random_graphs(9, edge_dim=1)
    expected = EncodedGraphs(several, match_edges=match_edges)
    monkeypatch.setattr(Data, "__init__", None)  # no graph is made of what lies end to end
    store = GraphStore(several)
    found = EncodedGraphs(store, match_edges=match_edges)
    assert len(found) == 9
    for name in ("nodes", "starts", "node_kinds", "neighbours", "edge_kinds"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


def test_blocks_make_no_difference(monkeypatch):
    originals = zoo.random_graphs(9)
    for place, graph in enumerate(originals):
        graph.edge_attr = torch.full((graph.num_edges, 1), float(9 - place))

    def encoded():
        whole = EncodedGraphs(GraphStore(originals), match_edges=True)
        arrays = (whole.nodes, whole.starts, whole.node_kinds, whole.neighbours, whole.edge_kinds)
        return [*(array.tolist() for array in arrays), graph_codes(whole).tolist(), whole.kind_counts.tolist()]

    in_one = encoded()
    for module in (dataset, encoding, enumeration):
        monkeypatch.setattr(module, "BLOCK", 2)
    assert encoded() == in_one


KIND = Variable(name="kind", key="x", kind=ONE_HOT, places=(0, 1, 2))
CHARGE = Variable(name="charge", key="charge", places=(0,))


def charged(charges, **options):
    graph = path(len(charges), **options)
    graph.charge = torch.tensor(charges)
    return graph


def test_kinds_are_the_codes_of_variables_whatever_attribute_has_them():
    graph = charged([1, -1, 1, 1], kinds=[0, 0, 0, 2])
    encoded = EncodedGraphs([graph], match_features=Reading(variables=(KIND, CHARGE)))
    assert encoded.node_table[node_kinds(encoded[0])].tolist() == [[0, 1], [0, -1], [0, 1], [2, 1]]
    assert encoded.num_kinds == 3
    fewer = encoded.read_by(Reading(variables=(CHARGE,)))
    assert fewer.node_table[node_kinds(fewer[0])].tolist() == [[1], [-1], [1], [1]]
    assert (sorted(fewer.kind_counts.tolist()), encoded.kind_counts.sum()) == ([1, 3], 4)
    none = encoded.read_by(Reading())
    assert (node_kinds(none[0]), none.kind_counts.tolist()) == ([0, 0, 0, 0], [4])
    assert all(np.array_equal(*pair) for pair in zip(fewer[0][1:], encoded[0][1:], strict=True))


def test_an_attribute_that_patterns_ask_for_must_be_there():
    with pytest.raises(ValueError, match=r"^graphs must have charge, which patterns ask for, got none$"):
        EncodedGraphs([path(2, kinds=[0, 1])], match_features=Reading(variables=(KIND, CHARGE)))
    with pytest.raises(ValueError, match=r"^x must have kind, which patterns ask for, in column 2, got 2 columns$"):
        EncodedGraphs([path(2, kinds=[0, 1], num_kinds=2)], match_features=Reading(variables=(KIND,)))


def test_an_edge_is_of_another_kind_as_seen_from_its_other_end():
    way = Variable(name="direction", key="edge_index", of="edge", kind=DIRECTION)
    graph = graph_of(3, [(0, 1), (1, 2), (2, 1)])
    encoded = EncodedGraphs([graph], match_edges=Reading(variables=(way,)))
    codes = [float(table[0, 0]) for table in encoded.edge_table]
    seen = [codes[kind] for kind in edge_kinds(encoded[0])]  # from 0, from 1 to 0 and to 2, from 2
    assert seen == [1, -1, 0, 0]
