"""Leaving nodes out of a model's readout, their embeddings being those of the whole graph."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import count
from typing import Any

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
    return running.classify(graphs, partial(_leaving_out, running, keep.to(running.device)))


@contextmanager
def _leaving_out(running: RunningClassifier, keep: Tensor, batch: Tensor) -> Iterator[None]:
    """Let only some nodes enter the readout in the call made inside the ``with`` block."""
    places = running.readout.places
    leaving = _LeavingOut(batch, keep, {place.ordinal for place in places if place.module is None})
    with ExitStack() as stack:
        for place in places:
            if place.module is not None:
                module = running.model.get_submodule(place.module)
                stack.callback(module.register_forward_hook(_rerun(place, batch, keep), with_kwargs=True).remove)
        stack.enter_context(leaving)
        yield


class _LeavingOut(TorchFunctionMode):
    """Counts the reductions over ``batch``, as the tap does, and leaves nodes out of those of the readout."""

    def __init__(self, batch: Tensor, keep: Tensor, ordinals: set[int]) -> None:
        super().__init__()
        self._batch, self._keep = batch, keep
        self._ordinals, self._ordinal = ordinals, 0

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
        if reduced_source(self._batch, name, args, kwargs) is not None:
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
                value = value[self._keep]
            elif position == 3:
                value = _zeroed(value, self._keep)
            if len(args) > position:
                args[position] = value
            else:
                kwargs[key] = value
        return tuple(args), kwargs


def _rerun(place: Place, batch: Tensor, keep: Tensor) -> Callable[..., Any]:
    """A hook that replaces what an aggregation module gives by what it gives for the nodes that are kept."""
    calls = count()

    def hook(module: nn.Module, args: Any, kwargs: Any, result: Any) -> Any:
        if next(calls) != place.ordinal:
            return None
        nodes, *others = tensors_in((args, kwargs))
        index = next(value for value in others if is_index(batch, value))
        if isinstance(module, SumAggregation | MeanAggregation):
            nodes = _zeroed(nodes, keep)
        else:
            nodes, index = nodes[keep], index[keep]
        # Other memory than that of batch, so that what the module reduces is not counted again.
        return module.forward(nodes, index.clone(), dim_size=result.size(0))

    return hook


def _zeroed(nodes: Tensor, keep: Tensor) -> Tensor:
    return nodes.masked_fill(~keep.unsqueeze(1), 0.0)
