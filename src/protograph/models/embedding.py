"""One pass of a model over all graphs: predictions and graph embeddings; node embeddings are not kept.

What is kept of a graph is its embedding, its output and its label. Embeddings beyond
:data:`~protograph._base.growing.BYTES_IN_MEMORY` are in a file that is read as if it were memory.
"""

import warnings
from collections.abc import Iterable, Iterator, Sequence
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch_geometric.data import Data

from protograph._base.errors import ProtographWarning
from protograph._base.growing import GrowingArray
from protograph._base.progress import Progress
from protograph.graphs.joining import GraphChunk
from protograph.graphs.store import GraphStore
from protograph.models.batching import parts_of
from protograph.models.checkpoint import GRAPHS_A_SHARD, Checkpoint, GraphDigest, Shard, model_fingerprint
from protograph.models.classifier import GraphClassifier, as_classifier
from protograph.models.judging import EmbeddedGraphs, check_finite, decided_type, labels_of, predictions_of
from protograph.models.labels import GivenLabels
from protograph.models.misfits import started, which_graphs
from protograph.models.outputs import AskedType, log_scores
from protograph.models.running import RunningClassifier

# Nodes and edges that go through a model on a CPU at a time: in double precision, 32 columns of them are 4 MiB. With
# 256 graphs of 75 nodes at a time, 57,000 rows, a graph took twice as long.
ROWS_AT_ONCE = 2**14


def embed_all(
    model: nn.Module | GraphClassifier,
    graphs: Iterable[Data] | str | PathLike[str],
    *,
    batch_size: int = 256,
    device: torch.device | str | None = None,
    progress: Progress | None = None,
    checkpoint: str | PathLike[str] | None = None,
) -> tuple[GraphStore, RunningClassifier, EmbeddedGraphs]:
    """Check the graphs, start the model on the first of them, and apply it to all."""
    classifier = as_classifier(model)
    kept = None if checkpoint is None else Checkpoint(checkpoint, _made_by(classifier, batch_size))
    store = GraphStore(graphs)
    store.check(batch_size)
    running = started(classifier, store, device)
    return store, running, embed(running, store, batch_size, classifier.return_type, progress, kept)


def _made_by(classifier: GraphClassifier, batch_size: int) -> dict[str, Any]:
    """What a checkpoint depends on beside the graphs."""
    return {
        "model": model_fingerprint(classifier.model),
        "batch_size": int(batch_size),
        "embeddings": f"{classifier.node_embeddings}, {classifier.graph_embeddings}",
        "task": classifier.task,
    }


def embed(
    classifier: RunningClassifier,
    store: GraphStore,
    batch_size: int,
    return_type: AskedType = "auto",
    progress: Progress | None = None,
    checkpoint: Checkpoint | None = None,
) -> EmbeddedGraphs:
    """Apply ``classifier`` to every graph of ``store``, ``batch_size`` at a time."""
    rows, embedder = _Rows(), _Embedder(classifier, store)
    for batch in _batches(embedder, store, batch_size, checkpoint):
        rows.add(batch)
        if progress is not None:
            progress("embedding", len(rows), store.known_length)
    findings = store.findings.messages()
    labels = GivenLabels(rows.labels.finished(), rows.has_label.finished())
    for message in (*classifier.warnings, *(findings[:1] if store.findings.directed else []), *labels.notes):
        warnings.warn(message, ProtographWarning, stacklevel=4)
    outputs = torch.from_numpy(rows.outputs.finished())
    chosen, guessed = decided_type(outputs, return_type, stacklevel=5)
    scores = log_scores(outputs, chosen)
    return EmbeddedGraphs(
        graph_embeddings=rows.graph_embeddings.finished(),
        scores=scores.numpy(),
        probabilities=scores.softmax(dim=1).numpy(),
        predictions=predictions_of(scores.numpy()),
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
    )


class _Batch(NamedTuple):
    """What the model made of neighbouring graphs."""

    outputs: Tensor
    graph_embeddings: Tensor
    labels: Sequence[int | None]


class _Rows:
    """All that is kept of the graphs so far."""

    def __init__(self) -> None:
        self.labels = GrowingArray(np.int64)
        self.has_label = GrowingArray(np.bool_)
        self.outputs: GrowingArray
        self.graph_embeddings: GrowingArray

    def __len__(self) -> int:
        return len(self.labels)

    def add(self, batch: _Batch) -> None:
        """Keep what comes next."""
        if not len(self):
            self.outputs = GrowingArray(np.float64, batch.outputs.shape[1])
            self.graph_embeddings = GrowingArray(np.float64, batch.graph_embeddings.shape[1])
        self.outputs.append(batch.outputs.numpy())
        self.graph_embeddings.append(batch.graph_embeddings.numpy())
        self.has_label.append([label is not None for label in batch.labels])
        self.labels.append([0 if label is None else label for label in batch.labels])


def _batches(
    embedder: "_Embedder", store: GraphStore, batch_size: int, checkpoint: Checkpoint | None
) -> Iterator[_Batch]:
    """What the model makes of the graphs, batch by batch, or as far as a checkpoint knows it, shard by shard."""
    if checkpoint is None:
        done = 0
        for graphs in store.chunks(batch_size):
            yield embedder(graphs, done)
            done += len(graphs)
        return
    yield from _kept_batches(embedder, store, batch_size, checkpoint)


def _kept_batches(
    embedder: "_Embedder", store: GraphStore, batch_size: int, checkpoint: Checkpoint
) -> Iterator[_Batch]:
    each, number, first = max(1, GRAPHS_A_SHARD // batch_size), 0, 0
    chunks = store.chunks(batch_size)
    while True:
        known, digest, own, count = checkpoint.shard(number), GraphDigest(), list[_Batch](), 0
        for _, graphs in zip(range(each), chunks, strict=False):
            labels = embedder.labels(graphs)
            digest.add(graphs, labels)
            if known is None:
                own.append(embedder(graphs, first + count))
                yield own[-1]
            count += len(graphs)
        if known is None and not count:
            return
        if known is None:
            checkpoint.write(number, _shard(own, digest.text()))
        elif known.digest != digest.text() or len(known) != count:
            raise checkpoint.refuse(first, first + len(known))
        else:
            yield _Batch(known.tensors["outputs"], known.tensors["graph_embeddings"], known.labels)
        number, first = number + 1, first + count


def _shard(batches: Sequence[_Batch], digest: str) -> Shard:
    labels = [label for batch in batches for label in batch.labels]
    return Shard(
        {
            "outputs": torch.cat([batch.outputs for batch in batches]),
            "graph_embeddings": torch.cat([batch.graph_embeddings for batch in batches]),
            "labels": torch.tensor([0 if label is None else label for label in labels]),
            "has_label": torch.tensor([label is not None for label in labels]),
        },
        digest,
    )


class _Embedder:
    """Runs the model, and says which graphs were shown to it when it fails.

    Args:
        classifier: The model.
        store: The graphs.
    """

    def __init__(self, classifier: RunningClassifier, store: GraphStore) -> None:
        self._classifier, self._store = classifier, store

    def __call__(self, graphs: Sequence[Data], first: int) -> _Batch:
        """What the model makes of neighbouring graphs, of which the first has this number."""
        label = self._store.label
        try:
            # A model whose output depends on the other graphs in its batch gets the batches that were asked for.
            is_cut = self._classifier.device.type == "cpu" and not self._classifier.warnings
            parts = [self._classifier.embed(part) for part in (parts_of(graphs, ROWS_AT_ONCE) if is_cut else [graphs])]
        except Exception as error:
            which = which_graphs(self._store, first, len(graphs))
            error.add_note(f"this happened while the model was applied to {which}")
            raise
        outputs = torch.cat([one.outputs for one in parts])
        embeddings = torch.cat([one.graph_embeddings for one in parts])
        check_finite("the model's output", outputs, first, label=label)
        check_finite("the graph embedding", embeddings.abs(), first, label=label)
        return _Batch(outputs, embeddings, self.labels(graphs))

    def labels(self, graphs: Sequence[Data]) -> Sequence[int | None]:
        """The classes that graphs were given, of the task that is explained."""
        if self._classifier.task is None and isinstance(graphs, GraphChunk) and graphs.labels is not None:
            return graphs.labels
        return labels_of(graphs, self._classifier.task)
