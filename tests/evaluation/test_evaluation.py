import math

import numpy as np
import pytest
import torch
from torch_geometric.data import Data

import protograph as pg
from protograph.evaluation.evaluation import HeldOut, evaluate
from protograph.evaluation.held_out import held_out
from protograph.evaluation.truths import accuracy_of, planted_truth
from protograph.explanation import EmbeddingMap
from protograph.metrics import EncodedGraphs
from tests import zoo


def path(*kinds):
    ends = torch.tensor([[i, i + 1] for i in range(len(kinds) - 1)]).reshape(-1, 2).t()
    x = torch.eye(2)[list(kinds)]
    return Data(x=x, edge_index=torch.cat([ends, ends.flip(0)], dim=1))


def explanation(prototypes, **options):
    facts = {"num_graphs": 4, "num_predicted": 2, "class_names": ("no", "yes"), "explainer": "PAGE", "options": {}}
    return pg.Explanation(target=1, prototypes=prototypes, **facts | options)


def prototype(graph, **options):
    return pg.Prototype(graph=graph, probability=0.9, margin=2.2, **options)


# The edge 0-1 is in both graphs predicted as class 1 and in one of the two others.
GRAPHS = [path(0, 1, 0), path(1, 0), path(0, 1), path(1, 1, 1)]
HELD_OUT = HeldOut(EncodedGraphs(GRAPHS), np.array([1, 1, 0, 0]), 2)


def test_scores_by_hand():
    found = explanation([prototype(path(0, 1)), prototype(path(0, 1, 0))])
    truth = path(0, 1)
    scores = evaluate(found, graphs=GRAPHS, truths=[truth], held_out=HELD_OUT, model=zoo.make())
    first, second = scores.prototypes
    assert (first.accuracy, first.density, first.truth_density) == (1.0, 0.25, 0.25)
    assert (first.support, first.support_elsewhere, first.lift) == (1.0, 0.5, 2.0)
    assert second.accuracy == pytest.approx(3 / 5)
    assert (second.support, second.support_elsewhere, second.lift) == (0.5, 0.0, math.inf)
    assert scores.accuracy == pytest.approx((1 + 3 / 5) / 2)
    assert scores.coverage[0] == 1.0
    assert scores.overlap[0] == 1.5
    assert first.margin_share is None  # it was cut from no graph
    assert first.is_valid is None  # and is no molecule
    assert scores.as_json()["prototypes"][1]["lift"] is None  # JSON has no infinity


def test_every_truth_is_reported_and_the_best_counted():
    found = explanation([prototype(path(0, 1))])
    truths = [path(0, 1, 0), path(0, 1), path(1, 1)]
    (scores,) = evaluate(found, graphs=GRAPHS, truths=truths, held_out=HELD_OUT, model=zoo.make()).prototypes
    assert (scores.truth, scores.accuracy) == (1, 1.0)
    assert scores.accuracies == (pytest.approx(3 / 5), 1.0, pytest.approx(1 / 5))


def test_without_a_truth():
    found = explanation([prototype(path(0, 1))])
    scores = evaluate(found, graphs=GRAPHS, truths=[], held_out=HELD_OUT, model=zoo.make())
    assert scores.accuracy is None
    assert scores.prototypes[0].accuracy is scores.prototypes[0].truth_density is None


def test_a_cluster_is_judged_by_the_truth_most_of_its_graphs_have():
    small, large = path(0, 1), path(0, 1, 0)
    graphs = [Data(motif=small), Data(motif=large), Data(motif=large), Data()]
    places = EmbeddingMap((0, 1, 2, 3), np.zeros((4, 2)), (0, 1, 1, 1), (1.0, 0.0))
    of_small, of_large = prototype(path(0, 1), cluster=0), prototype(path(0, 1), cluster=1)
    found = explanation([of_small, of_large], embedding_map=places)
    assert planted_truth(of_small, found, graphs, [small, large]) == 0
    assert planted_truth(of_large, found, graphs, [small, large]) == 1
    assert accuracy_of(of_large, found, graphs, [small, large]).truth == 1
    assert float(accuracy_of(of_small, found, graphs, [small, large])) == 1.0
    assert float(accuracy_of(of_large, found, graphs, [small, large])) == pytest.approx(3 / 5)
    # Without a cluster, the closest one.
    assert float(accuracy_of(prototype(path(0, 1)), found, graphs, [large, small])) == 1.0


def test_predictions_of_held_out_graphs_are_the_model_s():
    model, graphs = zoo.make(), zoo.random_graphs(30)
    found = held_out(model, graphs)
    with torch.no_grad():
        expected = [int(model(g.x, g.edge_index, torch.zeros(g.num_nodes, dtype=torch.long)).argmax()) for g in graphs]
    assert found.predictions.tolist() == expected
    assert (found.num_classes, len(found.graphs)) == (2, 30)
