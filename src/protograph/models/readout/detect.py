"""Finding a model's readout by watching one call of it.

Every operation is noted with what it was made of. Walking back from the output, the reductions over nodes that are met
first are the readout; those behind them (a graph norm, a virtual node, the softmax of an attention) are not. Where the
walk reaches the nodes' own tensors by another way, the readout cannot be told, and modules that take one vector a
graph, and that every way from the nodes leads through, are left to choose from.
"""

from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import torch
from torch import Tensor, nn
from torch_geometric.nn.aggr import Aggregation

from protograph.models.readout import Place, Readout
from protograph.models.readout.capture import DIVISIONS, Reduction, Watcher, tensors_in
from protograph.models.readout.pooling import Level

_FACTORIES = frozenset(
    {"new_zeros", "new_ones", "new_full", "new_empty", "zeros_like", "ones_like", "full_like", "empty_like"}
)
# Operations that put the same numbers into another shape.
_LAYING_OUT = frozenset(
    {"view", "reshape", "squeeze", "unsqueeze", "flatten", "__getitem__", "clone", "contiguous", "cat", "stack", "t"}
)


@dataclass(eq=False)
class _Step:
    """A reduction over nodes, or the call of an aggregation module over them."""

    place: Place
    level: Level
    result: Tensor


class Tracer(Watcher):
    """Watches one call of a model and works out which reductions over nodes its output rests on.

    Args:
        batch: Which graph each node is of.
        of_nodes: The tensors of nodes and edges that the model is given.
        is_double: Whether operations run in double precision.
        is_one_graph: Whether the model takes one graph at a time.
    """

    def __init__(
        self,
        batch: Tensor,
        of_nodes: Collection[Tensor] = (),
        *,
        is_double: bool = False,
        is_one_graph: bool = False,
    ) -> None:
        super().__init__(batch, Readout(), is_double=is_double, is_one_graph=is_one_graph)
        self._steps: list[_Step] = []
        self._step_of: dict[int, _Step] = {}  # by the id of its result
        self._made_of: dict[int, set[int]] = {}  # by a tensor's id
        self._made_by: dict[int, str] = {}  # the name of the operation
        self._constants: set[int] = set()
        self._of_nodes = {id(tensor) for tensor in of_nodes}
        self._takes: dict[str, list[Tensor]] = {}  # by a module's name, the first tensor of each call
        self._alive: list[Any] = [of_nodes]  # an id is unique only while its tensor lives
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
                elif name and not isinstance(module, torch.jit.ScriptModule):  # which takes no hooks
                    stack.callback(module.register_forward_hook(self._passing(name), with_kwargs=True).remove)
            with self:
                yield self

    def readout_of(self, output: Tensor) -> tuple[Readout, str]:
        """The readout that ``output`` rests on, and why it cannot be told; empty where it can."""
        reached = self._reached(output, self._step_of)
        found = {self._step_of[one] for one in reached if one in self._step_of}
        steps = [step for step in self._steps if step in found]
        problem = ""
        if not steps:
            problem = "no reduction over nodes was seen that the output depends on"
        elif reached & self._of_nodes:
            problem = "the output depends on nodes by a way without a reduction that was seen"
        elif not all(step.level.is_selection for step in steps):
            problem = "the output rests on a readout of edges"
        is_pooled = any(step.level.is_pooled for step in steps)
        return Readout(tuple(step.place for step in steps), is_pooled=is_pooled), problem

    def graph_modules(self, output: Tensor) -> list[str]:
        """Modules that take one vector a graph, once a call, which every way from nodes to the output leads through."""
        num_graphs, num_nodes = int(self.batch.max()) + 1, self.batch.numel()
        names = []
        for name, (first, *others) in self._takes.items():
            is_row_each = first.dim() == 2 and first.size(0) == num_graphs != num_nodes
            if others or not (is_row_each or (self._is_one_graph and first.dim() == 1)):
                continue
            reached = self._reached(output, {id(first)})
            if first.is_floating_point() and id(first) in reached and not reached & self._of_nodes:
                names.append(name)
        # Without the parts of others.
        return [name for name in names if not any(name.startswith(f"{other}.") for other in names)]

    def ends_in(self, output: Tensor, operations: Collection[str]) -> bool:
        """Whether ``output`` is what an operation of such a name gives, however it was laid out afterwards."""
        others = {one for one, name in self._made_by.items() if name not in _LAYING_OUT}
        return any(self._made_by.get(one) in operations for one in self._reached(output, others))

    def _reached(self, output: Tensor, stops: Collection[int]) -> set[int]:
        """Ids of all tensors that ``output`` was made of, as far as the stops."""
        reached, open_ids = set(), [id(output)]
        while open_ids:
            one = open_ids.pop()
            if one not in reached:
                reached.add(one)
                open_ids.extend(() if one in stops else self._made_of.get(one, ()))
        return reached

    def _run(self, func: Any, name: str, args: Any, kwargs: dict[str, Any], reduction: Reduction | None) -> Any:
        result = self.call(func, args, kwargs)
        self._alive.append(result)
        inputs = tensors_in(args[0] if name.endswith("_as") else (args, kwargs))  # expand_as: only a shape
        outputs = [args[0]] if name == "__setitem__" else tensors_in(result)
        is_constant = name in _FACTORIES or all(map(self._is_constant, inputs))
        for output in outputs:
            self._note(name, output, inputs, is_constant=is_constant)
        if reduction is not None and outputs:
            if self._depth == 0 and not self._is_constant(reduction.source):
                self._add(_Step(Place(self.ordinal), reduction.level, outputs[0]))
        elif name in DIVISIONS and outputs and inputs and all(map(self._is_constant, inputs[1:])):
            step = self._step_of.get(id(inputs[0]))
            if step is not None and step.result is inputs[0]:  # a mean: sums divided by counts
                step.result, step.place = outputs[0], replace(step.place, is_mean=True)
                self._step_of[id(outputs[0])] = step
        return result

    def _add(self, step: _Step) -> None:
        self._steps.append(step)
        self._step_of[id(step.result)] = step

    def _note(self, name: str, output: Tensor, inputs: list[Tensor], *, is_constant: bool) -> None:
        # Whole numbers made of others, as an order of nodes by their scores, say where something is, not what.
        is_position = not output.is_floating_point() and any(tensor.is_floating_point() for tensor in inputs)
        if is_constant or is_position:
            self._constants.add(id(output))
            return
        self._constants.discard(id(output))
        # A single number of the whole batch, as a largest value to scale by, tells no node from another.
        is_of_all = output.dim() == 0 and any(tensor.numel() > 1 for tensor in inputs)
        self._made_of.setdefault(id(output), set()).update(() if is_of_all else map(id, inputs))
        self._made_by[id(output)] = name

    def _enter(self, module: nn.Module, args: Any) -> None:
        self._depth += 1

    def _leaving(self, name: str) -> Callable[..., None]:
        calls = count()

        def hook(module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
            self._depth -= 1
            place = Place(next(calls), name)
            reduction = self.reduction_of_module((args, kwargs)) if self._depth == 0 else None
            if reduction is not None and isinstance(result, Tensor):
                self._add(_Step(place, reduction.level, result))

        return hook

    def _passing(self, name: str) -> Callable[..., None]:
        def hook(module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
            if tensors := tensors_in((args, kwargs)):
                self._takes.setdefault(name, []).append(tensors[0])

        return hook

    def _is_constant(self, tensor: Tensor) -> bool:
        # Counts of nodes are reductions over batch too, but nothing of the model is in them.
        if id(tensor) in self._of_nodes:
            return False
        is_made_of_them = id(tensor) in self._made_of
        return id(tensor) in self._constants or (not tensor.is_floating_point() and not is_made_of_them)
