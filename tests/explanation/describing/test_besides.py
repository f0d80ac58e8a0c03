"""A sentence says all that counted: what has no words is named in brackets."""

from dataclasses import replace

import pytest
import torch
from torch_geometric.data import Data

from protograph.explanation import Evidence, Pattern, Prototype
from protograph.explanation.describing.kind_words import besides, kind_words, unsaid_by_name, unsaid_by_smarts
from protograph.graphs.conditions import EdgeRule

PAIR = torch.tensor([[0, 1], [1, 0]])
EVIDENCE = Evidence(num_in_class=1, num_class=40, num_elsewhere=0, num_others=40, num_in_cluster=1, information=0.1)
MATCHED = EdgeRule(is_matched=True)
ATOMS = {"feature_names": ("atom", "degree", "in ring"), "feature_values": {0: {6: "C", 8: "O"}}}
BONDS = {"edge_names": ("bond", "stereo"), "edge_values": {0: {1: "single", 2: "double"}}}
INTEGERS, ONE_HOT, DOUBLE = torch.tensor([[6, 3, 1], [8, 1, 0]]), torch.eye(2), torch.tensor([[2, 0], [2, 0]])


def pair(x, edge_attr=None, **fields):
    graph = Data(x=x, edge_index=PAIR, edge_attr=edge_attr, num_nodes=2)
    return Prototype(graph=graph, probability=0.5, margin=0.0, evidence=EVIDENCE, **fields)


@pytest.mark.parametrize(
    ("prototype", "expected"),
    [
        (pair(ONE_HOT, feature_names=("C", "O")), "carbon joined to oxygen"),
        (pair(None), "two joined nodes"),
        (pair(torch.ones(2, 1)), "two joined nodes"),
        (pair(torch.tensor([[6], [6]])), "two joined nodes (whose features must agree too)"),
        (pair(ONE_HOT), "two joined nodes (whose features must agree too)"),
        (pair(ONE_HOT, are_nodes_matched=False), "two joined nodes"),
        (pair(torch.rand(2, 3), feature_names=("a", "b", "c")), "two joined nodes (whose features must agree too)"),
        (pair(INTEGERS, **ATOMS), "carbon joined to oxygen (whose degree and in ring must agree too)"),
        (
            pair(ONE_HOT, torch.rand(2, 1), feature_names=("a", "b"), edge_names=("length",), edge_rule=MATCHED),
            "one a node joined to one b node (whose length must agree too)",
        ),
        (
            pair(ONE_HOT, torch.rand(2, 1), feature_names=("a", "b"), edge_rule=MATCHED),
            "one a node joined to one b node (whose edge attributes must agree too)",
        ),
        (
            pair(INTEGERS, DOUBLE, **ATOMS, **BONDS, edge_rule=MATCHED),
            "a carbonyl group (C=O) ([#6]=[#8], whose degree, in ring and stereo must agree too)",
        ),
        (pair(INTEGERS, DOUBLE, **ATOMS, **BONDS), "carbon joined to oxygen (whose degree and in ring must agree too)"),
    ],
)
def test_what_counts_is_said(prototype, expected):
    assert prototype.describe().split("; ")[0] == expected
    # Nothing was counted of what was made up.
    name = expected.rsplit(" (", 1)[0] if expected.endswith("agree too)") else expected
    assert replace(prototype, evidence=None).describe().split("; ")[0] == name


def test_long_formulas_are_left_to_the_figures():
    prototype = pair(ONE_HOT, torch.ones(2, 1), feature_names=("C", "O"), edge_names=("single",), edge_rule=MATCHED)
    assert besides(prototype, "[#6]-[#8]") == " ([#6]-[#8])"
    assert besides(prototype, "[#6]" * 11) == " (bonds as in its SMARTS)"


def test_columns_without_a_colour_are_other_features():
    prototype = pair(torch.eye(3)[[0, 1]], feature_names=("dark", "light", "place"))
    assert unsaid_by_name(prototype, ("#000000", "#FFFFFF", "")) == ["other features"]
    assert unsaid_by_name(prototype) == []


def test_smarts_says_what_it_does_not_say():
    prototype = pair(INTEGERS, DOUBLE, **ATOMS, **BONDS, edge_rule=MATCHED)
    assert unsaid_by_smarts(prototype) == ["degree", "in ring", "stereo"]
    assert prototype.smarts_besides == ("degree", "in ring", "stereo")
    assert pair(ONE_HOT, feature_names=("C", "O")).smarts_besides == ()


@pytest.mark.parametrize(
    ("attributes", "rule", "names", "unsaid"),
    [
        ([[0.5, 2.0]] * 2, MATCHED, (), ("edge attributes",)),
        ([[0.5, 2.0]] * 2, MATCHED, ("length", "angle"), ("length", "angle")),
        ([[0.5], [0.5]], EdgeRule(is_matched=True, cuts=((1.0,),)), ("length",), ("length",)),
        ([[1.0], [2.0]], MATCHED, ("length",), ("length",)),  # another there than back
    ],
)
def test_edges_that_words_cannot_tell_are_said_to_count(attributes, rule, names, unsaid):
    graph = Data(edge_index=PAIR, edge_attr=torch.tensor(attributes), num_nodes=2)
    words = kind_words(Pattern(graph=graph, edge_rule=rule, edge_names=names))
    assert (words.unsaid, words.edges) == (unsaid, {(0, 1): ""})
