"""What nodes and edges of a data set can be, learned from its graphs: all that a generator of graphs is told."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch_geometric.data import Batch, Data

from protograph._base.arrays import Floats, Ints

# A model's table of types must stay small: continuous features give one for every node.
MAX_TYPES = 200


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """Types of nodes, the distinct rows of ``x``, most frequent first, and how they are joined.

    Attributes:
        x: Features of each type, ``[num_types, num_features]``; ``None`` where graphs have none.
        counts: How many nodes are of each type, ``[num_types]``.
        max_degree: Largest number of neighbours of a node of each type, self-loops not counted, ``[num_types]``.
        joined: How many undirected edges join the types, ``[num_types, num_types]``, symmetric.
        edge_attr: Most frequent attributes of an edge between the types, ``[num_types, num_types, num_attributes]``,
            those most frequent of all where no edge is; ``None`` where edges have none.
        edges_per_node: How many undirected edges a node each graph has, ``[num_graphs]``.
        num_left_out: How many rarer types are left out.
    """

    x: Tensor | None
    counts: Ints
    max_degree: Ints
    joined: Ints
    edge_attr: Tensor | None
    edges_per_node: Floats
    num_left_out: int = 0

    @property
    def num_types(self) -> int:
        """Number of types."""
        return len(self.counts)

    def graph(self, types: Sequence[int], edges: Sequence[tuple[int, int]]) -> Data:
        """The graph with nodes of these types and undirected edges, each given once.

        >>> edge = Data(x=torch.eye(2), edge_index=torch.tensor([[0, 1], [1, 0]]))
        >>> learn([edge]).graph([0, 1, 0], [(0, 1), (1, 2)])
        Data(x=[3, 2], edge_index=[2, 4])
        """
        kinds = torch.as_tensor(list(types), dtype=torch.long)
        ends = torch.as_tensor(list(edges), dtype=torch.long).reshape(-1, 2).t()
        edge_index = torch.cat([ends, ends.flip(0)], dim=1)
        edge_attr = None if self.edge_attr is None else self.edge_attr[kinds[edge_index[0]], kinds[edge_index[1]]]
        return assembled(len(kinds), None if self.x is None else self.x[kinds], edge_index, edge_attr)


def learn(graphs: Iterable[Data], max_types: int = MAX_TYPES) -> Vocabulary:
    """Learn the vocabulary of undirected graphs.

    >>> star = Data(x=torch.eye(2)[[0, 1, 1]], edge_index=torch.tensor([[0, 0, 1, 2], [1, 2, 0, 0]]))
    >>> vocabulary = learn([star, star])
    >>> vocabulary.x, vocabulary.counts, vocabulary.max_degree, vocabulary.joined
    (tensor([[0., 1.],
            [1., 0.]]), array([4, 2]), array([1, 2]), array([[0, 4],
           [4, 0]]))
    """
    batch = Batch.from_data_list([bare(graph) for graph in graphs])
    num_nodes = int(batch.num_nodes or 0)
    rows, type_of, counts = _distinct(torch.zeros(num_nodes, 1) if batch.x is None else batch.x)
    ends = batch.edge_index[:, batch.edge_index[0] != batch.edge_index[1]].numpy()
    degree = np.bincount(ends[0], minlength=num_nodes)
    kept = min(max_types, len(counts))
    max_degree = np.zeros(len(counts), dtype=np.int64)
    np.maximum.at(max_degree, type_of, degree)
    pairs = type_of[ends]
    within = (pairs < kept).all(axis=0)
    joined = np.zeros((kept, kept), dtype=np.int64)
    np.add.at(joined, tuple(pairs[:, within]), 1)
    joined[np.diag_indices(kept)] //= 2  # an edge within a type was counted from both ends
    return Vocabulary(
        x=None if batch.x is None else batch.x[torch.from_numpy(rows[:kept])],
        counts=counts[:kept],
        max_degree=max_degree[:kept],
        joined=joined,
        edge_attr=_edge_attr(batch, type_of, kept),
        edges_per_node=_edges_per_node(batch),
        num_left_out=len(counts) - kept,
    )


def _edges_per_node(batch: Batch) -> Floats:
    first, second = batch.edge_index
    counts = batch.batch[first[first < second]].bincount(minlength=batch.num_graphs)
    ratios: Floats = counts.numpy() / batch.ptr.diff().clamp(min=1).numpy()
    return ratios


def bare(graph: Data) -> Data:
    """Only what is learned from, and generated: other attributes may not fit into one batch."""
    return assembled(graph.num_nodes, graph.x, graph.edge_index, graph.edge_attr)


def assembled(num_nodes: int | None, x: Tensor | None, edge_index: Tensor, edge_attr: Tensor | None) -> Data:
    """A graph of these tensors; ``x`` tells the number of nodes, where there is any."""
    tensors = {"x": x, "num_nodes": num_nodes if x is None else None, "edge_index": edge_index, "edge_attr": edge_attr}
    return Data(**{name: value for name, value in tensors.items() if value is not None})


def _distinct(values: Tensor) -> tuple[Ints, Ints, Ints]:
    """First place of each distinct row, most frequent row first; the row each place has; and their counts."""
    flat = np.ascontiguousarray(values.reshape(len(values), -1).numpy())
    # As one sequence of bytes a row is compared far faster than column by column.
    keys = flat.view(np.dtype((np.void, flat.dtype.itemsize * flat.shape[1]))).reshape(-1)
    _, first, inverse, counts = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
    order = np.lexsort((first, -counts))
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return first[order], rank[inverse.reshape(-1)], counts[order]


def _edge_attr(batch: Batch, type_of: Ints, num_types: int) -> Tensor | None:
    attributes = batch.get("edge_attr")
    if attributes is None or not len(attributes):
        return None
    rows, kind_of, _ = _distinct(attributes)
    pairs = type_of[batch.edge_index.numpy()]
    frequency = np.zeros((num_types, num_types, len(rows)), dtype=np.int64)
    within = (pairs < num_types).all(axis=0)
    np.add.at(frequency, (*pairs[:, within], kind_of[within]), 1)
    # Where no edge is, the first kind wins, which is the most frequent of all.
    chosen = torch.from_numpy(frequency.argmax(axis=2))
    result: Tensor = attributes[torch.from_numpy(rows)][chosen]
    return result
