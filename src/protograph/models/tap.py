"""Catching node and graph embeddings at a known readout while a model runs."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

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

    def catch_nodes(module: nn.Module, args: Any, result: Any) -> None:
        captured.named_nodes = next(tensors_in(result), None)

    def catch_graphs(module: nn.Module, args: Any, kwargs: Any) -> None:
        captured.named_graphs = next(tensors_in((args, kwargs)), None)

    with ExitStack() as stack:
        for place in readout.places:
            if place.module is not None:
                module = model.get_submodule(place.module)
                stack.callback(module.register_forward_hook(_part_hook(place, captured), with_kwargs=True).remove)
        if any(place.module is None for place in readout.places):
            stack.enter_context(_Listener(batch, readout, captured))
        if readout.node_module is not None:
            stack.callback(model.get_submodule(readout.node_module).register_forward_hook(catch_nodes).remove)
        if readout.graph_module is not None:
            module = model.get_submodule(readout.graph_module)
            stack.callback(module.register_forward_pre_hook(catch_graphs, with_kwargs=True).remove)
        yield captured


def _part_hook(place: Place, captured: Captured) -> Callable[..., None]:
    calls = count()

    def hook(module: nn.Module, args: Any, kwargs: Any, result: Any) -> None:
        part = next(tensors_in(result), None)
        if next(calls) == place.ordinal and part is not None:
            captured.source, captured.parts[place] = next(tensors_in((args, kwargs)), None), part

    return hook


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
