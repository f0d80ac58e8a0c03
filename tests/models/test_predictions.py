import math

import numpy as np
import pytest
import torch
from torch import nn
from torch.utils.data import Subset
from torch_geometric.data import Data
from torch_geometric.nn import global_add_pool

from protograph import GraphClassifier, ProtographWarning
from protograph.graphs.dataset import GraphStore
from protograph.models.predictions import Judge, Judgement, class_of, decided_type, embed
from tests import zoo
from tests.metrics.by_hand import Linear, graph

A, B = graph([1, 0]), graph([0, 1])


def judge_of(model, return_type):
    classifier = GraphClassifier(model, node_embeddings="", graph_embeddings="").start([A])
    return Judge(classifier, return_type)


def test_probabilities_margins_and_leads_by_hand():
    # Scores of the first graph are (0, 2, 1), of the second (3, 1, 2).
    judgement = judge_of(Linear([[0.0, 3.0], [2.0, 1.0], [1.0, 2.0]]), "raw")([A, B], 1)
    e = math.e
    assert judgement.probabilities.tolist() == pytest.approx([e**2 / (1 + e + e**2), e / (e + e**2 + e**3)])
    assert judgement.margins.tolist() == pytest.approx([2 - math.log(1 + e), 1 - math.log(e**2 + e**3)])
    assert judgement.leads.tolist() == pytest.approx([1, -2])
    assert judgement.leads.dtype == judgement.margins.dtype == judgement.probabilities.dtype == np.float64


def test_a_probability_of_0_is_a_score_of_minus_infinity():
    model = Linear([[0.0, -1000.0], [0.0, 1000.0]], output="probs")
    judge = judge_of(model, "probs")
    assert judge.scores([B]).tolist() == [[-math.inf, 0.0]]
    judgement = judge([B], 0)
    assert (judgement.probabilities[0], judgement.margins[0], judgement.leads[0]) == (0.0, -1000.0, -1000.0)


def test_two_scores_of_minus_infinity_are_a_tie():
    scores = torch.tensor([[-math.inf, -math.inf, 0.0], [-math.inf, 0.0, -math.inf]], dtype=torch.float64)
    assert Judgement.of(scores, 0).leads.tolist() == [-1000.0, -1000.0]
    assert Judgement.of(scores[:, :2], 0).leads.tolist() == [0.0, -1000.0]


def test_more_graphs_than_a_batch_keep_their_order():
    model = Linear([[0.0, 0.0], [1.0, 0.0]])
    graphs = [graph([number, 0]) for number in range(600)]
    assert judge_of(model, "raw")(graphs, 1).margins.tolist() == pytest.approx(list(range(600)))


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_nan_and_infinity_are_refused_with_the_graph_s_number(bad):
    judge = judge_of(Linear([[0.0, 0.0], [1.0, 1.0]]), "raw")
    graphs = [A] * 300 + [graph([1, 0], [0, bad])]
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        judge(graphs, 0)
    assert str(caught.value) == (
        "the model's output for graph 300, of two nodes, is NaN or infinite; check the model's weights (a training "
        "that diverged?) and that graph's features; the model must be able to classify small graphs too"
    )


def test_a_single_output_in_0_to_1_is_guessed_with_a_warning():
    with pytest.warns(ProtographWarning) as caught:
        kind, messages = decided_type(torch.tensor([[0.25], [0.75]]), "auto", stacklevel=2)
    assert kind == "probs"
    assert messages == (str(caught[0].message),)
    assert messages[0] == (
        "the model's single output lies in [0, 1] for all 2 graphs, so it is taken as the probability of class 1; say "
        "so, or that it is a logit: GraphClassifier(model, return_type='probs') or GraphClassifier(model, "
        "return_type='raw')"
    )
    assert decided_type(torch.tensor([[0.25], [0.75]]), "raw") == ("raw", ())
    assert decided_type(torch.tensor([[0.25, 0.75]]), "auto") == ("probs", ())


def test_outputs_that_are_no_probabilities_are_refused():
    message = r"^return_type='probs' wants outputs in \[0, 1\], got -1 to 2; use return_type='raw' for logits$"
    with pytest.raises(ValueError, match=message):
        decided_type(torch.tensor([[-1.0, 2.0]]), "probs")


class Sums(nn.Module):
    """The output of a graph is the sum of its features, passed through a function."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x, batch):
        return self.function(global_add_pool(x, batch))


def graph_of(*rows, label=None):
    edges = torch.tensor([[0, len(rows) - 1], [len(rows) - 1, 0]]) if len(rows) > 1 else torch.empty(2, 0).long()
    graph = Data(x=torch.tensor(rows, dtype=torch.float32), edge_index=edges)
    return graph if label is None else graph.update({"y": label})


GRAPHS = [graph_of([1.0, 0.0], [2.0, 0.0]), graph_of([0.0, 1.0]), graph_of([0.0, 0.5])]


def embedded(function=lambda sums: sums, graphs=GRAPHS, batch_size=2, **options):
    store = GraphStore(graphs)
    running = GraphClassifier(Sums(function)).start([store[0], store[len(store) - 1]])
    return embed(running, store, batch_size=batch_size, **options)


@pytest.mark.parametrize("batch_size", [1, 2, 3, 100])
def test_sums_by_hand_for_any_batch_size(batch_size):
    result = embedded(batch_size=batch_size)
    assert result.graph_embeddings.tolist() == [[3, 0], [0, 1], [0, 0.5]]
    assert result.predictions.tolist() == [0, 1, 1]
    assert result.return_type == "raw"
    assert result.num_classes == 2
    assert result.labels is None
    expected = [1 / (1 + math.exp(-3)), 1 / (1 + math.e), 1 / (1 + math.exp(0.5))]
    assert result.probabilities[:, 0].tolist() == pytest.approx(expected)
    assert result.warnings == ()


def test_progress_is_told_after_every_batch():
    calls = []
    embedded(progress=lambda *call: calls.append(call))
    assert calls == [("embedding", 2, 3), ("embedding", 3, 3)]


class Diverged(nn.Module):
    """Its embedding of a feature of 0.5 is infinite; its output is, unless it is made finite."""

    def __init__(self, is_finite):
        super().__init__()
        self.is_finite = is_finite

    def forward(self, x, batch):
        sums = global_add_pool(1 / (x - 0.5), batch)
        return sums.nan_to_num(posinf=0, neginf=0) if self.is_finite else sums


@pytest.mark.parametrize(("is_finite", "what"), [(False, "the model's output"), (True, "the graph embedding")])
def test_what_diverged_is_named_by_its_graph(is_finite, what):
    with pytest.raises(ValueError, match=r"graph 2") as caught:
        embed(GraphClassifier(Diverged(is_finite)).start(GRAPHS[:1]), GraphStore(GRAPHS), batch_size=2)
    assert str(caught.value) == (
        f"{what} for graph 2 is NaN or infinite; check the model's weights (a training that diverged?) "
        f"and that graph's features"
    )
    with pytest.raises(ValueError, match=rf"^{what} for graph 2 is NaN"):
        embed(GraphClassifier(Diverged(is_finite)).start(GRAPHS[:1]), GraphStore(Subset(GRAPHS, [1, 2])), batch_size=2)


@pytest.mark.parametrize(
    ("y", "label"),
    [
        (torch.tensor([2.0]), 2),
        (np.int64(2), 2),
        (np.array([2]), 2),
        (torch.tensor(True), 1),
        (torch.tensor([2.0], dtype=torch.bfloat16), 2),
        (torch.tensor([1e30]), None),
        (10**400, None),
        (torch.tensor([torch.nan]), None),
        (float("inf"), None),
        (torch.tensor([0.5]), None),
        (torch.tensor([1j]), None),
        (torch.ones(1, device="meta"), None),
        (torch.ones(1, 12), None),
        ("toxic", None),
    ],
)
def test_a_label_is_one_whole_number(y, label):
    assert class_of(y) == label


def test_an_error_says_at_which_graphs_it_happened():
    def fails_at_a_half(sums):
        if (sums == 0.5).any():
            raise RuntimeError("out of order")
        return sums

    running = GraphClassifier(Sums(fails_at_a_half)).start(GRAPHS[:1])
    with pytest.raises(RuntimeError, match=r"^out of order") as caught:
        embed(running, GraphStore(GRAPHS), batch_size=2)
    assert caught.value.__notes__[-1] == "this happened while the model was applied to graph 2"
    with pytest.raises(RuntimeError, match=r"^out of order") as caught:
        embed(running, GraphStore(Subset(GRAPHS, [2, 0])), batch_size=2)
    assert caught.value.__notes__[-1] == "this happened while the model was applied to 2 graphs, graph 2 to graph 0"


def test_what_the_search_makes_of_directed_edges_is_told_without_a_warning(recwarn):
    store = GraphStore([Data(x=graph.x, edge_index=graph.edge_index[:, :1]) for graph in zoo.random_graphs(3)])
    result = embed(GraphClassifier(zoo.make()).start([store[0], store[1]]), store, batch_size=2)
    assert list(result.warnings) == store.notes
    assert len(store.notes) == 1
    assert not recwarn.list
