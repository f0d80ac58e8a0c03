"""Of very many graphs the pass is in single precision; answers must be those of double precision."""

import copy

import numpy as np
import pytest
import torch
from torch import nn
from torch_geometric.data import Data
from torch_geometric.nn import global_add_pool

import protograph as pg
from protograph.models import applying, embedding
from protograph.models.classifier import GraphClassifier
from protograph.models.embedding import embed_all
from protograph.models.single_precision import in_single_precision
from tests import zoo

GRAPHS = zoo.random_graphs(260)
FEW = GRAPHS[:100]


def answer(explainer):
    return [
        (
            target,
            [(p.source, p.sources, p.nodes, p.matches.tolist(), p.cluster_size) for p in one.prototypes],
            [str(reason) for reason in one.reasons],
        )
        for target, one in explainer.explain_all().items()
    ]


@pytest.fixture
def many(monkeypatch):
    monkeypatch.setattr(embedding, "GRAPHS_IN_DOUBLE", 0)


@pytest.mark.filterwarnings("ignore::protograph.ProtographWarning")
@pytest.mark.parametrize(("pool", "max_reasons"), [("add", 2), ("mean", 0), ("max", 0)])
def test_answers_are_those_of_double_precision_whatever_rounding_does(monkeypatch, pool, max_reasons):
    model, options = zoo.make(pool=pool, seed=2), {"num_clusters": 2, "max_reasons": max_reasons, "budget": 2}
    wanted = answer(pg.PAGE(**options).fit(model, FEW))
    monkeypatch.setattr(embedding, "GRAPHS_IN_DOUBLE", 0)
    plain = pg.PAGE(**options).fit(model, FEW)
    assert plain.embedded_.exact is not None
    assert answer(plain) == wanted
    finish = applying.Applying._finish

    def with_noise(self, begun):
        done = finish(self, begun)
        noise = torch.empty_like(done.graph_embeddings).uniform_(-1e-7, 1e-7, generator=torch.manual_seed(0))
        return done._replace(graph_embeddings=done.graph_embeddings * (1 + noise))

    monkeypatch.setattr(applying.Applying, "_finish", with_noise)
    assert answer(pg.PAGE(**options).fit(model, FEW, batch_size=37)) == wanted


def test_rows_are_those_of_the_model_and_exact_ones_of_its_double(many):
    model = zoo.make(seed=1)
    embedded = embed_all(model, GRAPHS)[2]
    twin = embed_all(copy.deepcopy(model).double(), GRAPHS)[2]
    assert twin.exact is None  # a model of double precision stays in it
    differences = np.abs(embedded.graph_embeddings - twin.graph_embeddings)
    assert differences.max() > 1e-12
    assert (differences <= 4 * embedded.exact.error.of(twin.graph_embeddings)).all()
    chosen = np.array([5, 3, 200])
    np.testing.assert_allclose(embedded.exact.rows(chosen), twin.graph_embeddings[chosen], rtol=1e-12)
    assert embedded.exact.num_exact == 3
    assert not embedded.exact.errors(chosen).any()


class Close(nn.Module):
    """Predicts by a difference that single precision cannot see."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(1))

    def forward(self, x, edge_index, batch):
        sums = x.new_zeros(int(batch.max()) + 1, x.size(1)).index_add(0, batch, x) * self.weight
        first = sums[:, :1] + 1
        return torch.cat([first, first + 1e-9], dim=1)


def test_close_calls_are_asked_for_again(many):
    embedded = embed_all(Close(), GRAPHS)[2]
    assert embedded.exact is not None
    assert set(embedded.predictions.tolist()) == {1}


class Cancelling(Close):
    """Adds a large number and takes it away again, by which single precision loses its digits."""

    def forward(self, x, edge_index, batch):
        sums = x.new_zeros(int(batch.max()) + 1, x.size(1)).index_add(0, batch, x * self.weight / 3 + 1e5)
        counts = torch.bincount(batch).unsqueeze(1)
        return (sums - 1e5 * counts)[:, :2]


def test_a_model_that_needs_double_precision_keeps_it(many):
    assert embed_all(Cancelling(), GRAPHS)[2].exact is None


class Saturated(Close):
    """Sums of what single precision rounds to 1."""

    def forward(self, x, edge_index, batch):
        states = torch.tanh(9.2 * self.weight + torch.linspace(0, 0.3, x.size(1)).to(x) @ x.T).unsqueeze(1)
        sums = states.new_zeros(int(batch.max()) + 1, 1).index_add(0, batch, states)
        return torch.cat([sums, -sums], dim=1)


def test_graphs_read_as_they_come_are_run_in_double_precision_up_to_a_number(monkeypatch):
    monkeypatch.setattr(embedding, "GRAPHS_IN_DOUBLE", 100)
    monkeypatch.setattr("protograph.graphs.spool.SHARD_GRAPHS", 8)
    model = zoo.make(seed=1)
    assert embed_all(model, iter(GRAPHS[:99]), batch_size=20)[2].exact is None
    embedded = embed_all(model, iter(GRAPHS), batch_size=20)[2]
    assert embedded.exact.num_exact == 100 + 39  # of 64 that are spread over all, 39 are not among the first 100
    assert embed_all(model, GRAPHS, batch_size=20)[2].exact.num_exact == 0


def test_rows_that_differ_too_much_let_all_be_made_exact(many):
    embedded = embed_all(zoo.make(seed=1), GRAPHS)[2]
    wanted = embed_all(zoo.make(seed=1).double(), GRAPHS)[2].graph_embeddings
    embedded.graph_embeddings[7] *= 1.01
    embedded.exact.make(np.array([7]))  # without a warning: predictions are the same
    assert embedded.exact.num_exact == len(GRAPHS)
    np.testing.assert_allclose(embedded.graph_embeddings, wanted, rtol=1e-12)


class TakesGradients(nn.Module):
    """A model of energies and forces: its output is the gradient of something."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.tensor([[1.0, -2.0], [0.5, 3.0]]))

    def forward(self, x, edge_index, batch):
        with torch.enable_grad():
            x = x.detach().requires_grad_()
            energy = (x @ self.weight).pow(2).sum()
            (force,) = torch.autograd.grad(energy, x)
        return global_add_pool(force, batch)


@pytest.mark.parametrize(("model", "is_inference"), [(zoo.make(), True), (TakesGradients(), False)])
def test_a_model_that_takes_gradients_inside_runs_without_inference_mode(model, is_inference):
    graphs = [zoo.random_graph(seed) for seed in range(20)]
    for graph in graphs:
        graph.x = graph.x[:, :2].float() if isinstance(model, TakesGradients) else graph.x.float()
    running = GraphClassifier(model.float()).start(graphs)
    single = in_single_precision(running, graphs)
    assert single.classifier.is_inference == is_inference
    wanted = running.graph_rows(graphs)[0]
    torch.testing.assert_close(single.classifier.graph_rows(graphs)[0].double(), wanted, rtol=1e-4, atol=1e-4)


class Summing(nn.Module):
    """Tells whether the sum of a graph's two columns is positive, and has seen it once before the readout."""

    def __init__(self):
        super().__init__()
        self.lin, self.head = nn.Linear(2, 2), nn.Linear(2, 2)
        self.lin.weight.data, self.lin.bias.data = torch.tensor([[0.7, 0.7], [-0.7, -0.7]]), torch.zeros(2)
        self.head.weight.data, self.head.bias.data = torch.eye(2), torch.zeros(2)

    def forward(self, x, edge_index, batch):
        return self.head(global_add_pool(self.lin(x), batch))


def taken_from_each_other(number, first):
    """Graphs of which all but the first have columns that are large and make up for each other."""
    rng = np.random.default_rng(0)
    graphs = []
    for place in range(number):
        small = rng.uniform(0, 1, (3, 2)) - 0.5 * (place >= first)
        large = (0.0 if place < first else 10.0 ** rng.uniform(2, 5)) * np.array([1.0, -1.0])
        x = torch.tensor(small + large, dtype=torch.float32)
        graphs.append(Data(x=x, edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])))
    return graphs


@pytest.mark.parametrize("source", [list, iter], ids=["list", "generator"])
def test_errors_are_not_told_by_the_first_graphs(monkeypatch, source):
    monkeypatch.setattr(embedding, "GRAPHS_IN_DOUBLE", 80)
    monkeypatch.setattr("protograph.graphs.spool.SHARD_GRAPHS", 8)
    graphs = taken_from_each_other(2000, first=100)
    wanted = embed_all(Summing().double(), graphs)[2]
    found = embed_all(Summing(), source(graphs), batch_size=50)[2]
    assert found.exact is None
    assert found.predictions.tolist() == wanted.predictions.tolist()
    np.testing.assert_allclose(found.scores, wanted.scores, rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.graph_embeddings, wanted.graph_embeddings, rtol=0, atol=1e-9)


def test_errors_that_only_a_close_call_shows_let_all_be_run_again(monkeypatch, many):
    wanted = embed_all(zoo.make(seed=1).double(), GRAPHS)[2]
    finish = applying.Applying._finish

    def with_errors(self, begun):
        done = finish(self, begun)
        done.outputs[133] = 0.0
        done.graph_embeddings[133] *= 1.5
        done.outputs[50] = done.outputs[50].flip(0)  # as if there were no doubt
        return done

    monkeypatch.setattr(applying.Applying, "_finish", with_errors)
    embedded = embed_all(zoo.make(seed=1), GRAPHS)[2]
    assert embedded.exact is None
    assert embedded.predictions.tolist() == wanted.predictions.tolist()
    np.testing.assert_allclose(embedded.graph_embeddings, wanted.graph_embeddings, rtol=1e-12)
    np.testing.assert_allclose(embedded.scores, wanted.scores, rtol=0, atol=1e-12)


def test_predictions_that_turn_out_to_be_wrong_are_told(many):
    embedded = embed_all(zoo.make(seed=1), GRAPHS)[2]
    embedded.graph_embeddings[7] *= 1.01
    embedded.predictions[3] = 1 - embedded.predictions[3]
    message = (
        r"^single precision does not do for this model: one graph would be predicted otherwise in double precision; "
        r"fit again with model.double\(\)$"
    )
    with pytest.warns(pg.ProtographWarning, match=message):
        embedded.exact.make(np.array([7]))
