r"""From what a model returns to class probabilities and margins.

Every return type is brought to one form, *log scores* :math:`z` of shape ``[num_graphs, num_classes]`` in
float64, from which both follow:

.. math::
    p_c = \frac{e^{z_c}}{\sum_j e^{z_j}}, \qquad
    \mathrm{margin}_c = \log \frac{p_c}{1 - p_c} = z_c - \log \sum_{j \neq c} e^{z_j}

Margins stay apart where probabilities have already become 1.
"""

import warnings
from collections.abc import Collection, Iterable, Sequence
from math import isfinite
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor
from torch_geometric.data import Data

from protograph._utils.errors import ProtographWarning
from protograph._utils.words import count_of
from protograph.graphs.validate import is_plain, node_count

ReturnType = Literal["raw", "probs", "log_probs"]
AskedType = Literal["auto", "raw", "probs", "log_probs"]
RETURN_TYPES: tuple[ReturnType, ...] = ("raw", "probs", "log_probs")
_SUM_TOLERANCE = 1e-4
_NAMES = {"probs": "probabilities", "log_probs": "logarithms of probabilities"}


def advice(problem: str, ways: Iterable[tuple[str, object]], given: Iterable[tuple[str, object]] = ()) -> str:
    """A message that ends in what to write: one option of a ``GraphClassifier`` or another, beside those given already.

    >>> advice("say which", [("task", 0)], [("return_type", "raw")])
    "say which: GraphClassifier(model, return_type='raw', task=0)"
    """
    before = "".join(f"{name}={value!r}, " for name, value in given)
    calls = " or ".join(f"GraphClassifier(model, {before}{name}={value!r})" for name, value in ways)
    return f"{problem}: {calls}" if calls else problem


def tensors_in(output: Any) -> list[Tensor]:
    """The tensors in what a model returns: it itself, or those in a tuple or mapping.

    Of a mapping or named tuple, ``"logits"``, ``"out"`` or ``"output"`` is taken alone.
    """
    if isinstance(output, Tensor):
        return [output]
    if hasattr(output, "_asdict"):
        output = output._asdict()
    if isinstance(output, dict):
        named = [output[key] for key in ("logits", "out", "output") if isinstance(output.get(key), Tensor)]
        output = named[:1] or list(output.values())
    return [value for value in output if isinstance(value, Tensor)] if isinstance(output, tuple | list) else []


def place_of_scores(output: Any, num_graphs: int) -> int:
    """Which of the tensors in what a model returns has the class scores: the only one, or that with a row a graph.

    Of several nobody can tell, and guessing would explain the wrong numbers.
    """
    tensors = tensors_in(output)
    if not tensors:
        raise TypeError(f"the model must return a tensor of class scores, got {type(output).__name__}")
    fitting = [place for place, value in enumerate(tensors) if value.dim() > 0 and value.size(0) == num_graphs]
    fitting = fitting or list(range(len(tensors)))
    if len(fitting) > 1:
        shapes = ", ".join(str(list(tensors[place].shape)) for place in fitting)
        raise ValueError(
            f"the model returns several tensors (shapes {shapes}), and which one is the class scores cannot be told; "
            f"let it return these alone, or a mapping with the key 'logits'"
        )
    return fitting[0]


class RowCountError(ValueError):
    """A model has not returned one row a graph."""


# What is said of a model with an output of each node, or of each edge.
_OF_NODES = (
    "a node: node classifiers are not explained yet, only graph classifiers; pool over batch first, as by "
    "global_mean_pool(out, batch)"
)
_OF_EDGES = (
    "an edge, as of link prediction, which is not explained; for a class of each graph score its own edges and pool "
    "over them, as by global_mean_pool(out, batch[edge_index[0]], int(batch.max()) + 1)"
)


def as_rows(output: Any, *, num_graphs: int, num_nodes: int, edge_counts: Collection[int] = ()) -> Tensor:
    """Return a model's output with one row a graph, or say why it is not a graph classifier's.

    Args:
        output: What the model returned.
        num_graphs: How many graphs it was given.
        num_nodes: How many nodes these have.
        edge_counts: How many edges, and pairs of nodes whose edge is asked for.
    """
    tensor = tensors_in(output)[place_of_scores(output, num_graphs)]
    if tensor.is_complex():
        raise TypeError(
            f"the model must return real class scores, got complex ones ({tensor.dtype}); let it return their real "
            f"part or their absolute value"
        )
    if not tensor.is_floating_point():
        raise TypeError(
            f"the model must return class scores, got whole numbers ({tensor.dtype}), as predicted classes are; let it "
            f"return the scores before argmax or rounding"
        )
    if tensor.dim() == 0 or (tensor.dim() == 1 and num_graphs == 1):
        tensor = tensor.reshape(1, -1)
    elif tensor.dim() == 1:
        tensor = tensor.unsqueeze(1)
    if tensor.dim() != 2 or tensor.size(0) != num_graphs or tensor.size(1) == 0:
        came = _OF_NODES if tensor.size(0) == num_nodes else _OF_EDGES if tensor.size(0) in edge_counts else ""
        raise RowCountError(
            f"the model must return one row of class scores for each graph, got shape {list(tensor.shape)} for "
            f"{count_of(num_graphs, 'graph')} with {count_of(num_nodes, 'node')}"
            f"{came and f'; that is one row {came}'}"
        )
    return tensor


def joined_rows(rows: Sequence[Tensor], graphs: Sequence[Data]) -> Tensor:
    """Rows that a model gave for some graphs one by one, unless their entries are those of nodes or edges.

    Raises:
        RowCountError: If each row has as many entries as its graph has nodes, or edges.
        ValueError: If they have different numbers of entries otherwise.
    """
    widths = [row.size(1) for row in rows]
    pairs = [graph.get("edge_label_index", graph.edge_index) for graph in graphs]
    for came, counts in (
        (_OF_NODES, [node_count(graph) for graph in graphs]),
        (_OF_EDGES, [graph.num_edges for graph in graphs]),
        (_OF_EDGES, [0 if ends is None else ends.size(-1) for ends in pairs]),
    ):
        if widths == counts and max(widths) > 2:
            raise RowCountError(
                f"the model must return one row of class scores for each graph, got {widths[0]} values for the first, "
                f"one {came}; if they are classes, let forward take batch and return a row a graph"
            )
    return torch.cat([checked_columns(row, widths[0], None) for row in rows])


def checked_columns(rows: Tensor, num_columns: int | None, task: int | None) -> Tensor:
    """The columns of an output that are explained: all, or that of one task.

    Args:
        rows: Outputs, one row a graph.
        num_columns: Columns that the output had before; ``None`` the first time.
        task: The column of the task.

    Raises:
        ValueError: If there are other columns than before, or no such task.
    """
    if num_columns is not None and rows.size(1) != num_columns:
        raise ValueError(
            f"the model must return the same classes for all graphs, got {rows.size(1)} columns, and {num_columns} "
            f"before; let the size of its last layer not depend on the graphs"
        )
    if task is None:
        return rows
    if task >= rows.size(1):
        raise ValueError(f"task must be in [0, {rows.size(1)}), a column of the model's output, got {task}")
    return rows[:, task : task + 1]


def infer_return_type(outputs: Tensor) -> ReturnType:
    """Tell probabilities, log probabilities and raw scores apart by all outputs of a pass.

    >>> infer_return_type(torch.tensor([[0.25, 0.75], [1.0, 0.0]]))
    'probs'
    >>> infer_return_type(torch.tensor([[0.25, 0.75], [1.0, 0.5]]))
    'raw'
    """
    if outputs.size(1) == 1:
        return "probs" if bool(((outputs >= 0) & (outputs <= 1)).all()) else "raw"
    ones = torch.ones(outputs.size(0), dtype=outputs.dtype, device=outputs.device)
    if bool((outputs >= 0).all()) and torch.allclose(outputs.sum(1), ones, atol=_SUM_TOLERANCE):
        return "probs"
    if bool((outputs <= 0).all()) and torch.allclose(outputs.exp().sum(1), ones, atol=_SUM_TOLERANCE):
        return "log_probs"
    return "raw"


def log_scores(outputs: Tensor, return_type: ReturnType) -> Tensor:
    """Bring outputs of any return type to log scores; one column becomes two classes.

    Raises:
        ValueError: If outputs that are to be probabilities, or their logarithms, are none.
    """
    outputs = outputs.double()
    if outputs.size(1) > 1:
        return _checked_probabilities(outputs, return_type).log() if return_type == "probs" else outputs
    if return_type == "raw":
        return torch.cat([torch.zeros_like(outputs), outputs], dim=1)
    probability = _checked_probabilities(outputs.exp() if return_type == "log_probs" else outputs, return_type)
    return torch.cat([torch.log1p(-probability), probability.log()], dim=1)


def decided_type(
    outputs: Tensor, asked: AskedType, task: int | None = None, *, stacklevel: int = 3
) -> tuple[ReturnType, tuple[str, ...]]:
    """What outputs of a whole pass are to be taken for, and what was warned of, where that can only be guessed.

    Args:
        outputs: All outputs of the pass, ``[num_graphs, num_columns]``.
        asked: What the model is said to return, or ``"auto"``.
        task: The column that they are, of several.
        stacklevel: Of the warning, counted from here.
    """
    kind = infer_return_type(outputs) if asked == "auto" else asked
    if kind == "probs" and bool(are_beyond_probabilities(outputs).any()):
        raise ValueError(
            f"return_type='probs' wants outputs in [0, 1], got {float(outputs.min()):.4g} to "
            f"{float(outputs.max()):.4g}; use return_type='raw' for logits"
        )
    if asked == "probs" and are_tasks(outputs):
        raise SeveralTasksError("the model returns probabilities that do not sum to 1", outputs.size(1))
    if asked != "auto" or kind != "probs" or outputs.size(1) > 1:
        return kind, ()
    message = advice(
        f"the model's single output lies in [0, 1] for all {outputs.size(0)} graphs, so it is taken as the probability "
        f"of class 1; say so, or that it is a logit",
        [("return_type", "probs"), ("return_type", "raw")],
        [] if task is None else [("task", task)],
    )
    warnings.warn(message, ProtographWarning, stacklevel=stacklevel)
    return kind, (message,)


class SeveralTasksError(ValueError):
    """The columns of a model's output are several tasks, and it was not said which to explain."""

    def __init__(self, reason: str, num_tasks: int, given: Sequence[tuple[str, object]] = ()) -> None:
        problem = (
            f"{reason}, so its columns are {num_tasks} tasks rather than one class of {num_tasks}; say which one is "
            f"explained, from 0 to {num_tasks - 1}, or that they are scores of classes"
        )
        super().__init__(advice(problem, [("task", 0), ("return_type", "raw")], given))


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
    is_one_hot = all(bool((y == 1).sum() == 1) and bool((y == 0).sum() == y.numel() - 1) for y in labels)
    are_classes = infer_return_type(outputs) != "raw" or is_one_hot
    return "" if are_classes else f"the model returns {num_columns} columns and y has {num_columns} values"


class RegressionError(ValueError):
    """A model gives real numbers, not scores of classes."""

    def __init__(self, column: str, given: Sequence[tuple[str, object]] = ()) -> None:
        problem = (
            f"the labels (y) are real numbers, so the model gives a number rather than scores of classes: regression "
            f"is not explained yet; to explain when it is above some t, wrap the model so that it returns "
            f"torch.cat([t - out, out - t], dim=1), two classes, with out = {column}; if it gives scores of classes "
            f"all the same"
        )
        super().__init__(advice(problem, [("return_type", "raw")], given))


def are_real(numbers: Iterable[object]) -> bool:
    """Whether labels are real numbers: floats of more than two values, or with decimals.

    >>> are_real([0.0, 1.0, float("nan")]), are_real([3, 1, 2]), are_real([3.0, 1.0, 2.0]), are_real([0.5])
    (False, False, True, True)
    """
    values = {float(one) for one in numbers if isinstance(one, float | np.floating) and isfinite(one)}
    return len(values) > 2 or not all(value.is_integer() for value in values)


def task_line(num_columns: int, task: int | None, *, are_classes: bool) -> str:
    """What a model was found to tell apart, in one line.

    Args:
        num_columns: Columns of its output.
        task: The one that is explained; ``None`` for all.
        are_classes: Whether it is known that several columns are classes.

    >>> task_line(12, 3, are_classes=True), task_line(12, None, are_classes=True)
    ('column 3 of 12 tasks, yes or no', '12 classes')
    """
    if task is not None:
        return f"column {task} of {count_of(num_columns, 'task')}, yes or no"
    if num_columns == 1:
        return "2 classes, by one column"
    if are_classes or num_columns == 2:
        return f"{num_columns} classes"
    problem = f"{num_columns} columns taken for classes, as no labels (y) say otherwise; if they are yes-or-no tasks"
    return advice(problem, [("task", 0)])


def are_tasks(outputs: Tensor) -> bool:
    """Whether outputs are probabilities of several things at once, not of classes that exclude others.

    >>> are_tasks(torch.tensor([[0.9, 0.8], [0.1, 0.7]])), are_tasks(torch.tensor([[0.9, 0.1], [0.2, 0.8]]))
    (True, False)
    """
    return outputs.size(1) > 1 and bool(((outputs >= 0) & (outputs <= 1)).all()) and infer_return_type(outputs) == "raw"


def are_beyond_probabilities(values: Tensor) -> Tensor:
    """Which values are outside [0, 1] by more than rounding.

    >>> are_beyond_probabilities(torch.tensor([-0.1, 0.0, 1.000001, 1.1]))
    tensor([ True, False, False,  True])
    """
    return (values < -_SUM_TOLERANCE) | (values > 1 + _SUM_TOLERANCE)


def _checked_probabilities(values: Tensor, return_type: ReturnType) -> Tensor:
    """The values, what rounding brought out of [0, 1] put back; anything further out is no probability.

    What a model returns is told by the graphs it was fitted to; on smaller ones it may turn out to be scores.
    """
    wrong = values[are_beyond_probabilities(values)]
    if wrong.numel():
        shown = wrong.log() if return_type == "log_probs" else wrong
        raise ValueError(
            f"the model's outputs were taken for {_NAMES[return_type]}, and for other graphs it returns "
            f"{float(shown[0]):.4g}; use GraphClassifier(model, return_type='raw') if they are scores"
        )
    return values.clamp(0.0, 1.0)


def margins(scores: Tensor, target: int) -> Tensor:
    """Log-odds of ``target`` against all other classes, ``[num_graphs]``.

    Infinite ones (a probability of exactly 0 or 1) are brought to 1000 in size, beyond what float64
    can express as a probability, so that two of them compare as equal.

    >>> margins(torch.tensor([[0.0, 2.0], [1.0, 1.0]]), target=1)
    tensor([2., 0.])
    """
    return _bounded(scores[:, target] - _others(scores, target).logsumexp(dim=1))


def leads(scores: Tensor, target: int) -> Tensor:
    """Log score of ``target`` less that of the best other class, ``[num_graphs]``; infinite ones as in :func:`margins`.

    >>> leads(torch.tensor([[0.0, 2.0, 1.0], [3.0, 1.0, 2.0]]), target=1)
    tensor([ 1., -2.])
    """
    return _bounded(scores[:, target] - _others(scores, target).amax(dim=1))


def _others(scores: Tensor, target: int) -> Tensor:
    return torch.cat([scores[:, :target], scores[:, target + 1 :]], dim=1)


def _bounded(differences: Tensor) -> Tensor:
    return torch.nan_to_num(differences, nan=0.0, posinf=1e3, neginf=-1e3)
