"""A model applied to the graphs of a store, chunk by chunk, in pieces that suit the device."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch_geometric.data import Data

from protograph.graphs.joining import GraphChunk, plain_labels
from protograph.graphs.store import GraphStore
from protograph.models.batching import parts_of
from protograph.models.checkpoint import GRAPHS_A_SHARD
from protograph.models.exact_rows import ROWS_ON_CPU
from protograph.models.judging import BATCH_SIZE, check_finite, labels_of
from protograph.models.labels import GivenLabels
from protograph.models.misfits import Labelled, which_graphs
from protograph.models.running import RunningClassifier

# Graphs that are read and checked at a time where nobody says how many: on a CPU those of a shard, or more where they
# are views of what is in memory anyway; a GPU is quick only with very many rows. All that is done once a chunk takes as
# long for few graphs as for many.
_AT_ONCE, _VIEWS_AT_ONCE, _AT_ONCE_ON_GPU = 1024, 4096, 2**15
# Nodes and edges that go through a model on a GPU at a time: at most so many, and no more than fit into a quarter of
# the free memory, taking it that a model keeps so many numbers a row at a time for each column of its widest layer.
_ROWS_ON_GPU, _KEPT_A_COLUMN, _LEAST_WIDTH = 2**21, 16, 64


class Applied(NamedTuple):
    """What the model made of neighbouring graphs: tensors of float64 on the CPU, and the graphs' labels.

    ``is_double`` says that it is known to have run in double precision.
    """

    outputs: Tensor
    graph_embeddings: Tensor
    labels: GivenLabels
    is_double: bool


class _Begun(NamedTuple):
    """What the model is still at, on a GPU."""

    graphs: Sequence[Data]
    first: int
    is_double: bool
    fetch: Callable[[], tuple[Tensor, Tensor]]


def graphs_at_once(
    batch_size: int | None,
    device: torch.device | str | None,
    *,
    has_checkpoint: bool = False,
    are_views: bool = False,
) -> int:
    """How many graphs are read and checked at a time: with a checkpoint no more than a shard of it has.

    So a checkpoint's shards are the same wherever the model runs.
    """
    if batch_size is not None:
        return int(batch_size)
    is_gpu = device is not None and torch.device(device).type == "cuda"
    at_once = _AT_ONCE_ON_GPU if is_gpu else _VIEWS_AT_ONCE if are_views else _AT_ONCE
    return min(at_once, GRAPHS_A_SHARD) if has_checkpoint else at_once


class Applying:
    """Applies the model, and says which graphs were shown to it when it fails.

    Attributes:
        size: How many graphs are read at a time.

    Args:
        classifier: The model.
        names: Knows what messages call the graphs.
        batch_size: How many graphs go through the model at a time at most; as many as suit the device where ``None``.
        has_checkpoint: Whether a checkpoint keeps what the model makes.
        are_views: Whether chunks of graphs take no memory of their own.
    """

    def __init__(
        self,
        classifier: RunningClassifier,
        names: Labelled,
        batch_size: int | None = None,
        *,
        has_checkpoint: bool = False,
        are_views: bool = False,
    ) -> None:
        self._classifier, self._names = classifier, names
        self._rows, self._batch_size = _rows_at_once(classifier), int(batch_size or BATCH_SIZE)
        self.size = graphs_at_once(batch_size, classifier.device, has_checkpoint=has_checkpoint, are_views=are_views)

    @property
    def is_double(self) -> bool:
        """Whether the model runs in double precision now."""
        return self._classifier.is_double

    def use(self, classifier: RunningClassifier) -> None:
        """Apply this from now on: the same model in another precision."""
        if classifier is not self._classifier:
            self._classifier, self._rows = classifier, _rows_at_once(classifier)

    def to_all(self, store: GraphStore) -> Iterator[Applied]:
        """What the model makes of all graphs of a store, ``size`` at a time."""
        done = 0
        begun: _Begun | None = None
        for graphs in store.chunks(self.size):
            if self._classifier.device.type != "cuda":
                yield self(graphs, done)
            else:
                # While the GPU is at one chunk, what the chunk before gave is fetched, and the next is read. Another
                # thread that read ahead made this slower: both wait for Python's lock at each of many short steps.
                last, begun = begun, self._begin(graphs, done)
                if last is not None:
                    yield self._finish(last)
            done += len(graphs)
        if begun is not None:
            yield self._finish(begun)

    def __call__(self, graphs: Sequence[Data], first: int) -> Applied:
        """What the model makes of neighbouring graphs, of which the first has this number."""
        return self._finish(self._begin(graphs, first))

    def _begin(self, graphs: Sequence[Data], first: int) -> _Begun:
        try:
            rows = self._classifier.graph_rows(*self._parts(graphs))
        except Exception as error:
            which = which_graphs(self._names, first, len(graphs))
            error.add_note(f"this happened while the model was applied to {which}")
            raise
        outputs, embeddings = (one.detach().double() for one in rows)
        return _Begun(graphs, first, self._classifier.is_double, _fetched(outputs, embeddings))

    def _parts(self, graphs: Sequence[Data]) -> list[Sequence[Data]]:
        """Graphs in as many pieces as the model takes them."""
        # A model whose output depends on the other graphs in its batch gets the batches that were asked for.
        if not self._classifier.warnings and isinstance(graphs, GraphChunk):
            return parts_of(graphs, self._rows)
        return [graphs[first : first + self._batch_size] for first in range(0, len(graphs), self._batch_size)]

    def _finish(self, begun: _Begun) -> Applied:
        outputs, embeddings = begun.fetch()
        check_finite("the model's output", outputs, begun.first, label=self._names.label)
        check_finite("the graph embedding", embeddings.abs(), begun.first, label=self._names.label)
        return Applied(outputs, embeddings, self.labels(begun.graphs), begun.is_double)

    def labels(self, graphs: Sequence[Data]) -> GivenLabels:
        """The classes that graphs were given, of the task that is explained."""
        known = graphs.labels if self._classifier.task is None and isinstance(graphs, GraphChunk) else None
        labels = plain_labels(graphs) if known is None else known
        if labels is not None:
            return GivenLabels(labels, np.ones(len(graphs), np.bool_))
        return GivenLabels.of(labels_of(graphs, self._classifier.task))


def _rows_at_once(classifier: RunningClassifier) -> int:
    """Nodes and edges that go through the model at a time."""
    if classifier.device.type != "cuda":
        return ROWS_ON_CPU
    free, _ = torch.cuda.mem_get_info(classifier.device)
    width = max([_LEAST_WIDTH, *(max(weight.shape, default=1) for weight in classifier.model.parameters())])
    bytes_a_row = _KEPT_A_COLUMN * width * (8 if classifier.is_double else 4)
    return max(ROWS_ON_CPU, min(_ROWS_ON_GPU, free // 4 // bytes_a_row))


def _fetched(*tensors: Tensor) -> Callable[[], Any]:
    """Begin to bring tensors to the CPU; what comes back waits until they are there, and gives them."""
    if not tensors[0].is_cuda:
        return lambda: tensors
    here = [torch.empty(one.shape, dtype=one.dtype, pin_memory=True).copy_(one, non_blocking=True) for one in tensors]
    event: Any = torch.cuda.Event()  # type: ignore[no-untyped-call]
    event.record(torch.cuda.current_stream(tensors[0].device))

    def wait() -> list[Tensor]:
        event.synchronize()
        return here

    return wait
