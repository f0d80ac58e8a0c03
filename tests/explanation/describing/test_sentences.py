import pytest
import torch
from torch_geometric.data import Data

from protograph.explanation import Evidence
from protograph.explanation.describing.sentences import chance, name_of, share_of, where_found

HOUSE = torch.tensor([(0, 1), (1, 2), (2, 3), (3, 0), (0, 4), (1, 4)]).T


def evidence(num_in_class, num_class, num_elsewhere, num_others, information=0.5):
    counts = {"num_in_class": num_in_class, "num_class": num_class}
    others = {"num_elsewhere": num_elsewhere, "num_others": num_others}
    return Evidence(**counts, **others, num_in_cluster=0, information=information)


@pytest.mark.parametrize(
    ("counts", "text"),
    [
        ((0, 40, 0, 40), "found in none of the graphs predicted as its class and in none of the others"),
        ((40, 40, 40, 40), "found in all of the graphs predicted as its class and in all of the others"),
        ((10, 40, 0, 0), "found in 25% of the graphs predicted as its class"),
        ((0, 0, 10, 40), "found in 25% of the graphs not predicted as its class"),
        ((0, 0, 0, 0), ""),
    ],
)
def test_shares_of_no_graphs_are_left_out(counts, text):
    assert where_found(evidence(*counts)) == text


@pytest.mark.parametrize(
    ("counts", "text"),
    [
        (
            (2, 3, 0, 1),
            "found in 2 of 3 graphs predicted as mutagen (95%: 21% to 94%) and in none of the 1 other (95%: 0% to 79%)",
        ),
        (
            (29, 29, 30, 30),
            "found in all of the 29 graphs predicted as mutagen (95%: 88% to 100%) and in all of the others",
        ),
        ((0, 0, 1, 4), "found in 1 of 4 graphs not predicted as mutagen (95%: 5% to 70%)"),
        (
            (1, 1, 3, 9),
            "found in all of the 1 graph predicted as mutagen (95%: 21% to 100%) and in 3 of 9 others "
            "(95%: 12% to 65%)",
        ),
    ],
)
def test_shares_of_few_graphs_have_their_interval(counts, text):
    assert where_found(evidence(*counts), "mutagen") == text


@pytest.mark.parametrize(
    ("number", "total", "text"),
    [
        (0, 10, "none"),
        (10, 10, "all"),
        (1, 10_000, "less than 0.1%"),
        (1, 1000, "0.1%"),
        (96, 10_000, "1%"),
        (1, 3, "33%"),
        (9896, 10_000, "99%"),
        (994, 1000, "99.4%"),
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
        (0.0006, "p = 0.001"),
        (0.0004, "p less than 0.001"),
        (0.0, "p = 0.000"),
        (float("nan"), ""),
    ],
)
def test_a_probability_is_0_or_1_only_where_it_is_exactly_so(probability, text):
    assert chance(probability) == text


def test_features_that_have_no_names_or_are_not_one_hot_leave_the_structure():
    one_hot = torch.eye(2)[[0, 0, 0, 0, 1]]
    for x, names in ((one_hot, ()), (one_hot, ("one",)), (torch.rand(5, 2), ("C", "O")), (torch.ones(5), ("C",))):
        assert name_of(Data(x=x, edge_index=HOUSE), names) == "a house"
    assert name_of(Data(edge_index=HOUSE, num_nodes=5), ("C", "O")) == "a house"
    assert name_of(Data(x=one_hot, edge_index=HOUSE), ("body", "head")) == (
        "a house of four body nodes and one head node"
    )


def test_names_from_the_data_are_never_more_than_one_line_of_text():
    graph = Data(x=torch.eye(2)[[0, 0, 0, 0, 1]], edge_index=HOUSE)
    assert name_of(graph, ("x\n\n2. {}", "y" * 10_000)) == f"a house of four x 2. {{}} nodes and one {'y' * 37}... node"
    assert where_found(evidence(1, 2, 1, 2), "__import__('os')\r\n\x1b[2J") == (
        "found in 1 of 2 graphs predicted as __import__('os') [2J (95%: 9% to 91%) and in 1 of 2 others "
        "(95%: 9% to 91%)"
    )


def test_what_tells_nothing_of_the_class_says_so():
    assert where_found(evidence(90, 90, 70, 70, information=0.0)) == (
        "found in all of the graphs predicted as its class and in all of the others, so that by itself it does not "
        "tell the class"
    )
    assert where_found(evidence(90, 90, 0, 0, information=0.0)) == "found in all of the graphs predicted as its class"
