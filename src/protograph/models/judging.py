"""What a model makes of graphs: checked log scores, and from these probabilities, margins and leads of a class.

The pass over many graphs that gives predictions and graph embeddings is in :mod:`.embedding`.
"""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch_geometric.data import Data

from protograph._base.arrays import Floats, Ints
from protograph._base.errors import ProtographWarning
from protograph._base.growing import rows_of
from protograph._base.words import counted
from protograph.graphs.checking import is_plain
from protograph.graphs.joining import GraphChunk, plain_labels
from protograph.models.exact_rows import ExactRows
from protograph.models.labels import SomeLabels
from protograph.models.outputs import (
    AskedType,
    ReturnType,
    are_beyond_probabilities,
    infer_return_type,
    leads,
    log_scores,
    margins,
)
from protograph.models.running import RunningClassifier
from protograph.models.tasks import SeveralTasksError, are_tasks

# Graphs that go through the model at a time; it makes no difference to the result.
BATCH_SIZE = 256
# A label this far from 0 is none: it would not even fit into 64 bits.
_FIRST_NO_CLASS = 2**63


@dataclass(frozen=True, eq=False)
class Judgement:
    """What a model makes of some graphs, for one class: float64, an entry a graph.

    Attributes:
        probabilities: Probability of the class.
        margins: Its log-odds.
        leads: Its log score less that of the best other class: above 0 where the model predicts it.
        predictions: The class that the model predicts, whichever is asked for; the first of those that tie.
    """

    probabilities: Floats
    margins: Floats
    leads: Floats
    predictions: Ints

    @classmethod
    def of(cls, scores: Tensor, target: int) -> "Judgement":
        """The judgement of one class in log scores of all of them, ``[num_graphs, num_classes]``."""
        check_target(target, scores.size(1))
        return cls(
            probabilities=scores.softmax(dim=1)[:, target].numpy(),
            margins=margins(scores, target).numpy(),
            leads=leads(scores, target).numpy(),
            predictions=predictions_of(scores.numpy()),
        )

    def of_one(self, at: int) -> "Verdict":
        """The judgement of one of the graphs."""
        return Verdict(float(self.probabilities[at]), float(self.margins[at]), int(self.predictions[at]))


@dataclass(frozen=True)
class Verdict:
    """What a model makes of one graph, for one class; see :class:`Judgement`."""

    probability: float
    margin: float
    predicted: int


@dataclass(frozen=True)
class Judge:
    """A running classifier, and what its outputs are."""

    classifier: RunningClassifier
    return_type: ReturnType

    def __call__(self, graphs: Sequence[Data], target: int) -> Judgement:
        """Judge each graph as one of class ``target``."""
        return Judgement.of(self.scores(graphs), target)

    def scores(self, graphs: Sequence[Data]) -> Tensor:
        """Log scores, float64, ``[num_graphs, num_classes]``; minus infinity is a probability of 0.

        Raises:
            ValueError: If an output is NaN or infinite.
        """
        return log_scores(checked_outputs(self.classifier, graphs), self.return_type)


def checked_outputs(classifier: RunningClassifier, graphs: Sequence[Data]) -> Tensor:
    """The model's outputs for any number of graphs, ``[num_graphs, num_columns]``; NaN and infinity are refused."""
    outputs = []
    for first in range(0, len(graphs), BATCH_SIZE):
        last = min(first + BATCH_SIZE, len(graphs))
        batch: Sequence[Data]
        batch = graphs.part(first, last) if isinstance(graphs, GraphChunk) else [graphs[i] for i in range(first, last)]
        outputs.append(classifier.classify(batch))
        check_finite("the model's output", outputs[-1], first, batch)
    return torch.cat(outputs)


@dataclass(frozen=True)
class EmbeddedGraphs:
    """What the model makes of each graph.

    Attributes:
        graph_embeddings: float64, ``[num_graphs, dim]``; of very many graphs they are known to single precision.
        scores: Log scores of the classes, float64, ``[num_graphs, num_classes]``; of a graph, up to a constant.
        probabilities: float64, ``[num_graphs, num_classes]``.
        predictions: Class of each graph, ``[num_graphs]``.
        labels: Given class of each graph, ``[num_graphs]``, or ``None`` unless all have one.
        return_type: What the model's outputs were taken for.
        warnings: What went otherwise than asked for, and how embeddings were had where the readout is not plain.
        exact: Makes embeddings exact, where they are of single precision; ``None`` where all are of double precision.
        labels_of_some: The labels that there are where only some graphs have one.
    """

    graph_embeddings: Floats
    scores: Floats
    probabilities: Floats
    predictions: Ints
    labels: Ints | None
    return_type: ReturnType
    warnings: tuple[str, ...]
    exact: ExactRows | None = None
    labels_of_some: SomeLabels | None = None

    @property
    def num_classes(self) -> int:
        """Number of classes the model tells apart."""
        return int(self.probabilities.shape[1])

    def make_exact(self, indices: Ints) -> None:
        """Let the embeddings of some graphs be of double precision, where the model has that."""
        if self.exact is not None:
            self.exact.make(indices)

    def exact_embeddings(self, indices: Ints) -> Floats:
        """The embeddings of some graphs, of double precision where the model has that."""
        self.make_exact(indices)
        return rows_of(self.graph_embeddings, indices)

    def exact_scores(self, indices: Ints) -> Floats:
        """The log scores of some graphs, of double precision where the model has that; so are their embeddings then."""
        if self.exact is None:
            return self.scores[indices]
        outputs = torch.from_numpy(self.exact.outputs(indices))
        scores: Floats = log_scores(outputs, self.return_type).numpy()
        return scores


def predictions_of(scores: Floats) -> Ints:
    """The class with the highest score of each row, the first of those that tie.

    >>> predictions_of(np.array([[0.0, 2.0, 1.0], [1.0, 0.5, 1.0]])).tolist()
    [1, 0]
    """
    best: Ints = scores.argmax(axis=1)
    return best


def label_of(graph: Data, task: int | None = None) -> int | None:
    """The class that a graph was given, ``None`` where that is not one whole number; of a task, its value of ``y``."""
    y: Any = graph.get("y")
    if isinstance(y, Tensor | np.ndarray):
        y = _value_of(y, task)
    if isinstance(y, float | np.floating):
        y = int(y) if float(y).is_integer() else None
    return int(y) if isinstance(y, int | np.integer) and -_FIRST_NO_CLASS < int(y) < _FIRST_NO_CLASS else None


def _value_of(y: Tensor | np.ndarray, task: int | None) -> Any:
    """The only value, or that of a task; ``None`` where there is no such one."""
    if isinstance(y, Tensor) and not is_plain(y):
        return None
    values = y.reshape(-1)
    if task is not None and len(values) > 1:
        values = values[task : task + 1]  # empty where there are fewer
    return values[0].item() if len(values) == 1 else None


def labels_of(graphs: Sequence[Data], task: int | None = None) -> list[int | None]:
    """The class that each graph was given, as :func:`label_of` tells it.

    >>> labels_of([Data(y=torch.tensor([1])), Data(y=0), Data()])
    [1, 0, None]
    """
    plain = plain_labels(graphs)
    return [label_of(graph, task) for graph in graphs] if plain is None else list(plain.tolist())


def check_finite(
    what: str,
    values: Tensor,
    first: int,
    graphs: Sequence[Data] | None = None,
    label: Callable[[int], str] = "graph {}".format,
) -> None:
    """Raise where a row is NaN or infinite; minus infinity will do, the log of a probability of 0.

    Args:
        what: What the rows are, for the message.
        values: One row a graph.
        first: Number of the first row's graph.
        graphs: The graphs, whose number of nodes is to be named where they may be smaller than any in the data.
        label: What messages call a graph, by its number.
    """
    if bool(values.sum().isfinite()):  # which is quicker told; of huge numbers the sum may be infinite too
        return
    wrong = (values.isnan() | values.isposinf()).any(dim=1).nonzero().flatten().tolist()
    if not wrong:
        return
    size = "" if graphs is None else f", of {counted(int(graphs[wrong[0]].num_nodes or 0), 'node')},"
    also = "" if graphs is None else "; the model must be able to classify small graphs too"
    raise ValueError(
        f"{what} for {label(first + wrong[0])}{size} is NaN or infinite; check the model's weights "
        f"(a training that diverged?) and that graph's features{also}"
    )


def decided_type(outputs: Tensor, asked: AskedType, *, stacklevel: int = 3) -> tuple[ReturnType, tuple[str, ...]]:
    """What outputs of a whole pass are to be taken for, and what was warned of, where that can only be guessed.

    Args:
        outputs: All outputs of the pass, ``[num_graphs, num_columns]``.
        asked: What the model is said to return, or ``"auto"``.
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
    message = (
        f"the model's single output lies in [0, 1] for all {outputs.size(0)} graphs, so it is taken as the probability "
        f"of class 1; say so with GraphClassifier(model, return_type='probs'), or return_type='raw' if it is a logit"
    )
    warnings.warn(message, ProtographWarning, stacklevel=stacklevel)
    return kind, (message,)


def check_target(target: int, num_classes: int) -> None:
    """Raise unless ``target`` is an index of a class.

    >>> check_target(2, num_classes=2)
    Traceback (most recent call last):
    ...
    ValueError: target must be in [0, 2), got 2; use an index into the model's output, not a class name
    """
    if isinstance(target, bool) or not isinstance(target, int | np.integer):
        raise TypeError(f"target must be a whole number, an index into the model's output, got {target!r}")
    if not 0 <= target < num_classes:
        raise ValueError(
            f"target must be in [0, {num_classes}), got {target}; "
            f"use an index into the model's output, not a class name"
        )
