"""Watching a model run, and catching node and graph embeddings at a known readout.

Every tensor operation is seen, and those that reduce over nodes are counted: a step of the readout is known by its
number. A model's copy in double precision runs in it by the same means: whatever asks for single precision gets double.
This is a mode of the thread that runs the model; ``torch.set_default_dtype`` would be a setting of the whole process,
and other threads would see it.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import count
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from protograph.models.readout import Place, Readout
from protograph.models.readout.pooling import Level, NodeRows

REDUCERS = frozenset(
    f"{name}{suffix}"
    for name in ("scatter_add", "scatter_reduce", "index_add", "index_reduce", "scatter")
    for suffix in ("", "_")
)
DIVISIONS = frozenset({"div", "div_", "true_divide", "true_divide_", "__truediv__", "__itruediv__"})
# Of a model that takes one graph: its nodes are all rows.
WHOLE_SUMS = frozenset({"sum", "mean"})
WHOLE_REDUCERS = WHOLE_SUMS | {"max", "amax"}

# What makes floating point numbers of nothing, in PyTorch's default precision.
_NEW_FLOATS = frozenset(
    {torch.zeros, torch.ones, torch.empty, torch.rand, torch.randn, torch.eye, torch.linspace, torch.logspace}
)
# What makes them of Python's numbers, or whole ones where those are whole.
_NEW_NUMBERS = frozenset({torch.tensor, torch.as_tensor, torch.asarray, torch.full, torch.arange, torch.scalar_tensor})


def run_in_double(func: Any, args: Any, kwargs: dict[str, Any] | None) -> Any:
    """Run an operation in double precision.

    ``x.float()`` and ``dtype=torch.float32`` mean double, and so does PyTorch's default precision, which is that of
    new tensors, and of what operations make of whole numbers.
    """
    if func is Tensor.float:
        return args[0].double()
    kwargs = kwargs or {}
    if any(value is torch.float32 for value in args):
        args = [torch.float64 if value is torch.float32 else value for value in args]
    if kwargs.get("dtype") is torch.float32 or (func in _NEW_FLOATS and kwargs.get("dtype") is None):
        kwargs = {**kwargs, "dtype": torch.float64}
    result = func(*args, **kwargs)
    if not isinstance(result, Tensor) or result.dtype is not torch.float32:
        return result
    if func in _NEW_NUMBERS:
        return func(*args, **{**kwargs, "dtype": torch.float64})
    if any(map(_is_whole, args)):  # 1 / 3 in single precision would not be 1 / 3 in double
        again = func(*[value.double() if _is_whole(value) else value for value in args], **kwargs)
        return again.double()
    return result.double()


def _is_whole(value: Any) -> bool:
    if not isinstance(value, Tensor) or value.dtype is torch.bool:
        return False
    return not value.is_floating_point() and not value.is_complex()


class DoubleInPlaceOfFloat(TorchFunctionMode):
    """Runs every operation of a model in double precision."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None) -> Any:
        return run_in_double(func, args, kwargs)


def tensors_in(value: Any) -> list[Tensor]:
    """Every tensor in nested tuples, lists and dictionaries."""
    if isinstance(value, Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [tensor for item in value for tensor in tensors_in(item)] if isinstance(value, tuple | list) else []


class Reduction(NamedTuple):
    """An operation, or the call of an aggregation module, that reduces rows of nodes to graphs.

    Attributes:
        source: What it reduces, an entry a row.
        level: Which nodes the rows stand for.
    """

    source: Tensor
    level: Level


class Watcher(TorchFunctionMode):
    """Sees every tensor operation of a call of a model, and counts those that reduce over nodes.

    It also runs them, in double precision where that is asked for: a second mode would see each of them once more.

    Attributes:
        batch: Which graph each node is of.
        rows: Which rows stand for which nodes.
        readout: The readout, as far as it is known.
        places: Its steps that are reductions in the model's own code, by their ordinals.
        ordinal: Number of the latest reduction.
    """

    def __init__(self, batch: Tensor, readout: Readout, *, is_double: bool = False, is_one_graph: bool = False) -> None:
        super().__init__()
        self.batch = batch
        self.rows = NodeRows(batch, is_one_graph=is_one_graph)
        self.readout = readout
        self.is_double = is_double
        self.places = {place.ordinal: place for place in readout.places if place.module is None}
        self.ordinal = -1
        self._is_one_graph = is_one_graph
        self._is_resting = False  # where a module is run again, its operations are not the model's

    def call(self, func: Any, args: Any, kwargs: dict[str, Any] | None) -> Any:
        """Run an operation."""
        return run_in_double(func, args, kwargs) if self.is_double else func(*args, **(kwargs or {}))

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None) -> Any:
        if self._is_resting:
            return self.call(func, args, kwargs)
        name, kwargs = getattr(func, "__name__", ""), kwargs or {}
        reduction = self._reduction(name, args, kwargs)
        if reduction is not None:
            self.ordinal += 1
        result = self._run(func, name, args, kwargs, reduction)
        self.rows.follow(name, args, kwargs, result)
        return result

    @abstractmethod
    def _run(self, func: Any, name: str, args: Any, kwargs: dict[str, Any], reduction: Reduction | None) -> Any:
        """Run an operation; ``reduction`` is what it reduces over nodes, ``None`` where it does not."""

    def _reduction(self, name: str, args: Any, kwargs: dict[str, Any]) -> Reduction | None:
        """What an operation reduces over nodes, ``None`` where it does not."""
        if self._is_one_graph and name in WHOLE_REDUCERS:
            source = args[0] if args else kwargs.get("input")
            dim = args[1] if len(args) > 1 else kwargs.get("dim")
            is_over_rows = (tuple(dim) if isinstance(dim, tuple | list) else (dim,)) in ((0,), (-2,))
            level = Level(self.batch) if is_over_rows and isinstance(source, Tensor) and source.dim() == 2 else None
        elif name in REDUCERS:
            source = args[3] if len(args) > 3 else kwargs.get("src", kwargs.get("source"))
            level = self.rows.level(args[2] if len(args) > 2 else kwargs.get("index"))
        else:
            return None
        if level is None or not isinstance(source, Tensor) or not source.is_floating_point() or source.dim() == 0:
            return None
        return Reduction(source, level) if source.size(0) == level.num_rows else None

    def reduction_of_module(self, inputs: Any) -> Reduction | None:
        """What the call of an aggregation module reduces over nodes, by its arguments."""
        source, *others = tensors_in(inputs)
        levels = (self.rows.level(tensor) for tensor in others)
        level = next((level for level in levels if level is not None), None)
        if level is None and self._is_one_graph and not others:  # without an index: all rows are one graph's
            level = Level(self.batch) if source.size(0) == self.batch.numel() else None
        return None if level is None else Reduction(source, level)

    @contextmanager
    def _at_modules(self, model: nn.Module, then: Callable[..., Any]) -> Iterator[None]:
        """Within the ``with`` block, call ``then`` wherever an aggregation module is a step of the readout.

        Its arguments are the place, the module, what the module takes and what it gives; what it returns, unless that
        is ``None``, is taken for what the module gives.
        """

        def hook_of(place: Place) -> Callable[..., Any]:
            calls = count()

            def hook(module: nn.Module, args: Any, kwargs: Any, result: Any) -> Any:
                return then(place, module, (args, kwargs), result) if next(calls) == place.ordinal else None

            return hook

        with ExitStack() as stack:
            for place in self.readout.places:
                if place.module is not None:
                    module = model.get_submodule(place.module)
                    stack.callback(module.register_forward_hook(hook_of(place), with_kwargs=True).remove)
            yield


class Tap(Watcher):
    """Catches node and graph embeddings at a known readout in one call of a model."""

    def __init__(self, batch: Tensor, readout: Readout, *, is_double: bool = False, is_one_graph: bool = False) -> None:
        super().__init__(batch, readout, is_double=is_double, is_one_graph=is_one_graph)
        # What steps of the readout have read, by its id, as it was then; kept, too, so that its id stays its own.
        self._read: dict[int, tuple[Tensor, Tensor, Level]] = {}
        self._parts: dict[Place, Tensor] = {}
        self._named_nodes: Tensor | None = None
        self._named_graphs: Tensor | None = None

    @property
    def node_embeddings(self) -> Tensor | None:
        """The node embeddings ``[num_nodes, dim]``, if they were seen; several that are read out stand side by side."""
        if self.readout.node_module is not None:
            return self._named_nodes
        nodes = [_flat(level.of_nodes(rows)) for _, rows, level in self._read.values()]
        return torch.cat(nodes, dim=1) if nodes else None

    @property
    def graph_embeddings(self) -> Tensor | None:
        """The graph embeddings ``[num_graphs, dim]``; several readouts stand side by side."""
        if self.readout.graph_module is not None:
            named = self._named_graphs
            return named.unsqueeze(0) if named is not None and named.dim() == 1 and self._is_one_graph else named
        if not self.readout.places or any(place not in self._parts for place in self.readout.places):
            return None
        parts = [self._parts[place] for place in self.readout.places]
        return torch.cat([part.reshape(1, -1) if self._is_one_graph else _flat(part) for part in parts], dim=1)

    @contextmanager
    def on(self, model: nn.Module) -> Iterator["Tap"]:
        """Catch the embeddings of the call made inside the ``with`` block."""

        def catch_nodes(module: nn.Module, args: Any, result: Any) -> None:
            self._named_nodes = next(iter(tensors_in(result)), None)

        def catch_graphs(module: nn.Module, args: Any, kwargs: Any) -> None:
            self._named_graphs = next(iter(tensors_in((args, kwargs))), None)

        with self._at_modules(model, self._catch_module), self, ExitStack() as stack:
            if self.readout.node_module is not None:
                module = model.get_submodule(self.readout.node_module)
                stack.callback(module.register_forward_hook(catch_nodes).remove)
            if self.readout.graph_module is not None:
                module = model.get_submodule(self.readout.graph_module)
                stack.callback(module.register_forward_pre_hook(catch_graphs, with_kwargs=True).remove)
            yield self

    def _run(self, func: Any, name: str, args: Any, kwargs: dict[str, Any], reduction: Reduction | None) -> Any:
        place = None if reduction is None else self.places.get(self.ordinal)
        if reduction is not None and place is not None:
            self._catch(reduction)
        result = self.call(func, args, kwargs)
        if place is None and name in DIVISIONS:
            place = next((one for one, part in self._parts.items() if one.is_mean and args and args[0] is part), None)
        if place is not None:
            self._parts[place] = tensors_in(result)[0]
        return result

    def _catch(self, reduction: Reduction) -> None:
        source, level = reduction
        # A later layer may write into what an earlier one has read out.
        self._read.setdefault(id(source), (source, source.clone(), level))

    def _catch_module(self, place: Place, module: nn.Module, inputs: Any, result: Any) -> None:
        reduction = self.reduction_of_module(inputs)
        if reduction is not None and (parts := tensors_in(result)):
            self._catch(reduction)
            self._parts[place] = parts[0]


def _flat(rows: Tensor) -> Tensor:
    """One vector a row."""
    return rows if rows.dim() == 2 else rows.reshape(rows.size(0), -1)
