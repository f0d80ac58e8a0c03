"""Where a model reads its graphs out of their nodes: found by watching one call of it, then caught or changed.

Nothing is asked of the model. While it runs, every tensor operation is seen, and those that reduce over
``batch`` are noted. Which of them is the readout follows from what the output depends on: walking back from
the output, the reductions met first are the readout; those behind it (a graph norm, a virtual node, the
softmax of an attention) are not.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode
from torch_geometric.nn.aggr import Aggregation, MeanAggregation, SumAggregation

from protograph.models.precision import run_as_is, run_in_double

_REDUCERS = frozenset(
    f"{name}{suffix}"
    for name in ("scatter_add", "scatter_reduce", "index_add", "index_reduce", "scatter")
    for suffix in ("", "_")
)
_DIVISIONS = frozenset({"div", "div_", "true_divide", "true_divide_", "__truediv__", "__itruediv__"})
_WATCHED = _REDUCERS | _DIVISIONS
_REDUCED_BY_NAME = frozenset({"scatter_reduce", "scatter_reduce_", "index_reduce", "index_reduce_"})
_SUMS = frozenset({"sum", "mean", "add"})
_FACTORIES = frozenset(
    {"new_zeros", "new_ones", "new_full", "new_empty", "zeros_like", "ones_like", "full_like", "empty_like"}
)


class AmbiguousReadoutError(ValueError):
    """The readout cannot be told by watching the model."""


@dataclass(frozen=True)
class Place:
    """One step of a readout, found again in every call of the model.

    Attributes:
        ordinal: Which reduction over ``batch`` it is, or which call of the module.
        module: Name of the aggregation module, ``None`` for a reduction in the model's own code.
        is_mean: Whether the sums are divided by counts afterwards.
    """

    ordinal: int
    module: str | None = None
    is_mean: bool = False


@dataclass(frozen=True)
class Readout:
    """Where node and graph embeddings are to be caught.

    Attributes:
        places: The steps that make up the readout, all fed by the same node embeddings.
        node_module: Module whose output is the node embeddings, where the user named one.
        graph_module: Module whose input is the graph embeddings, where the user named one.
    """

    places: tuple[Place, ...] = ()
    node_module: str | None = None
    graph_module: str | None = None


def reduced_source(batch: Tensor, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Tensor | None:
    """Return what the operation ``name`` reduces over ``batch``, ``None`` where it does not."""
    if name not in _REDUCERS:
        return None
    index = args[2] if len(args) > 2 else kwargs.get("index")
    source = args[3] if len(args) > 3 else kwargs.get("src", kwargs.get("source"))
    if not isinstance(index, Tensor) or not isinstance(source, Tensor) or not source.is_floating_point():
        return None
    is_over_nodes = source.dim() > 0 and source.size(0) == batch.numel()
    return source if is_over_nodes and is_index(batch, index) else None


def is_index(batch: Tensor, index: Tensor) -> bool:
    """Whether ``index`` is ``batch`` itself or spread over columns: the same memory, since equal numbers may be chance.

    (A convolution over graphs of one node each, with self-loops, has the same numbers as ``batch``.)
    """
    if index.dim() == 0 or index.size(0) != batch.numel():
        return False
    return index.untyped_storage().data_ptr() == batch.untyped_storage().data_ptr()


def tensors_in(value: Any) -> Iterator[Tensor]:
    """Every tensor in nested tuples, lists and dictionaries."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, tuple | list):
        for item in value:
            yield from tensors_in(item)
    elif isinstance(value, dict):
        yield from tensors_in(list(value.values()))


class Watcher(TorchFunctionMode):
    """Sees every tensor operation of a call of a model, and counts those that reduce over ``batch``.

    It also runs them, in double precision where that is asked for: a second mode would see each of them once more.

    Attributes:
        batch: Which graph each node is of.
        readout: The readout, as far as it is known.
        places: Its steps that are reductions in the model's own code, by their ordinals.
        ordinal: Number of the latest reduction.
    """

    # Whether operations matter that are neither reductions nor divisions.
    sees_all = False

    def __init__(self, batch: Tensor, readout: Readout, *, is_double: bool = False) -> None:
        super().__init__()
        self.batch = batch
        self.readout = readout
        self.is_double = is_double
        self.call = run_in_double if is_double else run_as_is
        self.places = {place.ordinal: place for place in readout.places if place.module is None}
        self.ordinal = -1

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None) -> Any:
        name = getattr(func, "__name__", "")
        if name not in _WATCHED and not self.sees_all:
            return self.call(func, args, kwargs)
        source = reduced_source(self.batch, name, args, kwargs or {})
        if source is not None:
            self.ordinal += 1
        return self._run(func, name, args, kwargs or {}, source)

    @abstractmethod
    def _run(self, func: Any, name: str, args: Any, kwargs: dict[str, Any], source: Tensor | None) -> Any:
        """Run an operation; ``source`` is what it reduces over ``batch``, ``None`` where it does not."""

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

    def __init__(self, batch: Tensor, readout: Readout, *, is_double: bool = False) -> None:
        super().__init__(batch, readout, is_double=is_double)
        self._source: Tensor | None = None
        self._parts: dict[Place, Tensor] = {}
        self._named_nodes: Tensor | None = None
        self._named_graphs: Tensor | None = None

    @property
    def node_embeddings(self) -> Tensor | None:
        """The node embeddings ``[num_nodes, dim]``, if they were seen."""
        return self._source if self.readout.node_module is None else self._named_nodes

    @property
    def graph_embeddings(self) -> Tensor | None:
        """The graph embeddings ``[num_graphs, dim]``; several readouts of the same nodes stand side by side."""
        if self.readout.graph_module is not None:
            return self._named_graphs
        if any(place not in self._parts for place in self.readout.places):
            return None
        return torch.cat([self._parts[place] for place in self.readout.places], dim=1)

    @contextmanager
    def on(self, model: nn.Module) -> Iterator["Tap"]:
        """Catch the embeddings of the call made inside the ``with`` block."""
        with ExitStack() as stack:
            stack.enter_context(self._at_modules(model, self._catch_module))
            if self.places or self.is_double:
                stack.enter_context(self)
            if self.readout.node_module is not None:
                module = model.get_submodule(self.readout.node_module)
                stack.callback(module.register_forward_hook(self._catch_nodes).remove)
            if self.readout.graph_module is not None:
                module = model.get_submodule(self.readout.graph_module)
                stack.callback(module.register_forward_pre_hook(self._catch_graphs, with_kwargs=True).remove)
            yield self

    def _run(self, func: Any, name: str, args: Any, kwargs: dict[str, Any], source: Tensor | None) -> Any:
        result = self.call(func, args, kwargs)
        if source is not None and self.ordinal in self.places:
            self._source = source
            self._parts[self.places[self.ordinal]] = result
        elif name in _DIVISIONS:
            divided = next((p for p, part in self._parts.items() if p.is_mean and args and args[0] is part), None)
            if divided is not None:
                self._parts[divided] = result
        return result

    def _catch_module(self, place: Place, module: nn.Module, inputs: Any, result: Any) -> None:
        part = next(tensors_in(result), None)
        if part is not None:
            self._source = next(tensors_in(inputs), None)
            self._parts[place] = part

    def _catch_nodes(self, module: nn.Module, args: Any, result: Any) -> None:
        self._named_nodes = next(tensors_in(result), None)

    def _catch_graphs(self, module: nn.Module, args: Any, kwargs: Any) -> None:
        self._named_graphs = next(tensors_in((args, kwargs)), None)


class LeavingOut(Watcher):
    """Lets only some nodes enter a known readout, their embeddings being those of the whole graph."""

    def __init__(self, batch: Tensor, readout: Readout, keep: Tensor, *, is_double: bool = False) -> None:
        super().__init__(batch, readout, is_double=is_double)
        self._keep = keep

    @contextmanager
    def on(self, model: nn.Module) -> Iterator[None]:
        """Leave the other nodes out in the call made inside the ``with`` block."""
        with self._at_modules(model, self._rerun), self:
            yield

    def _run(self, func: Any, name: str, args: Any, kwargs: dict[str, Any], source: Tensor | None) -> Any:
        if source is not None and self.ordinal in self.places:
            args, kwargs = self._without(name, list(args), dict(kwargs))
        return self.call(func, args, kwargs)

    def _without(self, name: str, args: Any, kwargs: Any) -> tuple[Any, Any]:
        how = args[4] if len(args) > 4 else kwargs.get("reduce")
        if name in ("scatter", "scatter_") and how != "add":
            raise ValueError("the model's readout overwrites nodes by one another, so none of them can be left out")
        is_sum = name not in _REDUCED_BY_NAME or how in _SUMS
        source_key = "src" if "src" in kwargs else "source"
        for position, key in ((2, "index"), (3, source_key)):
            arguments, at = (args, position) if len(args) > position else (kwargs, key)
            if not is_sum:
                arguments[at] = arguments[at][self._keep]
            elif position == 3:
                arguments[at] = self._zeroed(arguments[at])
        return args, kwargs

    def _rerun(self, place: Place, module: nn.Module, inputs: Any, result: Any) -> Any:
        """What an aggregation module gives for the nodes that are kept."""
        nodes, *others = tensors_in(inputs)
        index = next(value for value in others if is_index(self.batch, value))
        if isinstance(module, SumAggregation | MeanAggregation):
            nodes = self._zeroed(nodes)
        else:
            nodes, index = nodes[self._keep], index[self._keep]
        # Other memory than that of batch, so that what the module reduces is not counted again.
        return module.forward(nodes, index.clone(), dim_size=result.size(0))

    def _zeroed(self, nodes: Tensor) -> Tensor:
        return nodes.masked_fill(~self._keep.unsqueeze(1), 0.0)


class Weighing(LeavingOut):
    """Lets each node enter a known sum or mean with a weight; what other readouts give does not depend on it."""

    def __init__(self, batch: Tensor, readout: Readout, weights: Tensor, *, is_double: bool = False) -> None:
        super().__init__(batch, readout, torch.ones_like(weights, dtype=torch.bool), is_double=is_double)
        self._weights = weights

    def _zeroed(self, nodes: Tensor) -> Tensor:
        return nodes * self._weights.to(nodes.dtype).unsqueeze(1)


@dataclass
class _Step:
    """A reduction over ``batch``, or the call of an aggregation module over it."""

    source: Tensor
    result: Tensor
    place: Place


class Tracer(Watcher):
    """Watches one call of a model and works out which reductions over ``batch`` its output rests on."""

    sees_all = True

    def __init__(self, batch: Tensor, *, is_double: bool = False) -> None:
        super().__init__(batch, Readout(), is_double=is_double)
        self._steps: list[_Step] = []
        self._rests_on: dict[int, frozenset[int] | None] = {}  # by a tensor's id the steps; ``None`` for a constant
        self._alive: list[Any] = []  # an id is unique only while its tensor lives
        self._depth = 0  # of aggregation modules: some contain others

    @contextmanager
    def on(self, model: nn.Module) -> Iterator["Tracer"]:
        """Watch the call made inside the ``with`` block.

        What happens inside a PyG aggregation module (attention, Set2Set) is attributed to that module.
        """
        with ExitStack() as stack:
            for name, module in model.named_modules():
                if isinstance(module, Aggregation):
                    stack.callback(module.register_forward_pre_hook(self._enter).remove)
                    stack.callback(module.register_forward_hook(self._leaving(name), with_kwargs=True).remove)
            with self:
                yield self

    def _run(self, func: Any, name: str, args: Any, kwargs: dict[str, Any], source: Tensor | None) -> Any:
        result = self.call(func, args, kwargs)
        self._alive.append(result)
        inputs = list(tensors_in(args[0] if name.endswith("_as") else (args, kwargs)))  # expand_as: only a shape
        outputs = [args[0]] if name == "__setitem__" else list(tensors_in(result))
        is_constant = name in _FACTORIES or all(map(self._is_constant, inputs))
        before = [self._rests_on.get(id(tensor)) or frozenset() for tensor in inputs]
        for output in outputs:
            self._rests_on[id(output)] = None if is_constant else frozenset().union(*before)
        if source is not None and outputs:
            if self._depth == 0 and not self._is_constant(source):
                self._add(_Step(source, outputs[0], Place(self.ordinal)))
        elif name in _DIVISIONS and outputs and all(map(self._is_constant, inputs[1:])):
            self._follow_division(inputs, outputs[0])
        return result

    def readout_of(self, output: Tensor) -> Readout:
        """Return the readout that ``output`` rests on."""
        steps = [self._steps[number] for number in sorted(self._rests_on.get(id(output)) or ())]
        if not steps:
            raise AmbiguousReadoutError("no reduction over batch was seen that the output depends on")
        if len({id(step.source) for step in steps}) > 1:
            raise AmbiguousReadoutError(f"the output rests on {len(steps)} readouts of different node embeddings")
        if steps[0].source.dim() != 2:
            raise AmbiguousReadoutError("the readout does not take one vector a node")
        return Readout(tuple(step.place for step in steps))

    def _enter(self, module: nn.Module, args: Any) -> None:
        self._depth += 1

    def _leaving(self, name: str) -> Callable[..., None]:
        calls = count()

        def hook(module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
            self._depth -= 1
            place = Place(next(calls), name)
            inputs = list(tensors_in((args, kwargs)))
            over_batch = any(is_index(self.batch, tensor) for tensor in inputs[1:])
            if self._depth == 0 and over_batch and isinstance(result, Tensor):
                self._add(_Step(inputs[0], result, place))

        return hook

    def _is_constant(self, tensor: Tensor) -> bool:
        # Counts of nodes are reductions over batch too, but nothing of the model is in them.
        return not tensor.is_floating_point() or self._rests_on.get(id(tensor), frozenset()) is None

    def _add(self, step: _Step) -> None:
        self._rests_on[id(step.result)] = frozenset({len(self._steps)})
        self._steps.append(step)

    def _follow_division(self, inputs: list[Tensor], result: Tensor) -> None:
        for step in self._steps:
            if inputs and step.result is inputs[0]:
                step.result = result
                step.place = replace(step.place, is_mean=True)
