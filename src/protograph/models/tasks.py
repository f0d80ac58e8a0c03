"""Telling models of several tasks, which answer yes-or-no questions side by side, from those that choose a class."""

from collections.abc import Sequence

from torch import Tensor
from torch_geometric.data import Data

from protograph.graphs.checking import is_plain
from protograph.models.advice import AdviceError
from protograph.models.outputs import AskedType, infer_return_type


class SeveralTasksError(AdviceError):
    """The columns of a model's output are several tasks, and it was not said which to explain."""

    def __init__(self, reason: str, num_tasks: int, besides: Sequence[tuple[str, object]] = ()) -> None:
        super().__init__(
            f"{reason}, so its columns are {num_tasks} tasks rather than one class of {num_tasks}; say which one is "
            f"explained, from 0 to {num_tasks - 1}, or that they are scores of classes",
            [("task", 0), ("return_type", "raw")],
            besides,
        )


def tasks_by_labels(sample: Sequence[Data], outputs: Tensor, asked: AskedType) -> str:
    """Why labels say that the columns of an output are tasks, empty where they do not.

    They do where each graph has as many values as there are columns, and not just one of them is 1.

    Args:
        sample: Some graphs.
        outputs: What the model gives for them, all columns.
        asked: What the model is said to return; ``"raw"`` says that these are scores of classes.
    """
    given = [graph.get("y") for graph in sample]
    labels = [y.flatten() for y in given if isinstance(y, Tensor) and is_plain(y)]
    num_columns = outputs.size(1)
    if asked == "raw" or num_columns < 2 or not labels or {y.numel() for y in labels} != {num_columns}:
        return ""
    are_classes = infer_return_type(outputs) != "raw" or all(map(_is_one_hot, labels))
    return "" if are_classes else f"the model returns {num_columns} columns and y has {num_columns} values"


def are_tasks(outputs: Tensor) -> bool:
    """Whether outputs are probabilities of several things at once, not of classes that exclude others.

    >>> import torch
    >>> are_tasks(torch.tensor([[0.9, 0.8], [0.1, 0.7]])), are_tasks(torch.tensor([[0.9, 0.1], [0.2, 0.8]]))
    (True, False)
    """
    return outputs.size(1) > 1 and bool(((outputs >= 0) & (outputs <= 1)).all()) and infer_return_type(outputs) == "raw"


def _is_one_hot(y: Tensor) -> bool:
    return bool((y == 1).sum() == 1) and bool((y == 0).sum() == y.numel() - 1)
