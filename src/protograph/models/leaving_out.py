"""Leaving nodes out of a model's readout, their embeddings being those of the whole graph."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from torch import Tensor, nn
from torch_geometric.data import Data
from torch_geometric.nn.aggr import MeanAggregation, SumAggregation

from protograph.models.classifier import RunningClassifier
from protograph.models.readout import Place, Watcher, at_modules, is_index, tensors_in

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
    return running.classify(graphs, lambda batch: _LeavingOut(running, batch, keep).on())


class _LeavingOut(Watcher):
    """Leaves nodes out of the readout of a call."""

    def __init__(self, running: RunningClassifier, batch: Tensor, keep: Tensor) -> None:
        super().__init__(batch, running.readout.places)
        self._running = running
        self._keep = keep.to(running.device)

    @contextmanager
    def on(self) -> Iterator[None]:
        """Let only some nodes enter the readout in the call made inside the ``with`` block."""
        with at_modules(self._running.model, self._running.readout.places, self._rerun), self:
            yield

    def run(self, func: Callable[..., Any], name: str, args: Any, kwargs: dict[str, Any], source: Tensor | None) -> Any:
        """Run an operation, on fewer nodes where it is a step of the readout."""
        if source is not None and self.ordinal in self.places:
            args, kwargs = self._without(name, list(args), dict(kwargs))
        return func(*args, **kwargs)

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
