import pytest
import torch
from torch_geometric.data import Batch

from protograph import datasets
from protograph.training import GCN
from protograph.training.collation import collate, propagated
from protograph.training.graph_rows import rows_of
from protograph.training.stack import Stack
from protograph.training.stack_layout import StackLayout

HIDDEN = ((4, 7, 16), (16, 16, 2), (9, 3, 5))
LAYOUT = StackLayout(3, (16, 16, 16), 2)


@pytest.fixture(scope="module")
def graphs():
    return datasets.load("ba-house", num_graphs=20)


@pytest.fixture(scope="module")
def rows(graphs):
    return rows_of(propagated(collate(graphs)).take(torch.arange(20)), is_symmetric=True, multiple=32)


@pytest.fixture
def models():
    torch.manual_seed(0)
    return [GCN(3, 2, hidden) for hidden in HIDDEN]


def test_logits_are_those_of_each_model(graphs, rows, models):
    batch = Batch.from_data_list(list(graphs))
    logits = Stack(LAYOUT, LAYOUT.values_of(models), 3).logits(rows)
    for model, ours in zip(models, logits, strict=True):
        assert torch.allclose(ours, model(batch.x, batch.edge_index, batch.batch), atol=1e-5)


def test_gradients_are_those_of_autograd(graphs, rows, models):
    batch = Batch.from_data_list(list(graphs))
    labels = torch.stack([batch.y, 1 - batch.y, batch.y])
    weights = torch.tensor([[1.0, 1.0], [1.0, 1.0], [1.0, 3.0]])
    stack = Stack(LAYOUT, LAYOUT.values_of(models), 3)
    losses = stack.step(rows, labels, weights)
    gradients = LAYOUT.weights(stack.gradients, 3)
    for number, model in enumerate(models):
        logits = model(batch.x, batch.edge_index, batch.batch)
        loss = torch.nn.functional.cross_entropy(logits, labels[number], weight=weights[number])
        loss.backward()
        assert losses[number].item() == pytest.approx(loss.item(), rel=1e-5)
        ours = GCN(3, 2, model.hidden)
        LAYOUT.load_into(ours, stack.gradients, 3, number)
        for name, weight in model.named_parameters():
            assert torch.allclose(ours.state_dict()[name], weight.grad, atol=1e-4), name
    # What is padded has no gradient at all.
    assert gradients.first[:, 0, 4:].count_nonzero() == 0
    assert gradients.convs[0][0, :, 7:].count_nonzero() == 0
    assert gradients.convs[0][0, 4:].count_nonzero() == 0
    assert gradients.head[1, 2:].count_nonzero() == 0


def test_some_models_of_a_stack_are_a_stack(rows, models):
    stack = Stack(LAYOUT, LAYOUT.values_of(models), 3)
    logits = stack.logits(rows)
    assert torch.equal(stack.rows([2, 0]).logits(rows), logits[[2, 0]])
