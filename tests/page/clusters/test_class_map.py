from types import SimpleNamespace

import numpy as np

from protograph.page.clusters.class_map import class_map


def test_each_graph_of_the_class_has_a_place_and_its_cluster():
    embedded = SimpleNamespace(graph_embeddings=np.array([[9.0], [0.0], [2.0], [4.0]]))
    clusters = [SimpleNamespace(members=(1, 2)), SimpleNamespace(members=(3,))]
    made = class_map(embedded, np.array([1, 2, 3]), clusters)
    assert (made.indices, made.clusters) == ((1, 2, 3), (0, 0, 1))
    assert made.positions[:, 0].tolist() == [-2.0, 0.0, 2.0]
