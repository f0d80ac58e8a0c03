import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protograph.models.predictions import Judge, embed_all
from protograph.page.reasons.conditions import Draft
from protograph.page.reasons.reasons import example_of, smallest
from tests.page.naive_patterns import path_edges, undirected
from tests.page.planted import HOUSE
from tests.page.reasons.by_hand import RED, SQUARE, TRIANGLE, Counts, condition, reader_of

# ---- the smallest set of nodes ------------------------------------------------------------------------------------


@st.composite
def problems(draw, max_nodes=8):
    """Nodes, some of which are marked, and sets of which one must be there whole: what will do."""
    size = draw(st.integers(1, max_nodes))
    nodes = st.sets(st.integers(0, size - 1))
    marked, wanted = draw(nodes), draw(st.lists(nodes, min_size=1, max_size=3))
    distances = {node: 0 if node in marked or not marked else draw(st.integers(1, 3)) for node in range(size)}
    return frozenset(marked), frozenset(range(size)), distances, [frozenset(one) for one in wanted]


@settings(max_examples=40, deadline=None)
@given(problems())
def test_no_node_can_be_left_out(problem):
    marked, every, distances, wanted = problem

    def will_do(sets):
        return np.array([any(one <= nodes for one in wanted) for nodes in sets])

    nodes = smallest(marked, every, distances, will_do)
    assert marked <= nodes <= every
    assert nodes
    assert will_do([nodes])[0]
    for node in nodes - marked:
        assert len(nodes) == 1 or not will_do([nodes - {node}])[0]


def test_near_surroundings_are_tried_first():
    """Nodes at either end of a path will do, and the near one is taken though the far one has the lower number."""
    asked = []

    def will_do(sets):
        asked.extend(sets)
        return np.array([bool(nodes & {0, 5}) for nodes in sets])

    distances = {node: abs(node - 4) for node in range(6)}
    assert smallest(frozenset({4}), frozenset(range(6)), distances, will_do) == {4, 5}
    assert asked[0] == {4}


def test_all_of_it_where_nothing_less_will_do():
    every = frozenset(range(5))
    for answer in (lambda sets: np.array([nodes == every for nodes in sets]), lambda sets: np.zeros(len(sets), bool)):
        assert smallest(frozenset({0}), every, {node: node for node in every}, answer) == every


# ---- examples -----------------------------------------------------------------------------------------------------


def example(draft, graphs, model, target=1, lacks=lambda part: True, sources=None):
    store, running, embedded = embed_all(model, graphs)
    judge = Judge(running, embedded.return_type)
    sources = [(index, store[index]) for index in (range(len(graphs)) if sources is None else sources)]
    assert all(embedded.predictions[index] == target for index, _ in sources)
    return example_of(draft, lacks, sources, judge, target, reader_of(graphs))


TAILED = undirected(8, [*HOUSE, *path_edges(4, 5, 6, 7)], [0] * 8)


def test_just_the_pattern_where_that_is_enough():
    result = example(Draft((condition(HOUSE),)), [TAILED], Counts())
    assert (result.source, result.nodes, result.is_whole) == (0, (0, 1, 2, 3, 4), False)
    assert result.graph.num_edges == 12
    assert [sorted(place) for place in result.marked] == [[0, 1, 2, 3, 4]]
    assert result.probability == pytest.approx(1 / (1 + np.exp(-1)))  # the scores are -0.5 and 0.5


def test_what_the_model_needs_besides_is_there_too():
    """A square is seen, but what the model goes by is the triangle farther on."""
    edges = [*SQUARE, *path_edges(3, 4, 5), (5, 6), (6, 7), (5, 7), (0, 8)]
    graph = undirected(9, edges, [0] * 9)
    result = example(Draft((condition(SQUARE),)), [graph], Counts())
    assert result.nodes == (0, 1, 2, 3, 5, 6, 7)  # in two components: nothing between them is needed
    assert [sorted(place) for place in result.marked] == [[0, 1, 2, 3]]
    assert not result.is_whole


def test_the_whole_graph_where_all_of_it_is_needed():
    graph = undirected(6, [*TRIANGLE, (2, 3), (3, 4), (4, 5), (3, 5)], [0] * 6)
    result = example(Draft((condition(TRIANGLE),)), [graph], Counts(threshold=1.5))
    assert (result.nodes, result.is_whole) == ((0, 1, 2, 3, 4, 5), True)


def test_every_place_that_is_asked_for_is_marked():
    graph = undirected(7, [*TRIANGLE, (2, 3), (3, 4), (4, 5), (3, 5), (5, 6)], [0] * 7)
    draft = Draft((condition(TRIANGLE, at_least=2), condition([(2, 3)])))
    result = example(draft, [graph], Counts())
    assert [len(place) for place in result.marked] == [3, 3, 2]
    assert {frozenset(result.nodes[node] for node in place) for place in result.marked[:2]} == {
        frozenset({0, 1, 2}),
        frozenset({3, 4, 5}),
    }


def test_the_nodes_of_a_place_are_in_the_order_of_the_pattern():
    graph = undirected(3, path_edges(2, 0, 1), [0, RED, RED])
    other = undirected(4, [*path_edges(0, 3, 1), (1, 2)], [RED, RED, RED, 0])
    draft = Draft((condition([(0, 1), (0, 2)], source=0),))
    result = example(draft, [graph, other], Counts(pairs=1.0), sources=[1])
    (place,) = result.marked
    kinds = [int(other.x[result.nodes[node]].argmax()) for node in place]
    assert kinds == [0, RED, RED]
    assert result.nodes[place[0]] == 3


def test_the_smallest_of_several_is_taken():
    larger = undirected(9, [*SQUARE, *path_edges(3, 4, 5, 6), (6, 7), (7, 8), (6, 8)], [0] * 9)
    smaller = undirected(6, [*SQUARE, (3, 4), (4, 5), (3, 5)], [0] * 6)
    result = example(Draft((condition(SQUARE),)), [larger, smaller], Counts())
    assert (result.source, result.nodes) == (1, (0, 1, 2, 3, 4, 5))


def test_what_must_be_missing_is_missing_in_the_example_too():
    """Nodes go only if what is left lacks what it must: here a pair of nodes by themselves."""
    graph = undirected(5, [*TRIANGLE, (2, 3), (3, 4)], [0] * 5)
    result = example(Draft((condition(TRIANGLE),)), [graph], Counts(), lacks=lambda part: part.num_nodes != 3)
    assert set(result.nodes) == {0, 1, 2, 3}


def test_no_example_without_sources_or_a_place():
    assert example(Draft((condition(HOUSE),)), [TAILED], Counts(), sources=[]) is None
    two = Draft((condition(TRIANGLE, at_least=2),))
    assert example(two, [undirected(3, TRIANGLE, [0] * 3)], Counts()) is None
