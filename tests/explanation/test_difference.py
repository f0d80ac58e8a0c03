"""Two explanations beside each other: what came, went and changed, and in words."""

from dataclasses import replace

import pytest
import torch

from protograph.explanation import Pattern
from protograph.explanation.difference import (
    GraphChange,
    alike,
    diff,
    graph_words,
    same_pattern,
    same_reason,
)
from protograph.graphs.conditions import Condition, Reading
from tests.explanation.by_hand import CHARGE, HEIGHT, KIND, WAY, asking, reason
from tests.explanation.told import FACTS, HAS_PATH, HAS_TRIANGLE, IS_SHORT, prototype, told
from tests.metrics.small_graphs import graph_of, ring

KINDS = ("red", "blue", "green")
PATH = asking(graph_of(3, [(0, 1), (1, 2)], [0, 1, 1]), KINDS)
# The same path, its nodes in another order.
TURNED = asking(graph_of(3, [(2, 1), (1, 0)], [1, 1, 0]), KINDS)


def changes(difference, target, what="reason"):
    one = next(one for one in difference.classes if one.target == target)
    return {(change.status, change.words) for change in one.changes if change.what == what}


def test_a_reason_goes_and_another_comes():
    after = told({0: (IS_SHORT, HAS_TRIANGLE), 1: (HAS_TRIANGLE,)})
    difference = diff(told(), after)
    assert changes(difference, 0) == {
        ("went", "a path of four nodes"),
        ("came", "a triangle"),
        ("same", "without a node with at least two neighbours"),
    }
    assert changes(difference, 1) == {("same", "a triangle")}
    same = next(change for change in difference.changes("same") if change.before.number == 2)
    assert (same.before.share, same.after.number) == (0.5, 1)
    # The path that was predicted as class 0 for being one has no reason any more.
    (graph,) = difference.graphs
    assert graph.label == "graph 11 (line 3, =b)"
    assert (graph.predictions, graph.reasons) == ((0, 0), ("a path of four nodes", ""))


def test_shares_and_predictions_change():
    after = told(predictions=[1, 0, 1, 1, 0])
    difference = diff(told(), after)
    statuses = {(one.target, change.words): change.status for one in difference.classes for change in one.changes}
    assert statuses[0, "a path of four nodes"] == "changed"
    path = next(change for change in difference.changes("changed") if change.words == "a path of four nodes")
    assert (path.before.share, path.after.share) == (0.5, 1.0)
    assert (path.before.share_elsewhere, path.after.share_elsewhere) == (1 / 3, 0.0)
    assert [(one.label, one.predictions) for one in difference.graphs] == [
        ("graph 13 (line 5, d)", (0, 1)),
        ("graph 14 (line 6, <e>)", (1, 0)),
    ]
    assert difference.classes[0].num_predicted == (2, 2)


def test_small_changes_are_none():
    after = told(predictions=[1, 0, 1, 1, 0])
    assert {one.status for one in diff(told(), after, least_change=1.0).changes("changed", "same")} == {"same"}
    with pytest.raises(ValueError, match=r"^least_change must be a finite number of at least 0, got -1$"):
        diff(told(), told(), least_change=-1)


def test_the_nearest_reason_is_named():
    before = told({0: (HAS_PATH,), 1: (HAS_TRIANGLE,)})
    wider = replace(HAS_PATH, has=(replace(HAS_PATH.has[0], kind="induced"),))
    (went,) = diff(before, told({0: (wider,), 1: (HAS_TRIANGLE,)})).changes("went")
    assert (went.nearest, went.overlap) == (wider.describe(), 1.0)


def test_graphs_are_the_same_by_where_they_came_from():
    moved = replace(FACTS, places=(10, 11, 12, 13, 99))
    difference = diff(told(), told(facts=moved))
    assert (difference.num_common, difference.num_graphs) == (4, (5, 5))
    assert difference.notes == (
        "only 4 graphs are in both explanations, which are of 5 and 5; shares are of each one's own",
    )


def test_other_graphs_at_the_same_places_are_refused():
    other = replace(FACTS, labels=(1, 0, 1, 0, 1))
    with pytest.raises(ValueError, match=r"^a and b must be of the same graphs, got graph 14 .* with another label; "):
        diff(told(), told(facts=other))
    few, many = (replace(FACTS, graphs={0: ring(size)}) for size in (3, 4))
    with pytest.raises(ValueError, match=r"got graph 10 .* with another number of nodes; explain both models on the "):
        diff(told(facts=few), told(facts=many))


def test_one_class_of_one_side():
    difference = diff(told(), told()[1])
    assert difference.classes[0].num_predicted == (2, None)
    assert {change.status for change in difference.classes[0].changes} == {"went"}


def test_other_classes_are_refused():
    with pytest.raises(ValueError, match=r"^a and b must explain a class each, got one of no class; "):
        diff(told(), told({}))
    with pytest.raises(
        ValueError, match=r"^a and b must be of the same classes, got plain, <b>three</b> and no, yes; "
    ):
        diff(told(), told(class_names=("no", "yes")))


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "induced"},
        {"at_least": 2},
        {"closed": (0,)},
        {"node_conditions": ()},
        {"node_conditions": (TURNED.of_nodes[0], TURNED.of_nodes[2], TURNED.of_nodes[0])},
        {"node_conditions": (*TURNED.of_nodes[:2], ())},
    ],
)
def test_how_a_pattern_lies_matters_and_the_numbers_of_its_nodes_do_not(change):
    assert same_pattern(PATH, TURNED)
    assert same_pattern(replace(PATH, closed=(0,)), replace(TURNED, closed=(2,)))
    assert not same_pattern(PATH, replace(TURNED, **change))


def test_edges_count_where_they_are_matched():
    single = graph_of(2, [(0, 1)], [0, 0], [0])
    double = graph_of(2, [(0, 1)], [0, 0], [1])
    assert same_pattern(asking(single, KINDS), asking(double, KINDS))
    bonds = ("single", "double", "odd")
    assert not same_pattern(asking(single, KINDS, bonds), asking(double, KINDS, bonds))


def test_it_matters_which_node_is_asked_for_what():
    kind, charge = (Condition(variable=name, low=1.0, high=1.0) for name in ("kind", "charge"))
    pair = Pattern(graph=graph_of(2, [(0, 1)]), node_reading=Reading(variables=(KIND, CHARGE)))
    both, each = (
        replace(pair, node_conditions=((), (kind, charge))),
        replace(pair, node_conditions=((kind,), (charge,))),
    )
    assert not same_pattern(both, each)
    assert same_pattern(both, replace(pair, node_conditions=((charge, kind), ())))
    assert same_pattern(each, replace(each, node_conditions=each.of_nodes[::-1]))


def test_it_matters_which_way_an_edge_goes():
    there, back = (
        replace(
            asking(graph_of(2, [(0, 1)], [0, 1]), KINDS),
            edge_reading=Reading(variables=(WAY,)),
            edge_conditions=((Condition(variable="direction", low=way, high=way),),),
        )
        for way in (1.0, -1.0)
    )
    assert not same_pattern(there, back)
    assert same_pattern(there, replace(back, node_conditions=back.of_nodes[::-1]))


def test_bins_of_other_bounds_are_others():
    tall = Condition(variable="height", low=0.5, high=0.5)
    one = Pattern(graph=graph_of(1, []), node_reading=Reading(variables=(HEIGHT,)), node_conditions=((tall,),))
    other = Reading(variables=(replace(HEIGHT, cuts=(0.5, 2.0)),))
    assert same_pattern(one, replace(one))
    assert not same_pattern(one, replace(one, node_reading=other))


def test_order_of_patterns_does_not_matter():
    first = reason(has=(PATH, HAS_TRIANGLE.has[0]), lacks=IS_SHORT.lacks)
    second = reason(has=(HAS_TRIANGLE.has[0], TURNED), lacks=IS_SHORT.lacks)
    assert same_reason(first, second)
    assert not same_reason(first, reason(has=second.has))
    assert not same_reason(reason(has=(PATH,)), reason(has=(PATH, TURNED)))
    # What is left is the same whatever it is left of.
    assert same_reason(reason(unless=(HAS_TRIANGLE,)), reason(unless=(HAS_PATH,)))
    assert not same_reason(reason(unless=(HAS_TRIANGLE,)), HAS_TRIANGLE)


def test_prototypes():
    one = prototype()
    turned = torch.tensor([2, 0, 1])
    other = replace(one, graph=graph_of(3, [(0, 2), (1, 2), (0, 1)]), probability=0.5, nodes=turned.tolist())
    assert same_pattern(one, other)
    assert not same_pattern(one, replace(one, graph=graph_of(3, [(0, 1), (1, 2)])))
    # Features count as the prototypes were counted.
    kinds = [replace(one, graph=graph_of(3, [(0, 1), (1, 2)], kinds)) for kinds in ([0, 1, 1], [1, 1, 1])]
    assert not same_pattern(*kinds)
    assert same_pattern(*(replace(kind, node_rule=Reading()) for kind in kinds))
    assert not same_pattern(*(replace(kind, pattern=asking(kind.graph, KINDS)) for kind in kinds))
    assert same_pattern(*(replace(kind, pattern=asking(kind.graph)) for kind in kinds))


def test_nothing_changed():
    assert repr(diff(told(), told())) == "Difference(0 came, 0 went, 0 changed, 4 same; 0 graphs changed)"
    assert diff(told(), told()).summary().split("\n") == [
        "Class 0 (plain): 2 -> 2 graphs predicted as it; fidelity 0.500 [0.103, 0.897] -> 0.500 [0.103, 0.897]",
        "  same     2 reasons",
        "",
        "Class 1 (<b>three</b>): 3 -> 3 graphs predicted as it; fidelity 0.500 [0.103, 0.897] -> 0.500 [0.103, 0.897]",
        "  same     1 reason, 1 prototype",
        "",
        "Every one of the 5 graphs has the same prediction and the same reason.",
    ]


def test_what_went_and_which_graphs():
    lines = diff(told(), told({0: (HAS_PATH,), 1: (HAS_TRIANGLE,)})).summary().split("\n")
    assert lines[1] == (
        "  went     reason 2: without a node with at least two neighbours; 50% of the class, 0% elsewhere"
    )
    assert lines[-2:] == [
        "1 of the 5 graphs has the same prediction for another reason:",
        "  1  class 0 (plain): without a node with at least two neighbours -> no reason; graph 13 (line 5, d)",
    ]


def test_graphs_that_changed_in_the_same_way_are_told_together():
    graphs = [GraphChange(label=f"graph {at}", predictions=(0, at % 2), reasons=("a", "b")) for at in range(9)]
    several = alike(graphs)
    assert [len(some) for some in several] == [4, 5]  # another prediction goes first
    assert graph_words(several[0], ("x", "y")) == (
        "4  class 0 (x) -> class 1 (y): a -> b; graph 1, graph 3, graph 5, ..."
    )
