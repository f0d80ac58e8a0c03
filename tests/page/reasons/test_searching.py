import pytest

from protograph.page.reasons.conditions import any_holds
from protograph.page.reasons.searching import RuleSearch
from tests.page.naive_patterns import ring_edges
from tests.page.planted import HOUSE
from tests.page.reasons.by_hand import (
    NOTHING,
    SQUARE,
    TRIANGLE,
    TWO_TRIANGLES,
    scope_of,
    world,
)

BOTH = ([*TRIANGLE, *ring_edges(3, 4, 5, 6)], 7)


def searched(motifs, classes, number=100, **options):
    """Graphs with the motifs in turn, each of its class, and the search of their rules."""
    graphs = world(motifs, number)
    predictions = [classes[index % len(classes)] for index in range(number)]
    scope = scope_of(
        graphs, predictions, searched=range(0, number - 20), confirming=range(number - 20, number), **options
    )
    return RuleSearch(scope), scope


def shape(condition):
    return len(condition.pattern), len(condition.pattern.edges), condition.at_least


def shapes(rule):
    return [(sorted(map(shape, draft.has)), sorted(map(shape, draft.lacks))) for draft in rule]


def is_right(rule, target, scope):
    holds = any_holds(rule, scope.reader, scope.known)
    return holds.tolist() == (scope.predictions[scope.known] == target).tolist()


@pytest.mark.parametrize(
    ("motifs", "expected"),
    [
        ([TWO_TRIANGLES, (TRIANGLE, 3), TWO_TRIANGLES, NOTHING], [([(3, 3, 2)], [])]),
        # Trees of more nodes where one of the two is missing, so that the size does not tell.
        ([BOTH, (TRIANGLE, 3, (), 12), BOTH, (SQUARE, 4, (), 11)], [([(3, 3, 1), (4, 4, 1)], [])]),
    ],
    ids=["two triangles", "both of two"],
)
def test_the_reason_that_was_planted(motifs, expected):
    search, scope = searched(motifs, [1, 0, 1, 0])
    rule = search.rule(1)
    assert shapes(rule) == expected
    assert is_right(rule, 1, scope)


def test_presence_goes_before_lack():
    """Squares are in one class and triangles in the other: nobody has to say what is missing."""
    search, scope = searched([(TRIANGLE, 3), (SQUARE, 4)], [1, 0])
    for target, size in ((1, 3), (0, 4)):
        rule = search.rule(target)
        assert shapes(rule) == [([(size, size, 1)], [])]
        assert is_right(rule, target, scope)


def test_one_but_not_the_other():
    search, scope = searched([(TRIANGLE, 3), BOTH, (TRIANGLE, 3), NOTHING], [1, 0, 1, 0])
    rule = search.rule(1)
    assert shapes(rule) == [([(3, 3, 1)], [(4, 4, 1)])]
    assert is_right(rule, 1, scope)


def test_larger_patterns_are_narrowed_to_where_small_ones_do_not_tell():
    motifs = [(HOUSE, 5), (TRIANGLE, 3), (HOUSE, 5), NOTHING]
    search, scope = searched(motifs, [1, 0, 1, 0], max_nodes=3, max_ring=3)
    rule = search.rule(1)
    assert shapes(rule) == [([(5, 6, 1)], [])]
    assert is_right(rule, 1, scope)


def test_more_patterns_are_gone_through_where_the_first_do_not_come_near():
    motifs, classes = [(TRIANGLE, 3), (SQUARE, 4)], [1, 0]
    search, scope = searched(motifs, classes, max_sets=1, max_ring=3)
    rule = search.rule(1)
    assert shapes(rule) == [([(3, 3, 1)], [])]
    assert is_right(rule, 1, scope)
    search, scope = searched(motifs, classes, max_sets=1, far_max_sets=1, max_ring=3)
    assert not is_right(search.rule(1), 1, scope)


def test_others_are_tried_in_the_place_of_what_is_not_confirmed():
    """Triangles tell the class in searched graphs only, squares, of which there are fewer, in confirming ones too."""
    tree = ([], 0, (), 13)  # of more nodes, so that a number of nodes does not tell
    inside = world([(TRIANGLE, 3)] * 4 + [(SQUARE, 4)] * 3 + [tree] * 3, 50)
    outside, marked, others = world([tree], 50), world([(SQUARE, 4)], 20), world([(TRIANGLE, 3)], 20)
    scope = scope_of(
        [*inside, *outside, *marked, *others],
        [1] * 50 + [0] * 50 + [1] * 20 + [0] * 20,
        searched=range(100),
        confirming=range(100, 140),
        max_reasons=1,
        max_conditions=1,
        lack_cost=1000.0,
    )
    search = RuleSearch(scope)
    assert shapes(search.rule(1)) == [([(3, 3, 1)], [])]
    assert shapes(search.confirmed_rule(1)) == [([(4, 4, 1)], [])]
