from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from protograph.page.reasons.conditions import Draft
from protograph.page.reasons.searching import chance_of, confirmed, in_order
from tests.page.naive_patterns import undirected
from tests.page.reasons.by_hand import SQUARE, TRIANGLE, condition, scope_of


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 60), st.integers(0, 60), st.fractions(0, 1, max_denominator=50))
@example(0, 0, Fraction(3, 10))
@example(1, 5, Fraction(0))
@example(3, 5, Fraction(1))
def test_chances_are_those_of_exact_fractions(at_least, number, share):
    at_least = min(at_least, number)
    exact = sum(
        (comb(number, hits) * share**hits * (1 - share) ** (number - hits) for hits in range(at_least, number + 1)),
        Fraction(0),
    )
    assert chance_of(at_least, number, float(share)) == pytest.approx(float(exact), abs=1e-12)


# Four sorts of graphs: triangles, squares, both, and neither.
SORTS = {
    "triangle": undirected(3, TRIANGLE, [0] * 3),
    "square": undirected(4, SQUARE, [0] * 4),
    "both": undirected(7, [*TRIANGLE, (3, 4), (4, 5), (5, 6), (3, 6)], [0] * 7),
    "star": undirected(4, [(0, 1), (0, 2), (0, 3)], [0] * 4),
}
CHANCE = 0.1
TRIANGLES, SQUARES = Draft((condition(TRIANGLE),)), Draft((condition(SQUARE, source=1),))


def world(*rows, confirming=(), once=False):
    """Graphs as ``(sort, class, number)``, after one of each sort that is in neither part.

    Those that confirm count one by one, or once for each sort and class.
    """
    every = [*((sort, 0, 1) for sort in SORTS), *rows, *confirming]
    graphs = [SORTS[sort] for sort, _, number in every for _ in range(number)]
    predictions = [target for _, target, number in every for _ in range(number)]
    first = len(SORTS) + sum(number for *_, number in rows)
    ends = first + np.cumsum([0, *(number for *_, number in confirming)])
    return scope_of(
        graphs,
        predictions,
        searched=range(len(SORTS), first),
        confirming=range(first, len(graphs)),
        once=ends[:-1] if once else None,
    )


def test_reasons_come_in_the_order_of_what_each_adds():
    # Squares hold in more graphs of the class, but first come triangles, which hold in the most.
    scope = world(("triangle", 1, 3), ("both", 1, 2), ("square", 1, 2), ("square", 0, 9), ("star", 0, 3))
    assert in_order([SQUARES, TRIANGLES], 1, scope) == [TRIANGLES, SQUARES]
    # What adds as much stays as it was.
    scope = world(("triangle", 1, 2), ("square", 1, 2), ("star", 0, 3))
    assert in_order([SQUARES, TRIANGLES], 1, scope) == [SQUARES, TRIANGLES]
    assert in_order([TRIANGLES, SQUARES], 1, scope) == [TRIANGLES, SQUARES]
    assert in_order([], 1, scope) == []


def test_the_order_counts_only_what_is_added():
    small = Draft((condition(TRIANGLE, is_induced=True),))
    scope = world(("triangle", 1, 5), ("both", 1, 1), ("square", 1, 2), ("star", 0, 3))
    assert in_order([small, TRIANGLES, SQUARES], 1, scope) == [small, SQUARES, TRIANGLES]


def test_a_reason_is_confirmed_by_graphs_that_were_not_searched():
    rows = [("triangle", 1, 9), ("square", 1, 5), ("star", 0, 9)]
    confirming = [("triangle", 1, 6), ("square", 1, 1), ("star", 0, 7)]
    # Of 14 graphs 7 are of the class; six hits of six come by chance once in 64, one of one once in two.
    assert confirmed([TRIANGLES, SQUARES], 1, world(*rows, confirming=confirming), CHANCE) == [TRIANGLES]
    assert confirmed([SQUARES], 1, world(*rows, confirming=confirming), CHANCE) == []
    assert confirmed([TRIANGLES], 1, world(*rows), CHANCE) == []  # nothing confirms anything


def test_graphs_that_look_the_same_confirm_once():
    rows, confirming = [("triangle", 1, 9), ("star", 0, 9)], [("triangle", 1, 60), ("star", 0, 70)]
    assert confirmed([TRIANGLES], 1, world(*rows, confirming=confirming), CHANCE) == [TRIANGLES]
    assert confirmed([TRIANGLES], 1, world(*rows, confirming=confirming, once=True), CHANCE) == []  # one of one


def test_the_more_reasons_the_more_rarely_by_chance():
    rows = [("triangle", 1, 9), ("square", 1, 5), ("star", 0, 9)]
    confirming = [("triangle", 1, 5), ("star", 0, 5)]  # five of five at a half: 1 / 32
    scope = world(*rows, confirming=confirming)
    assert confirmed([TRIANGLES], 1, scope, 0.05) == [TRIANGLES]
    assert confirmed([TRIANGLES, SQUARES], 1, scope, 0.05) == []
    # Two that are as sure as that: half of the chance is for the surer of them, all of it for both.
    confirming = [("triangle", 1, 5), ("square", 1, 5), ("star", 0, 10)]
    scope = world(*rows, confirming=confirming)
    assert confirmed([TRIANGLES, SQUARES], 1, scope, 0.05) == [TRIANGLES, SQUARES]
