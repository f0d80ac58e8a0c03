from dataclasses import replace

import numpy as np

from protograph.explanation import Pattern, Prototype
from protograph.explanation.survey import Survey
from protograph.report.page import contrasts
from protograph.report.shown_graphs import ShownGraphs
from tests.explanation.by_hand import explained, reason
from tests.metrics.small_graphs import path, ring

GRAPHS = [ring(3), ring(3), path(3), ring(3)]
PREDICTIONS = [0, 0, 1, 1]


def one_class(target, reasons, prototypes=()):
    survey = Survey(
        places=(0, 1, 2, 3),
        predictions=tuple(PREDICTIONS),
        probabilities=(1.0,) * 4,
        positions=np.zeros((4, 2)),
        graphs=dict(enumerate(GRAPHS)),
    )
    facts = {"survey": survey, "prototypes": prototypes, "class_names": ("ring", "path")}
    return explained(target, reasons, GRAPHS, PREDICTIONS, [0, 1, 0, 1], **facts)


def test_reasons_come_with_their_share_of_each_class():
    first, second = one_class(0, [reason(has=(Pattern(graph=ring(3)),))]), one_class(1, [])
    (row,) = contrasts([first, second], ShownGraphs(first))
    assert (row["card"], row["title"], row["words"]) == ("class-0-reason-1", "Class 0 (ring), reason 1", "a triangle")
    assert row["shares"] == [100.0, 50.0]


def test_without_reasons_prototypes_are_counted_in_the_graphs_that_are_kept():
    prototype = Prototype(graph=ring(3), probability=1.0, margin=1.0)
    first, second = one_class(0, [], [prototype]), one_class(1, [])
    (row,) = contrasts([first, second], ShownGraphs(first))
    assert (row["card"], row["shares"]) == ("class-0-prototype-1", [100.0, 50.0])
    bare = replace(first, survey=replace(first.survey, graphs={}))
    assert contrasts([bare], ShownGraphs(bare)) == []
