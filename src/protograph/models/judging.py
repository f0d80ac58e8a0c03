"""What a model makes of graphs: checked log scores, and from these probabilities, margins and leads of a class.

One pass over many graphs gives predictions and graph embeddings too; node embeddings are not kept.
"""

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch_geometric.data import Data

from protograph._base.arrays import Floats, Ints
from protograph._base.errors import ProtographWarning
from protograph._base.progress import Progress
from protograph._base.words import counted
from protograph.graphs.checking import is_plain
from protograph.graphs.store import GraphStore
from protograph.models.classifier import GraphClassifier, as_classifier
from protograph.models.misfits import started, which_graphs
from protograph.models.outputs import AskedType, ReturnType, infer_return_type, leads, log_scores, margins
from protograph.models.running import ForwardResult, RunningClassifier
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
        batch = [graphs[i] for i in range(first, min(first + BATCH_SIZE, len(graphs)))]
        outputs.append(classifier.classify(batch))
        check_finite("the model's output", outputs[-1], first, batch)
    return torch.cat(outputs)


@dataclass(frozen=True)
class EmbeddedGraphs:
    """What the model makes of each graph.

    Attributes:
        graph_embeddings: float64, ``[num_graphs, dim]``.
        scores: Log scores of the classes, float64, ``[num_graphs, num_classes]``; of a graph, up to a constant.
        probabilities: float64, ``[num_graphs, num_classes]``.
        predictions: Class of each graph, ``[num_graphs]``.
        labels: Given class of each graph, ``[num_graphs]``, or ``None`` where the graphs have none.
        return_type: What the model's outputs were taken for.
        warnings: What went otherwise than asked for, and how embeddings were had where the readout is not plain.
    """

    graph_embeddings: Floats
    scores: Floats
    probabilities: Floats
    predictions: Ints
    labels: Ints | None
    return_type: ReturnType
    warnings: tuple[str, ...]

    @property
    def num_classes(self) -> int:
        """Number of classes the model tells apart."""
        return int(self.probabilities.shape[1])


def embed_all(
    model: nn.Module | GraphClassifier,
    graphs: Iterable[Data],
    *,
    batch_size: int = 256,
    device: torch.device | str | None = None,
    progress: Progress | None = None,
) -> tuple[GraphStore, RunningClassifier, EmbeddedGraphs]:
    """Check the graphs, start the model on the first of them, and apply it to all."""
    classifier, store = as_classifier(model), GraphStore(graphs)
    store.check(batch_size)
    running = started(classifier, store, device)
    return store, running, embed(running, store, batch_size, classifier.return_type, progress)


def embed(
    classifier: RunningClassifier,
    store: GraphStore,
    batch_size: int,
    return_type: AskedType = "auto",
    progress: Progress | None = None,
) -> EmbeddedGraphs:
    """Apply ``classifier`` to every graph of ``store``, ``batch_size`` at a time."""
    results: list[ForwardResult] = []
    labels: list[int | None] = []
    done = 0
    for graphs in store.chunks(batch_size):
        try:
            result = classifier.embed(graphs)
        except Exception as error:
            which = which_graphs(store, done, len(graphs))
            error.add_note(f"this happened while the model was applied to {which}")
            raise
        check_finite("the model's output", result.outputs, done, label=store.label)
        check_finite("the graph embedding", result.graph_embeddings.abs(), done, label=store.label)
        results.append(result)
        labels.extend(labels_of(graphs, classifier.task))
        done += len(graphs)
        if progress is not None:
            progress("embedding", done, len(store))
    outputs = torch.cat([result.outputs for result in results])
    findings = store.findings.messages()
    for message in (*classifier.warnings, *(findings[:1] if store.findings.directed else [])):
        warnings.warn(message, ProtographWarning, stacklevel=4)
    chosen, guessed = decided_type(outputs, return_type, stacklevel=5)
    scores = log_scores(outputs, chosen)
    return EmbeddedGraphs(
        graph_embeddings=torch.cat([result.graph_embeddings for result in results]).numpy(),
        scores=scores.numpy(),
        probabilities=scores.softmax(dim=1).numpy(),
        predictions=predictions_of(scores.numpy()),
        labels=None if None in labels else np.array(labels, dtype=np.int64),
        return_type=chosen,
        warnings=(*classifier.warnings, *findings, *guessed, *([note] if (note := classifier.readout.note) else [])),
    )


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
    given = [graph.get("y") for graph in graphs]
    # One tensor of all labels is read much quicker than many of one label.
    if set(map(type, given)) == {Tensor} and {(y.dtype, y.shape) for y in given} == {(torch.int64, (1,))}:
        return list(torch.cat(given).tolist())
    return [label_of(graph, task) for graph in graphs]


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
    if kind == "probs" and bool((outputs < 0).any() | (outputs > 1).any()):
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
