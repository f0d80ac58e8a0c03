"""Graph classifiers that the fidelity of explanations is measured on, and how they are trained."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch_geometric.data import Data
from torch_geometric.nn import (
    GATConv,
    GCNConv,
    GINConv,
    GINEConv,
    SAGEConv,
    global_add_pool,
    global_max_pool,
    global_mean_pool,
)
from torch_geometric.nn.conv.gcn_conv import gcn_norm

from protograph.graphs.dataset import collate

READOUTS = {"sum": global_add_pool, "mean": global_mean_pool, "max": global_max_pool}
HIDDEN, NUM_LAYERS = 32, 3
# Epochs after which graphs are put together anew; between, batches change places.
SAME_BATCHES = 8


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How a model is trained.

    Attributes:
        learning_rate: Of Adam; halved whenever the validation loss has not fallen for half of the patience.
        weight_decay: Of Adam.
        batch_size: Graphs a step.
        epochs: Most epochs.
        patience: Epochs without a better validation accuracy after which training ends.
        good: Validation accuracy at which it ends.
        hopeless: Validation accuracy below which it ends after as many epochs as the patience.
        has_norm: Whether the model normalises its layers over batches.
    """

    learning_rate: float = 0.005
    weight_decay: float = 0.0
    batch_size: int = 64
    epochs: int = 200
    patience: int = 25
    good: float = 1.0
    hopeless: float = 0.0
    has_norm: bool = False


def conv_of(name: str, inputs: int, outputs: int, edge_dim: int | None) -> Any:
    """A layer by its name, one that reads edge attributes where there are any."""
    if edge_dim is not None and name == "gin":
        return GINEConv(_mlp(inputs, outputs), edge_dim=edge_dim)
    if name == "gat":
        return GATConv(inputs, outputs // 4, heads=4, edge_dim=edge_dim)
    if edge_dim is not None:
        raise ValueError(f"conv must read edge attributes, such as gin or gat, got {name!r}")
    if name == "gin":
        return GINConv(_mlp(inputs, outputs))
    return {"gcn": GCNConv, "sage": SAGEConv}[name](inputs, outputs)


def _mlp(inputs: int, outputs: int) -> nn.Module:
    return nn.Sequential(nn.Linear(inputs, outputs), nn.ReLU(), nn.Linear(outputs, outputs))


class Net(nn.Module):
    """Three layers of 32 and a readout; features are standardised by what ``standardise`` saw."""

    mean: Tensor
    scale: Tensor

    def __init__(
        self,
        num_features: int,
        num_classes: int,
        *,
        conv: str = "gcn",
        readout: str = "mean",
        edge_dim: int | None = None,
        has_norm: bool = False,
    ) -> None:
        super().__init__()
        sizes = [num_features] + [HIDDEN] * NUM_LAYERS
        self.convs = nn.ModuleList(conv_of(conv, a, b, edge_dim) for a, b in pairwise(sizes))
        self.norms = nn.ModuleList(nn.BatchNorm1d(HIDDEN) if has_norm else nn.Identity() for _ in self.convs)
        self.head = nn.Linear(HIDDEN, num_classes)
        self.readout = READOUTS[readout]
        self.register_buffer("mean", torch.zeros(num_features))
        self.register_buffer("scale", torch.ones(num_features))

    def standardise(self, graphs: Sequence[Data]) -> None:
        """Take mean and spread of the features of these graphs' nodes, as a part of the model from now on.

        Where all are 0 or 1 nothing is done: a rare atom is not to weigh a hundred times as much as a frequent one.
        """
        x = torch.cat([graph.x for graph in graphs]).float()
        if bool(((x == 0) | (x == 1)).all()):
            return
        self.mean.copy_(x.mean(dim=0))
        self.scale.copy_(x.std(dim=0).clamp(min=1e-6))

    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor | None = None) -> Tensor:
        """Scores of the classes."""
        return self.classified(x, edge_index, batch)

    def classified(self, x: Tensor, edge_index: Tensor, batch: Tensor | None, *edge_attr: Tensor) -> Tensor:
        """Scores of the classes, by layers that read edge attributes where they are given."""
        x = (x.float() - self.mean) / self.scale
        for conv, norm in zip(self.convs, self.norms, strict=True):
            x = norm(conv(x, edge_index, *edge_attr)).relu()
        scores: Tensor = self.head(self.readout(x, batch))
        return scores


class EdgeNet(Net):
    """The same for graphs whose edges have attributes."""

    def forward(  # type: ignore[override]  # it takes one argument more
        self, x: Tensor, edge_index: Tensor, batch: Tensor | None, edge_attr: Tensor
    ) -> Tensor:
        """Scores of the classes."""
        return self.classified(x, edge_index, batch, edge_attr)


def net_for(graphs: Sequence[Data], num_classes: int, **options: Any) -> Net:
    """An untrained model that takes these graphs."""
    first = graphs[0]
    if first.edge_attr is None:
        return Net(first.x.shape[1], num_classes, **options)
    return EdgeNet(first.x.shape[1], num_classes, edge_dim=first.edge_attr.shape[1], **options)


def scores_of(model: nn.Module, graphs: Sequence[Data]) -> Tensor:
    """Scores of some graphs in one batch."""
    batch = collate(graphs).batch(frozenset({"x", "edge_index", "batch", "edge_attr"}))
    edge_attr = [batch.edge_attr] if isinstance(model, EdgeNet) else []
    scores: Tensor = model(batch.x, batch.edge_index, batch.batch, *edge_attr)
    return scores


def predicted(model: nn.Module, graphs: Sequence[Data], batch_size: int = 512) -> NDArray[np.int64]:
    """The class that the model predicts for each graph."""
    model.eval()
    with torch.no_grad():
        parts = [scores_of(model, graphs[i : i + batch_size]) for i in range(0, len(graphs), batch_size)]
    return torch.cat(parts).argmax(dim=1).numpy()


def train(
    model: Net, fit: Sequence[Data], validation: Sequence[Data], recipe: Recipe, seed: int, device: str = "cpu"
) -> int:
    """Train a model, leave it on the CPU with the weights of its best epoch, and say how many epochs that took."""
    model.to(device)
    checked = MiniBatch(model, validation)
    optimiser = torch.optim.Adam(model.parameters(), lr=recipe.learning_rate, weight_decay=recipe.weight_decay)
    slower = torch.optim.lr_scheduler.ReduceLROnPlateau(optimiser, patience=recipe.patience // 2, factor=0.5)
    generator = torch.Generator().manual_seed(seed)
    best, best_at, weights = (-1.0, 0.0), 0, {}
    for epoch in range(recipe.epochs):
        model.train()
        if epoch % SAME_BATCHES == 0:
            batches = _mini_batches(model, fit, recipe.batch_size, generator)
        for number in torch.randperm(len(batches), generator=generator).tolist():
            optimiser.zero_grad()
            loss: Any = nn.functional.cross_entropy(batches[number].scores(model), batches[number].labels)
            loss.backward()
            optimiser.step()
        quality = _quality(model, checked)
        slower.step(-quality[1])
        if quality > best:
            best_at = epoch if quality[0] > best[0] else best_at
            best, weights = quality, {key: value.clone() for key, value in model.state_dict().items()}
        is_hopeless = epoch >= recipe.patience and best[0] < recipe.hopeless
        if best[0] >= recipe.good or epoch - best_at > recipe.patience or is_hopeless:
            break
    model.load_state_dict(weights)
    model.cpu().eval()
    return epoch + 1


def _quality(model: Net, validation: "MiniBatch") -> tuple[float, float]:
    """Accuracy, and the negative loss that decides between equal accuracies."""
    model.eval()
    with torch.no_grad():
        scores = validation.scores(model)
    accuracy = float((scores.argmax(dim=1) == validation.labels).float().mean())
    return accuracy, -float(nn.functional.cross_entropy(scores, validation.labels))


class _Propagated(torch.autograd.Function):
    """A symmetric sparse matrix times a dense one: the gradient is the same product."""

    @staticmethod
    def forward(ctx: Any, matrix: Tensor, x: Tensor) -> Tensor:
        ctx.matrix = matrix
        return matrix @ x

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[None, Tensor]:
        return None, ctx.matrix @ gradient


class MiniBatch:
    """Some graphs joined, and for a GCN their normalised adjacency: an epoch takes a quarter of the time."""

    def __init__(self, model: Net, graphs: Sequence[Data]) -> None:
        device = model.mean.device
        self.labels = torch.tensor([int(graph.y) for graph in graphs], device=device)
        self.batch = collate(graphs).batch(frozenset({"x", "edge_index", "batch", "edge_attr"})).to(device)
        self.adjacency = None
        if isinstance(model.convs[0], GCNConv):
            edges, weights = gcn_norm(self.batch.edge_index, None, self.batch.num_nodes)
            matrix = torch.sparse_coo_tensor(edges, weights, (self.batch.num_nodes,) * 2, check_invariants=False)
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", message="Sparse CSR tensor support is in beta state")
                self.adjacency = matrix.coalesce().to_sparse_csr()

    def scores(self, model: Net) -> Tensor:
        """What the model gives for the graphs."""
        batch = self.batch
        if self.adjacency is None:
            edge_attr = [batch.edge_attr] if isinstance(model, EdgeNet) else []
            plain: Tensor = model(batch.x, batch.edge_index, batch.batch, *edge_attr)
            return plain
        propagate: Any = _Propagated.apply
        x = (batch.x.float() - model.mean) / model.scale
        for conv, norm in zip(list[Any](model.convs), model.norms, strict=True):
            x = norm(propagate(self.adjacency, conv.lin(x)) + conv.bias).relu()
        scores: Tensor = model.head(model.readout(x, batch.batch, len(self.labels)))
        return scores


def _mini_batches(model: Net, graphs: Sequence[Data], size: int, generator: torch.Generator) -> list[MiniBatch]:
    order = torch.randperm(len(graphs), generator=generator).tolist()
    # The last may not be one graph, which batch normalisation cannot take.
    starts = range(0, max(len(order) - size // 4, 1), size)
    return [MiniBatch(model, [graphs[i] for i in order[start : start + size]]) for start in starts]


def split(num_graphs: int, seed: int, share: float = 0.8) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Indices to train on and to keep apart, by the seed."""
    order = np.random.default_rng(seed).permutation(num_graphs)
    return order[: int(share * num_graphs)], order[int(share * num_graphs) :]
