"""The paper's classifier with other convolutions: GIN and GAT in place of GCN, trained in the same way."""

from collections.abc import Iterable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, get_args

import numpy as np
import torch
from torch import Tensor, nn
from torch_geometric.data import Data
from torch_geometric.nn import GATConv, GCNConv, GINConv, global_add_pool

from protograph._base.progress import Progress
from protograph._base.randomness import checked_seed, preserved_random_state
from protograph.training.collation import FlatGraphs, collate
from protograph.training.split import Split, make_split
from protograph.training.training import EVALUATION_BATCH, PAPER_HIDDEN, EarlyStopping, one_thread

Conv = Literal["gcn", "gin", "gat"]
CONVS: tuple[Conv, ...] = get_args(Conv)
# Heads of a GAT layer, which share its width.
NUM_HEADS = 4


class ConvNet(nn.Module):
    """Convolutions of one kind with ReLU, summed over the nodes, then a linear layer.

    Args:
        num_features: Columns of ``x``.
        num_classes: Columns of the output.
        hidden: Width of each convolution; for ``"gat"`` a multiple of 4, the number of heads.
        conv: ``"gcn"``; ``"gin"``, with two linear layers in each convolution (Xu et al., 2019); or ``"gat"``
            (Velickovic et al., 2018).

    >>> ConvNet(3, 2, (8, 8), conv="gin")(torch.ones(4, 3), torch.tensor([[0, 1], [1, 0]])).shape
    torch.Size([1, 2])
    """

    def __init__(
        self, num_features: int, num_classes: int, hidden: Sequence[int] = PAPER_HIDDEN, *, conv: Conv
    ) -> None:
        super().__init__()
        if conv not in CONVS:
            raise ValueError(f"conv must be one of {', '.join(map(repr, CONVS))}, got {conv!r}")
        self.convs = nn.ModuleList(_conv(conv, *widths) for widths in pairwise((num_features, *hidden)))
        self.head = nn.Linear(hidden[-1], num_classes)

    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor | None = None) -> Tensor:
        """Logits of shape ``[num_graphs, num_classes]``; without ``batch`` all nodes are one graph."""
        x = x.to(self.head.weight.dtype)
        for conv in self.convs:
            x = conv(x, edge_index).relu()
        logits: Tensor = self.head(global_add_pool(x, batch))
        return logits


def _conv(name: Conv, inputs: int, outputs: int) -> nn.Module:
    made: nn.Module
    if name == "gin":
        made = GINConv(nn.Sequential(nn.Linear(inputs, outputs), nn.ReLU(), nn.Linear(outputs, outputs)))
    elif name == "gat":
        if outputs % NUM_HEADS:
            raise ValueError(f"hidden must be multiples of {NUM_HEADS} for 'gat', got {outputs}")
        made = GATConv(inputs, outputs // NUM_HEADS, heads=NUM_HEADS)
    else:
        made = GCNConv(inputs, outputs)
    return made


@dataclass(frozen=True, eq=False)
class TrainedNet:
    """A trained model.

    Attributes:
        model: With the weights of the best epoch, in evaluation mode.
        split: Which graphs were trained on, validated on and tested on.
        test_accuracy: Share of the test graphs that it classifies right.
        num_epochs: How many there were.
    """

    model: ConvNet
    split: Split
    test_accuracy: float
    num_epochs: int


def train_conv_net(
    graphs: Iterable[Data],
    *,
    conv: Conv,
    hidden: Sequence[int] = PAPER_HIDDEN,
    random_state: int = 0,
    learning_rate: float = 0.001,
    batch_size: int = 16,
    patience: int = 5,
    max_epochs: int = 1000,
    device: torch.device | str = "cpu",
    progress: Progress | None = None,
) -> TrainedNet:
    """Train a :class:`ConvNet` as :func:`protograph.train` trains the paper's GCN, on the same split for the same seed.

    Args:
        graphs: Graphs with one integer label ``y`` each.
        conv: Kind of the convolutions.
        hidden: Width of each.
        random_state: Seed of the split, the first weights and the order of the graphs.
        learning_rate: Step size of Adam.
        batch_size: Graphs a step.
        patience: Epochs without a lower validation loss after which training stops.
        max_epochs: Most passes over the training graphs.
        device: Where to train and leave the model.
        progress: Called after each epoch as ``progress("training", epoch, None)``.
    """
    split_seed, weight_seed, order_seed = np.random.SeedSequence(checked_seed(random_state)).generate_state(3).tolist()
    with one_thread():
        flat = collate(graphs)
        split = make_split("paper", graphs, len(flat), np.random.default_rng(split_seed))
        with preserved_random_state():
            torch.default_generator.manual_seed(weight_seed)
            model = ConvNet(flat.x.shape[1], int(flat.y.max()) + 1, hidden, conv=conv)
        model, flat = model.to(device), flat.to(device)
        stopping, best = EarlyStopping(patience), deepcopy(model.state_dict())
        optimizer = torch.optim.Adam(model.parameters(), lr=learning_rate, fused=True)
        generator = torch.Generator().manual_seed(order_seed)
        while not stopping.is_over and stopping.num_epochs < max_epochs:
            order = split.train[torch.randperm(len(split.train), generator=generator)].to(device)
            _train_epoch(model, flat, order, batch_size, optimizer)
            if stopping.update(_loss_and_accuracy(model, flat, split.validation)[0]):
                best = deepcopy(model.state_dict())
            if progress is not None:
                progress("training", stopping.num_epochs, None)
        model.load_state_dict(best)
        _, accuracy = _loss_and_accuracy(model, flat, split.test)
    return TrainedNet(model.eval(), split, accuracy, stopping.num_epochs)


@torch.enable_grad()
def _train_epoch(
    model: ConvNet, flat: FlatGraphs, order: Tensor, batch_size: int, optimizer: torch.optim.Optimizer
) -> None:
    model.train()
    for batch in flat.batches(order, batch_size):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(batch.x, batch.edge_index, batch.batch), batch.y)
        torch.autograd.backward(loss)
        optimizer.step()


@torch.no_grad()
def _loss_and_accuracy(model: ConvNet, flat: FlatGraphs, indices: Tensor) -> tuple[float, float]:
    model.eval()
    loss, right = 0.0, 0
    for chunk in torch.split(indices, EVALUATION_BATCH):
        batch = flat.take(chunk.to(flat.x.device))
        logits = model(batch.x, batch.edge_index, batch.batch)
        loss += nn.functional.cross_entropy(logits, batch.y, reduction="sum").item()
        right += int((logits.argmax(dim=1) == batch.y).sum())
    return loss / len(indices), right / len(indices)
