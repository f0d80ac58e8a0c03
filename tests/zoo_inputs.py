"""Models by what they take, and graphs for them: numbers of kinds, places, weights of edges, one graph at a time."""

import torch
import torch.nn.functional as F
from torch import nn
from torch_geometric.nn import (
    GATConv,
    GCNConv,
    GINConv,
    GINEConv,
    GPSConv,
    PointNetConv,
    TransformerConv,
    global_add_pool,
    global_max_pool,
    global_mean_pool,
)
from torch_geometric.nn.aggr import AttentionalAggregation

from tests.zoo import mlp, random_graphs

WIDTH = 8


def kinds_as_numbers(count):
    """Graphs whose features are the numbers of kinds, of nodes and of edges."""
    graphs = random_graphs(count, edge_dim=1)
    for graph in graphs:
        graph.x, graph.edge_attr = graph.x.argmax(1, keepdim=True), graph.edge_attr.long()
    return graphs


def placed(count):
    """Graphs with positions, weights of edges and encodings of nodes."""
    graphs = random_graphs(count)
    for graph in graphs:
        ends = graph.edge_index
        degree = torch.bincount(ends[0], minlength=graph.num_nodes).float()
        graph.pos = torch.stack([degree, degree.flip(0)], dim=1)
        graph.edge_weight = 1 / degree[ends].sum(dim=0)
        walk = torch.zeros(graph.num_nodes, graph.num_nodes)
        walk[ends[0], ends[1]] = 1 / degree[ends[0]]
        graph.pe = torch.stack([torch.matrix_power(walk, power).diagonal() for power in (2, 3)], dim=1)
    return graphs


class Embeds(nn.Module):
    def __init__(self):
        super().__init__()
        self.atoms, self.bonds = nn.Embedding(3, WIDTH), nn.Embedding(8, WIDTH)
        self.conv, self.head = GINEConv(mlp(WIDTH, WIDTH)), nn.Linear(WIDTH, 2)

    def forward(self, x, edge_index, edge_attr, batch):
        x = self.conv(self.atoms(x.squeeze(1)), edge_index, self.bonds(edge_attr.squeeze(1))).relu()
        return self.head(global_add_pool(x, batch))


class Transformer(nn.Module):
    """Graph transformer: local and global attention, with encodings of places beside the features."""

    def __init__(self):
        super().__init__()
        self.lin, self.places = nn.Linear(3, WIDTH // 2), nn.Linear(2, WIDTH // 2)
        self.conv = GPSConv(WIDTH, GINConv(mlp(WIDTH, WIDTH)), heads=2)
        self.head = nn.Linear(WIDTH, 2)

    def forward(self, x, pe, edge_index, batch):
        x = self.conv(torch.cat([self.lin(x), self.places(pe)], dim=1), edge_index, batch)
        return self.head(global_add_pool(x, batch))


class Positions(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.head = PointNetConv(mlp(3 + 2, WIDTH), mlp(WIDTH, WIDTH)), nn.Linear(WIDTH, 2)

    def forward(self, x, pos, edge_index, batch):
        return self.head(global_max_pool(self.conv(x, pos, edge_index), batch))


class EdgeWeights(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.head = GCNConv(3, WIDTH), nn.Linear(WIDTH, 2)

    def forward(self, x, edge_index, edge_weight, batch):
        return self.head(global_mean_pool(self.conv(x, edge_index, edge_weight).relu(), batch))


class OneGraph(nn.Module):
    """Takes one graph: no batch, and a vector or a row for an answer."""

    def __init__(self, readout="mean"):
        super().__init__()
        self.conv, self.readout = GCNConv(3, WIDTH), readout
        self.gate = AttentionalAggregation(nn.Linear(WIDTH, 1)) if readout == "attention" else None
        self.head = nn.Linear(WIDTH, 2)

    def forward(self, x, edge_index):
        x = self.conv(x, edge_index).relu()
        pooled = {
            "mean": lambda: x.mean(dim=0),
            "sum": lambda: torch.sum(x, 0, keepdim=True),
            "max": lambda: x.max(dim=0).values,
            "zeros": lambda: global_add_pool(x, torch.zeros(x.size(0), dtype=torch.long)),
            "none": lambda: global_mean_pool(x, None),
            "attention": lambda: self.gate(x),
            "first": lambda: x[0],
        }[self.readout]()
        return self.head(pooled)


class OneGraphOfData(nn.Module):
    """Takes a data object, and does not look at its batch."""

    def __init__(self):
        super().__init__()
        self.conv, self.head = GATConv(3, WIDTH), nn.Linear(WIDTH, 2)

    def forward(self, data):
        return self.head(self.conv(data.x, data.edge_index).relu().sum(dim=0))


class AttentionAlone(nn.Module):
    """A convolution by attention, kinds of edges spread over columns inside."""

    def __init__(self):
        super().__init__()
        self.conv, self.head = TransformerConv(3, WIDTH, edge_dim=8), nn.Linear(WIDTH, 2)

    def forward(self, data):
        edges = F.one_hot(data.edge_attr.squeeze(1), 8).float()
        x = self.conv(F.one_hot(data.x.squeeze(1), 3).float(), data.edge_index, edges)
        return self.head(global_add_pool(x.relu(), data.batch))
