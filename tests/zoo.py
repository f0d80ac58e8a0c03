"""Graph classifiers as people write them, and graphs as people have them."""

import torch
import torch.nn.functional as F
from torch import nn
from torch_geometric.data import Data
from torch_geometric.nn import (
    BatchNorm,
    GATConv,
    GCNConv,
    GINConv,
    GINEConv,
    GraphNorm,
    SAGEConv,
    Set2Set,
    global_add_pool,
    global_max_pool,
    global_mean_pool,
)
from torch_geometric.nn.aggr import AttentionalAggregation, MaxAggregation, MeanAggregation, SumAggregation


def random_graph(seed, num_nodes=7, num_kinds=3, edge_dim=None, density=0.4):
    generator = torch.Generator().manual_seed(seed)
    upper = torch.triu(torch.rand(num_nodes, num_nodes, generator=generator) < density, diagonal=1)
    upper[torch.arange(num_nodes - 1), torch.arange(1, num_nodes)] = True  # a path, so that it is connected
    edge_index = (upper | upper.t()).nonzero().t().contiguous()
    kinds = torch.randint(num_kinds, (num_nodes,), generator=generator)
    graph = Data(x=F.one_hot(kinds, num_kinds).float(), edge_index=edge_index, y=torch.tensor([seed % 2]))
    if edge_dim is not None:
        attributes = torch.randint(3, (num_nodes, num_nodes, edge_dim), generator=generator).float()
        graph.edge_attr = (attributes + attributes.transpose(0, 1))[edge_index[0], edge_index[1]]
    return graph


def random_graphs(count, **options):
    return [random_graph(seed, num_nodes=4 + seed % 6, **options) for seed in range(count)]


def mlp(inputs, outputs):
    return nn.Sequential(nn.Linear(inputs, outputs), nn.ReLU(), nn.Linear(outputs, outputs))


def make_conv(kind, inputs, outputs):
    return {
        "gcn": lambda: GCNConv(inputs, outputs),
        "gin": lambda: GINConv(mlp(inputs, outputs)),
        "gat": lambda: GATConv(inputs, outputs // 2, heads=2),
        "sage": lambda: SAGEConv(inputs, outputs),
        "gine": lambda: GINEConv(mlp(inputs, outputs), edge_dim=2),
    }[kind]()


POOLS = {
    "add": (lambda: global_add_pool, 8),
    "mean": (lambda: global_mean_pool, 8),
    "max": (lambda: global_max_pool, 8),
    "SumAggregation": (SumAggregation, 8),
    "MeanAggregation": (MeanAggregation, 8),
    "MaxAggregation": (MaxAggregation, 8),
    "attention": (lambda: AttentionalAggregation(nn.Linear(8, 1)), 8),
    "Set2Set": (lambda: Set2Set(8, processing_steps=3), 16),
}


class Net(nn.Module):
    """Two convolutions, batch norm, dropout, any readout, any kind of output; keeps what it computed for checks."""

    def __init__(self, conv="gcn", pool="add", num_classes=2, output="raw", norm=False):
        super().__init__()
        make_pool, width = POOLS[pool]
        self.conv1, self.conv2 = make_conv(conv, 3, 8), make_conv(conv, 8, 8)
        self.bn = BatchNorm(8)
        self.norm = GraphNorm(8) if norm else None
        self.pool = make_pool()
        self.head = nn.Linear(width, num_classes)
        self.output = output
        self.uses_edges = conv == "gine"

    def classify(self, x, edge_index, batch, edge_attr=None):
        extra = (edge_attr,) if self.uses_edges else ()
        x = self.bn(self.conv1(x, edge_index, *extra)).relu()
        if self.norm is not None:
            x = self.norm(x, batch)
        x = F.dropout(self.conv2(x, edge_index, *extra).relu(), 0.5, self.training)
        self.seen_nodes = x.detach()
        x = self.pool(x, batch)
        self.seen_graphs = x.detach()
        x = self.head(x)
        return {
            "raw": lambda: x,
            "probs": lambda: x.sigmoid() if x.size(1) == 1 else x.softmax(1),
            "log_probs": lambda: x.log_softmax(1),
        }[self.output]()

    def forward(self, x, edge_index, batch, edge_attr=None):
        return self.classify(x, edge_index, batch, edge_attr)


class TakesData(Net):
    def forward(self, data):
        return self.classify(data.x, data.edge_index, data.batch, data.get("edge_attr"))


class TakesDataCalledBatch(Net):
    def forward(self, batch):
        return self.classify(batch.x, batch.edge_index, batch.batch, batch.get("edge_attr"))


class OtherOrder(Net):
    def forward(self, batch, edge_index, x):
        return self.classify(x, edge_index, batch)


class OtherNames(Net):
    def forward(self, edge_index, features, batch_index):
        return self.classify(features, edge_index, batch_index)


def last_node(x, batch):
    """A readout that nodes cannot be left out of: each overwrites the one before."""
    return x.new_zeros(int(batch.max()) + 1, x.size(1)).scatter(0, batch.unsqueeze(1).expand_as(x), x)


def make(seed=0, kind=Net, **options):
    """A model with weights that depend on ``seed`` alone, in evaluation mode, its batch norm run in."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = kind(**options)
        graphs = random_graphs(20, edge_dim=2)
        from torch_geometric.data import Batch

        batch = Batch.from_data_list(graphs)
        model.train()
        with torch.no_grad():
            model.classify(batch.x, batch.edge_index, batch.batch, batch.edge_attr)
            scores = model.eval().classify(batch.x, batch.edge_index, batch.batch, batch.edge_attr)
            if options.get("output", "raw") == "raw":  # so that every class is predicted for some graph
                model.head.bias -= scores.median(dim=0).values
    return model.eval()
