from dataclasses import replace

from protograph.report.cards import truth_overlay
from protograph.report.palette import palette_of
from tests.metrics.small_graphs import path


def overlay(one):
    (prototype,) = one.prototypes
    return truth_overlay(one, prototype, palette_of([prototype.graph]))


def test_a_prototype_is_laid_over_the_truth_that_is_nearest(explain, house, graph_of):
    square = graph_of([(0, 1), (1, 2), (2, 3), (3, 0)], x=house.graph.x[[1, 1, 1, 1]])
    found = overlay(explain(truths=(path(2, kinds=[2, 2]), square)))
    # Four nodes and four edges of five and six are in the square.
    assert found["words"] == "Accuracy 0.727: 4 nodes and 4 edges of the prototype are in the truth"
    assert (found["prototype"].count('class="pg-node"'), found["prototype"].count("<line ")) == (5, 4)
    assert (found["truth"].count('class="pg-node"'), found["truth"].count("<line ")) == (4, 0)


def test_without_a_truth_there_is_nothing_to_lay_over(explain, house):
    assert overlay(explain()) is None
    assert overlay(explain(truths=(path(2),), prototypes=[replace(house)])) is None
