"""The paper's graph classifier, and its files: weights and a plain configuration, loaded without running anything."""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch_geometric.nn import GCNConv, global_add_pool

from protograph._utils.files import atomic_path
from protograph._utils.plain_torch import load_plain
from protograph._utils.randomness import preserved_random_state

FORMAT = "protograph-model"
VERSION = 1


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


def save_model(model: Any, path: str | PathLike[str]) -> None:
    """Write a model to a file, whole or not at all.

    Args:
        model: A :class:`GCN`, or what :func:`train` gave.
        path: The file; an existing one is replaced.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "model.pt"
    >>> save_model(GCN(num_features=3, num_classes=2, hidden=(4,)), path)
    >>> load_model(path).hidden
    (4,)
    """
    gcn = getattr(model, "model", model)
    if not isinstance(gcn, GCN):
        raise TypeError(
            f"model must be a GCN or a Trained, got {type(gcn).__name__}; save other modules with torch.save"
        )
    content = {
        "format": FORMAT,
        "version": VERSION,
        "config": {
            "num_features": gcn.num_features,
            "num_classes": gcn.num_classes,
            "hidden": list(gcn.hidden),
        },
        "names": {"features": list(gcn.feature_names), "classes": list(gcn.class_names)},
        "state_dict": {name: weight.cpu() for name, weight in gcn.state_dict().items()},
    }
    with atomic_path(path) as temporary, temporary.open("wb") as file:
        torch.save(content, file)


def load_model(path: str | PathLike[str]) -> GCN:
    """Read a model that :func:`save_model` wrote, onto the CPU and in evaluation mode.

    Raises:
        FileNotFoundError: If there is no such file.
        ValueError: If the file is damaged, or is something else.
    """
    path = Path(path)
    try:
        content = load_plain(path, "a model")
    except ValueError as error:
        raise _unfit(path, "a damaged or foreign file") from error
    if not isinstance(content, dict) or content.get("format") != FORMAT or not isinstance(content.get("version"), int):
        raise _unfit(path, "another kind of file")
    if content["version"] > VERSION:
        raise ValueError(
            f"path must be a model file of version {VERSION} or lower, "
            f"got version {content['version']} at {path}; upgrade protograph"
        )
    try:
        # On the meta device no memory is taken for weights that are replaced anyway.
        with preserved_random_state(), torch.device("meta"):
            model = GCN(**content["config"])
        if any(weight.dtype != torch.float32 for weight in content["state_dict"].values()):
            raise TypeError("weights must be of type float32")
        model.load_state_dict(content["state_dict"], assign=True)
        names = content["names"]
        model.feature_names, model.class_names = (tuple(map(str, names[key])) for key in ("features", "classes"))
    except (KeyError, AttributeError, TypeError, ValueError, OverflowError, RuntimeError) as error:
        raise _unfit(path, "weights that do not fit their configuration") from error
    return model.eval()


def _unfit(path: Path, given: str) -> ValueError:
    return ValueError(
        f"path must be a model file written by save_model, got {given} at {path}; train the model and save it again"
    )
