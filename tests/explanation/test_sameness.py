from dataclasses import replace

import pytest
import torch

from protograph.explanation import Pattern
from protograph.explanation.sameness import same_pattern, same_prototype, same_reason
from protograph.graphs.conditions import EdgeRule
from tests.explanation.by_hand import reason
from tests.explanation.told import HAS_PATH, HAS_TRIANGLE, IS_SHORT, prototype
from tests.metrics.small_graphs import graph_of

PATH = Pattern(graph=graph_of(3, [(0, 1), (1, 2)], [0, 1, 1]))
# The same path, its nodes in another order.
TURNED = Pattern(graph=graph_of(3, [(2, 1), (1, 0)], [1, 1, 0]))


def test_numbers_of_nodes_do_not_matter():
    assert same_pattern(PATH, TURNED)
    assert not same_pattern(PATH, Pattern(graph=graph_of(3, [(0, 1), (1, 2)], [0, 1, 0])))


@pytest.mark.parametrize(
    "change", [{"kind": "induced"}, {"at_least": 2}, {"closed": (0,)}, {"graph": graph_of(3, [(0, 1), (1, 2)])}]
)
def test_how_a_pattern_lies_matters(change):
    assert not same_pattern(PATH, replace(TURNED, **change))


def test_closed_nodes_correspond():
    assert same_pattern(replace(PATH, closed=(0,)), replace(TURNED, closed=(2,)))
    assert not same_pattern(replace(PATH, closed=(0,)), replace(TURNED, closed=(0,)))


def test_edges_count_where_they_are_matched():
    single = graph_of(2, [(0, 1)], [0, 0], [0])
    double = graph_of(2, [(0, 1)], [0, 0], [1])
    assert same_pattern(Pattern(graph=single), Pattern(graph=double))
    rule = EdgeRule(is_matched=True)
    assert not same_pattern(Pattern(graph=single, edge_rule=rule), Pattern(graph=double, edge_rule=rule))


def test_a_single_node_is_a_pattern():
    assert same_pattern(Pattern(graph=graph_of(1, [], [1])), Pattern(graph=graph_of(1, [], [1])))


def test_order_of_patterns_does_not_matter():
    first = reason(has=(PATH, HAS_TRIANGLE.has[0]), lacks=IS_SHORT.lacks)
    second = reason(has=(HAS_TRIANGLE.has[0], TURNED), lacks=IS_SHORT.lacks)
    assert same_reason(first, second)
    assert not same_reason(first, reason(has=second.has))
    assert not same_reason(reason(has=(PATH,)), reason(has=(PATH, TURNED)))


def test_what_is_left_is_the_same_whatever_it_is_left_of():
    first, second = reason(unless=(HAS_TRIANGLE,)), reason(unless=(HAS_PATH,))
    assert same_reason(first, second)
    assert not same_reason(first, HAS_TRIANGLE)


def test_prototypes():
    one = prototype()
    turned = torch.tensor([2, 0, 1])
    other = replace(one, graph=graph_of(3, [(0, 2), (1, 2), (0, 1)]), probability=0.5, nodes=turned.tolist())
    assert same_prototype(one, other)
    assert not same_prototype(one, replace(one, graph=graph_of(3, [(0, 1), (1, 2)])))
