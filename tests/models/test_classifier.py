import itertools
from dataclasses import replace

import pytest
import torch
from torch import nn
from torch_geometric.data import Batch

from protograph import GraphClassifier
from protograph.models.inference import Usage
from tests import zoo, zoo_outputs

GRAPHS = zoo.random_graphs(12)
GRAPHS_WITH_EDGES = zoo.random_graphs(12, edge_dim=2)


def assert_captures_what_the_model_saw(model, graphs):
    running = GraphClassifier(model).start(graphs)
    result = running.embed(graphs, nodes=True)
    seen = running.model
    torch.testing.assert_close(result.node_embeddings, seen.seen_nodes.double(), rtol=0, atol=0)
    torch.testing.assert_close(result.graph_embeddings, seen.seen_graphs.double(), rtol=0, atol=0)
    batch = Batch.from_data_list(graphs)
    with torch.no_grad():
        expected = model.classify(batch.x, batch.edge_index, batch.batch, batch.get("edge_attr"))
    torch.testing.assert_close(result.outputs, expected.double(), rtol=1e-4, atol=1e-5)
    return running


@pytest.mark.parametrize("pool", zoo.POOLS)
@pytest.mark.parametrize("norm", [True, False])
def test_every_readout_is_captured_and_a_norm_over_graphs_is_none(pool, norm):
    assert assert_captures_what_the_model_saw(zoo.make(conv="gine", pool=pool, norm=norm), GRAPHS_WITH_EDGES).is_double


def test_unknown_module_names_are_refused_with_the_known_ones():
    with pytest.raises(
        ValueError, match=r"^node_embeddings='convs.9' is not a module of the model; its modules are: conv1"
    ):
        GraphClassifier(zoo.make(), node_embeddings="convs.9")


def test_a_named_module_that_gives_no_node_vectors_is_told():
    message = (
        r"^node_embeddings must be one vector for each .*, got shape \[8, 2\] from module 'head'; name another module"
    )
    with pytest.raises(ValueError, match=message):
        GraphClassifier(zoo.make(), node_embeddings="head", return_type="raw").start(GRAPHS)


def test_a_model_without_readout_returns_one_row_a_node():
    class PerNode(zoo.Net):
        def forward(self, x, edge_index, batch):
            return self.head(self.conv2(self.conv1(x, edge_index), edge_index))

    with pytest.raises(ValueError, match=r"one row a node: .*only graph classifiers"):
        GraphClassifier(PerNode()).start(GRAPHS)


class CastsToFloat(zoo.Net):
    def classify(self, x, edge_index, batch, edge_attr=None):
        extra = torch.zeros(x.size(0), 3, dtype=torch.float)
        return super().classify(x.float() + extra.to(torch.float32), edge_index, batch, edge_attr)


def test_a_cast_to_float_inside_a_model_does_not_keep_it_from_double():
    assert assert_captures_what_the_model_saw(zoo.make(kind=CastsToFloat), GRAPHS).is_double


class OnlyFloat(zoo.Net):
    """Leaves PyTorch on the way, so that its weights and its features cannot both be double."""

    def classify(self, x, edge_index, batch, edge_attr=None):
        single = torch.from_numpy(x.numpy().astype("float32"))
        return super().classify(single, edge_index, batch, edge_attr)


def test_a_model_that_cannot_run_in_double_runs_as_it_is():
    model = zoo.make(kind=OnlyFloat)
    running = GraphClassifier(model).start(GRAPHS)
    assert not running.is_double
    assert running.resolution > 1e-6
    torch.testing.assert_close(running.embed(GRAPHS).graph_embeddings, running.model.seen_graphs.double())


class RaisesLater(OnlyFloat):
    """Cannot be copied, so it runs itself."""

    is_broken = False

    def __deepcopy__(self, memo):
        raise TypeError("holds a lock")

    def classify(self, *args):
        if self.is_broken:
            raise RuntimeError("the model broke")
        return super().classify(*args)


def test_the_model_comes_back_when_it_raises():
    model = zoo.make(kind=RaisesLater).train()
    flags = {name: module.training for name, module in model.named_modules()}
    running = GraphClassifier(model).start(GRAPHS)
    running.embed(GRAPHS)
    assert running.model is model
    model.is_broken = True
    with pytest.raises(RuntimeError, match="the model broke"):
        running.embed(GRAPHS)
    assert {name: module.training for name, module in model.named_modules()} == flags
    assert not any(module._forward_hooks or module._forward_pre_hooks for module in model.modules())
    assert torch.is_grad_enabled()


class ReturnsMore(zoo.Net):
    more = "tuple"

    def forward(self, x, edge_index, batch):
        logits = self.classify(x, edge_index, batch)
        if self.more == "tuple":
            return self.seen_graphs, logits
        if self.more == "nodes":
            return logits, self.seen_nodes
        return {"embedding": self.seen_graphs, "logits": logits}


@pytest.mark.parametrize("more", ["dict", "nodes"])
def test_class_scores_are_found_among_other_results(more):
    model = zoo.make(kind=ReturnsMore)
    model.more = more
    result = GraphClassifier(model).start(GRAPHS).embed(GRAPHS)
    assert result.outputs.shape == (12, 2)
    assert result.graph_embeddings.shape == (12, 8)


def test_class_scores_that_cannot_be_told_are_an_error():
    with pytest.raises(ValueError, match=r"returns several tensors \(shapes \[8, 8\], \[8, 2\]\), and which"):
        GraphClassifier(zoo.make(kind=ReturnsMore)).start(GRAPHS)


class Random(zoo.Net):
    def classify(self, x, edge_index, batch, edge_attr=None):
        return super().classify(nn.functional.dropout(x, 0.5), edge_index, batch, edge_attr)


class SeesItsBatch(zoo.Net):
    def classify(self, x, edge_index, batch, edge_attr=None):
        return super().classify(x - x.mean(dim=0), edge_index, batch, edge_attr)


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (Random, "the model's output is random, also in evaluation mode: the same graphs gave different scores"),
        (SeesItsBatch, "the model's output for a graph depends on the other graphs in its batch"),
        (zoo.Net, ""),
    ],
)
def test_unsteady_models_are_told(kind, message):
    warnings = GraphClassifier(zoo.make(kind=kind)).start(GRAPHS).warnings
    assert (warnings[0] if warnings else "").startswith(message)
    assert bool(warnings) == bool(message)


def test_graphs_shown_and_seconds_are_counted(monkeypatch):
    running = replace(GraphClassifier(zoo.make()).start(GRAPHS), usage=Usage())
    monkeypatch.setattr("protograph.models.inference.time.perf_counter", itertools.count().__next__)
    running.classify(GRAPHS[:3])
    running.embed(GRAPHS[:2])
    assert running.usage == Usage(num_graphs=5, seconds=2)
    assert running.usage - Usage(3, 1) + Usage(1, 1) == Usage(3, 2)


def test_arguments_that_cannot_be_are_told():
    with pytest.raises(ValueError, match=r"^device must be one that PyTorch can use here, got 'warp':"):
        GraphClassifier(zoo.make()).start(GRAPHS, device="warp")
    with pytest.raises(TypeError, match=r"^model must be a torch.nn.Module, got function$"):
        GraphClassifier(zoo.make)
    with pytest.raises(
        ValueError, match=r"^node_embeddings='inner' is a TorchScript module, .*; name another, or none$"
    ):
        GraphClassifier(zoo_outputs.HasScriptedPart(), node_embeddings="inner")
