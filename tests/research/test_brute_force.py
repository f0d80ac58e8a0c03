"""The benchmark that compares explanations with brute force would notice where they were wrong."""

from dataclasses import replace

import pytest

import protograph as pg
from protograph.graphs.conditions import Reading
from research import spoken
from research.brute_force import Case, Checks
from tests import zoo

GRAPHS = zoo.random_graphs(16, edge_dim=1)
MODEL = zoo.make()


@pytest.fixture(scope="module", params=[False, True])
def explanations(request):
    return pg.PAGE(num_clusters=1, num_graphs=2, match_edges=request.param).fit(MODEL, GRAPHS).explain_all()


def wrong(explanations):
    checks = Checks()
    Case(MODEL, GRAPHS, explanations).check(checks)
    return {mismatch.split(":")[0] for mismatch in checks.mismatches}


def changed(explanations, **fields):
    """The same with other fields of each first prototype."""
    new = {}
    for target, one in explanations.items():
        new[target] = replace(one, prototypes=[replace(one.prototypes[0], **fields), *one.prototypes[1:]])
    return pg.Explanations(new)


def test_what_is_right_is_right(explanations):
    assert wrong(explanations) == set()


def test_a_wrong_count_is_noticed(explanations):
    evidence = explanations[1].prototypes[0].evidence
    one_less = changed({1: explanations[1]}, evidence=replace(evidence, num_in_class=evidence.num_in_class - 1))
    assert wrong(one_less) == {"num_in_class", "shares in words", "intervals in words"}


def test_a_count_by_another_rule_is_noticed(explanations):
    rule = Reading(rows="edge_attr") if explanations[1].edge_rule.is_empty else Reading()
    claimed = {1: replace(changed({1: explanations[1]}, edge_rule=rule)[1], edge_rule=rule)}
    assert {"num_in_class", "num_in_cluster", "shares in words"} <= wrong(pg.Explanations(claimed))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("found in 97% of the graphs predicted as a; p = 0.5", [("97%", True, None)]),
        ("found in 3 of 26 graphs predicted as a (95%: 4% to 29%) and in none of the 5 others (95%: 0% to 43%); p", [
            ("3", True, 26),
            ("none", False, 5),
        ]),
        ("found in all of the graphs predicted as a and in 0.2% of the others, so that", [
            ("all", True, None),
            ("0.2%", False, None),
        ]),
    ],
)  # fmt: skip
def test_shares_are_read_from_sentences(text, expected):
    assert [(share.text, share.is_class, share.total) for share in spoken.shares(text)] == expected


@pytest.mark.parametrize(
    ("text", "number", "total", "fits"),
    [
        ("97%", 97, 100, True),
        ("100%", 200, 200, False),
        ("none", 1, 200, False),
        ("0.2%", 2, 1000, True),
        ("less than 0.1%", 1, 2000, True),
        ("3", 4, 26, False),
    ],
)
def test_what_a_share_may_be_said_of(text, number, total, fits):
    assert spoken.Share(text, True, None, None).fits(number, total) == fits
