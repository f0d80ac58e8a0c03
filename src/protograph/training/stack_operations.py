"""What a stack of models computes between its dense products: compiled loops on the CPU, PyTorch elsewhere.

On the CPU one pass over a matrix does what takes PyTorch two or three. A column of a result depends on nothing but its
own column of what goes in, to the last bit, so no model depends on which others are trained with it.
"""

import warnings
from functools import cache
from typing import Any

import torch
from torch import Tensor, nn


class SparseRows:
    """A sparse matrix in compressed rows, times dense ones.

    Args:
        bounds: Entries ``bounds[i]`` to ``bounds[i + 1]`` are those of row i.
        columns: Column of each entry.
        values: Value of each entry.
        num_columns: Columns of the matrix.
        is_compiled: Whether the loops are ours; on the CPU if ``None``.
    """

    def __init__(
        self, bounds: Tensor, columns: Tensor, values: Tensor, num_columns: int, is_compiled: bool | None = None
    ) -> None:
        self._arrays: Any = None
        if bounds.device.type == "cpu" if is_compiled is None else is_compiled:
            self._arrays = bounds.numpy(), columns.numpy(), values.numpy()
        else:
            _hear_of_beta()
            size = (len(bounds) - 1, num_columns)
            self._matrix = torch.sparse_csr_tensor(bounds, columns, values, size, check_invariants=False)

    def times(self, dense: Tensor, out: Tensor) -> None:
        """Write the product with a dense matrix to ``out``; both must be contiguous.

        >>> rows = SparseRows(torch.tensor([0, 1, 3]), torch.tensor([1, 0, 1]), torch.tensor([5.0, 1.0, 1.0]), 2)
        >>> out = torch.empty(2, 1)
        >>> rows.times(torch.tensor([[1.0], [2.0]]), out)
        >>> out
        tensor([[10.],
                [ 3.]])
        """
        if self._arrays is None:
            out.copy_(self._matrix @ dense)
            return
        from protograph.training.stack_kernels import product

        product(*self._arrays, dense.numpy(), out.numpy())

    def times_masked(self, dense: Tensor, active: Tensor, out: Tensor, sums: Tensor) -> None:
        """Write the product to ``out``, but 0 where ``active`` is 0, and the sums of its columns to ``sums``."""
        if self._arrays is None:
            torch.mul(self._matrix @ dense, active > 0, out=out)
            torch.sum(out, 0, out=sums)
            return
        from protograph.training.stack_kernels import masked_product

        masked_product(*self._arrays, dense.numpy(), active.numpy(), out.numpy(), sums.numpy())


@cache
def _hear_of_beta() -> None:
    """Have PyTorch say once, unheard, that its compressed rows are in beta and, by some versions, are not checked.

    Our tests hold them against our loops.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Sparse (CSR tensor support is in beta|invariant checks)")
        torch.sparse_csr_tensor(torch.tensor([0, 1]), torch.tensor([0]), torch.ones(1), (1, 1), check_invariants=False)


def add_bias_and_relu(h: Tensor, bias: Tensor, is_compiled: bool | None = None) -> None:
    """Add a bias to each column and replace what is below 0 by 0, in place.

    >>> h = torch.tensor([[1.0, -1.0], [3.0, 4.0]])
    >>> add_bias_and_relu(h, torch.tensor([-2.0, 0.5]))
    >>> h
    tensor([[0.0000, 0.0000],
            [1.0000, 4.5000]])
    """
    if not (h.device.type == "cpu" if is_compiled is None else is_compiled):
        h.add_(bias).relu_()
        return
    from protograph.training.stack_kernels import add_bias_and_relu as compiled

    compiled(h.numpy(), bias.numpy())


def loss_gradient(
    logits: Tensor, labels: Tensor, class_weights: Tensor, sums: Tensor, is_compiled: bool | None = None
) -> Tensor:
    """The mean cross-entropy of each model, ``[num_models]``; its gradients take the place of the logits.

    Args:
        logits: Shape ``[num_models, num_graphs, num_classes]``.
        labels: Shape ``[num_models, num_graphs]``.
        class_weights: What a graph of each class counts, ``[num_models, num_classes]``.
        sums: Gets the sum of the gradients over the graphs, ``[num_models, num_classes]``.
        is_compiled: Whether the loops are ours; on the CPU if ``None``.
    """
    if logits.device.type == "cpu" if is_compiled is None else is_compiled:
        from protograph.training.stack_kernels import loss_gradient as compiled

        losses = logits.new_empty(len(logits))
        compiled(logits.numpy(), labels.numpy(), class_weights.numpy(), losses.numpy(), sums.numpy())
        return losses
    found, counts = weighted_losses(logits, labels, class_weights)
    shares = counts / counts.sum(1, keepdim=True)
    is_label = nn.functional.one_hot(labels, logits.shape[2])
    logits.copy_((logits.softmax(2) - is_label) * shares[..., None])
    torch.sum(logits, 1, out=sums)
    return found.sum(1) / counts.sum(1)


def weighted_losses(logits: Tensor, labels: Tensor, class_weights: Tensor) -> tuple[Tensor, Tensor]:
    """Of each graph under each model its cross-entropy times what it counts, and what it counts.

    >>> weighted_losses(torch.zeros(1, 1, 2), torch.tensor([[1]]), torch.tensor([[1.0, 3.0]]))
    (tensor([[2.0794]]), tensor([[3.]]))
    """
    counts = class_weights.gather(1, labels)
    return -logits.log_softmax(2).gather(2, labels[..., None])[..., 0] * counts, counts
