"""The compiled loops of a stack of models; what each computes is written out in ``stack_operations``.

Imported only when models are trained, since Numba takes a while to load. The compiled code is cached on disk.
"""

import numpy as np

from protograph._base.arrays import Floats, Ints
from protograph._base.compiling import compiled


@compiled
def product(
    bounds: Ints, columns: Ints, values: Floats, dense: Floats, out: Floats
) -> None:  # pragma: no cover - compiled
    """Row i of ``out`` becomes the sum of the rows ``columns[e]`` of ``dense`` times ``values[e]``, e in row i."""
    width = out.shape[1]
    for i in range(len(bounds) - 1):
        for j in range(width):
            out[i, j] = 0
        for e in range(bounds[i], bounds[i + 1]):
            source, value = columns[e], values[e]
            for j in range(width):
                out[i, j] += value * dense[source, j]


@compiled
def masked_product(
    bounds: Ints, columns: Ints, values: Floats, dense: Floats, active: Floats, out: Floats, sums: Floats
) -> None:  # pragma: no cover - compiled
    """As ``product``, then 0 where ``active`` is 0, and the sum of each column."""
    width = out.shape[1]
    for j in range(width):
        sums[j] = 0
    for i in range(len(bounds) - 1):
        for j in range(width):
            out[i, j] = 0
        for e in range(bounds[i], bounds[i + 1]):
            source, value = columns[e], values[e]
            for j in range(width):
                out[i, j] += value * dense[source, j]
        for j in range(width):
            kept = out[i, j] if active[i, j] > 0 else out.dtype.type(0)
            out[i, j] = kept
            sums[j] += kept


@compiled
def add_bias_and_relu(h: Floats, bias: Floats) -> None:  # pragma: no cover - compiled
    """Add a number to each column, then replace what is below 0 by 0."""
    for i in range(h.shape[0]):
        for j in range(h.shape[1]):
            value = h[i, j] + bias[j]
            # The other way round, what is not a number would become 0.
            h[i, j] = h.dtype.type(0) if value < 0 else value


@compiled
def loss_gradient(
    logits: Floats, labels: Ints, class_weights: Floats, losses: Floats, sums: Floats
) -> None:  # pragma: no cover - compiled
    """Logits become the gradients of each model's mean cross-entropy, ``losses``; ``sums`` is over the graphs."""
    num_models, num_graphs, num_classes = logits.shape
    for m in range(num_models):
        total, loss = 0.0, 0.0
        for g in range(num_graphs):
            total += class_weights[m, labels[m, g]]
        for c in range(num_classes):
            sums[m, c] = 0
        for g in range(num_graphs):
            label = labels[m, g]
            share = class_weights[m, label] / total
            highest, below = logits[m, g, 0], 0.0
            for c in range(1, num_classes):
                highest = max(highest, logits[m, g, c])
            for c in range(num_classes):
                below += np.exp(logits[m, g, c] - highest)
            loss += share * (np.log(below) + highest - logits[m, g, label])
            for c in range(num_classes):
                gradient = share * (np.exp(logits[m, g, c] - highest) / below - (c == label))
                logits[m, g, c] = gradient
                sums[m, c] += gradient
        losses[m] = loss
