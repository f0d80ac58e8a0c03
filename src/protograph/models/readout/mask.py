"""Letting only some nodes enter a known readout, or each with a weight of its own."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch_geometric.nn.aggr import MeanAggregation, SumAggregation

from protograph.models.readout import Place, Readout
from protograph.models.readout.capture import WHOLE_REDUCERS, WHOLE_SUMS, Reduction, Watcher
from protograph.models.readout.pooling import Level, beside

# Reductions that are no sums, unless they are asked to be.
_OTHERS_THAN_SUMS = WHOLE_REDUCERS - WHOLE_SUMS | {"scatter_reduce", "scatter_reduce_", "index_reduce", "index_reduce_"}
_SUMS = frozenset({"sum", "mean", "add"})


class LeavingOut(Watcher):
    """Lets only some nodes enter a known readout, their embeddings being those of the whole graph."""

    def __init__(
        self, batch: Tensor, readout: Readout, keep: Tensor, *, is_double: bool = False, is_one_graph: bool = False
    ) -> None:
        super().__init__(batch, readout, is_double=is_double, is_one_graph=is_one_graph)
        self._keep = keep

    @contextmanager
    def on(self, model: nn.Module) -> Iterator[None]:
        """Leave the other nodes out in the call made inside the ``with`` block."""
        with self._at_modules(model, self._rerun), self:
            yield

    def _run(self, func: Any, name: str, args: Any, kwargs: dict[str, Any], reduction: Reduction | None) -> Any:
        if reduction is not None and self.ordinal in self.places:
            index, how = (args[at] if len(args) > at else kwargs.get(key) for at, key in ((2, "index"), (4, "reduce")))
            changed = self._changed(name, how, index, reduction)
            args = [changed.get(id(value), value) for value in args]
            kwargs = {key: changed.get(id(value), value) for key, value in kwargs.items()}
        return self.call(func, args, kwargs)

    def _changed(self, name: str, how: Any, index: Any, reduction: Reduction) -> dict[int, Tensor]:
        """What takes the place of arguments of a reduction, by their ids."""
        source, level = reduction
        if name in ("scatter", "scatter_") and how != "add":
            raise ValueError("the model's readout overwrites nodes by one another, so none of them can be left out")
        if how in _SUMS or name not in _OTHERS_THAN_SUMS:
            return {id(source): self._zeroed(source, level)}
        kept = self._kept(level)
        changed = {id(source): source[kept]}
        return changed if name in WHOLE_REDUCERS else {**changed, id(index): index[kept]}

    def _rerun(self, place: Place, module: nn.Module, inputs: Any, result: Any) -> Any:
        """What an aggregation module gives for the nodes that are kept."""
        reduction = self.reduction_of_module(inputs)
        assert reduction is not None
        (nodes, level), index = reduction, reduction.level.index
        if isinstance(module, SumAggregation | MeanAggregation):
            nodes = self._zeroed(nodes, level)
        else:
            nodes, index = nodes[self._kept(level)], index[self._kept(level)]
        self._is_resting = True
        try:
            return module.forward(nodes, index, dim_size=result.size(0))
        finally:
            self._is_resting = False

    def _kept(self, level: Level) -> Tensor:
        return level.of_rows(self._keep) > 0

    def _zeroed(self, nodes: Tensor, level: Level) -> Tensor:
        share = beside(level.of_rows(self._keep).to(nodes.dtype), nodes)
        return (nodes * share).masked_fill(share == 0, 0.0)


class Weighing(LeavingOut):
    """Lets each node enter a known sum or mean with a weight; what other readouts give does not depend on it."""

    def __init__(
        self, batch: Tensor, readout: Readout, weights: Tensor, *, is_double: bool = False, is_one_graph: bool = False
    ) -> None:
        keep = torch.ones_like(weights, dtype=torch.bool)
        super().__init__(batch, readout, keep, is_double=is_double, is_one_graph=is_one_graph)
        self._weights = weights

    def _zeroed(self, nodes: Tensor, level: Level) -> Tensor:
        return nodes * beside(level.of_rows(self._weights).to(nodes.dtype), nodes)
