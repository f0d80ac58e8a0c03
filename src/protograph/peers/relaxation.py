"""Graphs that are there in part: soft edges in every layer of a model, mixed features, and the graphs behind them."""

import inspect
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import logsigmoid
from torch_geometric.nn import FAConv, MessagePassing
from torch_geometric.utils import scatter

from protograph.models.outputs import ReturnType, log_scores

# How far a node's attention may be from 1 in sum and still be the output of a softmax.
_SUM_TOLERANCE = 1e-4
_TINY = 1e-12
# Outputs between which log scores and their gradients are finite.
_FINITE: dict[ReturnType, tuple[float, float]] = {
    "raw": (-np.inf, np.inf),
    "probs": (1e-12, 1 - 1e-12),
    "log_probs": (-1e3, -1e-12),
}


def message_passing_layers(model: nn.Module) -> list[Any]:
    """All modules of the model that pass messages along edges."""
    return [module for module in model.modules() if isinstance(module, MessagePassing)]


@contextmanager
def soft_edges(model: nn.Module, weights: Tensor, *, is_passed: bool = False) -> Iterator[None]:
    r"""Let every edge of the batch that the model is called on count only as much as its weight says.

    A layer that takes ``edge_weight`` and sums its messages is given the weights, so that a normalisation such as
    GCN's sees soft degrees. In other layers messages :math:`m_{ij}` are weighted where they are made:

    .. math::
        \text{sum: } \textstyle\sum_j w_{ij} m_{ij}, \quad
        \text{mean: } \frac{\sum_j w_{ij} m_{ij}}{\sum_j w_{ij}}, \quad
        \text{max: } \max_j\, w_{ij} m_{ij} + (1 - w_{ij}) \min m, \quad
        \text{attention: } \frac{w_{ij} \alpha_{ij}}{\sum_k w_{ik} \alpha_{ik}}

    so that weights of 0 and 1 give what the model makes of the graph without the edges of weight 0, provided that no
    node loses all of them. Elsewhere (attention computed inside ``message``, several or rarer aggregations) messages
    are multiplied by their weights, as in :mod:`torch_geometric.explain`. Self-loops that a layer adds have weight 1.

    Args:
        model: Any model of ``MessagePassing`` layers; hooks are on it inside the ``with`` block only.
        weights: One for each column of the batch's ``edge_index``, ``[num_edges]``.
        is_passed: Whether the model itself gets the weights too, as an argument. Layers that it hands an
            ``edge_weight`` are then left alone; otherwise theirs are multiplied by ours.

    >>> from torch_geometric.nn import SimpleConv
    >>> ends = torch.tensor([[0, 1], [2, 2]])
    >>> conv = SimpleConv(aggr="mean")
    >>> with soft_edges(conv, torch.tensor([1.0, 0.5])):
    ...     conv(torch.tensor([[1.0], [4.0], [0.0]]), ends)[2]
    tensor([2.])
    """
    with ExitStack() as stack:
        for layer in message_passing_layers(model):
            for handle in _attach(layer, weights, is_passed):
                stack.callback(handle.remove)
        yield


def _attach(layer: Any, weights: Tensor, is_passed: bool) -> list[Any]:
    soft = _SoftLayer(layer, weights, is_passed)
    # FAConv takes weights only where it is told not to normalise.
    takes_weights = "edge_weight" in soft.signature.parameters and not isinstance(layer, FAConv)
    if takes_weights and layer.aggr in ("add", "sum"):
        return [layer.register_forward_pre_hook(soft.before_forward, with_kwargs=True)]
    return [
        layer.register_propagate_forward_pre_hook(soft.before_propagate),
        layer.register_message_forward_pre_hook(soft.before_message),
        layer.register_message_forward_hook(soft.after_message),
        layer.register_aggregate_forward_hook(soft.after_aggregate),
    ]


class _SoftLayer:
    """The hooks of one layer, with the weights of the edges that it was called on last."""

    def __init__(self, layer: Any, weights: Tensor, is_passed: bool) -> None:
        self.signature = inspect.signature(layer.forward)
        self._given, self._is_passed = weights, is_passed
        self._weights, self._index = weights, weights
        self._is_attention = False

    def before_forward(self, layer: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
        bound = self.signature.bind_partial(*args, **kwargs)
        own, ends = bound.arguments.get("edge_weight"), bound.arguments.get("edge_index")
        if own is None or not self._is_passed:
            weights = self._given if ends is None else self._weights_of(layer, ends)
            bound.arguments["edge_weight"] = weights if own is None else own * weights
        return bound.args, bound.kwargs

    def before_propagate(self, layer: Any, inputs: Any) -> None:
        """Find the weights of the edges that the layer really uses."""
        self._weights = self._weights_of(layer, inputs[0])
        self._index = inputs[0][1 if layer.flow == "source_to_target" else 0]
        self._is_attention = False

    def before_message(self, layer: Any, inputs: Any) -> Any:
        """Weight attention, which must still sum to 1 over the neighbours."""
        alpha = inputs[0].get("alpha")
        if not isinstance(alpha, Tensor) or alpha.dim() == 0 or len(alpha) != len(self._index) or not len(alpha):
            return None
        self._is_attention = bool(((self._sums(alpha)[self._index] - 1).abs() < _SUM_TOLERANCE).all())
        if not self._is_attention:
            return None
        soft = alpha * _like(self._weights, alpha, 0)
        return ({**inputs[0], "alpha": soft / self._sums(soft)[self._index].clamp(min=_TINY)},)

    def after_message(self, layer: Any, inputs: Any, messages: Tensor) -> Tensor:
        if self._is_attention:
            return messages
        weights = _like(self._weights, messages, layer.node_dim)
        if layer.aggr in ("max", "min") and messages.numel():
            # What an absent edge brings must not win, so it is the least there is (for max).
            ends = messages.detach().aminmax()
            return weights * messages + (1 - weights) * (ends.min if layer.aggr == "max" else ends.max)
        return weights * messages

    def after_aggregate(self, layer: Any, inputs: Any, result: Tensor) -> Tensor:
        """Divide a mean by the sum of the weights rather than by the number of edges."""
        if layer.aggr != "mean" or self._is_attention:
            return result
        size = result.size(layer.node_dim)
        total, count = self._sums(self._weights, size), self._sums(torch.ones_like(self._weights), size)
        return result * _like(count / total.clamp(min=_TINY), result, layer.node_dim)

    def _sums(self, values: Tensor, size: int | None = None) -> Tensor:
        sums: Tensor = scatter(values, self._index, dim=0, dim_size=size, reduce="sum")
        return sums

    def _weights_of(self, layer: Any, edge_index: Any) -> Tensor:
        given = self._given
        if isinstance(edge_index, Tensor) and not edge_index.is_sparse and edge_index.dim() == 2:
            rest = edge_index[:, len(given) :]
            if edge_index.size(1) == len(given):
                return given
            if rest.numel() and bool((rest[0] == rest[1]).all()):
                return torch.cat([given, given.new_ones(rest.size(1))])
        is_list = isinstance(edge_index, Tensor) and not edge_index.is_sparse
        got = f"{edge_index.size(-1)} edges" if is_list else f"a {type(edge_index).__name__}"
        raise ValueError(
            f"{type(layer).__name__} does not get the graph's own edges, one column of edge_index each, but "
            f"{got} where the graphs have {len(given)}; models that pool, drop or rewire edges "
            f"inside, or turn them into sparse matrices, cannot be differentiated by their edges"
        )


def _like(values: Tensor, other: Tensor, dim: int) -> Tensor:
    """Shape a vector so that it multiplies ``other`` along one dimension."""
    shape = [1] * other.dim()
    shape[dim] = -1
    return values.to(other.dtype).view(shape)


def mixed(values: Tensor, *shares: Tensor) -> Tensor:
    """Values of types mixed by ``shares``, or those of pairs of types by two of these.

    Whole numbers cannot be mixed, so there the largest share counts.

    >>> mixed(torch.tensor([[0.0, 4.0], [2.0, 0.0]]), torch.tensor([[0.5, 0.5]]))
    tensor([[1., 2.]])
    """
    if not values.is_floating_point():
        return values[tuple(share.argmax(dim=-1) for share in shares)]
    flat = values.reshape(*values.shape[: len(shares)], -1).to(shares[0].dtype)
    mix = shares[0] @ flat if len(shares) == 1 else torch.einsum("ea,eb,abd->ed", *shares, flat)
    return mix.reshape(len(mix), *values.shape[len(shares) :]).to(values.dtype)


def unlikeness(logits: Tensor, pairs: Tensor, num_nodes: int) -> Tensor:
    r"""Mean divergence between the probabilities of two edges with a node in common (the paper's connectivity).

    .. math:: \mathrm{KL}(p \,\|\, q) = p \log\frac pq + (1 - p) \log\frac{1 - p}{1 - q}

    >>> unlikeness(torch.zeros(3), torch.triu_indices(3, 3, 1), 3)
    tensor(0.)
    """
    if num_nodes < 3:
        return logits.new_zeros(())
    first, second = pairs
    rows = logits.new_zeros(num_nodes, num_nodes)
    rows = rows.index_put((first, second), logits).index_put((second, first), logits)
    mine = rows[~torch.eye(num_nodes, dtype=torch.bool)].view(num_nodes, num_nodes - 1, 1)
    theirs = mine.transpose(1, 2)
    # log p = -softplus(-z), log(1 - p) = -softplus(z) = log p - z
    log_p, log_q = logsigmoid(mine), logsigmoid(theirs)
    divergence = log_p - log_q - (1 - mine.sigmoid()) * (mine - theirs)
    return divergence.sum() / (num_nodes * (num_nodes - 1) * (num_nodes - 2))


def safe_log_scores(outputs: Tensor, return_type: ReturnType) -> Tensor:
    """Log scores whose gradients are finite, also at probabilities of exactly 0 and 1.

    >>> safe_log_scores(torch.tensor([[1.0, 0.0]]), "probs").isfinite().all()
    tensor(True)
    """
    return log_scores(outputs.double().clamp(*_FINITE[return_type]), return_type)
