"""Where columns are cut and rows are gathered, and the sample that this is taken from."""

from itertools import pairwise
from random import Random

import numpy as np
import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from torch_geometric.data import Data

from protograph.graphs import bins
from protograph.graphs.bins import divided, edge_cuts, even_cuts, gap_cuts, node_sample
from protograph.graphs.conditions import NodeRule
from protograph.graphs.dataset import collate

OPTIONS = {"depth": 0.6, "certainty": 3.0, "least_share": 0.01}


def heaps(number, *, noise=0.2, size=2000, seed=0):
    rng = np.random.default_rng(seed)
    return rng.integers(number, size=size) + noise * rng.normal(size=size)


@pytest.mark.parametrize("seed", range(3))
def test_every_centre_has_its_own_bin(seed):
    cuts = gap_cuts(heaps(4, seed=seed), **OPTIONS)
    assert np.round(cuts, 1).tolist() == [0.5, 1.5, 2.5]


def test_a_gap_of_too_few_values_is_chance_and_a_small_heap_is_none():
    assert gap_cuts(heaps(2, size=20), **OPTIONS) == ()
    heap = np.append(np.random.default_rng(0).normal(size=2000), np.full(5, 9.0))
    assert gap_cuts(heap, **OPTIONS) == ()


@settings(max_examples=20, deadline=None)
@given(st.lists(st.floats(-1e6, 1e6, allow_nan=False), min_size=2, max_size=60), st.integers(2, 5), st.randoms())
@example([0.0, 2.2250738585072014e-308], 2, Random(0))
@example([1e6, np.nextafter(1e6, 0)], 2, Random(0))
def test_every_value_is_in_one_bin_whatever_the_order(values, num_bins, random):
    column = np.array(values)
    shuffled = np.array(random.sample(values, len(values)))
    for cuts in (even_cuts(column, num_bins), gap_cuts(column, **OPTIONS)):
        edges = [-np.inf, *cuts, np.inf]
        inside = [[low <= value < high for low, high in pairwise(edges)] for value in values]
        assert all(sum(row) == 1 for row in inside)
        told = NodeRule(cuts=(cuts,)).compared(column[:, None])[:, 0] if cuts else np.zeros(len(values))
        assert told.tolist() == [row.index(True) for row in inside]
        assert len(cuts) == 0 or len(set(told.tolist())) == len(cuts) + 1  # no bin is empty
    assert even_cuts(shuffled, num_bins) == even_cuts(column, num_bins)
    assert gap_cuts(shuffled, **OPTIONS) == gap_cuts(column, **OPTIONS)


def test_regions_are_those_that_were_made_and_the_order_of_rows_does_not_matter():
    own = np.repeat(np.arange(4), 10)
    rows = np.eye(4)[own] + 0.05 * np.random.default_rng(0).normal(size=(40, 4))
    found = divided(rows, 4)
    assert len(set(zip(own.tolist(), found.tolist(), strict=True))) == found.max() + 1 == 4
    order = np.random.default_rng(5).permutation(len(rows))
    for number in (4, 7):
        assert divided(rows[order], number).tolist() == divided(rows, number)[order].tolist()


def graph(*rows, dtype=torch.float):
    attributes = torch.tensor(rows, dtype=dtype)
    return Data(edge_index=torch.zeros(2, len(rows), dtype=torch.long), edge_attr=attributes, num_nodes=1)


def cuts(*graphs, max_values=3, num_bins=4):
    return edge_cuts(collate(graphs), max_values=max_values, num_bins=num_bins)


@pytest.mark.parametrize(
    "kinds",
    [
        graph(*range(8), dtype=torch.long),  # whole numbers are names of kinds
        graph(1.0, 1.5, 2.0, 1.5, 1.0),  # and so are a few values that come again and again
        graph([1.0, 0.0], [0.0, 1.0], [0.0, 1.0], [1.0, 1.0]),
        graph(),
        Data(num_nodes=2),
    ],
    ids=["whole", "few", "one-hot", "no edges", "no attributes"],
)
def test_kinds_are_not_cut(kinds):
    assert cuts(kinds) == ()


def test_no_cut_goes_through_equal_values():
    assert cuts(graph(0, 0, 0, 0, 0, 0, 1, 2, 3)) == ((0.5, 1.5),)
    # Most edges have the highest value of all, which is a bin of its own.
    assert cuts(graph(0, 1, 2, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9)) == ((5.5,),)


def test_neither_the_order_of_graphs_matters_nor_that_of_edges():
    graphs = [graph(3, 1, 4), graph(1, 5, 9), graph(2, 6, 5), graph(3, 5, 8)]
    # 1 1 2 | 3 3 4 | 5 5 5 | 6 8 9
    assert cuts(*graphs) == cuts(*graphs[::-1]) == ((2.5, 4.5, 5.5),)


def graphs(number=40, seed=0):
    generator = torch.Generator().manual_seed(seed)
    edges = torch.tensor([[0, 1], [1, 0]])
    return [Data(x=torch.rand(5, 2, generator=generator), edge_index=edges) for _ in range(number)]


def test_neither_order_nor_numbers_of_nodes_matter(monkeypatch):
    monkeypatch.setattr(bins, "BLOCK", 7)
    own = graphs()
    order, nodes = np.random.default_rng(0).permutation(len(own)), torch.tensor([3, 1, 4, 0, 2])
    turned = [Data(x=own[place].x[nodes], edge_index=own[place].edge_index) for place in order]
    plain, other = (node_sample(collate(some), 50) for some in (own, turned))
    assert len(plain.rows) == 50
    assert plain.rows.tolist() == other.rows.tolist()
    assert plain.graphs == tuple(int(order[index]) for index in other.graphs)
    assert plain.words == "50 nodes of 10 graphs chosen by their content"


def test_all_nodes_where_they_are_few_and_none_without_plain_features():
    sample = node_sample(collate(graphs(3)), 100)
    assert (len(sample.rows), sample.words) == (15, "all 15 nodes")
    assert node_sample(collate([Data(num_nodes=3)]), 10) is None
