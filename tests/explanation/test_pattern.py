import re

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch_geometric.data import Data

from protograph.explanation import Pattern
from protograph.explanation.codec import pack, read
from protograph.graphs.conditions import EdgeRule
from tests.explanation.by_hand import complete, house, naive_pattern, patterns
from tests.metrics.small_graphs import graph_of, graphs, path, ring


@settings(max_examples=200, deadline=None)
@given(patterns(), st.lists(graphs(max_nodes=6), max_size=4))
def test_a_pattern_holds_where_plain_loops_find_it(pattern, whole):
    assert pattern.holds_in(whole).tolist() == [naive_pattern(pattern, graph) for graph in whole]


@settings(max_examples=50, deadline=None)
@given(patterns(), st.lists(graphs(max_nodes=6), min_size=1, max_size=3))
def test_a_pattern_is_written_and_read_whole(pattern, whole):
    again = read(pack(pattern, Pattern), Pattern)
    assert again.holds_in(whole).tolist() == pattern.holds_in(whole).tolist()
    assert pack(again, Pattern) == pack(pattern, Pattern)


def test_kinds_counts_and_closed_nodes_by_hand():
    five = [ring(5), house(), complete(4), path(5)]
    assert Pattern(graph=ring(5)).holds_in(five).tolist() == [True, True, False, False]
    assert Pattern(graph=ring(5), kind="induced").holds_in(five).tolist() == [True, False, False, False]
    assert Pattern(graph=ring(3), at_least=2).holds_in(five).tolist() == [False, False, True, False]
    assert Pattern(graph=path(2), closed=(0,)).holds_in(five).tolist() == [False, False, False, True]


def test_features_that_were_never_seen_are_no_hindrance():
    pattern = Pattern(graph=path(2, kinds=[0, 2]))
    new = Data(x=torch.tensor([[0.5, 7.0, -1.0]] * 2), edge_index=torch.tensor([[0], [1]]))
    assert pattern.holds_in([new, path(2, kinds=[2, 0]), path(2, kinds=[2, 1])]).tolist() == [False, True, False]


def test_no_graphs_have_no_answers():
    holds = Pattern(graph=path(2)).holds_in([])
    assert (holds.dtype, holds.shape) == (np.dtype(bool), (0,))


def test_it_is_told_by_its_size_and_how_it_must_lie():
    assert repr(Pattern(graph=path(2))) == "Pattern(2 nodes, 1 edge)"
    whole = Pattern(graph=ring(3), kind="induced", closed=(0, 2), at_least=2)
    assert repr(whole) == "Pattern(3 nodes, 3 edges, induced, closed=[0, 2], at_least=2)"


@pytest.mark.parametrize(
    ("parts", "problem"),
    [
        ({"kind": "whole"}, 'kind must be "part" or "induced", got "whole"'),
        ({"closed": (1, 0)}, "closed must be nodes of graph, from 0 to 2 and ascending, got [1, 0]"),
        ({"closed": (3,)}, "closed must be nodes of graph, from 0 to 2 and ascending, got [3]"),
        ({"at_least": 0}, "at_least must be at least 1, got 0"),
        ({"graph": graph_of(3, [(0, 1)])}, "graph must be connected and have a node, got one that is not"),
        ({"graph": Data(num_nodes=0)}, "graph must be connected and have a node, got one that is not"),
        (
            {"edge_rule": EdgeRule(is_matched=True)},
            "graph must have edge_attr where edges are matched, got one without",
        ),
    ],
)
def test_what_is_no_pattern_is_refused(parts, problem):
    with pytest.raises(ValueError, match=f"^{re.escape(problem)}$"):
        Pattern(**{"graph": path(3)} | parts)
