"""A graph classifier that is ready to be applied to batches of graphs."""

import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias, TypeVar

import torch
from torch import Tensor, nn
from torch_geometric.data import Batch, Data

from protograph.graphs.dataset import collate
from protograph.graphs.subgraph import induced_subgraph
from protograph.graphs.validate import node_count
from protograph.models.calling import Call
from protograph.models.error_hints import noted
from protograph.models.model_state import copied, left_as_found
from protograph.models.outputs import as_rows, checked_columns, place_of_scores, tensors_in
from protograph.models.readout import Readout
from protograph.models.readout.capture import DoubleInPlaceOfFloat, Tap
from protograph.models.readout.detect import Tracer
from protograph.models.readout.mask import LeavingOut

T = TypeVar("T")
_STANCE = threading.RLock()
# Nodes and edges that go through the model at a time where it is run without each node in turn.
_MAX_ROWS = 2**16
# Tensors of a batch that say where nodes are, not what they are.
_STRUCTURE = frozenset({"edge_index", "batch", "ptr", "num_graphs", "num_nodes"})


@dataclass(frozen=True)
class ForwardResult:
    """What one batch of graphs gave: float64 tensors on the CPU.

    Attributes:
        outputs: The model's own output, ``[num_graphs, num_columns]``.
        graph_embeddings: ``[num_graphs, dim]``.
        node_embeddings: ``[num_nodes, dim]``, all graphs one after the other.
    """

    outputs: Tensor
    graph_embeddings: Tensor
    node_embeddings: Tensor


@dataclass
class Usage:
    """How many graphs a model has been shown, and how many seconds that took."""

    num_graphs: int = 0
    seconds: float = 0.0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(self.num_graphs + other.num_graphs, self.seconds + other.seconds)

    def __sub__(self, other: "Usage") -> "Usage":
        return Usage(self.num_graphs - other.num_graphs, self.seconds - other.seconds)


# Makes a context for a call of the model with a batch, of whose nodes these are numbers among those of all batches.
Around: TypeAlias = Callable[[Batch, slice], AbstractContextManager[T]]


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
        place: Which of the tensors that the model returns is the output, once it is known: where each graph has one
            node, others have a row a graph too.
        warnings: What is odd about the model.
        uncut: Names of what it may read, and no part of a graph has.
        usage: How much it was used.
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
    place: int | None = None
    warnings: tuple[str, ...] = ()
    uncut: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)

    @property
    def resolution(self) -> float:
        """Numbers closer than this, relative to their size, are the same number up to rounding."""
        return 1e-13 if self.is_double or self.dtype is torch.float64 else 1e-5

    def moved(self, device: torch.device | str) -> "RunningClassifier":
        """The same on another device, where its further use is counted apart."""
        is_there = torch.device(device).type == self.device.type
        model = self.model if is_there else (copied(self.model) or self.model).to(device)
        return replace(self, model=model, device=torch.device(device), usage=replace(self.usage))

    def classify(self, graphs: Sequence[Data]) -> Tensor:
        """Return the model's output for ``graphs``, one row a graph."""
        return on_cpu(_joined(self._run(graphs, self._unwatched)))

    def first_rows(self, graphs: Sequence[Data]) -> tuple[list[Tensor], int]:
        """Return the model's output of each call, and which of the tensors that it returns that is."""
        runs = self._run(graphs, self._unwatched)
        return [on_cpu(rows) for rows, *_ in runs], runs[0][-1]

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
            return self.classify(_parts_of(graphs, keep))
        keep = keep.to(self.device)

        def leaving_out(batch: Batch, nodes: slice) -> AbstractContextManager[None]:
            return LeavingOut(batch.batch, self.readout, keep[nodes], **self._how).on(self.model)

        return on_cpu(_joined(self._run(graphs, leaving_out)))

    def embed(self, graphs: Sequence[Data], *, nodes: bool = False) -> ForwardResult:
        """Return output and embeddings for ``graphs``; node embeddings only where asked for."""
        runs = self._run(graphs, self._tapping)
        outputs, by_graph = on_cpu(_joined(runs)), on_cpu(self._graph_embeddings(runs))
        if not nodes:
            return ForwardResult(outputs, by_graph, by_graph[:0])
        if not self.readout.places and self.readout.node_module is None:
            return ForwardResult(outputs, by_graph, self._left_out_embeddings(graphs, by_graph))
        by_node = [on_cpu(self._checked("node", tap.node_embeddings, tap.batch.numel())) for _, tap, _ in runs]
        return ForwardResult(outputs, by_graph, torch.cat(by_node))

    def differentiable(self, graphs: Sequence[Data]) -> tuple[Tensor, Tensor]:
        """Return output and graph embeddings for ``graphs``, with gradients to the graphs' own tensors.

        They stay on the model's device and in its precision. Take gradients by :func:`torch.autograd.grad`, which
        leaves those of the model's weights alone.
        """

        @contextmanager
        def tapping(batch: Batch, nodes: slice) -> Iterator[Tap]:
            # cuDNN's recurrent layers (Set2Set) have no gradients in evaluation mode.
            is_cuda = self.device.type == "cuda"
            without_cudnn = torch.backends.cudnn.flags(enabled=False) if is_cuda else nullcontext()
            with torch.enable_grad(), without_cudnn, self._tapping(batch, nodes) as tap:
                yield tap

        runs = self._run(graphs, tapping)
        return _joined(runs), self._graph_embeddings(runs)

    def traced(self, graphs: Sequence[Data]) -> tuple[Tracer, Tensor]:
        """Watch one call, and return what has watched it, and the output; of a model that takes one graph, of one."""
        graphs = graphs if self.call.takes_batch else sorted(graphs, key=node_count)[-1:]

        def tracing(batch: Batch, nodes: slice) -> AbstractContextManager[Tracer]:
            return Tracer(batch.batch, _of_nodes(batch), **self._how).on(self.model)

        ((rows, tracer, _),) = self._run(graphs, tracing)
        return tracer, rows

    @property
    def _how(self) -> dict[str, bool]:
        return {"is_double": self.is_double, "is_one_graph": not self.call.takes_batch}

    def _tapping(self, batch: Batch, nodes: slice) -> AbstractContextManager[Tap]:
        return Tap(batch.batch, self.readout, **self._how).on(self.model)

    def _unwatched(self, batch: Batch, nodes: slice) -> AbstractContextManager[Any]:
        return DoubleInPlaceOfFloat() if self.is_double else nullcontext()

    def _run(self, graphs: Sequence[Data], around: Around[T]) -> list[tuple[Tensor, T, int]]:
        """Output, one row a graph, what the context around the call gave, and which tensor the output is, of each call.

        There is one call for all graphs, or one for each where the model takes no more. Double precision is the
        context's affair.
        """
        started, first, dtype = time.perf_counter(), 0, torch.float64 if self.is_double else self.dtype
        self.usage.num_graphs += len(graphs)
        parts = [graphs] if self.call.takes_batch else [[graph] for graph in graphs]
        done: list[tuple[Tensor, T, int]] = []
        try:
            # In evaluation mode, compiled parts as they were written; the model is left as found.
            with left_as_found(self.model, is_own=self.is_own) as put_back, _as_written():
                self.model.eval()
                for part in parts:
                    if done:
                        put_back()
                    batch = collate(part).batch(self.call.attributes).to(self.device)
                    if dtype is not None:
                        batch = batch.apply(lambda tensor: tensor.to(dtype) if tensor.is_floating_point() else tensor)
                    last = first + batch.batch.numel()
                    with noted(part, self.uncut), torch.no_grad(), around(batch, slice(first, last)) as context:
                        counts = {batch[key].size(-1) for key in ("edge_index", "edge_label_index") if key in batch}
                        output = self.call(self.model, batch)
                        place = place_of_scores(output, len(part)) if self.place is None else self.place
                        output = tensors_in(output)[place]
                        rows = as_rows(output, num_graphs=len(part), num_nodes=last - first, edge_counts=counts)
                        done.append((checked_columns(rows, self.num_columns, self.task), context, place))
                    first = last
            return done
        finally:
            self.usage.seconds += time.perf_counter() - started

    def _graph_embeddings(self, runs: Sequence[tuple[Tensor, Tap, int]]) -> Tensor:
        if self.readout.is_output:
            return _joined(runs)
        return torch.cat([self._checked("graph", tap.graph_embeddings, len(rows)) for rows, tap, _ in runs])

    def _left_out_embeddings(self, graphs: Sequence[Data], by_graph: Tensor) -> Tensor:
        """What changes in its graph's embedding when a node is left out of the graph, for each node."""
        found = []
        for graph, own in zip(graphs, by_graph, strict=True):
            size = node_count(graph)
            at_a_time = max(1, _MAX_ROWS // (size + graph.num_edges))
            for some in torch.split(~torch.eye(size, dtype=torch.bool), at_a_time):
                if size == 1:  # nothing would be left
                    found.append(own.unsqueeze(0))
                    continue
                runs = self._run(_parts_of([graph] * len(some), some.flatten()), self._tapping)
                found.append(own - on_cpu(self._graph_embeddings(runs)))
        return torch.cat(found)

    def _checked(self, kind: str, rows: Tensor | None, count: int) -> Tensor:
        """The embeddings that were caught, if they are one vector for each node or graph."""
        if rows is not None and rows.dim() == 2 and rows.size(0) == count:
            return rows
        module = self.readout.node_module if kind == "node" else self.readout.graph_module
        raise ValueError(
            f"{kind}_embeddings must be one vector for each of the {count} {kind}s, got "
            f"{'none' if rows is None else f'shape {list(rows.shape)}'} from "
            f"{f'module {module!r}' if module else 'the readout'}; name another module, or leave it out"
        )


@contextmanager
def _as_written() -> Iterator[None]:
    """Let compiled parts of models run as they were written, so that they can be watched.

    PyTorch has one stance for the whole process, so that one thread at a time has it.
    """
    set_stance = getattr(torch.compiler, "set_stance", None)  # PyTorch before 2.6 has none
    if set_stance is None or "torch._dynamo" not in sys.modules:  # nothing is compiled, and to load it takes long
        yield
        return
    with _STANCE, set_stance("force_eager"):
        yield


def _parts_of(graphs: Sequence[Data], keep: Tensor) -> list[Data]:
    """Of each graph the part that the nodes to keep induce.

    Raises:
        ValueError: If none of a graph's are to be kept.
    """
    kept = torch.split(keep, [node_count(graph) for graph in graphs])
    if not all(bool(one.any()) for one in kept):
        raise ValueError("all nodes of a graph would be left out of it, and a model classifies no graph without nodes")
    return [induced_subgraph(graph, one.nonzero().flatten().tolist()) for graph, one in zip(graphs, kept, strict=True)]


def _of_nodes(batch: Batch) -> list[Tensor]:
    """Tensors of nodes and edges that a batch has."""
    values = ((key, value) for key, value in batch.to_dict().items() if key not in _STRUCTURE)
    tensors = [value for _, value in values if isinstance(value, Tensor) and value.dim()]
    return [tensor for tensor in tensors if tensor.size(0) != batch.num_graphs]


def _joined(runs: Sequence[tuple[Tensor, Any, int]]) -> Tensor:
    return torch.cat([rows for rows, *_ in runs])


def on_cpu(tensor: Tensor) -> Tensor:
    """Numbers in double precision, in main memory."""
    return tensor.detach().to(device="cpu", dtype=torch.float64)
