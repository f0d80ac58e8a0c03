"""Flat models of every convolution and readout, and models that read their nodes out after every layer."""

import torch
from torch import nn
from torch_geometric.nn import (
    ChebConv,
    GATConv,
    GATv2Conv,
    GCNConv,
    GINConv,
    GINEConv,
    GraphConv,
    GraphNorm,
    JumpingKnowledge,
    NNConv,
    PNAConv,
    SAGEConv,
    Set2Set,
    SortAggregation,
    TransformerConv,
    global_add_pool,
    global_max_pool,
    global_mean_pool,
)
from torch_geometric.nn.aggr import AttentionalAggregation, MultiAggregation

from tests.zoo import mlp

WIDTH = 8


def make_conv(kind, inputs, outputs=WIDTH):
    return {
        "gcn": lambda: GCNConv(inputs, outputs),
        "gin": lambda: GINConv(mlp(inputs, outputs)),
        "gine": lambda: GINEConv(mlp(inputs, outputs), edge_dim=2),
        "gat": lambda: GATConv(inputs, outputs // 2, heads=2),
        "gatv2": lambda: GATv2Conv(inputs, outputs // 2, heads=2, edge_dim=2),
        "sage": lambda: SAGEConv(inputs, outputs),
        "graph": lambda: GraphConv(inputs, outputs),
        "transformer": lambda: TransformerConv(inputs, outputs // 2, heads=2, edge_dim=2),
        "pna": lambda: PNAConv(inputs, outputs, ["mean", "max", "std"], ["identity"], torch.tensor([0, 4, 9, 5, 2])),
        "cheb": lambda: ChebConv(inputs, outputs, K=3),
        "nnconv": lambda: NNConv(inputs, outputs, nn.Linear(2, inputs * outputs)),
    }[kind]()


CONVS = ("gcn", "gin", "gine", "gat", "gatv2", "sage", "graph", "transformer", "pna", "cheb", "nnconv")
TAKES_EDGES = frozenset({"gine", "gatv2", "transformer", "nnconv"})


def side_by_side(*pools):
    return lambda x, batch: torch.cat([pool(x, batch) for pool in pools], dim=1)


READOUTS = {
    "sum": (lambda: global_add_pool, 1),
    "mean": (lambda: global_mean_pool, 1),
    "max": (lambda: global_max_pool, 1),
    "attention": (lambda: AttentionalAggregation(nn.Linear(WIDTH, 1)), 1),
    "set2set": (lambda: Set2Set(WIDTH, processing_steps=2), 2),
    "sort": (lambda: SortAggregation(k=3), 3),
    "mean and max": (lambda: side_by_side(global_mean_pool, global_max_pool), 2),
    "several": (lambda: MultiAggregation(["sum", "std", "max"]), 3),
}


class Flat(nn.Module):
    """Two convolutions and a readout."""

    def __init__(self, conv="gcn", readout="sum", residual=False, norm=False):
        super().__init__()
        make_pool, times = READOUTS[readout]
        self.takes_edges = conv in TAKES_EDGES
        self.conv1, self.conv2 = make_conv(conv, 3), make_conv(conv, WIDTH)
        self.norm = GraphNorm(WIDTH) if norm else None
        self.residual = residual
        self.pool, self.head = make_pool(), nn.Linear(times * WIDTH, 2)

    def forward(self, x, edge_index, edge_attr, batch):
        extra = (edge_attr,) if self.takes_edges else ()
        x = self.conv1(x, edge_index, *extra).relu()
        if self.norm is not None:
            x = self.norm(x, batch)
        after = self.conv2(x, edge_index, *extra).relu()
        return self.head(self.pool(x + after if self.residual else after, batch))


class Layerwise(nn.Module):
    """Three convolutions, each of which is read out.

    Args:
        how: ``"heads"``: a head for each layer, summed, as in GIN; ``"cat"`` or ``"mean"`` of all readouts.
        pool: The readout.
        in_place: Whether each layer writes over what the one before has given.
    """

    def __init__(self, how="heads", pool=global_add_pool, in_place=False):
        super().__init__()
        self.how, self.pool, self.in_place = how, pool, in_place
        self.convs = nn.ModuleList([make_conv("gin", 3), make_conv("gin", WIDTH), make_conv("gin", WIDTH)])
        self.heads = nn.ModuleList(nn.Linear(WIDTH, 2) for _ in range(3 if how == "heads" else 0))
        self.head = nn.Linear(WIDTH * (3 if how == "cat" else 1), 2) if how != "heads" else None

    def states(self, x, edge_index):
        """What each layer gives, as the readout takes it."""
        states = []
        for conv in self.convs:
            x = conv(x, edge_index).relu()
            states.append(x)
        return states

    def forward(self, x, edge_index, batch):
        pooled = []
        for conv in self.convs:
            x = conv(x, edge_index).relu()
            pooled.append(self.pool(x, batch))
            if self.in_place:
                x.mul_(0.5)
        if self.how == "heads":
            return sum(head(part) for head, part in zip(self.heads, pooled, strict=True))
        return self.head(torch.cat(pooled, dim=1) if self.how == "cat" else sum(pooled) / len(pooled))


class Jumping(nn.Module):
    """Jumping knowledge over three layers."""

    def __init__(self, mode):
        super().__init__()
        self.convs = nn.ModuleList([make_conv("gcn", 3), make_conv("gcn", WIDTH), make_conv("gcn", WIDTH)])
        self.jump = JumpingKnowledge(mode, channels=WIDTH, num_layers=3)
        self.head = nn.Linear(WIDTH * (3 if mode == "cat" else 1), 2)

    def forward(self, x, edge_index, batch):
        states = []
        for conv in self.convs:
            x = conv(x, edge_index).relu()
            states.append(x)
        return self.head(global_add_pool(self.jump(states), batch))


class VirtualNode(nn.Module):
    """A virtual node between two layers; ``as_row`` appends it to the nodes as a row of its own."""

    def __init__(self, as_row=False):
        super().__init__()
        self.conv1, self.conv2 = make_conv("gin", 3), make_conv("gin", WIDTH)
        self.start, self.update = nn.Embedding(1, WIDTH), mlp(WIDTH, WIDTH)
        self.as_row, self.head = as_row, nn.Linear(WIDTH, 2)

    def forward(self, x, edge_index, batch):
        num_graphs = int(batch.max()) + 1
        virtual = self.start(batch.new_zeros(num_graphs))
        x = self.conv1(x, edge_index).relu() + virtual[batch]
        virtual = self.update(global_add_pool(x, batch) + virtual)
        x = self.conv2(x + virtual[batch], edge_index).relu()
        if self.as_row:
            x = torch.cat([x, virtual])
            batch = torch.cat([batch, torch.arange(num_graphs, device=batch.device)])
        return self.head(global_add_pool(x, batch))
