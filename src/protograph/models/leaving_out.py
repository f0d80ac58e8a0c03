"""Leaving nodes out of a model's readout, their embeddings being those of the whole graph."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode
from torch_geometric.data import Data
from torch_geometric.nn.aggr import MeanAggregation, SumAggregation

from protograph.models.classifier import RunningClassifier
from protograph.models.reductions import Place, is_index, reduced_source, tensors_in

_REDUCED_BY_NAME = frozenset({"scatter_reduce", "scatter_reduce_", "index_reduce", "index_reduce_"})
_SUMS = frozenset({"sum", "mean", "add"})


def check_readout(running: RunningClassifier) -> None:
    """Raise where it is not known where nodes enter the readout."""
    if not running.readout.places:
        raise ValueError(
            "the model's readout was named as modules, so it is not known where nodes enter it and they cannot be left "
            "out; use GraphClassifier(model, ...) without node_embeddings or without graph_embeddings"
        )


def classified_without(running: RunningClassifier, graphs: Sequence[Data], keep: Tensor) -> Tensor:
    """The model's output for ``graphs`` when only some of their nodes enter the readout.

    Args:
        running: The model.
        graphs: The graphs.
        keep: Boolean, one entry for each node of all graphs, in their order.
    """
    with _leaving_out(running, keep.to(running.device)):
        return running.classify(graphs)


@contextmanager
def _leaving_out(running: RunningClassifier, keep: Tensor) -> Iterator[None]:
    """Let only some nodes enter the readout in the call made inside the ``with`` block."""
    modules = dict(running.model.named_modules())
    places = running.readout.places
    leaving = _LeavingOut(keep, {place.ordinal for place in places if place.module is None})

    def learn_batch(_: nn.Module, args: Any, kwargs: Any) -> None:
        arguments = running.call.arguments
        if arguments is None:
            leaving.batch = next(iter((*args, *kwargs.values()))).batch
        else:
            leaving.batch = kwargs[next(name for name, attribute in arguments.items() if attribute == "batch")]

    with ExitStack() as stack:
        stack.callback(running.model.register_forward_pre_hook(learn_batch, with_kwargs=True).remove)
        for place in places:
            if place.module is not None:
                hook = _rerun(place, leaving)
                stack.callback(modules[place.module].register_forward_hook(hook, with_kwargs=True).remove)
        stack.enter_context(leaving)
        yield


class _LeavingOut(TorchFunctionMode):
    """Counts the reductions over ``batch``, as the tap does, and leaves nodes out of those of the readout."""

    def __init__(self, keep: Tensor, ordinals: set[int]) -> None:
        super().__init__()
        self.keep = keep
        self.batch: Tensor | None = None
        self._ordinals = ordinals
        self._ordinal = 0

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Run ``func``, on fewer nodes where it is a step of the readout."""
        kwargs = dict(kwargs or {})
        name = getattr(func, "__name__", "")
        source = None if self.batch is None else reduced_source(self.batch, name, args, kwargs)
        if source is not None:
            if self._ordinal in self._ordinals:
                args, kwargs = self._reduced(name, list(args), kwargs)
            self._ordinal += 1
        return func(*args, **kwargs)

    def _reduced(self, name: str, args: list[Any], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        how = args[4] if len(args) > 4 else kwargs.get("reduce")
        if name in ("scatter", "scatter_") and how != "add":
            raise ValueError("the model's readout overwrites nodes by one another, so none of them can be left out")
        is_sum = name not in _REDUCED_BY_NAME or how in _SUMS
        source_key = "src" if "src" in kwargs else "source"
        for position, key in ((2, "index"), (3, source_key)):
            value = args[position] if len(args) > position else kwargs[key]
            if not is_sum:
                value = value[self.keep]
            elif position == 3:
                value = _zeroed(value, self.keep)
            if len(args) > position:
                args[position] = value
            else:
                kwargs[key] = value
        return tuple(args), kwargs


def _rerun(place: Place, leaving: _LeavingOut) -> Callable[..., Any]:
    """A hook that replaces what an aggregation module gives by what it gives for the nodes that are kept."""
    calls = iter(range(place.ordinal + 1))

    def hook(module: nn.Module, args: Any, kwargs: Any, result: Any) -> Any:
        if next(calls, None) != place.ordinal:
            return None
        inputs = list(tensors_in((args, kwargs)))
        assert leaving.batch is not None
        index = next(value for value in inputs[1:] if is_index(leaving.batch, value))
        keep = torch.ones_like(leaving.keep) if isinstance(module, SumAggregation | MeanAggregation) else leaving.keep
        nodes = inputs[0] if keep is leaving.keep else _zeroed(inputs[0], leaving.keep)
        # Other memory than that of batch, so that what the module reduces is not counted again.
        return module.forward(nodes[keep], index[keep].clone(), dim_size=result.size(0))

    return hook


def _zeroed(nodes: Tensor, keep: Tensor) -> Tensor:
    return nodes.masked_fill(~keep.unsqueeze(1), 0.0)
