from itertools import permutations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch_geometric.data import Data

from protograph.graphs.cutting import induced_subgraph
from protograph.graphs.encoding import EncodedGraphs
from protograph.patterns.correspondence import largest_common_subgraph
from protograph.patterns.subgraph_isomorphism import contained_in
from tests.metrics.small_graphs import graph_of, graphs, grid, path, plain, ring

ENOUGH = 1_000_000


def most_common_edges(small, large, match_edges):
    """By trying every way to give nodes of one graph partners of equal kind in the other, or none."""
    (kinds, edges), (other_kinds, other_edges) = plain(small), plain(large)
    partners = [*range(len(other_kinds)), *([None] * len(kinds))]
    most = 0
    for image in set(permutations(partners, len(kinds))):
        if all(other is None or kinds[node] == other_kinds[other] for node, other in enumerate(image)):
            mapped = {pair: frozenset(image[node] for node in pair) for pair in edges}
            most = max(most, sum(in_both(edges[p], other_edges, m, match_edges) for p, m in mapped.items()))
    return most


def in_both(bond, other_edges, mapped, match_edges):
    return mapped in other_edges and (not match_edges or other_edges[mapped] == bond)


def searched(small, large, match_edges=False, max_calls=ENOUGH):
    first, second = EncodedGraphs([small, large], match_edges=match_edges)
    return largest_common_subgraph(first, second, max_calls)


def num_common(result, small, large, match_edges=False):
    """Edges in both graphs under the correspondence, which must be one of nodes of equal kind."""
    (kinds, edges), (other_kinds, other_edges) = plain(small), plain(large)
    image = result.image.tolist()
    placed = [other for other in image if other >= 0]
    assert len(set(placed)) == len(placed)
    assert all(other < 0 or kinds[node] == other_kinds[other] for node, other in enumerate(image))
    return sum(in_both(edges[p], other_edges, frozenset(image[n] for n in p), match_edges) for p in edges)


@settings(max_examples=60, deadline=None)
@given(graphs(max_nodes=3), graphs(min_nodes=3, max_nodes=4))
def test_no_correspondence_has_more_edges(small, large):
    for match_edges in (False, True):
        result = searched(small, large, match_edges)
        most = most_common_edges(small, large, match_edges)
        assert (num_common(result, small, large, match_edges), result.bound, result.is_exact) == (most, most, True)


@settings(max_examples=60, deadline=None)
@given(graphs(max_nodes=4), graphs(min_nodes=4, max_nodes=6))
def test_every_node_that_can_have_a_partner_has_one(small, large):
    kinds, other_kinds = plain(small)[0], plain(large)[0]
    image = searched(small, large).image.tolist()
    for kind in set(kinds):
        partners = [image[node] for node in range(len(kinds)) if kinds[node] == kind]
        assert sum(other >= 0 for other in partners) == min(kinds.count(kind), other_kinds.count(kind))


@pytest.mark.parametrize(
    ("small", "large", "most"),
    [
        (ring(4), grid(3, 3), 4),
        (ring(3), grid(3, 3), 2),
        (ring(8), grid(3, 3), 8),
        (path(6), ring(6), 5),
        (path(3, kinds=[0, 1, 0]), path(3, kinds=[1, 0, 1]), 1),
        (path(2, kinds=[0, 0]), path(2, kinds=[1, 1]), 0),
        (graph_of(0, []), path(2), 0),
    ],
)
def test_by_hand(small, large, most):
    result = searched(small, large)
    assert (num_common(result, small, large), result.bound, result.is_exact) == (most, most, True)


@settings(max_examples=40, deadline=None)
@given(graphs(max_nodes=5), graphs(min_nodes=5, max_nodes=6))
def test_a_search_cut_short_gives_a_bound_that_holds(small, large):
    exact, short = searched(small, large), searched(small, large, max_calls=2)
    most = num_common(exact, small, large)
    assert num_common(short, small, large) <= most <= short.bound
    # It may have found the most by chance without knowing; what it calls exact is.
    assert not short.is_exact or num_common(short, small, large) == most


@settings(max_examples=60, deadline=None)
@given(graphs(min_nodes=1, max_nodes=5), graphs(min_nodes=5, max_nodes=7), st.randoms(use_true_random=False))
def test_the_numbers_of_the_nodes_make_no_difference(small, large, random):
    order = list(range(large.num_nodes))
    random.shuffle(order)
    place = torch.empty(large.num_nodes, dtype=torch.long)
    place[torch.tensor(order)] = torch.arange(large.num_nodes)
    other = Data(x=large.x[order], edge_index=place[large.edge_index], edge_attr=large.edge_attr)
    for match_edges in (False, True):
        one, two = searched(small, large, match_edges), searched(small, other, match_edges)
        assert (one.bound, one.is_exact) == (two.bound, two.is_exact)
        assert num_common(two, small, other, match_edges) == num_common(one, small, large, match_edges)


@settings(max_examples=60, deadline=None)
@given(graphs(min_nodes=1, max_nodes=4), graphs(min_nodes=4, max_nodes=6), st.booleans())
def test_all_edges_are_common_exactly_where_the_graph_is_contained_but_for_lone_nodes(small, large, match_edges):
    joined = sorted({node for pair in plain(small)[1] for node in pair})
    part = induced_subgraph(small, joined)
    is_contained = contained_in(part, EncodedGraphs([large], match_edges=match_edges)).tolist() == [1]
    result = searched(small, large, match_edges)
    assert (result.bound == len(plain(small)[1])) == is_contained


def test_many_nodes_that_can_be_swapped_take_few_steps():
    """Stars of ten leaves: without their order there are 10! ways to place them."""
    star = graph_of(11, [(0, leaf) for leaf in range(1, 11)])
    other = graph_of(12, [(0, leaf) for leaf in range(1, 10)] + [(1, 10), (2, 11)])
    result = searched(star, other, max_calls=20_000)
    assert (num_common(result, star, other), result.is_exact) == (9, True)
