"""Graphs and models that explainers are checked with: small, made from a seed, and nothing learned."""

from typing import Any

import torch
from torch import Tensor, nn
from torch_geometric.data import Batch, Data
from torch_geometric.nn import BatchNorm, GATConv, GCNConv, GINConv, global_add_pool

from protograph._base.randomness import preserved_random_state, seed_generators

NUM_KINDS, WIDTH = 3, 8
CONVOLUTIONS = ("gcn", "gin", "gat")


def small_graph(seed: int, num_nodes: int) -> Data:
    """A connected graph with nodes of three kinds; its label is by chance."""
    generator = torch.Generator().manual_seed(seed)
    upper = torch.triu(torch.rand(num_nodes, num_nodes, generator=generator) < 0.4, diagonal=1)
    upper[torch.arange(num_nodes - 1), torch.arange(1, num_nodes)] = True  # a path, so that it is connected
    kinds = torch.randint(NUM_KINDS, (num_nodes,), generator=generator)
    edges = (upper | upper.t()).nonzero().t().contiguous()
    return Data(x=torch.eye(NUM_KINDS)[kinds], edge_index=edges, y=torch.tensor([seed % 2]))


def small_graphs(count: int = 40) -> list[Data]:
    """Graphs of 4 to 9 nodes."""
    return [small_graph(seed, 4 + seed % 6) for seed in range(count)]


class SmallNet(nn.Module):
    """Two convolutions with batch norm and dropout, a sum over the nodes, and a layer that tells the classes."""

    def __init__(self, convolution: str, num_classes: int) -> None:
        super().__init__()
        self.first, self.second = _convolution(convolution, NUM_KINDS), _convolution(convolution, WIDTH)
        self.norm, self.head = BatchNorm(WIDTH), nn.Linear(WIDTH, num_classes)

    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor) -> Tensor:
        """Scores of the classes, before the softmax."""
        x = self.norm(self.first(x, edge_index)).relu()
        x = nn.functional.dropout(self.second(x, edge_index).relu(), 0.5, self.training)
        scores: Tensor = self.head(global_add_pool(x, batch))
        return scores


def _convolution(kind: str, inputs: int) -> Any:
    if kind == "gcn":
        return GCNConv(inputs, WIDTH)
    if kind == "gat":
        return GATConv(inputs, WIDTH // 2, heads=2)
    return GINConv(nn.Sequential(nn.Linear(inputs, WIDTH), nn.ReLU(), nn.Linear(WIDTH, WIDTH)))


def small_model(convolution: str = "gcn", num_classes: int = 2) -> SmallNet:
    """A model with weights that are the same each time, for which every class is about as frequent."""
    batch = Batch.from_data_list(small_graphs())
    with preserved_random_state(), torch.no_grad():
        seed_generators(1)
        model = SmallNet(convolution, num_classes).train()
        model(batch.x, batch.edge_index, batch.batch)  # runs the batch norm in
        scores = model.eval()(batch.x, batch.edge_index, batch.batch)
        model.head.weight.div_(scores.std(dim=0)[:, None])
        model.head.bias.sub_(scores.mean(dim=0)).div_(scores.std(dim=0))
    return model
