from dataclasses import replace

import numpy as np

from protograph.explanation import Prototype
from protograph.report.scene import lay_out


def test_nodes_have_the_same_places_alone_and_in_the_source(explain, house):
    (of_class,) = lay_out([explain(prototypes=[house, house])])
    first, second = of_class.scenes
    assert (first.number, second.number, first.num_source_nodes) == (1, 2, 9)
    assert np.array_equal(first.alone.positions, first.within.positions[:5])
    assert first.within.part.edges.tolist() == [[0, 1], [0, 2], [1, 2], [1, 3], [2, 4], [3, 4]]


def test_a_prototype_without_a_source_is_alone(explain, house):
    made = Prototype(graph=house.graph, probability=0.5, margin=0.0)
    (of_class,) = lay_out([explain(prototypes=[made])])
    assert of_class.scenes[0].within is None
    assert len(of_class.scenes[0].views) == 1


def test_shares_are_those_of_the_graphs_looked_at(explain, house, evidence):
    (of_class,) = lay_out([explain(prototypes=[replace(house, evidence=evidence)])])
    alone = of_class.scenes[0].alone
    assert alone.node_shares == [0.75, 1, 1, 1, 1]
    assert list(alone.edge_shares.items())[:3] == [((0, 1), 0.75), ((0, 2), 0.5), ((1, 2), 1.0)]
