"""A graph classifier that is ready to be applied to batches of graphs."""

import sys
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

import torch
from torch import Tensor, nn
from torch_geometric.data import Batch, Data

from protograph.graphs.cleaning import node_count
from protograph.models.batching import batch_of, has_floats_of
from protograph.models.calling import Call
from protograph.models.keeping import left_as_found
from protograph.models.leaving_out import LeavingOut, Weighing
from protograph.models.outputs import as_rows, checked_columns
from protograph.models.parts import neighbourhoods, parts_of
from protograph.models.precision import DoubleInPlaceOfFloat
from protograph.models.raising import noted
from protograph.models.readout import Readout
from protograph.models.tapping import Tap
from protograph.models.tracing import Tracer

T = TypeVar("T")
# Nodes and edges that go through the model at a time where it is run without each node in turn, and in all for a graph;
# of a larger one, neighbouring nodes are left out together.
_MAX_ROWS, _MAX_ROWS_OF_A_GRAPH = 2**16, 2_000_000
# Tensors of a batch that say where nodes are, not what they are.
_STRUCTURE = frozenset({"edge_index", "batch", "ptr", "num_graphs", "num_nodes"})


@dataclass(frozen=True)
class ForwardResult:
    """What one batch of graphs gave: float64 tensors on the CPU.

    Attributes:
        outputs: The model's own output, ``[num_graphs, num_columns]``.
        graph_embeddings: ``[num_graphs, dim]``.
        node_embeddings: ``[num_nodes, dim]``, all graphs one after the other.
        num_left: How many nodes of each graph have each column of the node embeddings, ``[num_graphs, dim]``: a model
            may leave nodes out on the way. ``None`` where all have.
    """

    outputs: Tensor
    graph_embeddings: Tensor
    node_embeddings: Tensor
    num_left: Tensor | None = None


@dataclass
class Usage:
    """How many graphs a model has been shown, and how many seconds that took."""

    num_graphs: int = 0
    seconds: float = 0.0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(self.num_graphs + other.num_graphs, self.seconds + other.seconds)

    def __sub__(self, other: "Usage") -> "Usage":
        return Usage(self.num_graphs - other.num_graphs, self.seconds - other.seconds)

    def add(self, other: "Usage") -> None:
        """Count what another copy of the model was used for."""
        self.num_graphs += other.num_graphs
        self.seconds += other.seconds


class UnfitEmbeddingsError(ValueError):
    """What was caught is not one vector for each node or graph; ``kind`` says for which of them."""

    def __init__(self, message: str, kind: str) -> None:
        super().__init__(message)
        self.kind = kind


@dataclass(frozen=True)
class Given:
    """What one call of the model is given: a batch, and which of all nodes are its own."""

    batch: Batch
    nodes: slice


# Makes a context for a call of the model.
Around = Callable[[Given], AbstractContextManager[T]]


@dataclass(frozen=True)
class RunningClassifier:
    """A classifier that is ready to be applied to batches; made by :meth:`GraphClassifier.start`.

    Attributes:
        model: What runs: a copy of the user's model, or that itself.
        call: How it is called.
        readout: Where its readout is.
        device: Where it runs.
        is_double: Whether it runs in double precision.
        is_own: Whether it is the user's own model, as it cannot be copied.
        dtype: What floating point tensors are brought to; ``None`` for none.
        task: The column of the output that is explained; ``None`` for all of them.
        num_columns: Columns of the output, once they are known.
        warnings: What is odd about the model.
        usage: How much it was used.
        native: The same model in its own precision, where it runs in double precision; its readout is not known.
        is_inference: Whether it runs in PyTorch's inference mode, which is a little quicker and not for every model.
    """

    model: nn.Module
    call: Call
    readout: Readout
    device: torch.device
    is_double: bool
    is_own: bool = False
    dtype: torch.dtype | None = None
    task: int | None = None
    num_columns: int | None = None
    warnings: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)
    native: "RunningClassifier | None" = None
    is_inference: bool = False

    @property
    def resolution(self) -> float:
        """Numbers closer than this, relative to their size, are the same number up to rounding."""
        return 1e-13 if self.is_double else 1e-5

    def classify(self, graphs: Sequence[Data]) -> Tensor:
        """Return the model's output for ``graphs``, one row a graph."""
        return on_cpu(_joined(self._run(graphs, self._unwatched)))

    def classify_without(self, graphs: Sequence[Data], keep: Tensor) -> Tensor:
        """Return the model's output for ``graphs`` when only some of their nodes enter the readout.

        Where it is not known where nodes enter it, they are left out of the graphs.

        Args:
            graphs: The graphs, one batch.
            keep: Boolean, one entry for each node of all graphs, in their order.

        Raises:
            ValueError: If nodes cannot be left out of the readout.
        """
        if not self.readout.places:
            return self.classify(parts_of(graphs, keep))
        keep = keep.to(self.device)
        return on_cpu(_joined(self._run(graphs, lambda given: self._leaving_out(given, keep))))

    def weighed(self, graphs: Sequence[Data], weights: Tensor) -> Tensor:
        """Return the model's output for ``graphs``, with gradients to weights by which nodes enter a sum or a mean.

        Args:
            graphs: The graphs, one batch.
            weights: One entry for each node of all graphs, in their order, on the model's device.

        Raises:
            ValueError: If it is not known where nodes enter the readout.
        """
        if not self.readout.places:
            raise ValueError("it is not known where nodes enter the model's readout, so they have no weights there")

        @contextmanager
        def with_gradients(given: Given) -> Iterator[None]:
            with torch.enable_grad(), torch.backends.cudnn.flags(enabled=False):
                own = weights[given.nodes]
                with Weighing(given.batch.batch, self.readout, own, **self._how).on(self.model):
                    yield

        return _joined(self._run(graphs, with_gradients))

    def embed(self, graphs: Sequence[Data], *, nodes: bool = False) -> ForwardResult:
        """Return output and embeddings for ``graphs``; node embeddings only where asked for."""
        runs = self._run(graphs, self._tapping)
        outputs, by_graph = map(on_cpu, self._rows_of_graphs(runs))
        if not self.readout.places and self.readout.node_module is None:
            by_node = self._left_out_embeddings(graphs, by_graph) if nodes else by_graph[:0]
            return ForwardResult(outputs, by_graph, by_node)
        by_node = torch.cat(
            [on_cpu(self._checked("node", tap.node_embeddings, tap.batch.numel(), is_kept=nodes)) for _, tap in runs]
        )
        left = [tap.num_left for _, tap in runs] if nodes and self.readout.is_pooled else []
        num_left = torch.cat([on_cpu(one) for one in left if one is not None]) if left else None
        return ForwardResult(outputs, by_graph, by_node, num_left)

    def graph_rows(self, *parts: Sequence[Data]) -> tuple[Tensor, Tensor]:
        """Return output and graph embeddings for graphs where the model runs and as it gives them.

        On a GPU this returns before they are there.

        Args:
            *parts: The graphs, those that go through the model together in one sequence.
        """
        return self._rows_of_graphs(self._run_parts(parts, self._tapping))

    def differentiable(self, graphs: Sequence[Data]) -> tuple[Tensor, Tensor]:
        """Return output and graph embeddings for ``graphs``, with gradients to the graphs' own tensors.

        They stay on the model's device and in its precision. Take gradients by :func:`torch.autograd.grad`, which
        leaves those of the model's weights alone.
        """

        @contextmanager
        def with_gradients(given: Given) -> Iterator[Tap]:
            # Recurrent layers (Set2Set) of cuDNN have no gradients in evaluation mode.
            without_cudnn = torch.backends.cudnn.flags(enabled=False)
            with torch.enable_grad(), without_cudnn, self._tapping(given) as tap:
                yield tap

        return self._rows_of_graphs(self._run(graphs, with_gradients))

    def traced(self, graphs: Sequence[Data]) -> tuple[Tracer, Tensor]:
        """Watch one call, and return what has watched it, and the output; of a model that takes one graph, of one."""
        graphs = graphs if self.call.takes_batch else sorted(graphs, key=node_count)[-1:]

        def tracing(given: Given) -> AbstractContextManager[Tracer]:
            return Tracer(given.batch.batch, _of_nodes(given.batch), **self._how).on(self.model)

        ((rows, tracer),) = self._run(graphs, tracing)
        return tracer, rows

    def fitting_modules(self, kind: str, graphs: Sequence[Data]) -> list[str]:
        """Modules that give one vector a node, or take one vector a graph that the whole output rests on.

        Args:
            kind: ``"node"`` or ``"graph"``.
            graphs: Some graphs to watch the model on.
        """
        tracer, rows = self.traced(graphs)
        return tracer.node_modules() if kind == "node" else tracer.graph_modules(rows)

    def ends_in(self, graphs: Sequence[Data], operations: Collection[str]) -> bool:
        """Whether the output is what an operation of such a name gives."""
        tracer, rows = self.traced(graphs)
        return tracer.ends_in(rows, operations)

    @property
    def _how(self) -> dict[str, bool]:
        return {"is_double": self.is_double, "is_one_graph": not self.call.takes_batch}

    def _tapping(self, given: Given) -> AbstractContextManager[Tap]:
        return Tap(given.batch.batch, self.readout, **self._how).on(self.model)

    def _leaving_out(self, given: Given, keep: Tensor) -> AbstractContextManager[None]:
        return LeavingOut(given.batch.batch, self.readout, keep[given.nodes], **self._how).on(self.model)

    def _unwatched(self, given: Given) -> AbstractContextManager[Any]:
        return DoubleInPlaceOfFloat() if self.is_double else nullcontext()

    def _run(self, graphs: Sequence[Data], around: Around[T]) -> list[tuple[Tensor, T]]:
        """Output, one row a graph, and what the context around the call gave, of each call; double precision is its.

        There is one call for all graphs, or one for each where the model takes no more.
        """
        return self._run_parts([graphs], around)

    def _run_parts(self, parts: Sequence[Sequence[Data]], around: Around[T]) -> list[tuple[Tensor, T]]:
        """The same for graphs that go through the model one part after the other."""
        started = time.perf_counter()
        self.usage.num_graphs += sum(map(len, parts))
        if not self.call.takes_batch:
            parts = [[graph] for part in parts for graph in part]
        try:
            with self._evaluating() as put_back:
                done, first = list[tuple[Tensor, T]](), 0
                for part in parts:
                    if done:
                        put_back()
                    given = Given(batch := self._collate(part), slice(first, first := first + batch.batch.numel()))
                    with noted(part), self._without_gradients(), self._own_precision(), around(given) as context:
                        done.append((self._checked_rows(self.call(self.model, batch), batch, len(part)), context))
            return done
        finally:
            self.usage.seconds += time.perf_counter() - started

    def _without_gradients(self) -> AbstractContextManager[Any]:
        return torch.inference_mode() if self.is_inference else torch.no_grad()

    def _checked_rows(self, output: Any, batch: Batch, num_graphs: int) -> Tensor:
        rows = as_rows(output, num_graphs=num_graphs, num_nodes=batch.batch.numel())
        return checked_columns(rows, self.num_columns, self.task)

    def _collate(self, graphs: Sequence[Data]) -> Batch:
        batch = batch_of(graphs, self.call.attributes, self.device)
        dtype = torch.float64 if self.is_double else self.dtype
        return batch if dtype is None or has_floats_of(batch, dtype) else batch.apply(partial(_as_floats, dtype))

    @contextmanager
    def _evaluating(self) -> Iterator[Callable[[], None]]:
        """Evaluation mode, compiled parts run as they were written; the model is left as found.

        What the block is given puts the model back between two calls.
        """
        with left_as_found(self.model, is_own=self.is_own) as put_back, _as_written():
            self.model.eval()
            yield put_back

    @contextmanager
    def _own_precision(self) -> Iterator[None]:
        """Tensors that the model makes itself fit its weights."""
        default = torch.get_default_dtype()
        try:
            if self.is_double:
                torch.set_default_dtype(torch.float64)
            yield
        finally:
            if torch.get_default_dtype() is not default:  # to set it takes ten times as long
                torch.set_default_dtype(default)

    def _rows_of_graphs(self, runs: Sequence[tuple[Tensor, Tap]]) -> tuple[Tensor, Tensor]:
        return _joined(runs), self._graph_embeddings(runs)

    def _graph_embeddings(self, runs: Sequence[tuple[Tensor, Tap]]) -> Tensor:
        if self.readout.is_output:
            return _joined(runs)
        return torch.cat([self._checked("graph", tap.graph_embeddings, len(rows)) for rows, tap in runs])

    def _left_out_embeddings(self, graphs: Sequence[Data], by_graph: Tensor) -> Tensor:
        """What changes in its graph's embedding when a node is left out of the graph, for each node."""
        found = []
        for graph, own in zip(graphs, by_graph, strict=True):
            size = node_count(graph)
            if size == 1:  # nothing would be left
                found.append(own.unsqueeze(0))
                continue
            together = -(-size * (size + graph.num_edges) // _MAX_ROWS_OF_A_GRAPH)
            group_of = neighbourhoods(graph, min(together, size // 2))
            keep = group_of != torch.arange(int(group_of.max()) + 1).unsqueeze(1)
            without = []
            for some in torch.split(keep, max(1, _MAX_ROWS // (size + graph.num_edges))):
                parts = parts_of([graph] * len(some), some.flatten())
                without.append(on_cpu(self._graph_embeddings(self._run(parts, self._tapping))))
            # What nodes are worth that are left out together, they share.
            lost = (own - torch.cat(without)) / torch.bincount(group_of).unsqueeze(1)
            found.append(lost[group_of])
        return torch.cat(found)

    def _checked(self, kind: str, rows: Tensor | None, count: int, *, is_kept: bool = True) -> Tensor:
        """The embeddings that were caught, if they are one vector for each node or graph; none unless to be kept."""
        if rows is not None and rows.dim() == 2 and rows.size(0) == count:
            return rows if is_kept else rows[:0]
        module = self.readout.node_module if kind == "node" else self.readout.graph_module
        raise UnfitEmbeddingsError(
            f"{kind}_embeddings must be one vector for each of the {count} {kind}s, got "
            f"{'none' if rows is None else f'shape {list(rows.shape)}'} from "
            f"{f'module {module!r}' if module else 'the readout'}",
            kind,
        )


def _as_written() -> AbstractContextManager[Any]:
    """A context in which compiled parts of a model run as they were written, so that they can be watched."""
    set_stance = getattr(torch.compiler, "set_stance", None)  # PyTorch before 2.6 has none
    if set_stance is None or "torch._dynamo" not in sys.modules:  # which takes long to load
        return nullcontext()
    context: AbstractContextManager[Any] = set_stance("force_eager")
    return context


def _of_nodes(batch: Batch) -> list[Tensor]:
    """Tensors of nodes and edges that a batch has."""
    values = ((key, value) for key, value in batch.to_dict().items() if key not in _STRUCTURE)
    tensors = [value for _, value in values if isinstance(value, Tensor) and value.dim()]
    return [tensor for tensor in tensors if tensor.size(0) != batch.num_graphs]


def _as_floats(dtype: torch.dtype, tensor: Tensor) -> Tensor:
    return tensor.to(dtype) if tensor.is_floating_point() else tensor


def _joined(runs: Sequence[tuple[Tensor, Any]]) -> Tensor:
    return runs[0][0] if len(runs) == 1 else torch.cat([rows for rows, _ in runs])


def on_cpu(tensor: Tensor) -> Tensor:
    """Numbers in double precision, in main memory."""
    return tensor.detach().to(device="cpu", dtype=torch.float64)
