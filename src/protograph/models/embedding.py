"""One pass of a model over all graphs: predictions and graph embeddings; node embeddings are not kept.

What is kept of a graph is its embedding, its output and its label. Embeddings beyond
:data:`~protograph._base.growing.BYTES_IN_MEMORY` are in a file that is read as if it were memory.

Of more than :data:`~protograph.models.single_precision.GRAPHS_IN_DOUBLE` graphs the pass is in single precision, and
predictions that are close calls are asked for again in double precision. Where that shows that errors are larger than
some graphs, spread over all, have told, all graphs are.
"""

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from os import PathLike
from typing import Any, TypeAlias

import numpy as np
import torch
from torch import nn
from torch_geometric.data import Data

from protograph._base.arrays import Floats, Ints
from protograph._base.errors import ProtographWarning
from protograph._base.growing import GrowingArray
from protograph._base.progress import Progress
from protograph._base.words import counted
from protograph.graphs.store import GraphStore
from protograph.models.applying import Applied, Applying, graphs_at_once
from protograph.models.checkpoint import Checkpoint, model_fingerprint
from protograph.models.classifier import GraphClassifier, as_classifier, device_of
from protograph.models.exact_rows import ExactRows
from protograph.models.judging import EmbeddedGraphs, decided_type, predictions_of
from protograph.models.labels import GivenLabels
from protograph.models.misfits import started
from protograph.models.outputs import AskedType, ReturnType, log_scores
from protograph.models.resuming import resumed
from protograph.models.running import RunningClassifier
from protograph.models.single_precision import (
    GRAPHS_IN_DOUBLE,
    NUM_COMPARED,
    SinglePrecision,
    in_single_precision,
)

# Applies the model to all graphs in other processes, and gives what it makes of them in their order, some at a time.
BatchesBy: TypeAlias = Callable[[RunningClassifier, GraphStore, int | None, Checkpoint | None], Iterator[Applied]]


def embed_all(
    model: nn.Module | GraphClassifier,
    graphs: Iterable[Data] | str | PathLike[str],
    *,
    batch_size: int | None = None,
    device: torch.device | str | None = None,
    progress: Progress | None = None,
    checkpoint: str | PathLike[str] | None = None,
    batches_by: BatchesBy | None = None,
) -> tuple[GraphStore, RunningClassifier, EmbeddedGraphs]:
    """Check the graphs, start the model on the first of them, and apply it to all.

    ``batches_by`` applies it in other processes, and tells of progress by itself.
    """
    classifier = as_classifier(model)
    kept = None if checkpoint is None else Checkpoint(checkpoint, _made_by(classifier, batch_size))
    store = GraphStore(graphs)
    on = device_of(classifier.model) if device is None else device
    store.check(graphs_at_once(batch_size, on, has_checkpoint=kept is not None, are_views=store.gives_views))
    running = started(classifier, store, device)
    embedded = embed(running, store, batch_size, classifier.return_type, progress, kept, batches_by=batches_by)
    return store, running, embedded


def _made_by(classifier: GraphClassifier, batch_size: int | None) -> dict[str, Any]:
    """What a checkpoint depends on beside the graphs."""
    return {
        "model": model_fingerprint(classifier.model),
        "batch_size": None if batch_size is None else int(batch_size),
        "embeddings": f"{classifier.node_embeddings}, {classifier.graph_embeddings}",
        "task": classifier.task,
    }


def embed(
    classifier: RunningClassifier,
    store: GraphStore,
    batch_size: int | None = None,
    return_type: AskedType = "auto",
    progress: Progress | None = None,
    checkpoint: Checkpoint | None = None,
    *,
    batches_by: BatchesBy | None = None,
) -> EmbeddedGraphs:
    """Apply ``classifier`` to every graph of ``store``.

    Args:
        classifier: The model.
        store: The graphs.
        batch_size: How many go through the model at a time at most; as many as suit the device where ``None``.
        return_type: What the model returns.
        progress: Told after each batch.
        checkpoint: Keeps what is done.
        batches_by: Applies it in other processes; always in double precision, so that nothing is to be asked again.
    """
    rows, precision = _Rows(), _Precision(classifier, store)
    if batches_by is None:
        _apply(classifier, precision, store, batch_size, rows, checkpoint, progress)
    else:
        for batch in batches_by(classifier, store, batch_size, checkpoint):
            rows.add(batch)
    findings = store.findings.messages()
    labels = GivenLabels(rows.labels.finished(), rows.has_label.finished())
    for message in (*classifier.warnings, *(findings[:1] if store.findings.directed else []), *labels.notes):
        warnings.warn(message, ProtographWarning, stacklevel=4)
    embeddings, outputs = rows.graph_embeddings.finished(), rows.outputs.finished()
    chosen, guessed = decided_type(torch.from_numpy(outputs), return_type, stacklevel=5)
    exact = precision.exact_rows(embeddings, rows.num_double)
    if exact is not None and not _decide(outputs, chosen, precision, exact):
        outputs, exact = exact.compared(np.arange(len(outputs)))[0], None
    scores = log_scores(torch.from_numpy(outputs), chosen)
    predictions = predictions_of(scores.numpy())
    if exact is not None:
        exact.tell(partial(_check_predictions, predictions, chosen))
    return EmbeddedGraphs(
        graph_embeddings=embeddings,
        scores=scores.numpy(),
        probabilities=scores.softmax(dim=1).numpy(),
        predictions=predictions,
        labels=labels.of_all,
        labels_of_some=labels.of_some,
        return_type=chosen,
        warnings=(
            *classifier.warnings,
            *findings,
            *labels.notes,
            *guessed,
            *([note] if (note := classifier.readout.note) else []),
        ),
        exact=exact,
    )


def _apply(
    classifier: RunningClassifier,
    precision: "_Precision",
    store: GraphStore,
    batch_size: int | None,
    rows: "_Rows",
    checkpoint: Checkpoint | None,
    progress: Progress | None,
) -> None:
    """Apply the model in this process, and keep what it makes of all graphs."""
    applying = Applying(
        precision.of(0), store, batch_size, has_checkpoint=checkpoint is not None, are_views=store.gives_views
    )
    if checkpoint is None:
        batches = applying.to_all(store)
    else:
        batches = resumed(applying, classifier, store, checkpoint, lambda: precision.single)
    for batch in batches:
        rows.add(batch)
        applying.use(precision.of(len(rows)))
        if progress is not None:
            progress("embedding", len(rows), store.known_length)


class _Precision:
    """In which precision the model runs: of few graphs in double, of many in single, if that does for the model.

    Of graphs that are read as they come, the first are run in double precision, since nobody knows how many there are.

    Attributes:
        single: The model in single precision.
        has_seen_all: Whether errors are known from graphs that are spread over all of them.

    Args:
        classifier: The model in double precision.
        store: The graphs.
    """

    def __init__(self, classifier: RunningClassifier, store: GraphStore) -> None:
        self._classifier, self._store = classifier, store
        self._is_open = True
        self.single: SinglePrecision | None = None
        self.has_seen_all = False

    def of(self, done: int) -> RunningClassifier:
        """What runs after so many graphs."""
        if self._is_open and self._is_wanted(done):
            self._is_open = False
            self.has_seen_all = self._store.known_length is not None
            self.single = in_single_precision(self._classifier, self._sample(self._store.known_length or done))
        return self._classifier if self.single is None else self.single.classifier

    def exact_rows(self, embeddings: Floats, num_exact: int) -> ExactRows | None:
        """What makes embeddings of the pass exact; ``None`` where they are."""
        if self.single is None:
            return None
        return ExactRows(self._classifier, self._store, embeddings, self.single.embedding_error, num_exact)

    def _sample(self, known: int) -> Sequence[Data]:
        """Graphs on which both precisions are compared: of an order by size or by class, the first tell little."""
        return self._store.take_chunk(_spread(known).tolist()) if known else self._store.first(NUM_COMPARED)

    def _is_wanted(self, done: int) -> bool:
        return (self._store.known_length or done + 1) > GRAPHS_IN_DOUBLE


def _decide(outputs: Floats, kind: ReturnType, precision: _Precision, exact: ExactRows) -> bool:
    """Put exact outputs in the place of those by which two classes are as good as equal.

    Returns:
        Whether errors are as large as they were thought to be. Where these are known from the first graphs only, some
        that are spread over all are looked at for that too.
    """
    assert precision.single is not None
    error = precision.single.output_error
    best = log_scores(torch.from_numpy(outputs), kind).topk(2, dim=1).values.numpy()
    errors = error.of(outputs).max(axis=1)
    if kind == "probs":  # of a logarithm, the smaller the probability the larger
        errors /= np.exp(best[:, 1]).clip(min=1e-300)
    asked = np.flatnonzero(~(best[:, 0] - best[:, 1] > 4 * errors))
    if not precision.has_seen_all:
        asked = np.union1d(asked, _spread(len(outputs)))
    if not asked.size:
        return True
    before = outputs[asked]
    outputs[asked], is_expected = exact.compared(asked)
    return is_expected and error.is_expected(before, outputs[asked])


def _spread(number: int) -> Ints:
    """Places of as many graphs as are compared, evenly spaced over so many."""
    return np.unique(np.linspace(0, number - 1, NUM_COMPARED).round().astype(np.int64))


def _check_predictions(predictions: Ints, kind: ReturnType, outputs: Floats) -> None:
    """Say so where predictions in single precision turn out to be others than those of exact outputs."""
    number = int((predictions_of(log_scores(torch.from_numpy(outputs), kind).numpy()) != predictions).sum())
    if number:
        message = (
            f"single precision does not do for this model: {counted(number, 'graph')} would be predicted otherwise in "
            f"double precision; fit again with model.double()"
        )
        warnings.warn(message, ProtographWarning, stacklevel=2)


class _Rows:
    """All that is kept of the graphs so far."""

    def __init__(self) -> None:
        self.labels = GrowingArray(np.int64)
        self.has_label = GrowingArray(np.bool_)
        self.num_double = 0
        self.outputs: GrowingArray
        self.graph_embeddings: GrowingArray

    def __len__(self) -> int:
        return len(self.labels)

    def add(self, batch: Applied) -> None:
        """Keep what comes next."""
        if not len(self):
            self.outputs = GrowingArray(np.float64, batch.outputs.shape[1])
            self.graph_embeddings = GrowingArray(np.float64, batch.graph_embeddings.shape[1])
        # Only those before all others count: of a checkpoint's shards, any may be of double precision.
        self.num_double += len(batch.labels) if batch.is_double and self.num_double == len(self) else 0
        self.outputs.append(batch.outputs.numpy())
        self.graph_embeddings.append(batch.graph_embeddings.numpy())
        self.has_label.append(batch.labels.has_label)
        self.labels.append(batch.labels.labels)
