import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protograph.page.reasons.conditions import Condition
from protograph.page.reasons.pool import PoolBuilder, SmallPatterns
from protograph.page.reasons.scope import ReasonOptions
from protograph.patterns.pattern import Subgraph
from tests.page.naive_patterns import groups_of_graphs, undirected
from tests.page.reasons.by_hand import SQUARE, TRIANGLE, condition, house_world, reader_of


def bools(text):
    return np.array([letter == "1" for letter in text])


def test_of_conditions_that_hold_in_the_same_graphs_the_simplest_is_kept():
    builder = PoolBuilder(np.arange(6), min_graphs=1)
    pair, triangle, square = condition([(0, 1)]), condition(TRIANGLE), condition(SQUARE)
    induced = condition([(0, 1)], is_induced=True)
    for one, holds in ((triangle, "110000"), (pair, "110000"), (square, "110000"), (induced, "110000")):
        builder.add(one, bools(holds))
    builder.add(square, bools("110001"))
    builder.add(triangle, bools("110001"))
    builder.add(condition(TRIANGLE, source=1), bools("110001"))  # as simple: the first stays
    pool = builder.pool()
    assert pool.conditions == [pair, triangle]
    assert pool.table.tolist() == [[1, 1, 0, 0, 0, 0], [1, 1, 0, 0, 0, 1]]


def test_what_holds_in_too_few_graphs_or_in_too_many_tells_nothing():
    builder = PoolBuilder(np.arange(6), min_graphs=2)
    for number in range(7):
        builder.add(condition([(0, 1)], source=number), np.arange(6) < number)
    assert [one.source for one in builder.pool().conditions] == [2, 3, 4]
    assert PoolBuilder(np.arange(6), min_graphs=2).pool().table.shape == (0, 6)


def patterns_of(graphs, searched=None, classes=None, min_graphs=1, **options):
    searched = np.arange(len(graphs)) if searched is None else np.array(searched)
    classes = np.zeros(searched.size, np.int64) if classes is None else np.array(classes)
    reader = reader_of(graphs)
    options = ReasonOptions(**options)
    patterns = SmallPatterns(reader, searched, classes, min_graphs, options)
    found = list(patterns.exhaustive(options.max_sets))
    return reader, found if patterns.are_all else [*found, *patterns.sampled()]


@settings(max_examples=25, deadline=None)
@given(groups_of_graphs(min_graphs=2, max_graphs=4, max_nodes=5, max_edges=6), st.data())
def test_conditions_hold_where_it_is_said(graphs, data):
    searched = sorted(data.draw(st.sets(st.integers(0, len(graphs) - 1), min_size=1)))
    reader, found = patterns_of(graphs, searched)
    for one, holds in found:
        assert reader.holds(one, np.array(searched)).tolist() == holds.tolist()
        assert one.source in searched
    assert len({(*vars(one).values(),) for one, _ in found}) == len(found)


def test_how_often_patterns_are_asked_for():
    stars = [undirected(n + 1, [(0, leaf) for leaf in range(1, n + 1)], [1] + [0] * n) for n in (1, 3, 7)]
    _, found = patterns_of(stars, max_nodes=2)
    single = Subgraph(frozenset({1}), frozenset())
    leaves = {one.at_least for one, _ in found if one == Condition(0, single, at_least=one.at_least)}
    assert leaves == {1, 3, 7}  # of single nodes as many as there are anywhere
    # Of larger ones up to a few, and never more often than anywhere.
    for some, options, expected in (
        (stars, {}, [1, 2, 3, 4]),
        (stars, {"max_places": 2}, [1, 2]),
        (stars[:2], {}, [1, 2, 3]),
    ):
        _, found = patterns_of(some, max_nodes=2, **options)
        pairs = [one for one, _ in found if len(one.pattern) == 2 and one.level and not one.closed]
        assert sorted(one.at_least for one in pairs) == expected


def test_many_different_numbers_of_nodes_are_asked_for_by_a_few():
    alone = [undirected(n, [], [0] * n) for n in range(1, 60)]
    _, found = patterns_of(alone, num_thresholds=5)
    asked = [one.at_least for one, _ in found if one.level and not one.closed]
    assert asked == [1, 15, 30, 44, 59]


@pytest.mark.parametrize("max_sets", [10**6, 10_000])
def test_larger_patterns_are_looked_for_in_some_graphs_where_there_are_too_many(max_sets):
    """A house is found in either case; what is found in some graphs is counted in all."""
    graphs = house_world(60)
    classes = np.arange(60) % 2
    reader, found = patterns_of(graphs, classes=classes, min_graphs=3, max_sets=max_sets, max_ring=5)
    houses = [
        (one, holds)
        for one, holds in found
        if (len(one.pattern), len(one.pattern.edges)) == (5, 6) and not one.level
        if sorted(map(len, one.pattern.neighbours.values())) == [2, 2, 2, 3, 3]
        if (holds == (classes == 0)).all()
    ]
    assert houses
    for one, holds in found:
        assert reader.holds(one, np.arange(60)).tolist() == holds.tolist()


@pytest.mark.parametrize("first", [1, 300, 2_000])
def test_what_has_been_gone_through_is_not_gone_through_again(first):
    graphs = house_world(20)
    reader, options = reader_of(graphs), ReasonOptions(max_ring=5)
    patterns, at_once = (SmallPatterns(reader, np.arange(20), np.arange(20) % 2, 3, options) for _ in range(2))
    found = [*patterns.exhaustive(first)]
    assert not patterns.are_all
    further = [*patterns.exhaustive(10**6)]
    assert patterns.are_all
    table = {(condition.at_least, holds.tobytes()) for condition, holds in [*found, *further]}
    assert table == {(condition.at_least, holds.tobytes()) for condition, holds in at_once.exhaustive(10**6)}
    largest = max(len(condition.pattern) for condition, _ in found if len(condition.pattern.edges) < 3)
    assert min(len(condition.pattern) for condition, _ in further) > largest
