"""Patterns: which graphs have them, by plain loops and by hand, and where they lie."""

import re

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch_geometric.data import Batch, Data

from protograph._utils.errors import ProtographWarning
from protograph.explanation import Pattern
from protograph.explanation.pattern import SearchedGraphs, as_searched, nodes_of
from protograph.graphs.conditions import EdgeRule
from tests.explanation.by_hand import complete, naive_pattern, patterns
from tests.metrics.small_graphs import graph_of, graphs, path, ring


@settings(max_examples=30, deadline=None)
@given(patterns(), st.lists(graphs(max_nodes=6), max_size=4))
def test_a_pattern_holds_where_plain_loops_find_it(pattern, whole):
    assert pattern.holds_in(whole).tolist() == [naive_pattern(pattern, graph) for graph in whole]


def test_features_that_were_never_seen_are_no_hindrance():
    pattern = Pattern(graph=path(2, kinds=[0, 2]))
    new = Data(x=torch.tensor([[0.5, 7.0, -1.0]] * 2), edge_index=torch.tensor([[0], [1]]))
    assert pattern.holds_in([new, path(2, kinds=[2, 0]), path(2, kinds=[2, 1])]).tolist() == [False, True, False]


def test_it_is_told_by_its_size_and_how_it_must_lie():
    assert repr(Pattern(graph=path(2))) == "Pattern(2 nodes, 1 edge)"
    whole = Pattern(graph=ring(3), kind="induced", closed=(0, 2), at_least=2)
    assert repr(whole) == "Pattern(3 nodes, 3 edges, induced, closed=[0, 2], at_least=2)"


@pytest.mark.parametrize(
    ("parts", "problem"),
    [
        ({"kind": "whole"}, r'kind must be "part" or "induced", got "whole"'),
        ({"closed": (1, 0)}, r"closed .*from 0 to 2 and ascending, got \[1, 0\]"),
        ({"closed": (3,)}, r"closed .*from 0 to 2 and ascending, got \[3\]"),
        ({"at_least": 0}, r"at_least must be at least 1, got 0"),
        ({"graph": graph_of(3, [(0, 1)])}, r"graph must be connected"),
        ({"graph": Data(num_nodes=0)}, r"graph must be connected and have a node"),
        ({"edge_rule": EdgeRule(is_matched=True)}, r"graph must have edge_attr where edges are matched"),
    ],
)
def test_what_is_no_pattern_is_refused(parts, problem):
    with pytest.raises(ValueError, match=f"^{problem}"):
        Pattern(**{"graph": path(3)} | parts)


def test_patterns_are_told_apart_by_all_that_counts():
    searched = SearchedGraphs([path(3, kinds=[0, 1, 0]), ring(3, kinds=[0, 0, 0])])
    assert searched.contain(path(2, kinds=[0, 1])).tolist() == [True, False]
    assert searched.contain(path(2, kinds=[0, 0])).tolist() == [False, True]
    assert searched.contain(path(2, kinds=[0, 0]), match_features=False).tolist() == [True, True]
    assert searched.contain(path(2, kinds=[0, 0]), at_least=3).tolist() == [False, True]
    assert searched.contain(path(2, kinds=[0, 0]), at_least=4).tolist() == [False, False]
    assert searched.contain(path(2, kinds=[0, 1]), closed=(0,)).tolist() == [True, False]
    assert searched.contain(path(2, kinds=[0, 1]), closed=(1,)).tolist() == [False, False]


def test_batches_are_taken_apart_and_what_is_searched_already_stays():
    batch = Batch.from_data_list([path(2), ring(3)])
    searched = as_searched([batch, ring(4)])
    assert searched.contain(ring(3)).tolist() == [False, True, False]
    assert as_searched(searched) is searched


def test_a_single_graph_is_refused():
    with pytest.raises(TypeError, match=rf"^graphs must be .*, got a Data; {re.escape('pass [graphs]')}$"):
        SearchedGraphs(path(2))
    with pytest.raises(TypeError, match=r"pass graphs\.to_data_list\(\)$"):
        SearchedGraphs(Batch.from_data_list([path(2)]))


def test_what_is_given_up_is_told():
    searched = SearchedGraphs([complete(9), Data(num_nodes=2)], max_calls=1)
    with pytest.warns(ProtographWarning, match=r"1 graph of 2 was given up after 1 call; they count as without it$"):
        assert searched.contain(path(6)).tolist() == [False, False]


def test_where_patterns_lie():
    chord = ring(4)
    chord.edge_index = torch.cat([chord.edge_index, torch.tensor([[0, 2], [2, 0]])], dim=1)
    square = Pattern(graph=ring(4), kind="induced")
    assert nodes_of([square], [chord, ring(4)]) == [(), (0, 1, 2, 3)]
    end = Pattern(graph=path(2), closed=(1,))
    assert nodes_of([end], [ring(3), path(3)]) == [(), (0, 1)]
    # A graph that lacks one of them has none.
    assert nodes_of([Pattern(graph=path(2)), Pattern(graph=ring(3))], [path(3), ring(3)]) == [(), (0, 1, 2)]
    assert nodes_of([], [ring(3)]) == [()]
