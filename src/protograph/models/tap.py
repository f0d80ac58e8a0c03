"""Catching node and graph embeddings at a known readout while a model runs."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from protograph.models.outputs import first_tensor
from protograph.models.reductions import DIVISIONS, Place, Readout, reduced_source, tensors_in


@dataclass
class Captured:
    """What was caught in one call.

    Attributes:
        source: What the readout was fed with.
        parts: What it gave, one tensor for each of its places.
        named_nodes: Output of the module that the user named for node embeddings.
        named_graphs: Input of the module that the user named for graph embeddings.
    """

    source: Tensor | None = None
    parts: dict[Place, Tensor] = field(default_factory=dict)
    named_nodes: Tensor | None = None
    named_graphs: Tensor | None = None

    def node_embeddings(self, readout: Readout) -> Tensor | None:
        """The node embeddings ``[num_nodes, dim]``, if they were seen."""
        return self.source if readout.node_module is None else self.named_nodes

    def graph_embeddings(self, readout: Readout) -> Tensor | None:
        """The graph embeddings ``[num_graphs, dim]``; several readouts of the same nodes stand side by side."""
        if readout.graph_module is not None:
            return self.named_graphs
        if any(place not in self.parts for place in readout.places):
            return None
        return torch.cat([self.parts[place] for place in readout.places], dim=1)


@contextmanager
def capturing(model: nn.Module, readout: Readout, batch: Tensor) -> Iterator[Captured]:
    """Catch the embeddings of the call made inside the ``with`` block."""
    captured = Captured()
    modules = dict(model.named_modules())
    with ExitStack() as stack:
        for place in readout.places:
            if place.module is not None:
                _listen(stack, modules[place.module], place, captured)
        if any(place.module is None for place in readout.places):
            stack.enter_context(_Listener(batch, readout, captured))
        if readout.node_module is not None:
            hook = _node_hook(captured)
            stack.callback(modules[readout.node_module].register_forward_hook(hook).remove)
        if readout.graph_module is not None:
            before = _graph_hook(captured)
            handle = modules[readout.graph_module].register_forward_pre_hook(before, with_kwargs=True)
            stack.callback(handle.remove)
        yield captured


def _node_hook(captured: Captured) -> Callable[..., None]:
    def hook(module: nn.Module, args: Any, result: Any) -> None:
        captured.named_nodes = first_tensor(result)

    return hook


def _graph_hook(captured: Captured) -> Callable[..., None]:
    def hook(module: nn.Module, args: Any, kwargs: Any) -> None:
        captured.named_graphs = next(tensors_in((args, kwargs)), None)

    return hook


def _listen(stack: ExitStack, module: nn.Module, place: Place, captured: Captured) -> None:
    calls = iter(range(place.ordinal + 1))

    def hook(_: nn.Module, args: Any, kwargs: Any, result: Any) -> None:
        if next(calls, None) == place.ordinal:
            captured.source = next(tensors_in((args, kwargs)), None)
            found = first_tensor(result)
            if found is not None:
                captured.parts[place] = found

    stack.callback(module.register_forward_hook(hook, with_kwargs=True).remove)


class _Listener(TorchFunctionMode):
    """Counts the reductions over ``batch`` and keeps those that the readout is made of."""

    def __init__(self, batch: Tensor, readout: Readout, captured: Captured) -> None:
        super().__init__()
        self._batch = batch
        self._places = {place.ordinal: place for place in readout.places if place.module is None}
        self._captured = captured
        self._ordinal = 0

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Run ``func`` and keep its result where it is a step of the readout."""
        kwargs = kwargs or {}
        name = getattr(func, "__name__", "")
        source = reduced_source(self._batch, name, args, kwargs)
        result = func(*args, **kwargs)
        if source is not None:
            place = self._places.get(self._ordinal)
            self._ordinal += 1
            if place is not None:
                self._captured.source = source
                self._captured.parts[place] = result
        elif name in DIVISIONS:
            self._follow_division(args, result)
        return result

    def _follow_division(self, args: tuple[Any, ...], result: Tensor) -> None:
        for place, part in self._captured.parts.items():
            if place.is_mean and args and args[0] is part:
                self._captured.parts[place] = result
                return
