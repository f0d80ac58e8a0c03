r"""All graphs in a few flat tensors, from which mini-batches are cut by index arithmetic.

A ``DataLoader`` draws from the global generator and collates graph by graph in Python; here a mini-batch is a dozen
tensor operations, whatever its size.

The GCN's forward pass is here too, with all that does not change done once. A layer computes
:math:`\hat A H W + b`. Neither :math:`\hat A` nor, in the first layer, :math:`\hat A X` depends on the weights, and no
graph touches another: both are worked out once for all graphs and then cut into mini-batches. An epoch takes less than
half the time of calling the model, with the same logits up to rounding. Where :math:`\hat A X` would fill the memory,
the first layer is computed as the others are.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch_geometric.data import Data
from torch_geometric.nn.conv.gcn_conv import gcn_norm

from protograph.graphs.validate import validate
from protograph.models.predictions import class_of
from protograph.training.gcn import GCN

# Of features that are added up over the neighbours beforehand.
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
        edge_weight: Weight of each edge, ``[num_edges]``.
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


def _positions(bounds: Tensor, indices: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Old position of each element of the chosen runs, its run, and the runs' new bounds."""
    sizes = bounds[indices + 1] - bounds[indices]
    new_bounds = nn.functional.pad(sizes.cumsum(0), (1, 0))
    run = torch.repeat_interleave(sizes)
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
        validate(graph, partial("graphs[{}]".format, number))
        features.append(_features(graph, number, features[0].shape[1] if features else None))
        edges.append(torch.empty(2, 0, dtype=torch.long) if graph.edge_index is None else graph.edge_index.cpu().long())
        if edges[-1].numel() and not 0 <= int(edges[-1].min()) <= int(edges[-1].max()) < len(features[-1]):
            raise ValueError(
                f"graphs[{number}].edge_index must lie in [0, {len(features[-1])}), "
                f"got {int(edges[-1].min())} to {int(edges[-1].max())}"
            )
        labels.append(_label(graph, number))
    if not features:
        raise ValueError("graphs must not be empty; give a sequence of labelled graphs")
    num_edges = [edge_index.shape[1] for edge_index in edges]
    is_binary = all(x.dtype == torch.uint8 for x in features)
    return FlatGraphs(
        x=torch.cat(features if is_binary else [x.float() for x in features]),
        edge_index=torch.cat(edges, dim=1),
        edge_weight=torch.ones(sum(num_edges)),
        y=torch.tensor(labels),
        node_bounds=torch.tensor([0, *map(len, features)]).cumsum(0),
        edge_bounds=torch.tensor([0, *num_edges]).cumsum(0),
    )


def _label(graph: Data, number: int) -> int:
    label = class_of(graph.get("y"))
    if label is None or label < 0:
        given = graph.y.tolist() if isinstance(graph.y, Tensor) else graph.y
        raise ValueError(
            f"graphs[{number}].y must be one integer label of at least 0, got {given}; set y = torch.tensor([label])"
        )
    return label


def _features(graph: Data, number: int, width: int | None) -> Tensor:
    """Features of a graph, as wide as those of the first; a constant where it has none."""
    x = torch.ones(graph.num_nodes or 0, 1) if graph.x is None else graph.x.detach().cpu().float()
    if x.dim() != 2 or x.shape[1] == 0 or x.shape[1] != (width or x.shape[1]):
        raise ValueError(
            f"graphs[{number}].x must have shape [num_nodes, {width or 'num_features'}], got {list(x.shape)}; "
            f"give every graph the same features, or none"
        )
    if not x.isfinite().all():
        raise ValueError(
            f"graphs[{number}].x must be finite, got {x[~x.isfinite()][0].item()}; clean the features first"
        )
    is_binary = bool(((x == 0) | (x == 1)).all())
    return x.to(torch.uint8) if is_binary else x


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
