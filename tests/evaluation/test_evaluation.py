import math

import numpy as np
import pytest
import torch
from torch_geometric.data import Data

import protograph as pg
from protograph.evaluation.evaluation import HeldOut, accuracy_of, evaluate, held_out
from protograph.explanation import EmbeddingMap
from protograph.graphs.conditions import Reading
from protograph.training import GCN
from tests import zoo
from tests.made import made_explanation


def path(*kinds):
    ends = torch.tensor([[i, i + 1] for i in range(len(kinds) - 1)]).reshape(-1, 2).t()
    x = torch.eye(2)[list(kinds)]
    return Data(x=x, edge_index=torch.cat([ends, ends.flip(0)], dim=1))


def explanation(prototypes, **options):
    facts = {"num_graphs": 4, "num_predicted": 2, "class_names": ("no", "yes"), "explainer": "PAGE", "options": {}}
    return made_explanation(target=1, prototypes=prototypes, **facts | options)


def prototype(graph, **options):
    return pg.Prototype(graph=graph, probability=0.9, margin=2.2, **options)


# The edge 0-1 is in both graphs predicted as class 1 and in one of the two others.
GRAPHS = [path(0, 1, 0), path(1, 0), path(0, 1), path(1, 1, 1)]
HELD_OUT = HeldOut(GRAPHS, np.array([1, 1, 0, 0]), 2)


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
    assert first.margin_share is None  # it was cut from no graph
    assert first.is_valid is None  # and is no molecule
    assert scores.as_json()["prototypes"][1]["lift"] is None  # JSON has no infinity


@pytest.mark.parametrize(
    ("predictions", "figures"), [([1, 1, 1, 1], (0.75, None, None)), ([0, 0, 0, 0], (None, 0.75, None))]
)
def test_figures_that_do_not_apply_are_missing(predictions, figures):
    held = HeldOut(GRAPHS, np.array(predictions), 2)
    scores = evaluate(explanation([prototype(path(0, 1))]), graphs=GRAPHS, truths=[], held_out=held, model=zoo.make())
    (one,) = scores.prototypes
    assert (one.support, one.support_elsewhere, one.lift) == figures
    assert math.isnan(scores.coverage[0]) == (figures[0] is None)


def test_the_model_s_word_on_prototype_truth_and_sources_side_by_side():
    model, truth = GCN(2, 2, (8,)).eval(), path(1, 1)
    sources = {0: GRAPHS[0], 3: GRAPHS[3], 9: GRAPHS[1]}
    found = explanation([prototype(path(0, 1), sources=[0, 3, 7])], source_graphs=sources)
    (scores,) = evaluate(found, graphs=GRAPHS, truths=[truth], held_out=HELD_OUT, model=model).prototypes
    assert (scores.probability, scores.margin) == (0.9, 2.2)
    with torch.no_grad():
        alone = torch.zeros(2, dtype=torch.long)
        logits = model(truth.x, truth.edge_index, alone).double()
        each = [model(g.x, g.edge_index, alone.new_zeros(3)).double()[0] for g in (GRAPHS[0], GRAPHS[3])]
    margins = [float(one[1] - one[0]) for one in (logits[0], *each)]
    assert scores.truth_margin == pytest.approx(margins[0], abs=1e-5)
    assert scores.truth_probability == pytest.approx(1 / (1 + math.exp(-margins[0])), abs=1e-6)
    assert scores.sources_margin == pytest.approx((margins[1] + margins[2]) / 2, abs=1e-5)
    assert scores.sources_probability == pytest.approx(
        sum(1 / (1 + math.exp(-margin)) for margin in margins[1:]) / 2, abs=1e-6
    )
    bare = explanation([prototype(path(0, 1))])
    (scores,) = evaluate(bare, graphs=GRAPHS, truths=[], held_out=HELD_OUT, model=model).prototypes
    assert scores.truth_probability is scores.truth_margin is None
    assert scores.sources_probability is scores.sources_margin is None


def test_a_truth_that_the_model_cannot_read_has_no_figures():
    class Weighted(torch.nn.Module):
        def forward(self, x, edge_index, edge_attr, batch):
            sums = torch.zeros(int(batch.max()) + 1, 2, dtype=x.dtype).index_add(0, batch, x)
            return sums + edge_attr.sum()

    graphs = [Data(x=g.x, edge_index=g.edge_index, edge_attr=torch.ones(g.num_edges)) for g in GRAPHS]
    found = explanation([prototype(graphs[2], sources=[0])], source_graphs={0: graphs[0]})
    (scores,) = evaluate(found, graphs=graphs, truths=[path(0, 1)], held_out=HELD_OUT, model=Weighted()).prototypes
    assert scores.truth_margin is scores.truth_probability is None
    assert scores.sources_margin == pytest.approx(-1.0)  # one node of class 1, two of class 0


def test_every_truth_is_reported_and_the_best_counted():
    found = explanation([prototype(path(0, 1))])
    truths = [path(0, 1, 0), path(0, 1), path(1, 1)]
    (scores,) = evaluate(found, graphs=GRAPHS, truths=truths, held_out=HELD_OUT, model=zoo.make()).prototypes
    assert (scores.truth, scores.accuracy) == (1, 1.0)
    assert scores.accuracies == (pytest.approx(3 / 5), 1.0, pytest.approx(1 / 5))


def test_edges_agree_as_they_did_for_the_explanation():
    single, double = (path(0, 1) for _ in range(2))
    single.edge_attr, double.edge_attr = torch.zeros(2, 1), torch.ones(2, 1)
    graphs = HeldOut([single, double, double, double], np.array([1, 1, 0, 0]), 2)
    for rule, shares in ((Reading(), (1.0, 1.0)), (Reading(rows="edge_attr"), (0.5, 0.0))):
        found = explanation([prototype(single, edge_rule=rule)], edge_rule=rule)
        scores = evaluate(found, graphs=[single], truths=[], held_out=graphs, model=zoo.make())
        assert (scores.prototypes[0].support, scores.prototypes[0].support_elsewhere) == shares
        assert scores.coverage[0] == shares[0]


def test_a_cluster_is_judged_by_the_truth_most_of_its_graphs_have():
    small, large = path(0, 1), path(0, 1, 0)
    graphs = [Data(motif=small), Data(motif=large), Data(motif=large), Data()]
    places = EmbeddingMap((0, 1, 2, 3), np.zeros((4, 2)), (0, 1, 1, 1), (1.0, 0.0))
    of_small, of_large = prototype(path(0, 1), cluster=0), prototype(path(0, 1), cluster=1)
    found = explanation([of_small, of_large], embedding_map=places)
    assert accuracy_of(of_small, found, graphs, [small, large]).truth == 0
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
