"""Finding the readout of a model by watching one call of it.

Nothing is asked of the model. While it runs, every tensor operation is seen, and those that reduce over
``batch`` are noted. Which of them is the readout follows from what the output depends on: walking back from
the output, the reductions met first are the readout; those behind it (a graph norm, a virtual node, the
softmax of an attention) are not.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from torch import Tensor, nn
from torch.overrides import TorchFunctionMode
from torch_geometric.nn.aggr import Aggregation

from protograph.models.reductions import DIVISIONS, Place, Readout, is_index, reduced_source, tensors_in

_FACTORIES = frozenset(
    {"new_zeros", "new_ones", "new_full", "new_empty", "zeros_like", "ones_like", "full_like", "empty_like"}
)


class AmbiguousReadoutError(ValueError):
    """The readout cannot be told by watching the model."""


@dataclass
class _Step:
    """A reduction over ``batch``, or the call of an aggregation module over it."""

    source: Tensor
    result: Tensor
    ordinal: int
    module: str | None = None
    is_mean: bool = False


class Tracer(TorchFunctionMode):
    """Watches one call of a model and works out which reductions over ``batch`` its output rests on."""

    def __init__(self, batch: Tensor) -> None:
        super().__init__()
        self._batch = batch
        self._steps: list[_Step] = []
        self._num_reductions = 0
        self._rests_on: dict[int, frozenset[int]] = {}
        self._constant: set[int] = set()
        self._alive: list[Any] = []  # an id is unique only while its tensor lives
        self._num_calls: dict[str, int] = {}
        self._depth = 0  # of aggregation modules: some contain others

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Run ``func`` and note what its result rests on."""
        kwargs = kwargs or {}
        name = getattr(func, "__name__", "")
        source = reduced_source(self._batch, name, args, kwargs)
        result = func(*args, **kwargs)
        self._alive.append(result)
        inputs = list(tensors_in(args[0] if name.endswith("_as") else (args, kwargs)))  # expand_as: only a shape
        outputs = [args[0]] if name == "__setitem__" else list(tensors_in(result))
        for output in outputs:
            self._note(output, inputs, name)
        if source is not None and outputs:
            self._count(source, outputs[0])
        elif name in DIVISIONS and outputs:
            self._follow_division(inputs, outputs[0])
        return result

    def readout_of(self, output: Tensor) -> Readout:
        """Return the readout that ``output`` rests on."""
        steps = [self._steps[number] for number in sorted(self._rests_on.get(id(output), frozenset()))]
        if not steps:
            raise AmbiguousReadoutError("no reduction over batch was seen that the output depends on")
        if len({id(step.source) for step in steps}) > 1:
            raise AmbiguousReadoutError(f"the output rests on {len(steps)} readouts of different node embeddings")
        if steps[0].source.dim() != 2:
            raise AmbiguousReadoutError("the readout does not take one vector a node")
        return Readout(tuple(Place(step.ordinal, step.module, step.is_mean) for step in steps))

    @contextmanager
    def watching_aggregations(self, model: nn.Module) -> Iterator[None]:
        """Attribute what happens inside a PyG aggregation module (attention, Set2Set) to that module."""
        handles = []
        for name, module in model.named_modules():
            if isinstance(module, Aggregation):
                handles.append(module.register_forward_pre_hook(self._enter))
                handles.append(module.register_forward_hook(self._leaving(name), with_kwargs=True))
        try:
            yield
        finally:
            for handle in handles:
                handle.remove()

    def _enter(self, module: nn.Module, args: Any) -> None:
        self._depth += 1

    def _leaving(self, name: str) -> Callable[..., None]:
        def hook(module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
            self._depth -= 1
            ordinal = self._num_calls.get(name, 0)
            self._num_calls[name] = ordinal + 1
            inputs = list(tensors_in((args, kwargs)))
            over_batch = any(is_index(self._batch, t) for t in inputs[1:])
            if self._depth == 0 and over_batch and isinstance(result, Tensor):
                self._add(_Step(inputs[0], result, ordinal, module=name))

        return hook

    def _note(self, output: Tensor, inputs: list[Tensor], name: str) -> None:
        if name in _FACTORIES or all(self._is_constant(t) for t in inputs):
            self._constant.add(id(output))
            self._rests_on[id(output)] = frozenset()
        else:
            self._constant.discard(id(output))
            self._rests_on[id(output)] = frozenset().union(*(self._rests_on.get(id(t), frozenset()) for t in inputs))

    def _is_constant(self, tensor: Tensor) -> bool:
        # Counts of nodes are reductions over batch too, but nothing of the model is in them.
        return id(tensor) in self._constant or not tensor.is_floating_point()

    def _count(self, source: Tensor, result: Tensor) -> None:
        step = _Step(source, result, self._num_reductions)
        self._num_reductions += 1
        if self._depth == 0 and not self._is_constant(source):
            self._add(step)

    def _add(self, step: _Step) -> None:
        self._rests_on[id(step.result)] = frozenset({len(self._steps)})
        self._steps.append(step)

    def _follow_division(self, inputs: list[Tensor], result: Tensor) -> None:
        if not all(self._is_constant(t) for t in inputs[1:]):
            return
        for step in self._steps:
            if inputs and step.result is inputs[0]:
                step.result, step.is_mean = result, True
