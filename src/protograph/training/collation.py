r"""All graphs in a few flat tensors, from which mini-batches are cut by index arithmetic.

A ``DataLoader`` draws from the global generator and collates graph by graph in Python; here a mini-batch
is a few slices of a chunk, and a chunk a dozen tensor operations, whatever its size.

The GCN's forward pass is here too, with all that does not change done once. A layer computes
:math:`\hat A H W + b`. Neither :math:`\hat A` nor, in the first layer, :math:`\hat A X` depends on the weights, and no
graph touches another: both are worked out once for all graphs and then cut into mini-batches. An epoch takes less than
half the time of calling the model, with the same logits up to rounding. Where :math:`\hat A X` would fill the memory,
the first layer is computed as the others are.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch_geometric.data import Data
from torch_geometric.nn.conv.gcn_conv import gcn_norm

from protograph.graphs.checking import check_graph, is_plain
from protograph.training.gcn import GCN

BATCHES_A_CHUNK = 64
MOST_BYTES = 2**30


class MiniBatch(NamedTuple):
    """Some graphs as one disconnected graph, as in PyG's ``Batch``."""

    x: Tensor
    edge_index: Tensor
    edge_weight: Tensor
    batch: Tensor
    y: Tensor
    is_propagated: bool = False


@dataclass(frozen=True, eq=False)
class FlatGraphs:
    """Graphs laid end to end.

    Attributes:
        x: Node features, ``[num_nodes, num_features]``; as bytes where all are 0 or 1, a quarter of the memory.
        edge_index: Edges, ``[2, num_edges]``, their ends counted within each graph.
        edge_weight: Weight of each edge, ``[num_edges]``, of the type that mini-batches are computed in.
        y: Label of each graph, ``[num_graphs]``.
        node_bounds: Nodes ``node_bounds[i]`` to ``node_bounds[i + 1]`` are those of graph ``i``.
        edge_bounds: The same for edges.
        is_propagated: Whether the features have been added up over the neighbours.
    """

    x: Tensor
    edge_index: Tensor
    edge_weight: Tensor
    y: Tensor
    node_bounds: Tensor
    edge_bounds: Tensor
    is_propagated: bool = False

    def __len__(self) -> int:
        return len(self.y)

    def to(self, device: torch.device | str) -> "FlatGraphs":
        """The same graphs on a device."""
        return replace(
            self, **{name: value.to(device) for name, value in vars(self).items() if name != "is_propagated"}
        )

    def take(self, indices: Tensor) -> MiniBatch:
        """The graphs at the indices as one mini-batch.

        >>> flat = collate([Data(x=torch.ones(2, 1), edge_index=torch.tensor([[0], [1]]), y=7)])
        >>> flat.take(torch.tensor([0, 0])).edge_index
        tensor([[0, 2],
                [1, 3]])
        """
        nodes, batch, new_bounds = _positions(self.node_bounds, indices)
        edges, graph_of_edge, _ = _positions(self.edge_bounds, indices)
        return MiniBatch(
            x=self.x[nodes].to(self.edge_weight.dtype),
            edge_index=self.edge_index[:, edges] + new_bounds[graph_of_edge],
            edge_weight=self.edge_weight[edges],
            batch=batch,
            y=self.y[indices],
            is_propagated=self.is_propagated,
        )

    def batches(self, order: Tensor, batch_size: int) -> Iterator[MiniBatch]:
        """The graphs at the indices, in their order, ``batch_size`` at a time.

        >>> flat = collate([Data(x=torch.ones(2, 1), edge_index=torch.tensor([[0], [1]]), y=7)])
        >>> [len(batch.y) for batch in flat.batches(torch.tensor([0, 0, 0]), batch_size=2)]
        [2, 1]
        """
        for indices in torch.split(order, batch_size * BATCHES_A_CHUNK):
            chunk = self.take(indices)
            ends = [*range(0, len(indices), batch_size), len(indices)]
            nodes = _sums(self.node_bounds, indices)[ends].tolist()
            edges = _sums(self.edge_bounds, indices)[ends].tolist()
            for part, start in enumerate(ends[:-1]):
                of_nodes, of_edges = slice(*nodes[part : part + 2]), slice(*edges[part : part + 2])
                yield MiniBatch(
                    x=chunk.x[of_nodes],
                    edge_index=chunk.edge_index[:, of_edges] - nodes[part],
                    edge_weight=chunk.edge_weight[of_edges],
                    batch=chunk.batch[of_nodes] - start,
                    y=chunk.y[start : ends[part + 1]],
                    is_propagated=self.is_propagated,
                )


def _sums(bounds: Tensor, indices: Tensor) -> Tensor:
    """How many elements the first 0, 1, ... of the chosen runs have together."""
    return nn.functional.pad((bounds[indices + 1] - bounds[indices]).cumsum(0), (1, 0))


def _positions(bounds: Tensor, indices: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Old position of each element of the chosen runs, its run, and the runs' new bounds."""
    new_bounds = _sums(bounds, indices)
    run = torch.repeat_interleave(new_bounds.diff())
    shift = bounds[indices] - new_bounds[:-1]
    return torch.arange(len(run), device=run.device) + shift[run], run, new_bounds


def collate(graphs: Iterable[Data]) -> FlatGraphs:
    """Check the graphs and lay them end to end.

    Graphs without ``x`` get the constant feature 1; every edge has the weight 1.

    Raises:
        ValueError: If there are no graphs, or one has no label, or unfit features or edges; the message
            names the graph.

    >>> graph = Data(edge_index=torch.tensor([[0, 1], [1, 0]]), num_nodes=3, y=torch.tensor([1]))
    >>> collate([graph, graph]).x.shape
    torch.Size([6, 1])
    """
    features: list[Tensor] = []
    edges: list[Tensor] = []
    labels: list[int] = []
    for number, graph in enumerate(graphs):
        check_graph(graph, f"graphs[{number}]")
        features.append(_features(graph, number, features[0] if features else None))
        edges.append(_edge_index(graph))
        labels.append(_label(graph, number))
    if not features:
        raise ValueError("graphs must not be empty; give a sequence of labelled graphs")
    dtype = torch.float32 if any(x.is_floating_point() for x in features) else torch.uint8
    num_edges = [edge_index.shape[1] for edge_index in edges]
    flat = FlatGraphs(
        x=torch.cat([x.to(dtype) for x in features]),
        edge_index=torch.cat(edges, dim=1),
        edge_weight=torch.ones(sum(num_edges)),
        y=torch.tensor(labels),
        node_bounds=torch.tensor([0, *map(len, features)]).cumsum(0),
        edge_bounds=torch.tensor([0, *num_edges]).cumsum(0),
    )
    _check_values(flat)
    return flat


def _label(graph: Data, number: int) -> int:
    y = torch.as_tensor(graph.y) if isinstance(graph.y, int) and abs(graph.y) < 2**63 else graph.y
    if not isinstance(y, Tensor) or not is_plain(y) or y.numel() != 1 or y.is_floating_point() or y.is_complex():
        given = f"{y.dtype} of shape {list(y.shape)}" if isinstance(y, Tensor) else y
        raise ValueError(f"graphs[{number}].y must be one integer label, got {given}; set y = torch.tensor([label])")
    label = int(y)
    if label < 0:
        raise ValueError(f"graphs[{number}].y must be at least 0, got {label}; number the classes 0, 1, ...")
    return label


def _edge_index(graph: Data) -> Tensor:
    edge_index: Tensor | None = graph.edge_index
    return torch.empty(2, 0, dtype=torch.long) if edge_index is None else edge_index.detach().cpu().long()


def _features(graph: Data, number: int, first: Tensor | None) -> Tensor:
    """Features of a graph as wide as those of the first; a constant that is made here is of signed integers."""
    x: Tensor | None = graph.x
    is_bare = x is None if first is None else first.dtype == torch.int8
    if is_bare and x is not None:
        raise ValueError(f"graphs[{number}].x must be None as graphs[0].x is; give every graph features, or none")
    if is_bare:
        x = torch.ones(graph.num_nodes or 0, 1, dtype=torch.int8)
    if x is None or x.dim() != 2 or x.shape[1] == 0:
        given = None if x is None else list(x.shape)
        raise ValueError(
            f"graphs[{number}].x must have shape [num_nodes, num_features], got {given}; "
            f"give every graph features, or none"
        )
    if first is not None and x.shape[1] != first.shape[1]:
        raise ValueError(f"graphs[{number}].x must have {first.shape[1]} columns as graphs[0].x has, got {x.shape[1]}")
    x = x.detach().cpu()
    as_bytes = x.to(torch.uint8)
    is_binary = bool((as_bytes == x).all()) and bool((as_bytes <= 1).all())
    return x if is_bare else as_bytes if is_binary else x.float()


def _check_values(flat: FlatGraphs) -> None:
    is_bad = ~flat.x.isfinite()  # bytes all are
    if is_bad.any():
        row, column = is_bad.nonzero()[0].tolist()
        number = int(torch.searchsorted(flat.node_bounds, row, right=True)) - 1
        raise ValueError(
            f"graphs[{number}].x must be finite, got {flat.x[row, column].item()}; clean the features first"
        )
    num_nodes = flat.node_bounds.diff()
    graph_of_edge = torch.repeat_interleave(flat.edge_bounds.diff())
    is_outside = ((flat.edge_index < 0) | (flat.edge_index >= num_nodes[graph_of_edge])).T
    if is_outside.any():
        edge, end = is_outside.nonzero()[0].tolist()
        number = int(graph_of_edge[edge])
        raise ValueError(
            f"graphs[{number}].edge_index must lie in [0, {int(num_nodes[number])}), "
            f"got {int(flat.edge_index[end, edge])}"
        )


def propagated(flat: FlatGraphs, most_bytes: int = MOST_BYTES) -> FlatGraphs:
    r"""The graphs with :math:`\hat A X` for features and the entries of :math:`\hat A` for edges.

    Features that would take more than ``most_bytes``, or the messages that lead to them, stay as they are.
    """
    first_node = flat.node_bounds[:-1]
    edge_index = flat.edge_index + first_node.repeat_interleave(flat.edge_bounds.diff())
    edge_index, weight = gcn_norm(edge_index, flat.edge_weight, num_nodes=len(flat.x))
    # The self-loops come last; sorted by target, each graph's edges are together again.
    order = edge_index[1].argsort(stable=True)
    edge_index, weight = edge_index[:, order], weight[order]
    graph_of_edge = torch.repeat_interleave(flat.node_bounds.diff())[edge_index[1]]
    counts = graph_of_edge.bincount(minlength=len(flat))
    is_small = (len(flat.x) + len(weight)) * flat.x.shape[1] * weight.element_size() <= most_bytes
    return replace(
        flat,
        x=_propagate(flat.x.to(weight.dtype), edge_index, weight) if is_small else flat.x,
        is_propagated=is_small,
        edge_index=edge_index - first_node[graph_of_edge],
        edge_weight=weight,
        edge_bounds=nn.functional.pad(counts.cumsum(0), (1, 0)),
    )


def logits_of(model: GCN, batch: MiniBatch) -> Tensor:
    """Logits of a mini-batch of graphs that went through :func:`propagated`."""
    h = batch.x
    for number, conv in enumerate(model.convs):
        h = nn.functional.linear(h, conv.get_parameter("lin.weight"))
        if number > 0 or not batch.is_propagated:
            h = _propagate(h, batch.edge_index, batch.edge_weight)
        h = (h + conv.get_parameter("bias")).relu()
    logits: Tensor = model.head(h.new_zeros(len(batch.y), h.shape[1]).index_add(0, batch.batch, h))
    return logits


def _propagate(h: Tensor, edge_index: Tensor, weight: Tensor) -> Tensor:
    # index_select, not h[source]: the gradient of the latter adds in parallel on a CPU, in any order.
    messages = h.index_select(0, edge_index[0]) * weight[:, None]
    return torch.zeros_like(h).index_add(0, edge_index[1], messages)
