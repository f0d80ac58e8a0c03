import numpy as np
import pytest

from protograph.page.reasons.conditions import FULL, SHAPE, Condition
from protograph.page.reasons.growing import Grower
from protograph.page.reasons.scope import ReasonOptions
from protograph.patterns.pattern import Subgraph
from protograph.patterns.subgraph_isomorphism import places_of
from tests.page.naive_patterns import path_edges, ring_edges, undirected
from tests.page.planted import HOUSE
from tests.page.reasons.by_hand import K4, NOTHING, RED, SQUARE, TRIANGLE, reader_of, world


def first_place(reader, source, pattern, **options):
    """A pattern, given as a graph, where it first lies in a source."""
    graphs = reader.readings[options.get("level", FULL)]
    encoded = graphs.encode(pattern)
    place = next(places_of(encoded, graphs[source]))
    edges = {tuple(sorted((place[u], place[v]))) for u, v in pattern.edge_index.T.tolist()}
    return Condition(source, Subgraph(frozenset(place), frozenset(edges)), **options)


def shape(condition):
    """Number of nodes, and how many others each is joined to."""
    return len(condition.pattern), sorted(map(len, condition.pattern.neighbours.values()))


def plain(size, edges):
    return undirected(size, edges, [0] * size)


def grown(graphs, is_class, pattern, **options):
    """What a pattern grows to in the first two graphs of the class."""
    reader = reader_of(graphs)
    inside, outside = np.flatnonzero(is_class), np.flatnonzero(~np.array(is_class))
    start = first_place(reader, int(inside[0]), pattern, **options)
    return Grower(reader, ReasonOptions()).grown(start, inside[:2], inside, outside), reader


HOUSES = [index % 2 == 0 for index in range(40)]


@pytest.mark.parametrize("level", [FULL, SHAPE])
def test_a_triangle_grows_to_the_house(level):
    """Where every triangle is a house's; and to none of the neighbours, which any node has."""
    graphs = world([(HOUSE, 5), NOTHING, (HOUSE, 5), (SQUARE, 4)], 40)
    result, reader = grown(graphs, HOUSES, plain(3, TRIANGLE), level=level)
    assert shape(result) == (5, [2, 2, 2, 3, 3])
    assert result.level == level
    assert reader.holds(result, np.arange(40)).tolist() == HOUSES


def test_an_edge_that_is_missing_is_added():
    graphs = world([(K4, 4), NOTHING, (K4, 4), (TRIANGLE, 3)], 40)
    result, _ = grown(graphs, HOUSES, plain(4, [*SQUARE, (0, 2)]))
    assert shape(result) == (4, [3, 3, 3, 3])
    # A ring without chords is one: nothing is added between its nodes.
    graphs = world([(SQUARE, 4), NOTHING, (SQUARE, 4), (TRIANGLE, 3)], 40)
    result, _ = grown(graphs, HOUSES, plain(4, SQUARE), is_induced=True)
    assert shape(result) == (4, [2, 2, 2, 2])
    assert result.is_induced


def test_what_other_graphs_have_anyway_is_not_added():
    """The square of each house is no news where every other graph has one."""
    graphs = world([(HOUSE, 5), (SQUARE, 4)], 40)
    result, _ = grown(graphs, HOUSES, plain(3, TRIANGLE))
    assert shape(result) == (3, [2, 2, 2])


def test_a_counted_pattern_grows_to_nothing_that_holds_in_more_graphs():
    """A node with two neighbours is two joined pairs: that says less than two such nodes."""
    hubs = path_edges(0, 1, 2)
    rows = [([0, RED, 0, RED], 4), ([0, RED, 0, 0], 4), ([RED, 0, 0, RED], 4), ([0, 0, RED, 0], 4)]
    graphs = [undirected(size, [*hubs, (2, 3)], kinds) for kinds, size in rows * 10]
    result, reader = grown(graphs, HOUSES, undirected(1, [], [RED]), at_least=2)
    assert result.at_least == 2
    assert reader.holds(result, np.arange(40)).tolist() == HOUSES


def test_a_pattern_is_narrowed_as_long_as_it_tells_more():
    """A triangle is everywhere; only that of a house tells the class."""
    graphs = world([(HOUSE, 5), (TRIANGLE, 3), (HOUSE, 5), ([*TRIANGLE, (0, 3), (3, 4)], 5)], 40)
    reader = reader_of(graphs)
    inside, outside = np.flatnonzero(HOUSES), np.flatnonzero(~np.array(HOUSES))
    start = first_place(reader, 0, plain(3, TRIANGLE))
    result = Grower(reader, ReasonOptions()).narrowed(start, inside[:2], inside, outside)
    assert reader.holds(result, np.arange(40)).tolist() == HOUSES
    assert result.pattern.nodes >= start.pattern.nodes or result.source != start.source
    assert shape(result) == (5, [2, 2, 2, 3, 3])


GRID = [(0, 1), (1, 2), (3, 4), (4, 5), (6, 7), (7, 8), (0, 3), (3, 6), (1, 4), (4, 7), (2, 5), (5, 8)]


def one_for_many(motifs, at_least, size=4):
    """What stands for several rings of a size, where graphs of the motifs are of the class in turn."""
    reader = reader_of(world(motifs, 40))
    start = first_place(reader, 0, plain(size, ring_edges(*range(size))), level=SHAPE, at_least=at_least)
    inside, outside = np.arange(0, 40, 2), np.arange(1, 40, 2)
    return Grower(reader, ReasonOptions()).one_for_many(start, inside[:2], inside, outside), reader


def test_the_rings_of_a_grid_are_one_grid():
    grid, reader = one_for_many([(GRID, 9), (GRID[1:], 9)], at_least=4)
    assert (shape(grid), grid.at_least) == ((9, [2, 2, 2, 2, 3, 3, 3, 3, 4]), 1)
    assert reader.holds(grid, np.arange(40)).tolist() == [True, False] * 20


def test_rings_that_lie_apart_are_several():
    apart = [*ring_edges(0, 1, 2, 3), *ring_edges(4, 5, 6, 7)]
    assert one_for_many([(apart, 8), (SQUARE, 4)], at_least=2)[0] is None
