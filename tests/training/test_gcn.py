import pytest
import torch

from protograph.training import GCN

# Two nodes with an edge: every entry of the normalised adjacency (1 + self-loop, degree 2) is 1/2.
PAIR = torch.tensor([[0, 1], [1, 0]])


def test_logits_worked_out_on_paper():
    model = GCN(num_features=1, num_classes=2, hidden=(1,))
    with torch.no_grad():
        model.convs[0].lin.weight.fill_(2.0)
        model.convs[0].bias.fill_(-1.0)
        model.head.weight.copy_(torch.tensor([[1.0], [10.0]]))
        model.head.bias.copy_(torch.tensor([0.5, 0.0]))
    # Both nodes: relu(2 * (1 + 3) / 2 - 1) = 3; their sum 6; logits 6 + 0.5 and 60.
    logits = model(torch.tensor([[1.0], [3.0]]), PAIR)
    assert logits.flatten().tolist() == pytest.approx([6.5, 60.0])


def test_negative_sums_are_cut_in_every_layer():
    model = GCN(num_features=1, num_classes=1, hidden=(1, 1))
    with torch.no_grad():
        for conv in model.convs:
            conv.lin.weight.fill_(-1.0)
            conv.bias.fill_(0.0)
        model.head.weight.fill_(1.0)
        model.head.bias.fill_(0.0)
    assert model(torch.tensor([[1.0], [3.0]]), PAIR).item() == 0.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((3, 2, ()), r"^hidden must be one or more widths of at least 1, got \(\)$"),
        ((3, 2, (4, 0)), r"^hidden must be one or more widths of at least 1, got \(4, 0\)$"),
        ((-1, 2, (4,)), r"^num_features and num_classes must be at least 1, got -1 and 2$"),
        ((3, 0, (4,)), r"^num_features and num_classes must be at least 1, got 3 and 0$"),
    ],
)
def test_impossible_widths(arguments, message):
    with pytest.raises(ValueError, match=message):
        GCN(*arguments)


@pytest.mark.parametrize("dtype", [torch.long, torch.bool, torch.float64, torch.float16])
def test_features_of_any_type(dtype):
    x, edge_index = torch.eye(3)[[0, 2, 2]], torch.tensor([[0, 1], [1, 0]])
    model = GCN(3, 2, (4,))
    assert torch.equal(model(x.to(dtype), edge_index), model(x, edge_index))
