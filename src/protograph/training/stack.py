r"""Many GCNs of the same padded widths as one: their losses and the gradients for a mini-batch of graphs.

The activations of all models stand side by side, ``[num_nodes, num_models * width]``, so that one sparse product does
for all. Written out, with :math:`P_l = \hat A H_{l-1}`, a layer is :math:`H_l = \mathrm{ReLU}(P_l W_l + b_l)`, and with
:math:`D_l` for the gradient of what its ReLU is given

.. math:: \partial W_l = P_l^\top D_l, \quad \partial b_l = 1^\top D_l, \quad
          D_{l-1} = (\hat A^\top D_l W_l^\top) \odot [H_{l-1} > 0]

By hand, since autograd would make every matrix anew at every step; see ``stack_memory``.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from protograph.training.graph_rows import GraphRows
from protograph.training.stack_layout import StackLayout
from protograph.training.stack_memory import Room, StackMemory
from protograph.training.stack_operations import add_bias_and_relu, loss_gradient


class Stack:
    """Models of the same padded widths, and the memory to train them in.

    Attributes:
        values: Weights of all models, as the layout has them.
        gradients: Their gradients at the last :meth:`step`.
    """

    def __init__(self, layout: StackLayout, values: Tensor, num_models: int) -> None:
        self.layout, self.values, self.num_models = layout, values, num_models
        self.gradients = torch.zeros_like(values)
        self._weights = layout.weights(values, num_models)
        self._gradients = layout.weights(self.gradients, num_models)
        self._memory = StackMemory(layout.widths, num_models, values)

    def rows(self, rows: Sequence[int]) -> "Stack":
        """The stack of these models only."""
        return Stack(self.layout, self.layout.rows(self.values, self.num_models, rows), len(rows))

    def logits(self, rows: GraphRows) -> Tensor:
        """Logits of each model, ``[num_models, num_graphs, num_classes]``."""
        weights, room = self._weights, self._room(rows)
        h = room.h[0].whole
        torch.mm(rows.x, weights.first.flatten(1), out=h)
        add_bias_and_relu(h, weights.biases[0].flatten())
        for p, after, conv, bias in zip(room.p, room.h[1:], weights.convs, weights.biases[1:], strict=True):
            rows.adjacency.times(h, p.whole)
            torch.bmm(p.models, conv, out=after.models)
            h = after.whole
            add_bias_and_relu(h, bias.flatten())
        rows.readout.times(h, room.pooled.whole)
        return torch.baddbmm(weights.head_bias[:, None], room.pooled.models, weights.head)

    def step(self, rows: GraphRows, labels: Tensor, class_weights: Tensor) -> Tensor:
        """Work out the gradients of each model's mean loss, and give these losses, ``[num_models]``.

        Args:
            rows: The graphs.
            labels: Their classes, ``[num_models, num_graphs]``.
            class_weights: What a graph of each class counts, ``[num_models, num_classes]``.
        """
        logits = self.logits(rows)
        losses = loss_gradient(logits, labels, class_weights, self._gradients.head_bias)
        self._backward(rows, logits)
        return losses

    def _backward(self, rows: GraphRows, gradient: Tensor) -> None:
        weights, gradients, room = self._weights, self._gradients, self._room(rows)
        torch.bmm(room.pooled.transposed, gradient, out=gradients.head)
        torch.bmm(gradient, weights.head.transpose(1, 2), out=room.d_pooled.models)
        d, bias = room.d[-1], gradients.biases[-1].flatten()
        rows.spread.times_masked(room.d_pooled.whole, room.h[-1].whole, d.whole, bias)
        for number in reversed(range(len(room.p))):
            p = room.p[number]
            torch.bmm(p.transposed, d.models, out=gradients.convs[number])
            # P is no longer needed, and its gradient is as large.
            torch.bmm(d.models, weights.convs[number].transpose(1, 2), out=p.models)
            d, bias = room.d[number], gradients.biases[number].flatten()
            rows.transposed.times_masked(p.whole, room.h[number].whole, d.whole, bias)
        torch.mm(rows.x.T, d.whole, out=gradients.first.flatten(1))

    def _room(self, rows: GraphRows) -> Room:
        return self._memory.room(len(rows.x), len(rows.y))
