import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch_geometric.data import Data

from protograph.explanation.rule import CONFIRMING, KEPT_APART, SEARCHED
from protograph.graphs.encoding import EncodedGraphs
from protograph.page.reasons.scope import ReasonOptions, divided
from tests.page.naive_patterns import labelled
from tests.page.reasons.by_hand import house_world


def parts_of(graphs, predictions, **options):
    return divided(EncodedGraphs(graphs), np.array(predictions), ReasonOptions(**options))


def relabelled(graph, order):
    order = torch.tensor(order)
    x = torch.empty_like(graph.x)
    x[order] = graph.x
    return Data(x=x, edge_index=order[graph.edge_index])


WORLD = house_world(200)
PREDICTED = np.arange(200) % 2


def test_every_class_has_its_shares():
    parts = parts_of(WORLD, PREDICTED)
    assert parts.note == ""
    for target in (0, 1):
        numbers = np.bincount(parts.of_graph[np.equal(PREDICTED, target)], minlength=3)
        assert numbers.tolist() == pytest.approx([70, 15, 15], abs=1)
    assert sorted(np.concatenate([parts.indices(part) for part in (SEARCHED, CONFIRMING, KEPT_APART)])) == [*range(200)]
    other = parts_of(WORLD, PREDICTED, searched_share=0.5, confirming_share=0.3)
    numbers = np.bincount(other.of_graph[PREDICTED == 1], minlength=3)
    assert numbers.tolist() == pytest.approx([50, 30, 20], abs=1)


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_neither_the_order_of_graphs_nor_that_of_their_nodes_matters(seed):
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(WORLD))
    turned = [relabelled(WORLD[index], rng.permutation(WORLD[index].num_nodes)) for index in order]
    again = parts_of(turned, PREDICTED[order])
    assert again.of_graph.tolist() == parts_of(WORLD, PREDICTED).of_graph[order].tolist()


@settings(max_examples=30, deadline=None)
@given(st.lists(labelled(max_nodes=5), min_size=2, max_size=12), st.data())
def test_twins_stay_together(graphs, data):
    predictions = data.draw(st.lists(st.integers(0, 1), min_size=len(graphs), max_size=len(graphs)))
    twins = [relabelled(graph, data.draw(st.permutations(range(graph.num_nodes)))) for graph in graphs]
    parts = parts_of([*graphs, *twins], [*predictions, *predictions], min_kept_apart=1)
    assert parts.of_graph[: len(graphs)].tolist() == parts.of_graph[len(graphs) :].tolist()


def test_too_few_graphs_to_keep_some_apart():
    few = [*np.flatnonzero(PREDICTED == 0)[:20], *np.flatnonzero(PREDICTED == 1)]
    parts = parts_of([WORLD[index] for index in few], PREDICTED[few])
    assert parts.note == (
        "no graphs were kept apart to measure fidelity with: of a class with 20 graphs predicted, 20 of them "
        "different, fewer than 5 would be kept"
    )
    assert parts.indices(KEPT_APART).size == 0
    assert np.bincount(parts.of_graph[:20]).tolist() == [17, 3]
    assert np.bincount(parts.of_graph[20:]).tolist() == [85, 15]
    assert parts_of([WORLD[index] for index in few], PREDICTED[few], min_kept_apart=3).note == ""


def test_copies_change_no_part_and_the_limits_count_different_graphs():
    few, first = {"max_searched": 40, "max_confirming": 20}, slice(0, 200)
    parts = parts_of(WORLD * 5, [*PREDICTED] * 5)
    assert parts.of_graph[first].tolist() == parts_of(WORLD, PREDICTED).of_graph.tolist()
    assert parts.is_first.nonzero()[0].tolist() == [*range(200)]
    assert parts.is_read.all()
    parts = parts_of(WORLD * 5, [*PREDICTED] * 5, **few)
    assert parts.of_graph[first].tolist() == parts_of(WORLD, PREDICTED, **few).of_graph.tolist()
    assert np.bincount(parts.of_graph[first], minlength=3).tolist() == pytest.approx([40, 20, 140], abs=1)
    # Of copies so many are read as keep to the limit, but one at least.
    assert parts.is_read.nonzero()[0].tolist() == [*range(200)]
    parts = parts_of(WORLD * 5, [*PREDICTED] * 5, max_searched=280)
    assert parts.is_read.nonzero()[0].tolist() == [*range(400)]


def test_twins_are_not_enough_to_keep_some_apart():
    """Graphs that look the same serve for the same, so that a class of few different ones has none to spare."""
    parts = parts_of([WORLD[0]] * 100 + [WORLD[1]] * 100, [0] * 100 + [1] * 100)
    assert parts.note == (
        "no graphs were kept apart to measure fidelity with: of a class with 100 graphs predicted, 1 of them "
        "different, fewer than 5 would be kept"
    )
    assert parts.of_graph.tolist() == [SEARCHED] * 200
