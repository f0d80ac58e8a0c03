"""Patterns: which graphs have them, by plain loops and by hand, where they lie, and their formal lines."""

import json
import math
import re

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch_geometric.data import Batch, Data

from protograph._utils.errors import ProtographWarning
from protograph.explanation import Pattern
from protograph.explanation.pattern import SearchedGraphs, as_searched, nodes_of
from protograph.graphs.conditions import Condition, Reading
from protograph.graphs.variables import Variable
from tests.explanation.by_hand import BOND, CHARGE, HEIGHT, KIND, WAY, asking, complete, naive_pattern, patterns
from tests.metrics.small_graphs import graph_of, graphs, path, ring


@st.composite
def both_ways(draw):
    """A graph some of whose edges go both ways, and hold the same back or something else."""
    graph = draw(graphs(max_nodes=6))
    number = graph.num_edges
    back = draw(st.lists(st.integers(0, number - 1), max_size=3)) if number else []
    rows = draw(st.lists(st.integers(0, number - 1), min_size=len(back), max_size=len(back))) if back else []
    graph.edge_index = torch.cat([graph.edge_index, graph.edge_index[:, back].flip(0)], dim=1)
    for key in ("edge_attr", "order", "length"):
        graph[key] = torch.cat([graph[key], graph[key][rows]])
    return graph


@settings(max_examples=60, deadline=None)
@given(patterns(), st.lists(both_ways(), max_size=4))
def test_a_pattern_holds_where_plain_loops_find_it(pattern, whole):
    assert pattern.holds_in(whole).tolist() == [naive_pattern(pattern, graph) for graph in whole]


@settings(max_examples=60, deadline=None)
@given(patterns(), st.lists(both_ways(), max_size=4))
def test_a_formal_line_says_all_that_is_asked(pattern, whole):
    line = pattern.query
    again = Pattern(graph=path(1), node_reading=pattern.node_reading, edge_reading=pattern.edge_reading).parse(line)
    assert again.query == line
    assert again.describe() == pattern.describe()
    assert again.holds_in(whole).tolist() == pattern.holds_in(whole).tolist()


def test_a_formal_line_by_hand():
    reading = Reading(variables=(KIND, CHARGE, HEIGHT))
    asked = (
        (Condition(variable="kind", low=1.0, high=1.0), Condition(variable="height", low=-math.inf, high=-math.inf)),
        (
            Condition(variable="charge", low=0.0),
            Condition(variable="height", low=0.5, high=0.5),
            Condition(variable="kind", low=2.0, high=2.0, is_not=True),
        ),
    )
    bonds = Reading(variables=(BOND,))
    pattern = Pattern(
        graph=path(2),
        closed=(1,),
        at_least=2,
        node_reading=reading,
        node_conditions=asked,
        edge_reading=bonds,
        edge_conditions=((Condition(variable="bond", low=1.0, high=1.0),),),
    )
    assert json.loads(pattern.query) == {
        # Quantities lie below the upper end.
        "nodes": [
            {"kind": "blue", "height": [None, 0.5]},
            {"charge": [0, None], "height": [0.5, 1.5], "kind": {"not": "green"}},
        ],
        "edges": [[0, 1, {"bond": "double"}]],
        "closed": [1],
        "at_least": 2,
    }
    assert pattern.parse(pattern.query).conditions == pattern.conditions


def test_the_way_of_an_edge_is_that_from_its_first_node():
    ways = Pattern(graph=path(2), edge_reading=Reading(variables=(WAY,)))
    there, back = (
        ways.parse(f'{{"nodes": [{{}}, {{}}], "edges": [[{ends}, {{"direction": "out"}}]]}}')
        for ends in ("0, 1", "1, 0")
    )
    assert (there.describe(), back.conditions[0, 1][0].low) == ("a path node->node", -1.0)
    assert back.query == '{"nodes": [{}, {}], "edges": [[0, 1, {"direction": "in"}]]}'


def test_names_that_two_values_share_are_left_to_digits():
    twins = Variable(name="kind", key="x", places=(0,), labels=((0, "odd"), (1, "odd"), (2, "even")), values=(0, 1, 2))
    asked = tuple((Condition(variable="kind", low=code, high=code),) for code in (0.0, 1.0, 2.0))
    pattern = Pattern(graph=path(3), node_reading=Reading(variables=(twins,)), node_conditions=asked)
    assert json.loads(pattern.query)["nodes"] == [{"kind": 0.0}, {"kind": 1.0}, {"kind": "even"}]
    assert pattern.parse(pattern.query).node_conditions == asked


@pytest.mark.parametrize(
    "line",
    [
        "[#6]",
        "{}",
        '{"nodes": [{"colour": "red"}], "edges": []}',
        '{"nodes": [{"kind": "purple"}], "edges": []}',
        '{"nodes": [{"kind": [2, 1]}], "edges": []}',
        '{"nodes": [{}, {}], "edges": []}',
        '{"nodes": [{}], "edges": [[0, 1, {}]]}',
        '{"nodes": 3, "edges": []}',
    ],
)
def test_lines_that_are_no_query_are_refused(line):
    with pytest.raises(
        ValueError, match=rf"^query must be a line as Pattern\.query gives it, .*got '{re.escape(line)}'"
    ):
        asking(path(1, kinds=[0]), ("red", "blue", "green")).parse(line)


def test_features_that_were_never_seen_are_no_hindrance():
    pattern = asking(path(2, kinds=[0, 2]), ("red", "blue", "green"))
    new = Data(x=torch.tensor([[0.5, 7.0, -1.0]] * 2), edge_index=torch.tensor([[0], [1]]))
    assert pattern.holds_in([new, path(2, kinds=[2, 0]), path(2, kinds=[2, 1])]).tolist() == [False, True, False]


def test_it_is_told_by_its_size_and_how_it_must_lie():
    assert repr(Pattern(graph=path(2))) == "Pattern(2 nodes, 1 edge)"
    whole = Pattern(graph=ring(3), kind="induced", closed=(0, 2), at_least=2)
    assert repr(whole) == "Pattern(3 nodes, 3 edges, induced, closed=[0, 2], at_least=2)"


CHARGED = Condition(variable="charge", low=1.0)


@pytest.mark.parametrize(
    ("parts", "problem"),
    [
        ({"kind": "whole"}, r'kind must be "part" or "induced", got "whole"'),
        ({"closed": (1, 0)}, r"closed .*from 0 to 2 and ascending, got \[1, 0\]"),
        ({"closed": (3,)}, r"closed .*from 0 to 2 and ascending, got \[3\]"),
        ({"at_least": 0}, r"at_least must be at least 1, got 0"),
        ({"graph": graph_of(3, [(0, 1)])}, r"graph must be connected"),
        ({"graph": Data(num_nodes=0)}, r"graph must be connected and have a node"),
        ({"node_conditions": ((), ())}, r"node_conditions must be empty or a list of 3, one for each node"),
        ({"edge_conditions": ((),)}, r"edge_conditions must be empty or a list of 2, one for each edge"),
        (
            {"node_conditions": ((CHARGED,), (), ())},
            r'node_conditions must be about variables of node_reading, got "ch',
        ),
        (
            {"node_reading": Reading(variables=(CHARGE,)), "node_conditions": ((CHARGED, CHARGED), (), ())},
            r'node_conditions must be at most one a variable for each node, got \["charge", "charge"\]',
        ),
    ],
)
def test_what_is_no_pattern_is_refused(parts, problem):
    with pytest.raises(ValueError, match=f"^{problem}"):
        Pattern(**{"graph": path(3)} | parts)


def test_patterns_are_told_apart_by_all_that_counts():
    searched = SearchedGraphs([path(3, kinds=[0, 1, 0]), ring(3, kinds=[0, 0, 0])])
    assert searched.contain(path(2, kinds=[0, 1])).tolist() == [True, False]
    assert searched.contain(path(2, kinds=[0, 0])).tolist() == [False, True]
    assert searched.contain(path(2, kinds=[0, 0]), nodes=False).tolist() == [True, True]

    def holds(kinds, **lies):
        return searched.contain(asking(path(2, kinds=kinds), ("red", "blue", "green"), **lies)).tolist()

    assert holds([0, 1]) == [True, False]
    assert holds([0, 0]) == [False, True]
    assert holds([0, 0], at_least=3) == [False, True]
    assert holds([0, 0], at_least=4) == [False, False]
    assert holds([0, 1], closed=(0,)) == [True, False]
    assert holds([0, 1], closed=(1,)) == [False, False]


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
