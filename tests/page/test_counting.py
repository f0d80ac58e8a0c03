"""In how many graphs patterns lie, and what that tells."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protograph.graphs.encoding import EncodedGraphs
from protograph.page.counting import Occurrence, PatternCounter, Population, Sample, information, spread
from protograph.patterns.common_subgraph import CommonPatterns
from protograph.patterns.subgraph_isomorphism import PatternStore
from tests.page.naive_patterns import embeddings, groups_of_graphs, undirected


@pytest.mark.parametrize(
    ("inside", "outside", "expected"),
    [
        (1.0, 0.0, 1.0),
        (0.0, 1.0, -1.0),
        (0.3, 0.3, 0.0),
        (0.0, 0.0, 0.0),
        (1.0, 1.0, 0.0),
        # H(3/4) - H(1/2)/2 = 2 - 3/4 log2(3) - 1/2
        (1.0, 0.5, 1.5 - 0.75 * math.log2(3)),
        (0.5, 0.0, 1.5 - 0.75 * math.log2(3)),
        (0.5, 1.0, -1.5 + 0.75 * math.log2(3)),
    ],
)
def test_information_by_hand(inside, outside, expected):
    assert information(inside, outside) == pytest.approx(expected, abs=1e-12)


def test_shares_of_nothing_are_nothing():
    none = np.zeros(0, np.bool_)
    assert Occurrence(none, none).shares == (0.0, 0.0)
    assert Occurrence(np.array([True, True]), none).shares == (1.0, 0.0)
    found = Occurrence(np.array([True, True]), np.array([True, False]))
    assert found.shares == (1.0, 0.5)
    assert found.information == information(1.0, 0.5)


@pytest.mark.parametrize(("size", "count"), [(5, 9), (10, 1), (10, 4), (201, 200)])
def test_a_sample_is_spread_evenly(size, count):
    chosen = spread(np.arange(size) * 3, count)
    assert chosen.size == min(size, count)
    assert set(chosen.tolist()) <= set((np.arange(size) * 3).tolist())
    assert np.unique(chosen).size == chosen.size
    assert chosen[0] == 0
    gaps = np.diff(chosen // 3)
    assert gaps.size == 0 or gaps.max() - gaps.min() <= 1


@settings(max_examples=20, deadline=None)
@given(groups_of_graphs(2, 6, max_nodes=5), st.booleans(), st.data())
def test_counts_are_those_of_trying_everything(graphs, match_edges, data):
    source = data.draw(st.integers(0, len(graphs) - 1))
    edge = data.draw(st.integers(0, len(graphs)))
    inside, outside = np.arange(edge), np.arange(edge, len(graphs))
    encoded = EncodedGraphs(graphs, match_edges=match_edges)
    counter, sample = PatternCounter(PatternStore(encoded), encoded[source]), Sample(inside, outside)
    every = CommonPatterns([graphs[source]]).source
    component = every.within(every.ordered())
    part = component.within(component.ordered()[: data.draw(st.integers(1, 5))])

    def contain(pattern, chosen):
        return [
            bool(embeddings(pattern.nodes, pattern.edges, graphs[source], graphs[i], match_edges=match_edges))
            for i in chosen
        ]

    found = counter.count(part, sample)
    assert found.inside.tolist() == contain(part, inside)
    assert found.outside.tolist() == contain(part, outside)
    again = counter.count(component, sample, found)
    assert again.inside.tolist() == contain(component, inside)
    assert again.outside.tolist() == contain(component, outside)


@pytest.mark.parametrize(("num_edges", "most", "expected"), [(59, 40, 40), (60, 40, 40), (120, 40, 20), (900, 40, 8)])
def test_of_dense_graphs_fewer_patterns_are_counted(num_edges, most, expected):
    source = undirected(num_edges + 1, [(0, n) for n in range(1, num_edges + 1)])
    encoded = EncodedGraphs([source])
    assert PatternCounter(PatternStore(encoded), encoded[0]).affordable(most) == expected


def test_samples_of_a_population():
    edge, node = undirected(2, [(0, 1)]), undirected(2, [])
    graphs = [edge, node] * 4 + [node] * 10
    encoded = EncodedGraphs(graphs)
    population = Population(encoded, np.arange(8), np.arange(8, 18))
    pattern, counter = CommonPatterns([edge]).source, PatternCounter(population.store, encoded[0])
    every = counter.count(pattern, population.sample(100, 100))
    assert every.inside.tolist() == [True, False] * 4
    assert every.outside.tolist() == [False] * 10
    some = counter.count(pattern, population.sample(4, 2))
    assert some.inside.tolist() == [graphs[i] is edge for i in spread(np.arange(8), 4)]
    assert some.outside.size == 2
