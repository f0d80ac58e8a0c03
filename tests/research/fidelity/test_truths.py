from types import SimpleNamespace

import numpy as np
import pytest
from torch_geometric.data import Data

from protograph.explanation import Explanation, Prototype
from research.paper.fidelity.truths import prototypes_accuracy, truth_fidelity, truths_among_reasons
from research.paper.worlds.motifs import HOUSE, RING5, path
from research.paper.worlds.planting import pattern_graph
from tests.research.fidelity.sketched import explanation, pattern


def test_truths_among_the_reasons():
    house, line = pattern_graph(HOUSE, 1, 0), pattern_graph(path(0, 1, 2), 3, 0)
    by_shape = pattern(HOUSE)
    by_shape.graph.x = None
    truths = {0: [house], 1: [line, pattern_graph(path(1, 0, 2), 3, 0)]}
    found = {0: explanation(by_shape), 1: explanation(lacks=(pattern(path(2, 1, 0)),))}
    assert truths_among_reasons(truths, found) == [True, True, False]
    assert truths_among_reasons(truths, {0: explanation(pattern(RING5))}) == [False, False, False]


def test_a_class_without_a_truth_is_that_of_graphs_without_any():
    colours = [(0, 1), (1, 1), (0, 0), (0, 0, 1), (0, 1, 0)]
    graphs = [Data(x=one.x, edge_index=one.edge_index) for one in (pattern_graph(path(*c), 2, 0) for c in colours)]
    truths = {1: [pattern_graph(path(0, 0), 2, 0)]}
    # Of class 0 two in three have no pair of zeros; of class 1 one in two has one.
    assert truth_fidelity(truths, graphs, np.array([0, 0, 0, 1, 1])) == (2 / 3 + 1 / 2) / 2


def test_classes_weigh_the_same_in_the_accuracy_of_prototypes():
    pair, line = pattern_graph(path(0, 1), 2, 0), pattern_graph(path(0, 1, 0), 2, 0)

    def explained(target, *graphs):
        facts = {"explainer": "PAGE", "options": {}, "num_graphs": 2, "num_predicted": 1, "class_names": ("0", "1")}
        prototypes = [Prototype(graph=one, probability=0.9, margin=2.2) for one in graphs]
        return Explanation(target=target, prototypes=prototypes, **facts)

    truths = {0: [pair], 1: [line]}
    # Of the line the pair has two of three nodes and one of two edges.
    assert prototypes_accuracy(truths, {0: explained(0, pair, line), 1: explained(1, line)}, []) == pytest.approx(
        ((1 + 3 / 5) / 2 + 1) / 2
    )
    assert prototypes_accuracy(truths, {0: explained(0, pair)}, []) == 1.0
    assert prototypes_accuracy(truths, {0: SimpleNamespace(prototypes=())}, []) is None
