import inspect

import pytest
import torch
from torch_geometric.data import Data

import protograph as pg
from protograph.datasets.molecules import CARBON_RING, molecule
from protograph.datasets.mutagenicity import ATOM_NAMES, BOND_NAMES, RING_NITRO
from protograph.explanation import describing
from protograph.explanation.describing import describe, name_of
from protograph.explanation.describing.sentences import share_of
from protograph.explanation.explanation import Evidence

HOUSE = torch.tensor([(0, 1), (1, 2), (2, 3), (3, 0), (0, 4), (1, 4)]).T


def prototype(graph=None, **facts):
    facts = {"probability": 0.998, "margin": 6.2, "feature_names": ATOM_NAMES, **facts}
    return pg.Prototype(graph=molecule(*CARBON_RING, ATOM_NAMES) if graph is None else graph, **facts)


def evidence(num_in_class, num_class, num_elsewhere, num_others, information=0.5):
    counts = {"num_in_class": num_in_class, "num_class": num_class}
    others = {"num_elsewhere": num_elsewhere, "num_others": num_others}
    return Evidence(**counts, **others, num_in_cluster=0, information=information)


def test_the_package_exports_what_it_says():
    public = {name for name, value in vars(describing).items() if name[0] != "_" and not inspect.ismodule(value)}
    assert public == set(describing.__all__) == {"describe", "name_of"}


def test_all_that_is_known_is_said():
    known = prototype(evidence=evidence(3880, 4000, 10, 5000), cluster=0, num_clusters=2, cluster_size=3120)
    assert describe(known, "1") == (
        "six carbons in a ring; found in 97% of the graphs predicted as class 1 and in 0.2% of the others; "
        "p = 0.998; cluster 1 of 2, 3,120 graphs"
    )
    assert describe(known, "mutagen").split("; ")[1] == (
        "found in 97% of the graphs predicted as mutagen and in 0.2% of the others"
    )
    assert known.describe().split("; ")[1] == (
        "found in 97% of the graphs predicted as its class and in 0.2% of the others"
    )


def test_what_is_not_known_is_left_out():
    assert describe(prototype()) == "six carbons in a ring; p = 0.998"
    assert describe(prototype(probability=float("nan"))) == "six carbons in a ring"
    assert describe(prototype(cluster=4)) == "six carbons in a ring; p = 0.998; cluster 5"
    assert describe(prototype(cluster=4, cluster_size=1)) == "six carbons in a ring; p = 0.998; cluster 5, 1 graph"
    assert describe(prototype(cluster=0, num_clusters=3)).endswith("; cluster 1 of 3")


@pytest.mark.parametrize(
    ("counts", "text"),
    [
        ((0, 4, 0, 4), "found in none of the graphs predicted as its class and in none of the others"),
        ((4, 4, 4, 4), "found in all of the graphs predicted as its class and in all of the others"),
        ((1, 4, 0, 0), "found in 25% of the graphs predicted as its class"),
        ((0, 0, 1, 4), "found in 25% of the graphs not predicted as its class"),
    ],
)
def test_shares_of_no_graphs_are_left_out(counts, text):
    assert describe(prototype(evidence=evidence(*counts))) == f"six carbons in a ring; {text}; p = 0.998"


def test_without_graphs_nothing_is_found():
    assert describe(prototype(evidence=evidence(0, 0, 0, 0))) == "six carbons in a ring; p = 0.998"


@pytest.mark.parametrize(
    ("number", "total", "text"),
    [
        (0, 10, "none"),
        (10, 10, "all"),
        (1, 10_000, "less than 0.1%"),
        (999, 1_000_000, "less than 0.1%"),
        (1, 1000, "0.1%"),
        (2, 1000, "0.2%"),
        (94, 10_000, "0.9%"),
        (96, 10_000, "1%"),
        (1, 100, "1%"),
        (149, 10_000, "1%"),
        (1, 3, "33%"),
        (97, 100, "97%"),
        (9896, 10_000, "99%"),
        (99, 100, "99%"),
        (9904, 10_000, "99%"),
        (994, 1000, "99.4%"),
        (999, 1000, "99.9%"),
        (9991, 10_000, "more than 99.9%"),
        (999_999, 1_000_000, "more than 99.9%"),
    ],
)
def test_a_share_is_none_or_all_only_where_it_is_exactly_so(number, total, text):
    assert share_of(number, total) == text


@pytest.mark.parametrize(
    ("probability", "text"),
    [
        (1.0, "p = 1.000"),
        (0.99951, "p more than 0.999"),
        (1 - 1e-12, "p more than 0.999"),
        (0.9994, "p = 0.999"),
        (0.5, "p = 0.500"),
        (0.0006, "p = 0.001"),
        (0.0004, "p less than 0.001"),
        (1e-30, "p less than 0.001"),
        (0.0, "p = 0.000"),
    ],
)
def test_a_probability_is_0_or_1_only_where_it_is_exactly_so(probability, text):
    assert describe(prototype(probability=probability)) == f"six carbons in a ring; {text}"


def test_groups_are_named_by_the_bonds_that_the_graph_has():
    assert name_of(molecule(*RING_NITRO, ATOM_NAMES), ATOM_NAMES) == "six carbons in a ring with a nitro group"
    pair = Data(x=torch.eye(14)[[0, 1]], edge_index=torch.tensor([[0, 1], [1, 0]]), edge_attr=torch.eye(3)[[1, 1]])
    assert name_of(pair, ATOM_NAMES, BOND_NAMES) == "a carbonyl group (C=O)"
    assert name_of(pair, ATOM_NAMES) == "carbon joined to oxygen"


def test_features_that_have_no_names_or_are_not_one_hot_leave_the_structure():
    one_hot = torch.eye(2)[[0, 0, 0, 0, 1]]
    for x, names in ((one_hot, ()), (one_hot, ("one",)), (torch.rand(5, 2), ("C", "O")), (torch.ones(5), ("C",))):
        assert name_of(Data(x=x, edge_index=HOUSE), names) == "a house"
    assert name_of(Data(edge_index=HOUSE, num_nodes=5), ("C", "O")) == "a house"
    assert name_of(Data(x=one_hot, edge_index=HOUSE), ("body", "head")) == (
        "a house of four body nodes and one head node"
    )


def test_columns_without_a_colour_do_not_count():
    x = torch.cat([torch.eye(2)[[0, 0, 0, 0, 1]], torch.eye(5)], dim=1)
    names = ("dark", "bright", *(f"place {place}" for place in range(5)))
    graph = Data(x=x, edge_index=HOUSE)
    assert name_of(graph, names) == "a house"
    assert name_of(graph, names, colors=("#000000", "#FFFFFF", *[""] * 5)) == (
        "a house of four dark nodes and one bright node"
    )


def test_names_from_the_data_are_never_more_than_one_line_of_text():
    graph = Data(x=torch.eye(2)[[0, 0, 0, 0, 1]], edge_index=HOUSE)
    hostile = prototype(graph, feature_names=("x\n\n2. {}", "y" * 10_000), evidence=evidence(1, 2, 1, 2))
    text = describe(hostile, "__import__('os')\r\n\x1b[2J")
    assert text == (
        f"a house of four x 2. {{}} nodes and one {'y' * 37}... node; "
        "found in 50% of the graphs predicted as __import__('os') [2J and in 50% of the others; p = 0.998"
    )


def test_an_empty_graph_is_said_to_be_one():
    empty = Data(x=torch.empty(0, 2), edge_index=torch.empty(2, 0, dtype=torch.long))
    assert name_of(empty, ("C", "O")) == "an empty graph"


def test_what_tells_nothing_of_the_class_says_so():
    everywhere = prototype(evidence=evidence(9, 9, 7, 7, information=0.0))
    assert describe(everywhere).split("; ")[1] == (
        "found in all of the graphs predicted as its class and in all of the others, so that by itself it does not "
        "tell the class"
    )
    alone = prototype(evidence=evidence(9, 9, 0, 0, information=0.0))
    assert describe(alone).split("; ")[1] == "found in all of the graphs predicted as its class"
