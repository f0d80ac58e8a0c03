from dataclasses import replace

import numpy as np

from protograph.explanation import Pattern
from protograph.explanation.survey import Survey
from protograph.report.doubting import doubts_about, shortcut
from tests.explanation.by_hand import explained, reason
from tests.metrics.small_graphs import path, ring

GRAPHS = [*[ring(3)] * 10, *[path(3)] * 10]
PREDICTIONS = [1] * 10 + [0] * 10


def with_labels(labels):
    one = explained(1, [reason(has=(Pattern(graph=ring(3)),))], GRAPHS, PREDICTIONS, [0, 1] * 10)
    survey = Survey(
        places=tuple(range(20)),
        labels=tuple(labels),
        predictions=tuple(PREDICTIONS),
        probabilities=(1.0,) * 20,
        positions=np.zeros((20, 2)),
        explained=(1.0, 0.0),
    )
    return replace(one, survey=survey)


def test_a_pattern_as_frequent_in_either_label_is_a_shortcut():
    one = with_labels([0, 1] * 10)
    words = (
        "looks like a shortcut: it decides the class for the model, and yet it holds in 50% of the graphs labelled so "
        "and in 50% of the others"
    )
    assert shortcut(one, one.reasons[0]) == words
    (doubt,) = doubts_about([one], {})
    assert (doubt.text, doubt.link) == (f"Reason 1 of class 1 {words}", "#class-1-reason-1")


def test_a_pattern_that_tells_the_labels_is_none():
    one = with_labels(PREDICTIONS)
    assert shortcut(one, one.reasons[0]) == ""
    assert doubts_about([one], {}) == []
    assert shortcut(replace(one, survey=replace(one.survey, labels=())), one.reasons[0]) == ""


def test_a_class_that_the_model_does_not_know(explain):
    (doubt,) = doubts_about([explain(confusion=((90, 10), (60, 40)))], {})
    assert doubt.is_grave
    assert doubt.text == (
        "The model does not know class 1 (house) well: of 100 graphs labelled so it predicts 40% as such"
    )
