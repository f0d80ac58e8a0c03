"""Models by what they return, what they do to themselves, and what they are made of."""

import warnings

import torch
from torch import nn
from torch_geometric.nn import GCNConv, global_add_pool, global_mean_pool

from tests.zoo import mlp, random_graphs

WIDTH, NUM_TASKS = 8, 12


def labelled_for_tasks(count):
    """Graphs with a label for each task, some of them missing."""
    graphs = random_graphs(count)
    for number, graph in enumerate(graphs):
        graph.y = ((number + torch.arange(NUM_TASKS)) % 3 == 0).float().unsqueeze(0)
        graph.y[0, 5] = torch.nan
    return graphs


class Answers(nn.Module):
    """A convolution, a sum, and any number of columns, which a function lays out for the user."""

    def __init__(self, num_columns=2, out=lambda x: x):
        super().__init__()
        self.conv, self.head, self.out = GCNConv(3, WIDTH), nn.Linear(WIDTH, num_columns), out

    def forward(self, x, edge_index, batch):
        return self.out(self.head(global_add_pool(self.conv(x, edge_index).relu(), batch)))


class Varying(Answers):
    """As many columns as graphs."""

    def forward(self, x, edge_index, batch):
        return super().forward(x, edge_index, batch)[:, :1].expand(-1, int(batch.max()) + 1)


class Counts(Answers):
    """Counts its calls, in a buffer, an attribute and a number of its own, also in evaluation mode."""

    def __init__(self):
        super().__init__()
        self.register_buffer("calls", torch.zeros(()))
        self.register_buffer("mean", torch.zeros(WIDTH))
        self.num_calls = 0

    def forward(self, x, edge_index, batch):
        self.calls += 1
        self.num_calls += 1
        self.last = x
        hidden = self.conv(x, edge_index).relu()
        self.mean = 0.9 * self.mean + 0.1 * hidden.detach().mean(dim=0)
        return self.head(global_add_pool(hidden - self.mean, batch))


class Uncopied(Counts):
    """Cannot be copied."""

    def __deepcopy__(self, memo):
        raise TypeError("holds a lock")


class Lazy(nn.Module):
    """Does not know the width of its features before it is called."""

    def __init__(self):
        super().__init__()
        self.conv, self.head = GCNConv(-1, WIDTH), nn.LazyLinear(2)

    def forward(self, x, edge_index, batch):
        return self.head(global_mean_pool(self.conv(x, edge_index).relu(), batch))


class HasScriptedPart(Answers):
    """One of its layers is a TorchScript module."""

    def __init__(self):
        super().__init__()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            self.inner = torch.jit.script(mlp(WIDTH, WIDTH))

    def forward(self, x, edge_index, batch):
        return self.head(global_add_pool(self.inner(self.conv(x, edge_index).relu()), batch))
