import numpy as np

from protograph.report.scene import lay_out


def test_nodes_have_the_same_places_alone_and_in_the_source(explain, house):
    (of_class,) = lay_out([explain(prototypes=[house, house])])
    first, second = of_class.scenes
    assert (first.number, second.number, first.num_source_nodes) == (1, 2, 9)
    assert np.array_equal(first.alone.positions, first.within.positions[:5])
    assert first.within.part.edges.tolist() == [[0, 1], [0, 2], [1, 2], [1, 3], [2, 4], [3, 4]]
