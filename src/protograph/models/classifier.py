"""Any PyTorch Geometric graph classifier, seen as class scores plus node and graph embeddings."""

import copy
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, TypeVar

import torch
from torch import Tensor, nn
from torch.nn.parameter import is_lazy
from torch_geometric.data import Batch, Data

from protograph.models.batching import batch_of
from protograph.models.calling import Call, infer_call
from protograph.models.outputs import RETURN_TYPES, AskedType, as_rows
from protograph.models.precision import DoubleInPlaceOfFloat
from protograph.models.raising import noted
from protograph.models.readout import AmbiguousReadoutError, LeavingOut, Readout, Tap, Tracer, Weighing

T = TypeVar("T")
# Makes a context for a call of the model from the ``batch`` of its graphs.
Around = Callable[[Tensor], AbstractContextManager[T]]
# Copies in double precision must agree with the model itself to be used in its place.
_AGREEMENT = 1e-3
# So many graphs tell how a model wants to be called.
SAMPLE_SIZE = 8


class GraphClassifier:
    """A trained graph classifier with what is needed to explain it.

    A plain module is enough almost always: ``PAGE().fit(model, graphs)`` makes one of these by itself. Build it
    yourself where the readout cannot be told by watching the model, or where the kind of output must be stated.

    Args:
        model: Any module that classifies batches of graphs, called as ``model(data)`` or by argument name.
        return_type: What it returns: ``"raw"`` scores (logits), ``"probs"``, ``"log_probs"``, or ``"auto"`` to
            tell by the outputs of the whole pass. One column means two classes.
        node_embeddings: Name of the module whose *output* is the node embeddings, as in ``model.named_modules()``.
        graph_embeddings: Name of the module whose *input* is the graph embeddings (often the head).

    >>> from torch_geometric.nn import GCN
    >>> GraphClassifier(GCN(3, 8, 2), return_type="logits")
    Traceback (most recent call last):
    ...
    ValueError: return_type must be one of 'auto', 'raw', 'probs', 'log_probs', got 'logits'
    """

    def __init__(
        self,
        model: nn.Module,
        return_type: AskedType = "auto",
        node_embeddings: str | None = None,
        graph_embeddings: str | None = None,
    ) -> None:
        if not isinstance(model, nn.Module):
            raise TypeError(f"model must be a torch.nn.Module, got {type(model).__name__}")
        model = _unwrapped(model)
        if isinstance(model, torch.jit.ScriptModule):
            raise TypeError("model is a TorchScript module, which cannot be watched; pass the module it was made from")
        if return_type not in ("auto", *RETURN_TYPES):
            expected = ", ".join(map(repr, ("auto", *RETURN_TYPES)))
            raise ValueError(f"return_type must be one of {expected}, got {return_type!r}")
        modules = dict(model.named_modules())
        for argument, name in (("node_embeddings", node_embeddings), ("graph_embeddings", graph_embeddings)):
            if name is not None and name not in modules:
                raise ValueError(f"{argument}={name!r} is not a module of the model; {_list_modules(model)}")
        self.model = model
        self.return_type = return_type
        self.node_embeddings = node_embeddings
        self.graph_embeddings = graph_embeddings

    def __repr__(self) -> str:
        return f"GraphClassifier({type(self.model).__name__}, return_type={self.return_type!r})"

    def start(self, sample: Sequence[Data], device: torch.device | str | None = None) -> "RunningClassifier":
        """Get ready to classify: find out on a few graphs how to call the model and where its readout is.

        The model itself is only read. What runs afterwards is a copy in double precision, so that batch size,
        number of threads and device make no difference that counts; a model that cannot be copied or does not
        run in double precision runs as it is, and is left as it was found after each call.
        """
        sample = list(sample[:SAMPLE_SIZE])
        _check_initialised(self.model)
        call = infer_call(self.model, sample[0])
        own_device = device_of(self.model)
        target = own_device if device is None else checked_device(device)
        native = RunningClassifier(self.model, call, Readout(), own_device, is_double=False)
        expected = native.classify(sample)
        running, outputs = self._in_double_precision(call, target, sample, expected) or (native, expected)
        if running.device != target:
            running = replace(native, model=copy.deepcopy(self.model).to(target), device=target)
            outputs = running.classify(sample)
        running = replace(running, num_columns=outputs.size(1), readout=self._find_readout(running, sample))
        return replace(running, warnings=_unsteadiness(running, sample, outputs))

    def _in_double_precision(
        self, call: Call, device: torch.device, sample: Sequence[Data], expected: Tensor
    ) -> "tuple[RunningClassifier, Tensor] | None":
        try:
            twin = copy.deepcopy(self.model).to(device=device, dtype=torch.float64)
            running = RunningClassifier(twin, call, Readout(), device, is_double=True)
            outputs = running.classify(sample)
        except Exception:  # whatever the reason, the model itself runs, so that is used
            return None
        is_same = torch.allclose(outputs, expected, rtol=_AGREEMENT, atol=_AGREEMENT)
        return (running, outputs) if is_same else None

    def _find_readout(self, running: "RunningClassifier", sample: Sequence[Data]) -> Readout:
        if self.node_embeddings is not None and self.graph_embeddings is not None:
            return Readout(node_module=self.node_embeddings, graph_module=self.graph_embeddings)
        try:
            readout = running.trace(sample)
        except AmbiguousReadoutError as error:
            raise AmbiguousReadoutError(
                f"cannot tell the readout of {type(self.model).__name__}: {error}; wrap the model as "
                f"GraphClassifier(model, node_embeddings=<module whose output is one vector a node>, "
                f"graph_embeddings=<module whose input is one vector a graph>); {_list_modules(self.model)}"
            ) from None
        return replace(readout, node_module=self.node_embeddings, graph_module=self.graph_embeddings)


def as_classifier(model: nn.Module | GraphClassifier) -> GraphClassifier:
    """The model with what is needed to explain it, found out unless it was stated."""
    return model if isinstance(model, GraphClassifier) else GraphClassifier(model)


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


@dataclass(frozen=True)
class RunningClassifier:
    """A classifier that is ready to be applied to batches; made by :meth:`GraphClassifier.start`."""

    model: nn.Module
    call: Call
    readout: Readout
    device: torch.device
    is_double: bool
    warnings: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)
    num_columns: int | None = None  # of the output, once it is known

    @property
    def resolution(self) -> float:
        """Numbers closer than this, relative to their size, are the same number up to rounding."""
        return 1e-13 if self.is_double else 1e-5

    def classify(self, graphs: Sequence[Data]) -> Tensor:
        """Return the model's output for ``graphs``, one row a graph."""
        return _on_cpu(self._run(graphs, self._unwatched)[0])

    def classify_without(self, graphs: Sequence[Data], keep: Tensor) -> Tensor:
        """Return the model's output for ``graphs`` when only some of their nodes enter the readout.

        Args:
            graphs: The graphs, one batch.
            keep: Boolean, one entry for each node of all graphs, in their order.

        Raises:
            ValueError: If it is not known where nodes enter the readout, or they cannot be left out of it.
        """
        self._check_places()
        keep = keep.to(self.device)
        return _on_cpu(self._run(graphs, lambda batch: self._leaving_out(batch, keep))[0])

    def weighed(self, graphs: Sequence[Data], weights: Tensor) -> Tensor:
        """Return the model's output for ``graphs``, with gradients to weights by which nodes enter a sum or a mean.

        Args:
            graphs: The graphs, one batch.
            weights: One entry for each node of all graphs, in their order, on the model's device.

        Raises:
            ValueError: If it is not known where nodes enter the readout.
        """
        self._check_places()

        @contextmanager
        def with_gradients(batch: Tensor) -> Iterator[None]:
            around = Weighing(batch, self.readout, weights, is_double=self.is_double)
            with torch.enable_grad(), torch.backends.cudnn.flags(enabled=False), around.on(self.model):
                yield

        return self._run(graphs, with_gradients)[0]

    def _check_places(self) -> None:
        if not self.readout.places:
            raise ValueError(
                "the model's readout was named as modules, so it is not known where nodes enter it and they cannot be "
                "left out; use GraphClassifier(model, ...) without node_embeddings or without graph_embeddings"
            )

    def embed(self, graphs: Sequence[Data], *, nodes: bool = False) -> ForwardResult:
        """Return output and embeddings for ``graphs``; node embeddings only where asked for."""
        rows, tap = self._run(graphs, self._tapping)
        node_rows = self._checked("node", tap.node_embeddings, tap.batch.numel())
        graph_rows = self._checked("graph", tap.graph_embeddings, len(graphs))
        return ForwardResult(_on_cpu(rows), _on_cpu(graph_rows), _on_cpu(node_rows if nodes else node_rows[:0]))

    def differentiable(self, graphs: Sequence[Data]) -> tuple[Tensor, Tensor]:
        """Return output and graph embeddings for ``graphs``, with gradients to the graphs' own tensors.

        They stay on the model's device and in its precision. Take gradients by :func:`torch.autograd.grad`, which
        leaves those of the model's weights alone.
        """

        @contextmanager
        def with_gradients(batch: Tensor) -> Iterator[Tap]:
            # Recurrent layers (Set2Set) of cuDNN have no gradients in evaluation mode.
            without_cudnn = torch.backends.cudnn.flags(enabled=False)
            with torch.enable_grad(), without_cudnn, self._tapping(batch) as tap:
                yield tap

        rows, tap = self._run(graphs, with_gradients)
        return rows, self._checked("graph", tap.graph_embeddings, len(graphs))

    def trace(self, graphs: Sequence[Data]) -> Readout:
        """Find the readout by watching one call."""
        rows, tracer = self._run(graphs, lambda batch: Tracer(batch, is_double=self.is_double).on(self.model))
        return tracer.readout_of(rows)

    def _tapping(self, batch: Tensor) -> AbstractContextManager[Tap]:
        return Tap(batch, self.readout, is_double=self.is_double).on(self.model)

    def _leaving_out(self, batch: Tensor, keep: Tensor) -> AbstractContextManager[None]:
        return LeavingOut(batch, self.readout, keep, is_double=self.is_double).on(self.model)

    def _unwatched(self, batch: Tensor) -> AbstractContextManager[Any]:
        return DoubleInPlaceOfFloat() if self.is_double else nullcontext()

    def _run(self, graphs: Sequence[Data], around: Around[T]) -> tuple[Tensor, T]:
        """Output, one row a graph, and what the context around the call gave; it sees to double precision too."""
        started = time.perf_counter()
        self.usage.num_graphs += len(graphs)
        try:
            batch = self._collate(graphs)
            with noted(graphs), self._evaluating(), around(batch.batch) as given:
                output = self.call(self.model, batch)
                rows = as_rows(output, num_graphs=len(graphs), num_nodes=batch.batch.numel())
            if self.num_columns not in (None, rows.size(1)):
                raise ValueError(
                    f"the model must return as many class scores for any graphs, got {rows.size(1)} for "
                    f"{len(graphs)} of them after {self.num_columns} for others"
                )
            return rows, given
        finally:
            self.usage.seconds += time.perf_counter() - started

    def _collate(self, graphs: Sequence[Data]) -> Batch:
        batch = batch_of(graphs, self.call.attributes).to(self.device)
        return batch.apply(lambda tensor: tensor.double() if self.is_double and tensor.is_floating_point() else tensor)

    @contextmanager
    def _evaluating(self) -> Iterator[None]:
        """Evaluation mode without gradients; flags come back one by one, since ``train()`` would wake frozen ones."""
        flags = {module: module.training for module in self.model.modules()}
        buffers = [(own, own.detach().clone(), own._version) for own in self.model.buffers()]
        default = torch.get_default_dtype()
        self.model.eval()
        try:
            with torch.no_grad():
                if self.is_double:  # tensors that the model makes itself must fit its weights
                    torch.set_default_dtype(torch.float64)
                yield
        finally:
            torch.set_default_dtype(default)
            for own, before, version in buffers:
                if own._version != version:  # to write what is there already would spoil gradients to come
                    own.copy_(before)
            for module, flag in flags.items():
                module.training = flag

    def _checked(self, kind: str, rows: Tensor | None, count: int) -> Tensor:
        """The embeddings that were caught, if they are one vector for each node or graph."""
        if rows is not None and rows.dim() == 2 and rows.size(0) == count:
            return rows
        module = self.readout.node_module if kind == "node" else self.readout.graph_module
        raise ValueError(
            f"{kind}_embeddings must be one vector for each of the {count} {kind}s, got "
            f"{'none' if rows is None else f'shape {list(rows.shape)}'} from "
            f"{f'module {module!r}' if module else 'the readout'}; "
            f"name another module as GraphClassifier(model, {kind}_embeddings=...); {_list_modules(self.model)}"
        )


def _check_initialised(model: nn.Module) -> None:
    """Raise where weights of lazy modules are not there yet: to make them here would change the model."""
    lazy = [name for name, tensor in chain(model.named_parameters(), model.named_buffers()) if is_lazy(tensor)]
    if lazy:
        raise ValueError(
            f"model has weights that were never initialised ({', '.join(lazy[:3])}); apply it to a batch of your own "
            f"first"
        )


def _unsteadiness(running: RunningClassifier, sample: Sequence[Data], in_a_batch: Tensor) -> tuple[str, ...]:
    """Say so where the output for a graph is random, or depends on the other graphs in its batch."""
    again = running.classify(sample)
    tolerance = min(1e-3, 1e5 * running.resolution) * max(1.0, float(in_a_batch.abs().max()))
    if float((in_a_batch - again).abs().max()) > tolerance:
        return ("the model's output is random, also in evaluation mode: the same graphs gave different scores",)
    alone = torch.cat([running.classify([graph]) for graph in sample[:2]])
    if float((in_a_batch[:2] - alone).abs().max()) > tolerance:
        return (
            "the model's output for a graph depends on the other graphs in its batch, so batch_size and the order of "
            "the graphs change the result; look for a norm without running statistics or without batch",
        )
    return ()


def checked_device(device: torch.device | str) -> torch.device:
    """Return the device if it is there."""
    try:
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError, TypeError) as error:
        raise ValueError(
            f"device must be one that PyTorch can use here, got {str(device)!r}: {str(error).splitlines()[0]}"
        ) from None
    return torch.device(device)


def _unwrapped(model: nn.Module) -> nn.Module:
    """The module inside ``torch.compile`` or ``DataParallel``, which hide its signature and its modules' names."""
    for attribute, kind in (("_orig_mod", nn.Module), ("module", nn.DataParallel)):
        inner = getattr(model, attribute, None)
        if isinstance(inner, nn.Module) and isinstance(model, kind):
            return _unwrapped(inner)
    return model


def _on_cpu(tensor: Tensor) -> Tensor:
    return tensor.detach().to(device="cpu", dtype=torch.float64)


def device_of(model: nn.Module) -> torch.device:
    """Where a model's weights are."""
    first: Any = next(chain(model.parameters(), model.buffers()), None)
    return torch.device("cpu") if first is None else first.device


def _list_modules(model: nn.Module) -> str:
    names = [f"{name} ({type(module).__name__})" for name, module in model.named_modules() if name]
    return "its modules are: " + (", ".join(names) if names else "none below the model itself")
