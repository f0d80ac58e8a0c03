from dataclasses import replace

import numpy as np
import pytest

from protograph.page.reasons.growing import Grower, _far_apart, shared_by
from tests.page.naive_patterns import path_edges, undirected
from tests.page.planted import HOUSE
from tests.page.reasons.by_hand import K4, NOTHING, SQUARE, TRIANGLE, scope_of, world
from tests.page.reasons.test_growing import first_place, plain


def case(motifs, **options):
    """Graphs of two classes in turn, the first of which has triangles; those with the same motif are seen alike."""
    graphs = world(motifs, 80)
    scope = scope_of(graphs, [1, 0] * 40, **options)
    seen = np.array([[float(index % len(motifs))] for index in range(80)])
    return replace(scope, embeddings=seen)


def split(scope, most=4):
    triangle = first_place(scope.reader, 0, plain(3, TRIANGLE))
    return shared_by(triangle, 1, scope, Grower(scope.reader, scope.options), most)


def sizes(parts):
    return sorted((len(one.pattern), len(one.pattern.edges)) for one in parts)


EITHER = [(HOUSE, 5), NOTHING, (K4, 4), (SQUARE, 4)]


def test_a_triangle_of_houses_and_cliques_is_the_house_and_the_clique():
    scope = case(EITHER)
    parts = split(scope)
    assert sizes(parts) == [(4, 6), (5, 6)]
    holds = np.logical_or.reduce([scope.reader.holds(part, np.arange(80)) for part in parts])
    assert holds.tolist() == (scope.predictions == 1).tolist()


@pytest.mark.parametrize(
    "motifs", [[(HOUSE, 5), NOTHING], [(TRIANGLE, 3), NOTHING]], ids=["one larger pattern", "no larger pattern"]
)
def test_what_is_not_shared_by_several_is_left_as_it_is(motifs):
    assert split(case(motifs)) == []


def test_not_where_it_takes_too_many_or_each_adds_too_little():
    assert split(case(EITHER), most=1) == []
    assert split(case(EITHER, least_part=0.6)) == []


def test_not_where_the_model_sees_the_class_in_the_shared_part_as_well():
    scope = replace(case(EITHER), alone=lambda condition, target: 1.0)
    assert split(scope) == []


@pytest.mark.parametrize(("elsewhere", "expected"), [(0, []), (1, [(4, 4), (4, 4)])], ids=["any kind", "its own kind"])
def test_where_a_motif_hangs_on_its_graph_does_not_make_two_of_it(elsewhere, expected):
    """A node of kind 0 hangs on one corner or another of a triangle; the other class has that kind too, or not."""
    others = undirected(6, [*path_edges(3), (0, 3), (4, 5)], [1, 1, 2, 1, elsewhere, elsewhere])
    graphs = [
        others if number % 2 else undirected(4, [*TRIANGLE, (number % 4, 3)], [1, 1, 2, 0]) for number in range(80)
    ]
    scope = scope_of(graphs, [1, 0] * 40)
    scope = replace(scope, embeddings=np.array([[float(number % 4)] for number in range(80)]))
    triangle = first_place(scope.reader, 0, undirected(3, TRIANGLE, [1, 1, 2]))
    assert sizes(shared_by(triangle, 1, scope, Grower(scope.reader, scope.options), 4)) == expected


@pytest.mark.parametrize("swapped", [False, True])
def test_graphs_as_far_apart_are_chosen_by_place_whatever_their_last_digits(swapped):
    graphs = [undirected(3, TRIANGLE, [0] * 3)] * 5
    rows = np.array([0.0, -1.0, 1.0 + 2.3e-16 * 10, 1.0, -1.0 - 2.3e-16 * 10])
    rows = rows[[0, 4, 3, 2, 1]] if swapped else rows
    scope = replace(scope_of(graphs, [0] * 5, num_far_apart=3), embeddings=rows[:, None])
    assert _far_apart(np.arange(5), scope) == [0, 1, 2]
