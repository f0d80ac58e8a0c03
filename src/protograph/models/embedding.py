"""One pass over many graphs: predictions and graph embeddings; node embeddings are not kept."""

import warnings
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch_geometric.data import Data

from protograph._base.arrays import Floats, Ints
from protograph._base.errors import ProtographWarning
from protograph._base.progress import Progress
from protograph.graphs.store import GraphStore
from protograph.models.classifier import SAMPLE_SIZE, GraphClassifier, RunningClassifier, as_classifier
from protograph.models.judging import check_finite, decided_type
from protograph.models.outputs import AskedType, ReturnType, log_scores, probabilities


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
        warnings: What went otherwise than asked for.
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
    running = classifier.start(next(store.chunks(SAMPLE_SIZE)), device)
    return store, running, embed(running, store, batch_size, classifier.return_type, progress)


def embed(
    classifier: RunningClassifier,
    store: GraphStore,
    batch_size: int,
    return_type: AskedType = "auto",
    progress: Progress | None = None,
) -> EmbeddedGraphs:
    """Apply ``classifier`` to every graph of ``store``, ``batch_size`` at a time."""
    outputs: list[Tensor] = []
    embeddings: list[Tensor] = []
    labels: list[int | None] = []
    done = 0
    for graphs in store.chunks(batch_size):
        try:
            result = classifier.embed(graphs)
        except Exception as error:
            error.add_note(f"this happened while the model was applied to graphs {done} to {done + len(graphs) - 1}")
            raise
        check_finite("the model's output", result.outputs, done)
        check_finite("the graph embedding", result.graph_embeddings.abs(), done)
        outputs.append(result.outputs)
        embeddings.append(result.graph_embeddings)
        labels.extend(map(label_of, graphs))
        done += len(graphs)
        if progress is not None:
            progress("embedding", done, len(store))
    joined = torch.cat(outputs)
    findings = store.findings.messages()
    for message in (*classifier.warnings, *(findings[:1] if store.findings.directed else [])):
        warnings.warn(message, ProtographWarning, stacklevel=4)
    chosen, guessed = decided_type(joined, return_type, stacklevel=5)
    scores = log_scores(joined, chosen)
    return EmbeddedGraphs(
        graph_embeddings=torch.cat(embeddings).numpy(),
        scores=scores.numpy(),
        probabilities=probabilities(scores).numpy(),
        predictions=scores.numpy().argmax(axis=1),
        labels=None if None in labels else np.array(labels, dtype=np.int64),
        return_type=chosen,
        warnings=(*classifier.warnings, *findings, *guessed),
    )


def label_of(graph: Data) -> int | None:
    """The class that a graph was given, ``None`` where that is not one whole number."""
    y = graph.get("y")
    if isinstance(y, int):
        return y
    if isinstance(y, Tensor) and y.numel() == 1 and (not y.is_floating_point() or float(y).is_integer()):
        return int(y)
    return None
