"""One pass over many graphs: predictions and graph embeddings, nothing kept a node."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch_geometric.data import Data

from protograph._base.errors import ProtographWarning
from protograph.graphs.store import GraphStore
from protograph.models.classifier import RunningClassifier
from protograph.models.outputs import ReturnType, infer_return_type, log_scores, probabilities

Progress = Callable[[str, int, int | None], None]


@dataclass(frozen=True)
class Embedded:
    """What the model makes of each graph.

    Attributes:
        graph_embeddings: float64, ``[num_graphs, dim]``.
        scores: Log scores of the classes, float64, ``[num_graphs, num_classes]``; of a graph, up to a constant.
        probabilities: float64, ``[num_graphs, num_classes]``.
        predictions: Class of each graph, ``[num_graphs]``.
        labels: Given class of each graph, ``[num_graphs]``, or ``None`` where the graphs have none.
        return_type: What the model's outputs were taken for.
        warnings: What was found on the way.
    """

    graph_embeddings: NDArray[np.float64]
    scores: NDArray[np.float64]
    probabilities: NDArray[np.float64]
    predictions: NDArray[np.int64]
    labels: NDArray[np.int64] | None
    return_type: ReturnType
    warnings: tuple[str, ...]

    @property
    def num_classes(self) -> int:
        """Number of classes the model tells apart."""
        return int(self.probabilities.shape[1])


def embed(
    classifier: RunningClassifier,
    store: GraphStore,
    *,
    batch_size: int,
    return_type: str = "auto",
    progress: Progress | None = None,
) -> Embedded:
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
        _check_finite("the model's output", result.outputs, done)
        _check_finite("the graph embedding", result.graph_embeddings, done)
        outputs.append(result.outputs)
        embeddings.append(result.graph_embeddings)
        labels.extend(_label(graph) for graph in graphs)
        done += len(graphs)
        if progress is not None:
            progress("embedding", done, len(store))
    joined = torch.cat(outputs)
    found = store.findings.messages()
    for message in (*classifier.warnings, *(found[:1] if store.findings.directed else [])):
        warnings.warn(message, ProtographWarning, stacklevel=3)
    messages = [*classifier.warnings, *found]
    chosen = _return_type(joined, return_type, messages)
    scores = log_scores(joined, chosen)
    return Embedded(
        graph_embeddings=torch.cat(embeddings).numpy(),
        scores=scores.numpy(),
        probabilities=probabilities(scores).numpy(),
        predictions=scores.numpy().argmax(axis=1),
        labels=_as_labels(labels),
        return_type=chosen,
        warnings=tuple(messages),
    )


def _check_finite(what: str, values: Tensor, first: int) -> None:
    # Log probabilities may be -inf: a probability of 0.
    wrong = values.isnan() | values.isposinf() | (values.isneginf() & (what != "the model's output"))
    bad = wrong.any(dim=1).nonzero().flatten()
    if bad.numel() > 0:
        raise ValueError(
            f"{what} for graph {first + int(bad[0])} is NaN or infinite; check the model's weights "
            f"(a training that diverged?) and that graph's features"
        )


def _return_type(outputs: Tensor, asked: str, messages: list[str]) -> ReturnType:
    chosen: ReturnType = infer_return_type(outputs) if asked == "auto" else asked  # type: ignore[assignment]
    if chosen == "probs" and bool((outputs < 0).any() | (outputs > 1).any()):
        raise ValueError(
            f"return_type='probs' wants outputs in [0, 1], got {float(outputs.min()):.4g} to "
            f"{float(outputs.max()):.4g}; use return_type='raw' for logits"
        )
    if asked == "auto" and chosen == "probs" and outputs.size(1) == 1:
        message = (
            "the model's single output lies in [0, 1] for every graph, so it is taken as the probability of class 1; "
            "say so with GraphClassifier(model, return_type='probs'), or return_type='raw' if it is a logit"
        )
        warnings.warn(message, ProtographWarning, stacklevel=4)
        messages.append(message)
    return chosen


def _label(graph: Data) -> int | None:
    y = graph.get("y")
    if isinstance(y, int):
        return y
    if isinstance(y, Tensor) and y.numel() == 1 and (not y.is_floating_point() or float(y).is_integer()):
        return int(y)
    return None


def _as_labels(labels: list[int | None]) -> NDArray[np.int64] | None:
    found = [label for label in labels if label is not None]
    return np.array(found, dtype=np.int64) if len(found) == len(labels) else None
