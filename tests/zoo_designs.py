"""Models as PyG's examples, papers and users write them: other layers, other ways to read out, and odd calls."""

import threading
import warnings
from collections import namedtuple
from types import SimpleNamespace

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils import parametrizations, prune
from torch.utils.checkpoint import checkpoint
from torch_geometric import nn as gnn
from torch_geometric.nn import global_add_pool, global_max_pool, global_mean_pool
from torch_geometric.utils import degree, scatter, softmax, to_dense_batch, unbatch

from tests.zoo import mlp, random_graphs

WIDTH = 8


# ---- graphs ---------------------------------------------------------------------------------------------------------


def atoms(count):
    """Graphs without ``x``: numbers of elements and places."""
    graphs = random_graphs(count)
    for graph in graphs:
        graph.z = graph.x.argmax(dim=1) + 6
        graph.pos = torch.stack([graph.z.float(), torch.arange(graph.num_nodes).float()], dim=1)
        del graph.x
    return graphs


def typed(count):
    """Graphs with a type for each edge, and features of a whole graph."""
    graphs = random_graphs(count, edge_dim=2)
    for graph in graphs:
        graph.edge_type = graph.edge_attr[:, 0].long()
        graph.u = torch.tensor([[float(graph.num_nodes), 1.0]])
    return graphs


def directed(count):
    graphs = random_graphs(count)
    for graph in graphs:
        graph.edge_index = graph.edge_index[:, graph.edge_index[0] < graph.edge_index[1]]
    return graphs


def numbers(count):
    """Graphs whose ``x`` has no columns: a number a node."""
    graphs = random_graphs(count)
    for graph in graphs:
        graph.x = graph.x.argmax(dim=1)
    return graphs


# ---- layers ---------------------------------------------------------------------------------------------------------


class Convolved(nn.Module):
    """A convolution, whatever follows it, a sum, and a head; subclasses change a step."""

    def __init__(self, conv=None, inner=None, num_columns=2):
        super().__init__()
        self.conv = gnn.GCNConv(3, WIDTH) if conv is None else conv
        self.inner = nn.Identity() if inner is None else inner
        self.head = nn.Linear(WIDTH, num_columns)

    def nodes(self, x, edge_index):
        return self.inner(self.conv(x, edge_index)).relu()

    def forward(self, x, edge_index, batch):
        return self.head(global_add_pool(self.nodes(x, edge_index), batch))


class Smeared(gnn.MessagePassing):
    """The continuous filter of SchNet."""

    def __init__(self):
        super().__init__(aggr="add")
        self.filter, self.lin = mlp(4, WIDTH), nn.Linear(WIDTH, WIDTH, bias=False)

    def forward(self, x, edge_index, pos):
        return self.propagate(edge_index, x=self.lin(x), pos=pos)

    def message(self, x_j, pos_i, pos_j):
        distance = (pos_i - pos_j).norm(dim=1, keepdim=True)
        return x_j * self.filter(torch.exp(-((distance - torch.arange(4)) ** 2)))


class SchNetLike(nn.Module):
    """Elements and places, energies of atoms that are summed up: no layer behind the readout."""

    def __init__(self):
        super().__init__()
        self.elements, self.conv, self.lin = nn.Embedding(10, WIDTH), Smeared(), mlp(WIDTH, 2)

    def forward(self, z, pos, edge_index, batch):
        state = self.elements(z)
        return scatter(self.lin(state + self.conv(state, edge_index, pos)), batch, dim=0, reduce="sum")


class Equivariant(nn.Module):
    """Places move along edges, as in EGNN."""

    def __init__(self):
        super().__init__()
        self.elements, self.edge, self.step = nn.Embedding(10, WIDTH), mlp(2 * WIDTH + 1, WIDTH), nn.Linear(WIDTH, 1)
        self.head = nn.Linear(WIDTH, 2)

    def forward(self, z, pos, edge_index, batch):
        state, (start, end) = self.elements(z), edge_index
        for _ in range(2):
            apart = pos[end] - pos[start]
            messages = self.edge(torch.cat([state[start], state[end], apart.square().sum(1, keepdim=True)], dim=1))
            pos = pos.index_add(0, end, apart * self.step(messages).tanh())
            state = state + torch.zeros_like(state).index_add(0, end, messages)
        return self.head(global_mean_pool(state, batch))


class Relational(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.head = gnn.RGCNConv(3, WIDTH, num_relations=5), nn.Linear(WIDTH, 2)

    def forward(self, x, edge_index, edge_type, batch):
        return self.head(global_add_pool(self.conv(x, edge_index, edge_type).relu(), batch))


class OfEdge(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = mlp(3 + 3 + 2 + 2, WIDTH)

    def forward(self, src, dst, edge_attr, u, batch):
        return self.lin(torch.cat([src, dst, edge_attr, u[batch]], dim=1))


class OfNode(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = mlp(3 + WIDTH, WIDTH)

    def forward(self, x, edge_index, edge_attr, u, batch):
        around = scatter(edge_attr, edge_index[1], dim=0, dim_size=x.size(0), reduce="mean")
        return self.lin(torch.cat([x, around], dim=1))


class OfGraph(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = mlp(WIDTH + 2, WIDTH)

    def forward(self, x, edge_index, edge_attr, u, batch):
        return self.lin(torch.cat([u, scatter(x, batch, dim=0, reduce="mean")], dim=1))


class Meta(nn.Module):
    """Edges, nodes and a whole graph told to each other; the answer is the graph's."""

    def __init__(self):
        super().__init__()
        self.meta, self.head = gnn.MetaLayer(OfEdge(), OfNode(), OfGraph()), nn.Linear(WIDTH, 2)

    def forward(self, data):
        _, _, u = self.meta(data.x, data.edge_index, data.edge_attr, data.u, data.batch)
        return self.head(u)


class OwnAttention(gnn.MessagePassing):
    """Attention of one's own, with the softmax of PyG."""

    def __init__(self):
        super().__init__(aggr="add", node_dim=0)
        self.lin, self.att = nn.Linear(3, WIDTH), nn.Parameter(torch.randn(2 * WIDTH))

    def forward(self, x, edge_index):
        return self.propagate(edge_index, x=self.lin(x))

    def message(self, x_i, x_j, index, ptr, size_i):
        weights = softmax(F.leaky_relu(torch.cat([x_i, x_j], dim=1) @ self.att), index, ptr, size_i)
        return weights.unsqueeze(1) * x_j


class Sparse(nn.Module):
    """The adjacency as a sparse matrix, multiplied by hand."""

    def forward(self, x, edge_index):
        size = x.size(0)
        matrix = torch.sparse_coo_tensor(edge_index, x.new_ones(edge_index.size(1)), (size, size))
        return F.pad(torch.sparse.mm(matrix, x), (0, WIDTH - x.size(1)))


class InitialResidual(nn.Module):
    """Many layers that each add some of the first, as GCNII, normed over a graph."""

    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, WIDTH)
        self.convs = nn.ModuleList(gnn.GCN2Conv(WIDTH, 0.1, 0.5, layer) for layer in range(1, 5))
        self.norms = nn.ModuleList(gnn.LayerNorm(WIDTH, mode="node") for _ in range(4))
        self.head = nn.Linear(WIDTH, 2)

    def forward(self, x, edge_index, batch):
        x = first = self.lin(x).relu()
        for conv, norm in zip(self.convs, self.norms, strict=True):
            x = norm(conv(F.dropout(x, 0.5, self.training), first, edge_index)).relu()
        return self.head(global_add_pool(x, batch))


class UNet(nn.Module):
    """Nodes are pooled, and put back."""

    def __init__(self):
        super().__init__()
        self.net, self.head = gnn.GraphUNet(3, WIDTH, WIDTH, depth=2, pool_ratios=0.5), nn.Linear(WIDTH, 2)

    def forward(self, x, edge_index, batch):
        return self.head(global_add_pool(self.net(x, edge_index, batch), batch))


class Molecular(nn.Module):
    """PyG's AttentiveFP, which reads out by attention from the graph to its nodes, again and again."""

    def __init__(self):
        super().__init__()
        self.net = gnn.AttentiveFP(3, WIDTH, 2, edge_dim=2, num_layers=2, num_timesteps=2)

    def forward(self, x, edge_index, edge_attr, batch):
        return self.net(x, edge_index, edge_attr, batch)


# ---- readouts -------------------------------------------------------------------------------------------------------


class Aggregated(Convolved):
    """Any aggregation of PyG."""

    def __init__(self, pool, times=1):
        super().__init__()
        self.pool, self.head = pool, nn.Linear(times * WIDTH, 2)

    def forward(self, x, edge_index, batch):
        return self.head(self.pool(self.nodes(x, edge_index), batch))


class OneByOne(Convolved):
    """A loop over the graphs of a batch."""

    def forward(self, data):
        parts = unbatch(self.nodes(data.x, data.edge_index), data.batch)
        return torch.stack([self.head(part.mean(dim=0)) for part in parts])


class Apart(Convolved):
    """Takes the batch apart into data objects."""

    def forward(self, data):
        pooled = [self.nodes(one.x, one.edge_index).sum(dim=0) for one in data.to_data_list()]
        return self.head(torch.stack(pooled))


class BySegments(Convolved):
    def forward(self, x, edge_index, ptr):
        state = self.nodes(x, edge_index)
        return self.head(torch.segment_reduce(state, "sum", lengths=ptr.diff(), axis=0, unsafe=True))


class Token(nn.Module):
    """A token before the nodes of each padded graph, whose state is read."""

    def __init__(self):
        super().__init__()
        self.lin, self.token, self.head = nn.Linear(3, WIDTH), nn.Parameter(torch.randn(WIDTH)), nn.Linear(WIDTH, 2)
        self.encoder = nn.TransformerEncoderLayer(WIDTH, 2, 16, batch_first=True)

    def forward(self, x, batch):
        dense, mask = to_dense_batch(self.lin(x), batch)
        dense = torch.cat([self.token.expand(len(dense), 1, -1), dense], dim=1)
        mask = torch.cat([mask.new_ones(len(mask), 1), mask], dim=1)
        return self.head(self.encoder(dense, src_key_padding_mask=~mask)[:, 0])


class Votes(Convolved):
    """Each node votes, and the mean of the votes is the answer."""

    def forward(self, x, edge_index, batch):
        return global_mean_pool(self.head(self.nodes(x, edge_index)), batch)


class TwoBranches(nn.Module):
    """Two encoders, each with its readout, and degrees beside them."""

    def __init__(self):
        super().__init__()
        self.one, self.other = gnn.GCNConv(3, WIDTH), gnn.GATConv(3, WIDTH)
        self.head = nn.Linear(2 * WIDTH + 1, 2)

    def forward(self, x, edge_index, batch):
        degrees = degree(edge_index[0], x.size(0)).unsqueeze(1)
        one, other = self.one(x, edge_index).relu(), self.other(x, edge_index).relu()
        pooled = [global_mean_pool(one, batch), global_max_pool(other, batch), global_mean_pool(degrees, batch)]
        return self.head(torch.cat(pooled, dim=1))


class Ensemble(nn.Module):
    """Probabilities of several models, averaged."""

    def __init__(self):
        super().__init__()
        self.members = nn.ModuleList(Convolved() for _ in range(3))

    def forward(self, x, edge_index, batch):
        return torch.stack([member(x, edge_index, batch).softmax(1) for member in self.members]).mean(dim=0)


class Nearest(Convolved):
    """Cosine similarity to a vector for each class, without a linear layer."""

    def forward(self, x, edge_index, batch):
        pooled = F.normalize(global_mean_pool(self.nodes(x, edge_index), batch), dim=1)
        return 10 * pooled @ F.normalize(self.head.weight, dim=1).t()


# ---- calls ----------------------------------------------------------------------------------------------------------


class ByKeyword(Convolved):
    def forward(self, *, x, edge_index, batch):
        return super().forward(x, edge_index, batch)


class AllOptional(Convolved):
    def forward(self, x, edge_index, batch=None, edge_attr=None, return_nodes=False):
        nodes = self.nodes(x, edge_index)
        return nodes if return_nodes else self.head(global_add_pool(nodes, batch))


class Writes(Convolved):
    """Writes what it computes into the data it is given."""

    def forward(self, data):
        data.x = self.nodes(data.x, data.edge_index)
        data.pooled = global_add_pool(data.x, data.batch)
        del data.edge_index
        return self.head(data.pooled)


class Checkpointed(Convolved):
    def forward(self, x, edge_index, batch):
        return self.head(global_add_pool(checkpoint(self.nodes, x, edge_index, use_reentrant=False), batch))


class NoGradients(Convolved):
    @torch.inference_mode()
    def forward(self, x, edge_index, batch):
        return super().forward(x, edge_index, batch)


class Lightning(nn.Module):
    """A module of Lightning, as far as it is in the way: steps, a trainer that is not there, settings, a metric."""

    def __init__(self):
        super().__init__()
        self.hparams, self.lock = SimpleNamespace(lr=0.01), threading.Lock()
        self.net, self.loss = Convolved(), nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0]))

    @property
    def trainer(self):
        raise RuntimeError("not attached to a trainer")

    def training_step(self, batch, batch_idx):
        return self.loss(self(batch)[0], batch.y)

    def forward(self, batch, mode="test"):
        scores = self.net(batch.x, batch.edge_index, batch.batch)
        return scores, None if mode == "test" else self.loss(scores, batch.y)


class Remembers(Convolved):
    def forward(self, x, edge_index, batch):
        self.last = global_add_pool(self.nodes(x, edge_index), batch)
        return self.head(self.last)


def remembering():
    model, graph = Remembers(), random_graphs(1)[0]
    model(graph.x, graph.edge_index, torch.zeros(graph.num_nodes, dtype=torch.long))  # with gradients
    return model


Output = namedtuple("Output", ["logits", "attention", "penalty"])


class Named(Convolved):
    """Returns a named tuple, a mapping or a list, beside what else it has."""

    def __init__(self, make):
        super().__init__()
        self.make = make

    def forward(self, x, edge_index, batch):
        nodes = self.nodes(x, edge_index)
        pooled = global_add_pool(nodes, batch)
        return self.make(self.head(pooled), nodes, pooled)


class Kinds(nn.Module):
    """Kinds as numbers in an ``x`` without columns."""

    def __init__(self):
        super().__init__()
        self.kinds, self.conv, self.head = nn.Embedding(3, WIDTH), gnn.GraphConv(WIDTH, WIDTH), nn.Linear(WIDTH, 2)

    def forward(self, x, edge_index, batch):
        return self.head(global_add_pool(self.conv(self.kinds(x), edge_index).relu(), batch))


def sequential():
    layers = [
        (gnn.GCNConv(3, WIDTH), "x, edge_index -> x1"),
        nn.ReLU(inplace=True),
        (gnn.GCNConv(WIDTH, WIDTH), "x1, edge_index -> x2"),
        (lambda x1, x2: torch.cat([x1, x2], dim=1), "x1, x2 -> x"),
        (global_mean_pool, "x, batch -> x"),
        nn.Linear(2 * WIDTH, 2),
    ]
    return gnn.Sequential("x, edge_index, batch", layers)


def lazy_but_run():
    model = Convolved(gnn.SAGEConv(-1, WIDTH))
    model.head = nn.LazyLinear(2)
    graph = random_graphs(1)[0]
    with torch.no_grad():
        model(graph.x, graph.edge_index, torch.zeros(graph.num_nodes, dtype=torch.long))
    return model


def weight_normed():
    model = Convolved()
    parametrizations.weight_norm(model.head)
    parametrizations.spectral_norm(model.conv.lin)
    return model


def weight_normed_by_hooks():
    model = Convolved()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it is deprecated, and much used
        model.head = nn.utils.weight_norm(model.head)  # its weight is no leaf
    return model


def quantised():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.ao.quantization.quantize_dynamic(Convolved(inner=nn.Linear(WIDTH, WIDTH)), {nn.Linear})


def scripted():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return torch.jit.script(Convolved())


def pruned():
    model = Convolved(gnn.SGConv(3, WIDTH, K=2))
    prune.l1_unstructured(model.head, "weight", 0.3)
    return model


def swag():
    """Weights averaged over a training."""
    return torch.optim.swa_utils.AveragedModel(Convolved(gnn.LEConv(3, WIDTH)))
