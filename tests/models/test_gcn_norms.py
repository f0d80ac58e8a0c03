"""The same numbers as PyG's layers give, to the last bit, with the normalisation worked out once."""

import copy
import gc
import pickle
from types import MethodType

import pytest
import torch
from torch import nn
from torch_geometric.data import Batch
from torch_geometric.nn import GCNConv, TopKPooling, global_add_pool
from torch_geometric.nn.conv import gcn_conv

from protograph import GraphClassifier
from protograph.models import gcn_norms
from protograph.models.gcn_norms import sharing_norms
from protograph.models.keeping import copied
from tests.zoo import random_graphs

GRAPHS = random_graphs(6)


class Net(nn.Module):
    """Three layers of the same edges."""

    def __init__(self, **options):
        super().__init__()
        self.convs = nn.ModuleList(GCNConv(3, 3, **options) for _ in range(3))
        self.head = nn.Linear(3, 2)

    def between(self, edge_index):
        """What happens to the edges after a layer."""
        return edge_index

    def forward(self, x, edge_index, batch, edge_weight=None):
        for conv in self.convs:
            x = conv(x, edge_index, edge_weight).tanh()
            edge_index = self.between(edge_index)
        return self.head(global_add_pool(x, batch))


class Rewiring(Net):
    """Writes into its edges after each layer: all end where the first does."""

    def between(self, edge_index):
        edge_index[1, :2] = edge_index[1, 0]
        return edge_index


class Renewing(Net):
    """Has other edges in each layer."""

    def between(self, edge_index):
        return edge_index[:, 2:]


class Pooling(nn.Module):
    """Leaves nodes out between its layers."""

    def __init__(self):
        super().__init__()
        self.first, self.pool, self.second = GCNConv(3, 3), TopKPooling(3), GCNConv(3, 2)

    def forward(self, x, edge_index, batch):
        x = self.first(x, edge_index).tanh()
        x, edge_index, _, batch, _, _ = self.pool(x, edge_index, batch=batch)
        return global_add_pool(self.second(x, edge_index), batch)


@pytest.fixture
def counted(monkeypatch):
    """How often normalisations were worked out."""
    calls = []
    norm = gcn_conv.gcn_norm
    monkeypatch.setattr(gcn_conv, "gcn_norm", lambda *args, **kwargs: calls.append(1) or norm(*args, **kwargs))
    return calls


def batch_with_weights():
    batch = Batch.from_data_list(GRAPHS)
    generator = torch.Generator().manual_seed(1)
    return batch, torch.rand(batch.num_edges, generator=generator)


def shared(model):
    """A copy whose layers share."""
    return sharing_norms(copied(model))


def made(kind, **options):
    torch.manual_seed(0)
    return kind(**options).eval()


@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode])
@pytest.mark.parametrize("is_weighed", [False, True])
@pytest.mark.parametrize("options", [{}, {"improved": True}, {"add_self_loops": False}, {"normalize": False}], ids=repr)
def test_output_is_the_same_to_the_last_bit(mode, is_weighed, options):
    if options.get("normalize") is False:
        options = options | {"add_self_loops": False}
    model = made(Net, **options)
    batch, weights = batch_with_weights()
    with mode():
        given = (batch.x, batch.edge_index, batch.batch, weights if is_weighed else None)
        assert torch.equal(shared(model)(*given), model(*given))


@pytest.mark.parametrize("kind", [Rewiring, Renewing, Pooling])
def test_other_edges_have_a_normalisation_of_their_own(kind):
    model = made(kind)
    one, other = (Batch.from_data_list(GRAPHS) for _ in range(2))
    with torch.no_grad():
        expected = model(one.x, one.edge_index, one.batch)
        assert torch.equal(shared(model)(other.x, other.edge_index, other.batch), expected)
    assert expected.abs().sum() > 0


def test_it_is_worked_out_once_a_call(counted):
    model, batch = shared(made(Net)), Batch.from_data_list(GRAPHS)
    with torch.no_grad():
        model(batch.x, batch.edge_index, batch.batch)
        assert len(counted) == 1
        model(batch.x, batch.edge_index.clone(), batch.batch)
        assert len(counted) == 2


def test_layers_with_other_options_do_not_share(counted):
    model, batch = made(Net), Batch.from_data_list(GRAPHS)
    model.convs[1] = GCNConv(3, 3, improved=True)
    with torch.no_grad():
        expected = model(batch.x, batch.edge_index, batch.batch)
        counted.clear()
        assert torch.equal(shared(model)(batch.x, batch.edge_index, batch.batch), expected)
    assert len(counted) == 3  # the third layer asks for what the first has


def test_weights_are_worked_with_each_time(counted):
    model, (batch, weights) = made(Net), batch_with_weights()
    twin, seen = shared(model), []
    with torch.no_grad():
        for own in (None, weights, weights.flip(0), None):
            given = (batch.x, batch.edge_index, batch.batch, own)
            seen.append(twin(*given))
            assert torch.equal(seen[-1], model(*given))
    assert not torch.equal(seen[0], seen[1])
    assert not torch.equal(seen[1], seen[2])
    assert len(counted) == 4 * 3 + 1 + 3 + 3  # the model's own, and three layers each with weights


def test_another_precision_is_told_apart():
    model, batch = made(Net), Batch.from_data_list(GRAPHS)
    twin = shared(model)
    with torch.no_grad():
        twin(batch.x, batch.edge_index, batch.batch)
        given = (batch.x.double(), batch.edge_index, batch.batch)
        assert torch.equal(twin.double()(*given), model.double()(*given))


def test_gradients_go_through_each_call_by_itself(counted):
    model = shared(made(Net))
    batch, weights = batch_with_weights()
    weights.requires_grad_()
    for _ in range(2):  # a second time the first call's history is gone
        (gradient,) = torch.autograd.grad(model(batch.x, batch.edge_index, batch.batch, weights).sum(), weights)
        assert gradient.abs().sum() > 0
    assert len(counted) == 6


@pytest.mark.parametrize("has_loops", [True, False])
def test_it_is_gone_with_the_edges(has_loops):
    model, batch = shared(made(Net, add_self_loops=has_loops)), Batch.from_data_list(GRAPHS)
    with torch.no_grad():
        model(batch.x, batch.edge_index, batch.batch)
    known = model.convs[0].forward.norms._known
    assert len(known) == has_loops  # without them PyG gives the edges themselves, which would keep themselves
    del batch
    gc.collect()
    assert len(known) == 0


@pytest.mark.parametrize(
    "way", [copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))], ids=["copy", "pickle"]
)
def test_copies_share_among_themselves(way):
    first = shared(made(Net))
    second = way(first)
    assert len({id(conv.forward.norms) for model in (first, second) for conv in model.convs}) == 2


def test_a_layer_that_fails_is_left_as_it_was():
    model, batch = shared(made(Net)), Batch.from_data_list(GRAPHS)
    with torch.no_grad(), pytest.raises(RuntimeError):
        model(batch.x[:, :2], batch.edge_index, batch.batch)
    assert [(conv.cached, conv._cached_edge_index) for conv in model.convs] == [(False, None)] * 3


def changed(layer, way):
    """A layer that somebody has changed."""
    if way == "hook":
        layer.register_message_forward_pre_hook(lambda module, given: None)
    elif way == "message":
        layer.message = MethodType(lambda self, x_j, edge_weight: edge_weight.mul_(2).view(-1, 1) * x_j, layer)
    elif way == "known":
        layer._cached_edge_index = (torch.zeros(2, 0, dtype=torch.long), torch.zeros(0))
    return layer


class Own(GCNConv):
    """Somebody's own."""


def test_the_users_model_and_other_layers_are_left_alone():
    layers = [GCNConv(2, 2), GCNConv(2, 2, cached=True), Own(2, 2), nn.Linear(2, 2)]
    model = nn.ModuleList([*layers, *(changed(GCNConv(2, 2), way) for way in ("hook", "message", "known"))])
    twin = shared(model)
    assert ["forward" in vars(layer) for layer in twin] == [True] + 6 * [False]
    assert not any("forward" in vars(layer) for layer in model)
    assert [type(layer) for layer in twin] == [type(layer) for layer in model]
    assert repr(twin) == repr(model)


def test_a_layer_that_no_longer_normalises():
    model, batch = made(Net), Batch.from_data_list(GRAPHS)
    twin = shared(model)
    for conv in (*model.convs, *twin.convs):
        conv.normalize = False
    with torch.no_grad():
        given = (batch.x, batch.edge_index, batch.batch)
        assert torch.equal(twin(*given), model(*given))


def test_a_model_that_is_one_layer():
    layer = sharing_norms(GCNConv(3, 2))
    assert type(layer) is GCNConv
    assert isinstance(layer.forward, gcn_norms._SharingForward)


class Secretive(Net):
    """Writes into its edges so that PyTorch does not know of it."""

    def between(self, edge_index):
        edge_index.data[:] = edge_index.data.roll(1, dims=0)
        edge_index.data[1] = 0
        return edge_index


@pytest.mark.filterwarnings("ignore::protograph.ProtographWarning")
def test_a_model_that_layers_must_not_share_in_is_run_as_it_is():
    model = made(Secretive)
    batch, other = (Batch.from_data_list(GRAPHS) for _ in range(2))
    with torch.no_grad():
        expected = model(batch.x, batch.edge_index, batch.batch)
        assert not torch.allclose(shared(model)(other.x, other.edge_index, other.batch), expected, atol=1e-2)
    assert torch.allclose(GraphClassifier(model).start(GRAPHS).classify(GRAPHS), expected.double(), atol=1e-5)


def test_what_a_classifier_gives_is_what_the_model_gives():
    model, batch = made(Net), Batch.from_data_list(GRAPHS)
    with torch.no_grad():
        expected = model.double()(batch.x.double(), batch.edge_index, batch.batch)
    assert torch.equal(GraphClassifier(model).start(GRAPHS).classify(GRAPHS), expected)
