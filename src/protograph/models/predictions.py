"""What a model makes of graphs: one pass over all of them, then judgements of any graphs for a class.

What is kept of a graph is its embedding, its output and its label. Scores are checked log scores, and from these follow
probabilities, margins and leads of a class.
"""

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from operator import itemgetter
from os import PathLike
from typing import Any, TypeAlias

import numpy as np
import torch
from torch import Tensor, nn
from torch_geometric.data import Data

from protograph._utils.arrays import Floats, Ints
from protograph._utils.errors import ProtographWarning
from protograph._utils.progress import Progress
from protograph._utils.words import count_of, counted, listed
from protograph.engines.ray import RayCluster
from protograph.graphs.dataset import CollatedGraphs, GraphStore
from protograph.graphs.subgraph import induced_subgraph
from protograph.graphs.validate import is_plain, node_count
from protograph.models.classifier import SAMPLE_SIZE, SIGMOIDS, GraphClassifier, Precision, as_classifier
from protograph.models.error_hints import UncutError
from protograph.models.inference import RunningClassifier
from protograph.models.outputs import (
    AskedType,
    RegressionError,
    ReturnType,
    are_beyond_probabilities,
    are_real,
    decided_type,
    leads,
    log_scores,
    margins,
    task_line,
)

# Graphs that go through the model at a time, at most; it makes no difference to the result.
BATCH_SIZE = 256
# Graphs that are read and checked at a time, and nodes and edges that go through a model at a time: 32 columns of them
# are 4 MiB, which a processor's cache can hold.
_READ_AT_ONCE, _ROWS_AT_ONCE = 1024, 2**14
# Graphs of which parts are shown to a model whose only output is always in [0, 1] on whole ones.
_NUM_TRIED = 32
# Neighbouring graphs, and what messages call them.
Block: TypeAlias = tuple[CollatedGraphs, str]
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
            predictions=scores.numpy().argmax(axis=1),
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
        batch = graphs[first:last]
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
        labels: Given class of each graph, ``[num_graphs]``, or ``None`` unless all have one.
        return_type: What the model's outputs were taken for.
        warnings: What went otherwise than asked for, and how embeddings were had where the readout is not plain.
        labels_of_some: Where only some graphs have a label, which these are, and their labels.
        task: What the model was found to tell apart, in one line.
    """

    graph_embeddings: Floats
    scores: Floats
    probabilities: Floats
    predictions: Ints
    labels: Ints | None
    return_type: ReturnType
    warnings: tuple[str, ...]
    labels_of_some: tuple[Ints, Ints] | None = None
    task: str = ""

    @property
    def num_classes(self) -> int:
        """Number of classes the model tells apart."""
        return int(self.probabilities.shape[1])


def embed_all(
    model: nn.Module | GraphClassifier,
    graphs: Iterable[Data] | str | PathLike[str],
    *,
    batch_size: int | None = None,
    device: torch.device | str | None = None,
    precision: Precision = "double",
    progress: Progress | None = None,
    cluster: RayCluster | None = None,
) -> tuple[GraphStore, RunningClassifier, EmbeddedGraphs]:
    """Check the graphs, start the model on the first of them, and apply it to all.

    Args:
        model: The model.
        graphs: The graphs.
        batch_size: How many go through the model at a time at most.
        device: Where to run; the model's own device by default.
        precision: ``"double"``, or ``"model"`` for the model's own.
        progress: Told how many graphs are done.
        cluster: Whose workers apply the model.
    """
    classifier = as_classifier(model)
    store = GraphStore(graphs)
    running = classifier.start(_sample(store), device, precision)
    return store, running, embed(running, store, batch_size, classifier.return_type, progress, cluster)


def embed(
    classifier: RunningClassifier,
    store: GraphStore,
    batch_size: int | None = None,
    return_type: AskedType = "auto",
    progress: Progress | None = None,
    cluster: RayCluster | None = None,
) -> EmbeddedGraphs:
    """Apply ``classifier`` to every graph of ``store``; see :func:`embed_all`."""
    numbers = [number_of(value, classifier.task) for value in store.values("y")]
    if return_type == "auto" and (classifier.num_columns == 1 or classifier.task is not None) and are_real(numbers):
        if classifier.task is None:
            raise RegressionError("output.reshape(-1, 1)")
        raise RegressionError(f"output[:, [{classifier.task}]]", [("task", classifier.task)])
    labels = list(map(class_of, numbers))
    outputs, embeddings = list[Tensor](), list[Tensor]()

    def blocks() -> Iterator[Block]:
        first = 0
        for graphs in store.blocks(batch_size or _READ_AT_ONCE):
            last = store.label(first + len(graphs) - 1)
            several = f"{count_of(len(graphs), 'graph')}, {store.label(first)} to {last}"
            yield graphs, several if len(graphs) > 1 else last
            first += len(graphs)

    passing, first = _Pass(classifier, batch_size), 0
    for rows, some in map(passing, blocks()) if cluster is None else passing.by_workers(blocks(), cluster):
        check_finite("the model's output", rows, first, label=store.label)
        check_finite("the graph embedding", some.abs(), first, label=store.label)
        outputs.append(rows)
        embeddings.append(some)
        first += len(rows)
        if progress is not None:
            progress("embedding", first, len(store))
    indices = np.flatnonzero([label is not None for label in labels])
    known = np.array([labels[index] for index in indices], np.int64)
    label_notes = []
    if 0 < len(known) < len(labels):
        which = f"{len(known):,} of {len(labels):,} graphs"
        label_notes = [f"{which} have a label (y): how well the model does is told of these"]
    for message in (*classifier.warnings, *label_notes):
        warnings.warn(message, ProtographWarning, stacklevel=4)
    rows = torch.cat(outputs)
    asked = return_type
    if return_type == "auto" and _are_raw(rows, classifier, store):
        return_type = "raw"
    kind, guessed = decided_type(rows, return_type, classifier.task, stacklevel=5)
    are_classes = asked != "auto" or kind != "raw" or len(known) > 0
    scores = log_scores(rows, kind)
    uncut = f"parts of graphs have no {listed(classifier.uncut)}, as that cannot be cut out" if classifier.uncut else ""
    notes = (*classifier.warnings, *store.notes, uncut, *label_notes, *guessed, classifier.readout.note)
    return EmbeddedGraphs(
        graph_embeddings=torch.cat(embeddings).numpy(),
        scores=scores.numpy(),
        probabilities=scores.softmax(dim=1).numpy(),
        predictions=scores.numpy().argmax(axis=1),
        labels=known if len(known) == len(labels) else None,
        labels_of_some=(indices, known) if label_notes else None,
        return_type=kind,
        warnings=tuple(filter(None, notes)),
        task=task_line(classifier.num_columns or rows.size(1), classifier.task, are_classes=are_classes),
    )


def _sample(store: GraphStore) -> list[Data]:
    return store.take(range(min(SAMPLE_SIZE, len(store))))


@dataclass(frozen=True)
class _Pass:
    """Applies a model to blocks of graphs, wherever it is."""

    classifier: RunningClassifier
    batch_size: int | None

    def __call__(self, block: Block) -> tuple[Tensor, Tensor]:
        """Outputs and graph embeddings of the graphs."""
        graphs, name = block
        try:
            results = [self.classifier.embed(batch) for batch in self._batches(graphs)]
        except Exception as error:
            error.add_note(f"this happened while the model was applied to {name}")
            raise
        return torch.cat([one.outputs for one in results]), torch.cat([one.graph_embeddings for one in results])

    def _batches(self, graphs: CollatedGraphs) -> Iterable[CollatedGraphs]:
        """Graphs in pieces that go through the model: of so many at most, or of about so many nodes and edges."""
        # A model whose output depends on the other graphs in its batch gets the batches that were asked for.
        if self.batch_size is None and not self.classifier.warnings:
            places = (graphs.sizes + graphs.counts).cumsum() // _ROWS_AT_ONCE
            ends = [*np.flatnonzero(np.diff(places)) + 1, len(graphs)]
            return [graphs[first:last] for first, last in pairwise([0, *map(int, ends)])]
        size = self.batch_size or BATCH_SIZE
        return [graphs[first : first + size] for first in range(0, len(graphs), size)]

    def by_workers(self, blocks: Iterator[Block], cluster: RayCluster) -> Iterator[tuple[Tensor, Tensor]]:
        """The same of each block, in their order, by the workers of a cluster."""
        running, on_gpu = self.classifier, self.classifier.device.type == "cuda"
        sent, work = replace(self, classifier=running.moved("cpu")), _on_gpu if on_gpu else _Pass.__call__
        names, code = itemgetter(1), running.model.modules()
        for rows, some in cluster.map(work, sent, blocks, name_of=names, code_of=code, on_gpu=on_gpu):
            running.usage.num_graphs += len(rows)
            yield rows, some


def _on_gpu(apply: _Pass, block: Block) -> tuple[Tensor, Tensor]:
    """The same on the GPU that a worker was given."""
    return replace(apply, classifier=apply.classifier.moved("cuda"))(block)


def _are_raw(outputs: Tensor, classifier: RunningClassifier, store: GraphStore) -> bool:
    """Whether a single output that is in [0, 1] for all graphs is outside for parts of some, as a raw score may be."""
    if outputs.size(1) > 1 or bool(((outputs < 0) | (outputs > 1)).any()):
        return False
    tracer, rows = classifier.traced(_sample(store))
    if tracer.ends_in(rows, SIGMOIDS):
        return False
    spread = np.unique(np.linspace(0, len(store) - 1, _NUM_TRIED).astype(np.int64)).tolist()
    parts = [
        induced_subgraph(graph, range(first, last))
        for graph in store.take(spread)
        for size in (node_count(graph),)
        for first, last in ((0, 1), (size - 1, size), (0, -(-size // 2)), (size // 2, size))
    ]
    try:
        return bool(are_beyond_probabilities(checked_outputs(classifier, parts)).any())
    except UncutError:  # which is told where parts are asked for
        return False


def number_of(y: Any, task: int | None = None) -> Any:
    """The number that a graph's ``y`` says: its only value, or that of a task; ``None`` where there is no such one."""
    if isinstance(y, Tensor) and not is_plain(y):
        return None
    if isinstance(y, Tensor | np.ndarray):
        values = y.reshape(-1)
        if task is not None and len(values) > 1:
            values = values[task : task + 1]  # empty where there are fewer
        y = values[0].item() if len(values) == 1 else None
    return y


def class_of(y: Any, task: int | None = None) -> int | None:
    """The class that a graph's ``y`` says, a whole number; ``None`` where there is no such one."""
    y = number_of(y, task)
    if isinstance(y, float | np.floating) and float(y).is_integer():
        y = int(y)
    return int(y) if isinstance(y, int | np.integer) and abs(int(y)) < _FIRST_NO_CLASS else None


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
