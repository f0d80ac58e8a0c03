"""The paper's graph classifier."""

from collections.abc import Sequence

from torch import Tensor, nn
from torch_geometric.nn import GCNConv, global_add_pool


class GCN(nn.Module):
    r"""Graph convolutions with ReLU, summed over the nodes, then a linear layer.

    .. math:: H_{l+1} = \mathrm{ReLU}(\hat A H_l W_l + b_l), \qquad
              \mathrm{logits} = W \textstyle\sum_v H_L[v] + b

    with :math:`\hat A` the normalised adjacency with self-loops (Kipf and Welling, 2017); Section
    "Experimental settings" of the paper.

    Args:
        num_features: Columns of ``x``.
        num_classes: Columns of the output.
        hidden: Width of each convolution.

    >>> import torch
    >>> model = GCN(num_features=3, num_classes=2, hidden=(8, 8))
    >>> model(torch.ones(4, 3), torch.tensor([[0, 1], [1, 0]])).shape
    torch.Size([1, 2])
    """

    # What the columns of its input and output are called, where that is known; kept in its file.
    feature_names: tuple[str, ...] = ()
    class_names: tuple[str, ...] = ()

    def __init__(self, num_features: int, num_classes: int, hidden: Sequence[int] = (32, 32, 32)) -> None:
        super().__init__()
        if num_features < 1 or num_classes < 1:
            raise ValueError(f"num_features and num_classes must be at least 1, got {num_features} and {num_classes}")
        self.num_features = num_features
        self.num_classes = num_classes
        self.hidden = tuple(hidden)
        if not self.hidden or min(self.hidden) < 1:
            raise ValueError(f"hidden must be one or more widths of at least 1, got {self.hidden}")
        widths = (num_features, *self.hidden)
        self.convs = nn.ModuleList(
            GCNConv(width_in, width_out) for width_in, width_out in zip(widths, self.hidden, strict=False)
        )
        self.head = nn.Linear(self.hidden[-1], num_classes)

    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor | None = None) -> Tensor:
        """Logits of shape ``[num_graphs, num_classes]``; without ``batch`` all nodes are one graph."""
        x = x.to(self.head.weight.dtype)  # whole numbers and doubles are trained on as floats too
        for conv in self.convs:
            x = conv(x, edge_index).relu()
        logits: Tensor = self.head(global_add_pool(x, batch))
        return logits
