from dataclasses import replace

import numpy as np

from protograph.explanation import Pattern, Prototype
from protograph.explanation.survey import Survey
from protograph.report.shown_graphs import ShownGraphs
from tests.explanation.by_hand import explained, reason
from tests.metrics.small_graphs import path, ring

GRAPHS = [*[ring(3)] * 30, *[path(3)] * 30]
PREDICTIONS = [0] * 40 + [1] * 20


def shown(patterns, indices=range(60), **parts):
    survey = Survey(
        places=tuple(range(60)),
        predictions=tuple(PREDICTIONS),
        probabilities=(1.0,) * 60,
        positions=np.zeros((60, 2)),
        explained=(1.0, 0.0),
        graphs={index: GRAPHS[index] for index in indices},
    )
    one = explained(0, [reason(has=patterns, **parts)], GRAPHS, PREDICTIONS, [0, 1] * 30, survey=survey)
    return one, ShownGraphs(one)


def test_twelve_of_the_class_that_have_it_and_all_that_have_not():
    one, graphs = shown((Pattern(graph=ring(3)),))
    examples = graphs.of_reason(one.reasons[0], 0)
    assert examples.having == [0, 2, 5, 7, 10, 13, 15, 18, 21, 23, 26, 29]
    assert examples.lacking == [30, 31, 32, 33, 34, 35, 36, 37, 38, 39]
    assert examples.marks[5] == [0, 1, 2]
    prototype = Prototype(graph=ring(3), probability=1.0, margin=1.0, pattern=Pattern(graph=ring(3)))
    assert graphs.of_prototype(prototype, 0) == examples
    # Without conditions it is counted all the same, but not marked.
    assert graphs.of_prototype(replace(prototype, pattern=None), 0) == examples._replace(marks={})


def test_a_pattern_is_marked_in_as_many_places_as_it_is_asked_for():
    one, graphs = shown((Pattern(graph=path(2), at_least=2),), indices=(3, 31))
    marks = graphs.of_reason(one.reasons[0], 0).marks
    assert marks == {3: [0, 1, 2], 31: [0, 1, 2]}


def test_what_is_not_connected_is_not_marked(graph_of):
    _, graphs = shown((Pattern(graph=ring(3)),))
    apart = Prototype(graph=graph_of([(0, 1)], num_nodes=3), probability=1.0, margin=1.0)
    assert graphs.of_prototype(apart, 0).marks == {}
