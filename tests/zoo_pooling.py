"""Models that pool hierarchically: nodes are left out, or put together, on the way."""

import torch
from torch import nn
from torch_geometric.nn import (
    ASAPooling,
    DMoNPooling,
    EdgePooling,
    GCNConv,
    GraphConv,
    MemPooling,
    SAGPooling,
    TopKPooling,
    dense_diff_pool,
    dense_mincut_pool,
    global_max_pool,
    global_mean_pool,
)
from torch_geometric.nn.aggr import AttentionalAggregation
from torch_geometric.utils import to_dense_adj, to_dense_batch

from tests.zoo import mlp

WIDTH = 8
POOLINGS = {
    "topk": lambda: TopKPooling(WIDTH, ratio=0.6),
    "sag": lambda: SAGPooling(WIDTH, ratio=0.6),
    "asa": lambda: ASAPooling(WIDTH, ratio=0.6),
    "edge": lambda: EdgePooling(WIDTH),
}


class Hierarchical(nn.Module):
    """Convolution and pooling, twice, with a readout after each or only after the last.

    ``kept`` holds the nodes that the last call has kept, after each pooling, and ``states`` what was read out of them.
    """

    def __init__(self, pooling="topk", every_layer=True, readout=global_mean_pool):
        super().__init__()
        self.pooling, self.every_layer, self.readout = pooling, every_layer, readout
        self.conv1, self.conv2 = GraphConv(3, WIDTH), GraphConv(WIDTH, WIDTH)
        self.pool1, self.pool2 = POOLINGS[pooling](), POOLINGS[pooling]()
        self.head = nn.Sequential(nn.Linear(WIDTH * (2 if every_layer else 1), WIDTH), nn.ReLU(), nn.Linear(WIDTH, 2))

    def forward(self, x, edge_index, batch):
        parts, weight, self.kept, self.states = [], None, [], []
        for conv, pool in ((self.conv1, self.pool1), (self.conv2, self.pool2)):
            x = conv(x, edge_index, weight).relu()
            if self.pooling == "edge":
                x, edge_index, batch, _ = pool(x, edge_index, batch)
                perm = None
            elif self.pooling == "asa":
                x, edge_index, weight, batch, perm = pool(x, edge_index, weight, batch)
            else:
                x, edge_index, _, batch, perm, *_ = pool(x, edge_index, None, batch)
            self.kept.append(perm)
            self.states.append(x)
            parts.append(self.readout(x, batch))
        return self.head(torch.cat(parts, dim=1) if self.every_layer else parts[-1])


class TopKThenAttention(nn.Module):
    """An aggregation module after a pooling."""

    def __init__(self):
        super().__init__()
        self.conv, self.pool = GCNConv(3, WIDTH), TopKPooling(WIDTH, ratio=0.7)
        self.readout, self.head = AttentionalAggregation(nn.Linear(WIDTH, 1)), nn.Linear(WIDTH, 2)

    def forward(self, data):
        x = self.conv(data.x, data.edge_index).relu()
        x, _, _, batch, *_ = self.pool(x, data.edge_index, None, data.batch)
        return self.head(self.readout(x, batch))


class Dense(nn.Module):
    """Nodes put together by soft assignments: DiffPool, MinCut or DMoN, then one head or two layers of one."""

    def __init__(self, kind="diffpool", two_heads=True):
        super().__init__()
        self.kind = kind
        self.conv, self.assign = GCNConv(3, WIDTH), nn.Linear(WIDTH, 3)
        self.dmon = DMoNPooling(WIDTH, 3) if kind == "dmon" else None
        self.lin1 = nn.Linear(WIDTH, WIDTH) if two_heads else None
        self.lin2 = nn.Linear(WIDTH, 2)

    def forward(self, x, edge_index, batch):
        x, mask = to_dense_batch(self.conv(x, edge_index).relu(), batch)
        adjacency = to_dense_adj(edge_index, batch)
        if self.dmon is not None:
            x = self.dmon(x, adjacency, mask)[1]
        else:
            pool = dense_diff_pool if self.kind == "diffpool" else dense_mincut_pool
            x = pool(x, adjacency, self.assign(x), mask)[0]
        x = x.mean(dim=1)
        return self.lin2(x if self.lin1 is None else self.lin1(x).relu())


class Memory(nn.Module):
    """Memory pooling: nodes to a few keys, then to one vector."""

    def __init__(self):
        super().__init__()
        self.conv, self.pool = GCNConv(3, WIDTH), MemPooling(WIDTH, WIDTH, heads=2, num_clusters=3)
        self.head = nn.Linear(WIDTH, 2)

    def forward(self, x, edge_index, batch):
        x, _ = self.pool(self.conv(x, edge_index).relu(), batch)
        return self.head(x.sum(dim=1))


class DenseAttention(nn.Module):
    """Attention over padded graphs, then a mean over what is no padding."""

    def __init__(self):
        super().__init__()
        self.lin, self.attention = nn.Linear(3, WIDTH), nn.MultiheadAttention(WIDTH, 2, batch_first=True)
        self.head = mlp(WIDTH, 2)

    def forward(self, x, edge_index, batch):
        x, mask = to_dense_batch(self.lin(x), batch)
        x = x + self.attention(x, x, x, key_padding_mask=~mask, need_weights=False)[0]
        x = x.masked_fill(~mask.unsqueeze(-1), 0).sum(dim=1) / mask.sum(dim=1, keepdim=True)
        return self.head(x)


class ByMatrix(nn.Module):
    """The readout as a product with the matrix of who is in which graph; ``functional`` leaves no module behind it."""

    def __init__(self, functional=False):
        super().__init__()
        self.conv, self.functional = GCNConv(3, WIDTH), functional
        self.weight = nn.Parameter(torch.randn(WIDTH, 2)) if functional else None
        self.lin1, self.lin2 = (None, None) if functional else (nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, 2))

    def forward(self, x, edge_index, batch):
        x = self.conv(x, edge_index).relu()
        pooled = torch.nn.functional.one_hot(batch).t().to(x.dtype) @ x
        return pooled @ self.weight if self.functional else self.lin2(self.lin1(pooled).relu())


class OfEdges(nn.Module):
    """Reads edges out, not nodes."""

    def __init__(self):
        super().__init__()
        self.conv, self.edge, self.head = GCNConv(3, WIDTH), nn.Linear(2 * WIDTH, WIDTH), nn.Linear(WIDTH, 2)

    def forward(self, x, edge_index, batch):
        x = self.conv(x, edge_index).relu()
        edges = self.edge(torch.cat([x[edge_index[0]], x[edge_index[1]]], dim=1)).relu()
        return self.head(global_max_pool(edges, batch[edge_index[0]], size=int(batch.max()) + 1))
