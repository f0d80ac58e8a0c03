"""Graphs as people may have them: each oddity changes some graphs, or what they come in."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from random import Random

import numpy as np
import torch
from torch_geometric import EdgeIndex
from torch_geometric.data import Batch, Data, HeteroData
from torch_geometric.loader import DataLoader
from torch_geometric.transforms import ToSparseTensor

from tests import zoo


class BrokenSourceError(Exception):
    """What a user's own iterator raises."""


def plain_graphs(rng: Random) -> list[Data]:
    """A few random graphs of up to nine nodes, with attributes of edges or without."""
    options = {"edge_dim": rng.choice([None, 2, 2]), "num_kinds": rng.choice([3] * 9 + [2, 5])}
    graphs = zoo.random_graphs(40, **options)
    return rng.sample(graphs, rng.choice([1, 2, 3, 6, 9, 14]))


X_TYPES = (
    *(torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64),
    *(torch.float16, torch.bfloat16, torch.float64, torch.complex64, torch.complex128),
    *(torch.uint16, torch.uint32, torch.uint64, torch.float8_e4m3fn),
)


def quantised(x):
    return torch.quantize_per_tensor(x.float(), 0.1, 0, torch.quint8)


def not_contiguous(x):
    return torch.stack([x, x], dim=-1)[..., 0]


def with_gradient(x):
    return x.clone().float().requires_grad_()


def beyond_a_leaf(x):
    return x.clone().float().requires_grad_() * 1.0


def with_value(value):
    def change(x):
        x = x.clone().float()
        x.view(-1)[:1] = value
        return x

    return change


# Of a tensor of features, by name.
TENSORS = {
    **{str(kind).removeprefix("torch."): lambda x, kind=kind: x.to(kind) for kind in X_TYPES},
    "sparse": lambda x: x.to_sparse(),
    "sparse rows": lambda x: x.to_sparse_csr() if x.dim() == 2 else x,
    "quantised": quantised,
    "meta": lambda x: x.to("meta"),
    "one dimension": lambda x: x.reshape(len(x), -1).sum(1),
    "three dimensions": lambda x: x.reshape(len(x), -1, 1).repeat(1, 1, 2),
    "no columns": lambda x: x.reshape(len(x), -1)[:, :0],
    "no rows": lambda x: x[:0],
    "a number": lambda x: x.sum(),
    "more columns": lambda x: x.reshape(len(x), -1).repeat(1, 2),
    "one column": lambda x: x.reshape(len(x), -1)[:, :1],
    "continuous": lambda x: x + torch.rand(x.shape, generator=torch.Generator().manual_seed(len(x))),
    "constant": torch.ones_like,
    "huge": lambda x: x * 1e30,
    "tiny": lambda x: x * 1e-30,
    "negative zero": lambda x: -x,
    "not contiguous": not_contiguous,
    "gradient": with_gradient,
    "gradient, no leaf": beyond_a_leaf,
    "parameter": lambda x: torch.nn.Parameter(x.float()),
    "NaN": with_value(torch.nan),
    "infinite": with_value(-torch.inf),
    "one row more": lambda x: torch.cat([x, x[:1]]),
    "one row less": lambda x: x[:-1],
    "a list": lambda x: x.tolist(),
    "an array": lambda x: x.numpy(),
    "a text": lambda x: "features",
    "lacking": lambda x: None,
}


def _adjacency_of(edge_index, num_nodes):
    # Checked: torch would write the entry of a node that is not there into memory that is not its own.
    ones = torch.ones(edge_index.size(1))
    return torch.sparse_coo_tensor(edge_index, ones, (num_nodes, num_nodes), check_invariants=True)


EDGES = {
    "a list": lambda e, n: e.tolist(),
    "an array": lambda e, n: e.numpy(),
    "bool": lambda e, n: e.bool(),
    "float": lambda e, n: e.float(),
    "int32": lambda e, n: e.int(),
    "int16": lambda e, n: e.short(),
    "uint8": lambda e, n: e.byte(),
    "transposed": lambda e, n: e.t(),
    "transposed and contiguous": lambda e, n: e.t().contiguous(),
    "not contiguous": lambda e, n: e.t().contiguous().t(),
    "sparse": lambda e, n: _adjacency_of(e, n),
    "adjacency": lambda e, n: _adjacency_of(e, n).to_dense() > 0,
    "meta": lambda e, n: e.to("meta"),
    "beyond": lambda e, n: e + 1,
    "negative": lambda e, n: e - 1,
    "directed": lambda e, n: e[:, e[0] < e[1]],
    "repeated": lambda e, n: e.repeat(1, 2),
    "loops": lambda e, n: torch.cat([e, torch.arange(n).repeat(2, 1)], dim=1),
    "none": lambda e, n: e[:, :0],
    "nothing": lambda e, n: torch.tensor([]),
    "lacking": lambda e, n: None,
    "one": lambda e, n: torch.tensor([[0, n - 1], [n - 1, 0]]),
    "EdgeIndex": lambda e, n: EdgeIndex(e, sparse_size=(n, n)),
}


class Thing:
    """An object of no use, which can be compared."""

    def __eq__(self, other):
        return isinstance(other, Thing)

    __hash__ = None


# Of a graph, whatever it may also hold.
EXTRAS = {
    "bfloat16": lambda g, n: torch.ones(n, 2, dtype=torch.bfloat16),
    "half": lambda g, n: torch.ones(n, dtype=torch.float16),
    "complex": lambda g, n: torch.ones(n, 2, dtype=torch.complex64),
    "float8": lambda g, n: torch.ones(n, 2).to(torch.float8_e4m3fn),
    "uint16": lambda g, n: torch.ones(n).to(torch.uint16),
    "bool of nodes": lambda g, n: torch.arange(n) % 2 == 0,
    "of edges": lambda g, n: torch.arange(num_edges(g)),
    "a number": lambda g, n: torch.tensor(float(n)),
    "of the graph": lambda g, n: torch.full((1, 4), float(n)),
    "any length": lambda g, n: torch.ones(2 * n + 1, n),
    "empty": lambda g, n: torch.empty(0),
    "NaN": lambda g, n: torch.full((n,), torch.nan),
    "sparse": lambda g, n: torch.eye(n).to_sparse(),
    "sparse rows": lambda g, n: torch.eye(n).to_sparse_csr(),
    "quantised": lambda g, n: quantised(torch.ones(n, 2)),
    "meta": lambda g, n: torch.ones(n, 2, device="meta"),
    "gradient": lambda g, n: torch.ones(n, 2, requires_grad=True),
    "gradient, no leaf": lambda g, n: torch.ones(n, 2, requires_grad=True) * 1,
    "text": lambda g, n: "a graph\nof\x1b mine",
    "long text": lambda g, n: "x" * 100_000,
    "list": lambda g, n: list(range(n)),
    "texts": lambda g, n: ["a"] * n,
    "nested": lambda g, n: [[1], [2, [3]]],
    "dict": lambda g, n: {"a": torch.ones(n), "b": "c", 3: None},
    "tuple": lambda g, n: (1, "a", None),
    "set": lambda g, n: {1, 2},
    "bytes": lambda g, n: b"\x00\xff",
    "int": lambda g, n: 10**30,
    "float": lambda g, n: float("nan"),
    "complex number": lambda g, n: 1j,
    "truth": lambda g, n: True,
    "array": lambda g, n: np.ones((n, 2)),
    "array of objects": lambda g, n: np.array([None, "a"], dtype=object),
    "numpy number": lambda g, n: np.float32(1),
    "object": lambda g, n: Thing(),
    "graph": lambda g, n: Data(x=torch.ones(1, 1)),
    "function": lambda g, n: len,
}
EXTRA_NAMES = (
    *("extra", "smiles", "name", "id", "sentence", "my_index", "face", "batch", "ptr", "feat", "node_type", "tf"),
    *("u", "z", "root", "motif_index", "assoc_index"),
    *("pos", "edge_weight", "edge_type", "train_mask", "adj_t", "adj", "charge", "z", "num_graphs", "n_id", "time"),
)
LABELS = {
    "float": lambda g: torch.tensor([1.0]),
    "real": lambda g: torch.tensor([2.37]),
    "NaN": lambda g: torch.tensor([torch.nan]),
    "huge": lambda g: torch.tensor([1e30]),
    "huge int": lambda g: 10**30,
    "many": lambda g: torch.ones(1, 12),
    "many int": lambda g: torch.ones(12, dtype=torch.long),
    "text": lambda g: "toxic",
    "lacking": lambda g: None,
    "bool": lambda g: torch.tensor([True]),
    "complex": lambda g: torch.tensor([1j]),
    "number": lambda g: 1,
    "truth": lambda g: True,
    "numpy": lambda g: np.int64(1),
    "array": lambda g: np.array([1]),
    "negative": lambda g: torch.tensor([-1]),
    "beyond": lambda g: torch.tensor([77]),
    "meta": lambda g: torch.ones(1, device="meta"),
    "empty": lambda g: torch.empty(0),
    "scalar": lambda g: torch.tensor(1),
    "half": lambda g: torch.tensor([1.0], dtype=torch.bfloat16),
    "sparse": lambda g: torch.ones(1, 1).to_sparse(),
    "of nodes": lambda g: torch.zeros(g.num_nodes, dtype=torch.long),
}
NUM_NODES = {
    "right": lambda n: n,
    "one more": lambda n: n + 1,
    "negative": lambda n: -1,
    "float": float,
    "text": lambda n: "many",
    "tensor": lambda n: torch.tensor(n),
    "numpy": lambda n: np.int64(n),
    "zero": lambda n: 0,
}


def broken_after(graphs, count):
    yield from graphs[:count]
    raise BrokenSourceError("the disk is gone")


class BrokenSequence(list):
    """A list whose last graph cannot be read."""

    def __getitem__(self, index):
        if index == len(self) - 1:
            raise BrokenSourceError("the disk is gone")
        return super().__getitem__(index)


def hetero(graph):
    other = HeteroData()
    other["a"].x = graph.x
    return other


CONTAINERS = {
    "tuple": lambda graphs: tuple(graphs),
    "generator": lambda graphs: (graph for graph in graphs),
    "generator that raises": lambda graphs: broken_after(graphs, len(graphs) // 2),
    "sequence that raises": BrokenSequence,
    "loader": lambda graphs: DataLoader(graphs, batch_size=3),
    "dict": lambda graphs: dict(enumerate(graphs)),
    "single": lambda graphs: graphs[0],
    "Batch": Batch.from_data_list,
    "list of batches": lambda graphs: [Batch.from_data_list(graphs)],
    "generator of batches": lambda graphs: iter([Batch.from_data_list(graphs)]),
    "HeteroData": lambda graphs: hetero(graphs[0]),
    "list of HeteroData": lambda graphs: [hetero(graph) for graph in graphs],
    "empty": lambda graphs: [],
    "empty generator": lambda graphs: iter(()),
    "None": lambda graphs: None,
    "number": lambda graphs: 3,
    "text": lambda graphs: "graphs.pt",
    "nested": lambda graphs: [graphs],
    "array": lambda graphs: np.fromiter(graphs, dtype=object),
    "numbers": lambda graphs: np.ones(3),
    "tensor": lambda graphs: torch.ones(3, 3),
    "dicts": lambda graphs: [graph.to_dict() for graph in graphs],
    "with None": lambda graphs: [*graphs, None],
    "batch made by hand": lambda graphs: iter([Batch(x=torch.ones(2, 3), batch=torch.zeros(2, dtype=torch.long))]),
}


def num_edges(graph: Data) -> int:
    edges = graph.edge_index
    return edges.size(1) if isinstance(edges, torch.Tensor) and edges.dim() == 2 else 0


def num_nodes(graph: Data) -> int:
    return len(graph.x) if isinstance(graph.x, torch.Tensor) and graph.x.dim() else 3


@dataclass(frozen=True)
class Odd:
    """Graphs with what was done to them."""

    graphs: list[Data]
    given: object
    story: tuple[str, ...]


def odd_graphs(rng: Random) -> Odd:
    """Random graphs, of which some or all are odd in up to three ways, in something that may be odd too."""
    graphs, story = plain_graphs(rng), []
    for _ in range(rng.choice([0, 1, 1, 1, 2, 3])):
        name = rng.choices(list(CHANGES), [weight for weight, _ in CHANGES.values()])[0]
        what, one = CHANGES[name][1](rng)
        all_places = range(len(graphs))
        chosen = all_places if rng.random() < 0.7 else rng.sample(all_places, rng.randint(1, len(graphs)))
        for place in chosen:
            with suppress(Exception):  # an oddity that cannot be had of an odder graph
                graphs[place] = one(graphs[place].clone())
        story.append(f"{name}: {what}{'' if len(chosen) == len(graphs) else f' of {len(chosen)}'}")
    given = graphs
    if rng.random() < 0.12:
        name = rng.choice(list(CONTAINERS))
        try:
            given = CONTAINERS[name](graphs)
        except Exception:  # PyG cannot put odd graphs into a batch
            return Odd(graphs, graphs, tuple(story))
        story.append(f"in: {name}")
    return Odd(graphs, given, tuple(story))


def _set(graph: Data, key: str, value: object) -> Data:
    if value is None:
        if key in graph:
            del graph[key]
        if key == "x":
            graph.num_nodes = 3 if not isinstance(graph.edge_index, torch.Tensor) else int(graph.edge_index.max()) + 1
    else:
        graph[key] = value
    return graph


def _tensor_change(rng: Random, key: str) -> tuple[str, Callable[[Data], Data]]:
    what = rng.choice(list(TENSORS))
    return f"{key} {what}", lambda graph: _set(graph, key, TENSORS[what](graph[key]))


def _x_change(rng):
    return _tensor_change(rng, "x")


def _edge_attr_change(rng):
    return _tensor_change(rng, rng.choice(["edge_attr", "edge_attr", "edge_weight", "pos"]))


def _edge_change(rng):
    what = rng.choice(list(EDGES))
    return what, lambda graph: _set(graph, "edge_index", EDGES[what](graph.edge_index, num_nodes(graph)))


def _extra_change(rng):
    what, name = rng.choice(list(EXTRAS)), rng.choice(EXTRA_NAMES)
    return f"{name} {what}", lambda graph: _set(graph, name, EXTRAS[what](graph, num_nodes(graph)))


def _label_change(rng):
    what = rng.choice(list(LABELS))
    return what, lambda graph: _set(graph, "y", LABELS[what](graph))


def _size_change(rng):
    what = rng.choice(list(NUM_NODES))
    return what, lambda graph: _set(graph, "num_nodes", NUM_NODES[what](num_nodes(graph)))


def _adjacency(rng):
    layout = rng.choice([torch.sparse_csr, torch.sparse_coo])
    keep = rng.random() < 0.3

    def change(graph):
        edges = graph.edge_index
        is_filled = isinstance(edges, torch.Tensor) and bool(edges.numel())
        stated = graph.num_nodes if isinstance(graph.num_nodes, int) else 0
        if is_filled and not 0 <= int(edges.min()) <= int(edges.max()) < min(num_nodes(graph), stated):
            return graph  # PyTorch writes beyond the memory of a matrix that lacks a row
        return ToSparseTensor(attr=None, layout=layout, remove_edge_index=not keep)(graph)

    return f"{layout}{' beside edge_index' if keep else ''}", change


def _bare(rng):
    return "edge_index and num_nodes", lambda g: Data(edge_index=g.edge_index, num_nodes=g.num_nodes, y=g.y)


# How often each is, and how.
CHANGES = {
    "x": (25, _x_change),
    "edge features": (15, _edge_attr_change),
    "edge_index": (15, _edge_change),
    "extra": (30, _extra_change),
    "y": (15, _label_change),
    "num_nodes": (3, _size_change),
    "adj_t": (4, _adjacency),
    "bare": (4, _bare),
}
