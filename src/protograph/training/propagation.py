r"""The GCN's forward pass with all that does not change done once.

A layer computes :math:`\hat A H W + b`. Neither :math:`\hat A` nor, in the first layer, :math:`\hat A X`
depends on the weights, and no graph touches another: both are worked out once for all graphs and then cut
into mini-batches. An epoch takes less than half the time of calling the model, with the same logits up to
rounding. Where :math:`\hat A X` would fill the memory, the first layer is computed as the others are.
"""

from dataclasses import replace

import torch
from torch import Tensor, nn
from torch_geometric.nn.conv.gcn_conv import gcn_norm

from protograph.training.collation import FlatGraphs, MiniBatch
from protograph.training.gcn import GCN

MOST_BYTES = 2**30


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
        x=_propagate(flat.x.float(), edge_index, weight) if is_small else flat.x,
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
    pooled = h.new_zeros(len(batch.y), h.shape[1]).index_add(0, batch.batch, h)
    logits: Tensor = model.head(pooled)
    return logits


def _propagate(h: Tensor, edge_index: Tensor, weight: Tensor) -> Tensor:
    # index_select, not h[source]: the gradient of the latter adds in parallel on a CPU, in any order.
    messages = h.index_select(0, edge_index[0]) * weight[:, None]
    return torch.zeros_like(h).index_add(0, edge_index[1], messages)
